"""The data model of a library: what its YAML says, checked and made whole. Nothing here reads a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, Place


@dataclass(frozen=True, slots=True)
class OpsetRange:
    """Default-domain opsets, both ends included."""

    first: int
    last: int

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))

    def __contains__(self, opset: object) -> bool:
        return isinstance(opset, int) and self.first <= opset <= self.last


@dataclass(frozen=True, slots=True)
class Library:
    """`specs/library.yaml`. `root` is the folder that holds `specs/`, `name` the distribution, `package` the import."""

    root: Path
    name: str
    version: str
    package: str
    summary: str
    license: str
    opsets: OpsetRange
    requires: Mapping[str, str]
    dependencies: Mapping[str, str]
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Domain:
    """`specs/<domain>/domain.yaml`. `version` counts the domain's own opsets; functions are emitted in `mirror`."""

    name: str
    version: int
    mirror: str | None
    summary: str
    places: Mapping[str, Place]

    @property
    def emitted(self) -> str:
        """The domain that the functions' protos carry."""
        return self.mirror or self.name


@dataclass(frozen=True, slots=True)
class ValueDeclaration:
    """An input or output as YAML declares it.

    `type` is a type variable of `types`, an element type's name or `any`, or a sequence of it: `seq(T)`. `variadic`:
    the last output, which stands for as many as the function returns.
    """

    name: str
    type: str
    rank: int | None = None
    doc: str = ""
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Largest accepted difference: `ulp` units in the last place, or `absolute` times the output's scale."""

    ulp: float
    absolute: float
    reason: str = ""


class VectorKind(Enum):
    SUITE = "onnx"  # the standard's cases of this operator at this version
    SUITE_LATEST = "onnx@latest"  # those of the operator's newest version, where valid for this one
    SUITE_GLOB = "onnx:"  # the cases whose names match `pattern`
    ROWS = "yaml"  # rows of a YAML file of the spec folder


@dataclass(frozen=True, slots=True)
class VectorSource:
    """One entry of `vectors:`. `path` is relative to the spec folder."""

    kind: VectorKind
    place: Place
    pattern: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class SpecVersion:
    """One (domain, name, since_version): everything that YAML says of it, defaults from the top of the file applied.

    `function_file` and `reference_file` are relative to the spec folder. `tolerances` holds one for every element type
    that the version names, what the spec leaves out filled from the default table. `places` maps dotted key paths of
    the YAML file (`types.T`, `inputs.X.rank`) to where the key stands, and `types.T.0` to an item of a sequence.
    """

    domain: Domain
    name: str
    since_version: int
    folder: Path
    opsets: OpsetRange
    summary: str
    doc: str
    deprecated: bool
    function_file: str
    function_name: str
    inputs: tuple[ValueDeclaration, ...]
    outputs: tuple[ValueDeclaration, ...]
    attribute_docs: Mapping[str, str]
    types: Mapping[str, tuple[str, ...]]
    vectors: tuple[VectorSource, ...]
    tolerances: Mapping[str, Tolerance]
    reference_file: str | None
    reference_name: str
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """`domain::Name@since_version`, as in the standard's own lists."""
        return f"{self.domain.name}::{self.name}@{self.since_version}"

    @property
    def pairs(self) -> tuple[str, ...]:
        """The element types of the widest type variable: the axis along which a version is verified and counted."""
        widest: tuple[str, ...] = ()
        for admitted in self.types.values():
            if len(admitted) > len(widest):
                widest = admitted
        return widest


@dataclass(frozen=True, slots=True)
class LoadedLibrary:
    """A library as read: what is sound of it, and everything that is wrong with the rest.

    `versions` stand in the order of (domain, name, since_version). `broken` names, as `domain::Name`, the spec folders
    that were left out; `sources` holds the bytes of every YAML file read, by POSIX path relative to the library's root.
    """

    library: Library
    domains: tuple[Domain, ...]
    versions: tuple[SpecVersion, ...]
    diagnostics: tuple[Diagnostic, ...]
    broken: tuple[str, ...]
    sources: Mapping[str, bytes]
