"""The data model of a library: what its YAML says, checked and made whole. Nothing here reads a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from opwright.bundle.format import ImplementsEntry, Shape
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
class About:
    """What a package's wheel says to people: authors as `Name <address>`, links by their names, and the paths of files
    relative to the library's root, that of a description, and those of license texts."""

    authors: tuple[str, ...] = ()
    urls: Mapping[str, str] = field(default_factory=dict)
    readme: str = ""
    license_files: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files whose text goes into the wheel."""
        return tuple(dict.fromkeys((*([self.readme] if self.readme else []), *self.license_files)))


@dataclass(frozen=True, slots=True)
class Package:
    """What one bundle, one wheel and one generated import package are made of.

    `name` is the distribution, `package` the import; `domains` are those whose functions it holds. `siblings` are the
    packages of the same library that its functions may call, `dependencies` other libraries, each by name with the
    releases that are accepted (empty: any). `places` are those of its own keys, and of the shared ones.
    `about` is for the wheel alone.
    """

    name: str
    version: str
    package: str
    summary: str
    license: str
    opsets: OpsetRange
    requires: Mapping[str, str]
    domains: tuple[str, ...]
    siblings: Mapping[str, str]
    dependencies: Mapping[str, Dependency]
    places: Mapping[str, Place]
    about: About = field(default_factory=About)


@dataclass(frozen=True, slots=True)
class Dependency:
    """Another library that functions call: the releases that are accepted (empty: any), and `bundle`, its file relative
    to `specs/`; without one it is the installed distribution of that name."""

    releases: str
    bundle: str
    place: Place


@dataclass(frozen=True, slots=True)
class Library:
    """`specs/library.yaml`. `root` is the folder that holds `specs/`; `packages` stand in the order of the file.

    Each domain belongs to one package. A file without `packages:` is one package, which has all domains.
    `places` are those of the file's own keys.
    """

    root: Path
    packages: tuple[Package, ...]
    places: Mapping[str, Place]

    def package_of(self, domain: str) -> Package:
        """The package that the domain belongs to. KeyError when it belongs to none."""
        for package in self.packages:
            if domain in package.domains:
                return package
        raise KeyError(domain)

    def package(self, name: str) -> Package:
        """The package of that distribution name. KeyError when there is none."""
        for package in self.packages:
            if package.name == name:
                return package
        raise KeyError(name)

    @property
    def owners(self) -> dict[str, str]:
        """The name of the package that has it, by domain."""
        return {domain: package.name for package in self.packages for domain in package.domains}

    def domains_beside(self, package: Package) -> dict[str, str]:
        """The name of the package, for each domain of the other ones."""
        return {domain: name for domain, name in self.owners.items() if name != package.name}

    def with_siblings(self, names: Collection[str]) -> tuple[Package, ...]:
        """The packages of those names and all that they depend on, each behind those that it depends on."""
        found: dict[str, Package] = {}
        pending = [(package, False) for package in reversed(self.packages) if package.name in names]
        while pending:
            package, ready = pending.pop()
            if ready:
                found.setdefault(package.name, package)
            elif package.name not in found:
                pending.append((package, True))
                pending += ((item, False) for item in reversed(self.packages) if item.name in package.siblings)
        return tuple(found.values())


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
    the last output, which stands for as many as the function returns. `shape` has the sizes that are declared, by axis.
    """

    name: str
    type: str
    rank: int | None = None
    doc: str = ""
    variadic: bool = False
    shape: Shape | None = None


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
    ARRAYS = "npz"  # calls of an archive of numpy in the spec folder
    BACKEND = "backend"  # an ONNX backend-test directory in the spec folder


@dataclass(frozen=True, slots=True)
class VectorSource:
    """One entry of `vectors:`. `path` is relative to the spec folder."""

    kind: VectorKind
    place: Place
    pattern: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class ProposedBody:
    """A function whose body is proposed to the standard in place of the one that is shipped. `file` is relative to the
    spec folder; `inexact` are the vectors that it need not pass, by name, with the reason."""

    file: str
    function: str
    inexact: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SpecVersion:
    """One (domain, name, since_version): everything that YAML says of it, defaults from the top of the file applied.

    `function_file` and `reference_file` are relative to the spec folder. `tolerances` holds one for every element type
    that the version names, what the spec leaves out filled from the default table, and `runtime_tolerances` the same
    for each runtime that has its own. `places` maps dotted key paths of
    the YAML file (`types.T`, `inputs.X.rank`) to where the key stands, and `types.T.0` to an item of a sequence.
    `tags` are labels to select it by; nothing that is built or verified depends on them. `implements` is the operator
    of PyTorch that it stands for. `proposal` is read by `opwright propose` alone.
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
    tags: tuple[str, ...] = ()
    runtime_tolerances: Mapping[str, Mapping[str, Tolerance]] = field(default_factory=dict)
    implements: ImplementsEntry | None = None
    proposal: ProposedBody | None = None

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

    `packages` are those whose specs were read, each behind those that it depends on; `domains` are those of all.
    `versions` stand in the order of (domain, name, since_version). `broken` names, as `domain::Name`, the spec folders
    that were left out; `sources` holds the bytes of every YAML file read, by POSIX path relative to the library's root.
    """

    library: Library
    packages: tuple[Package, ...]
    domains: tuple[Domain, ...]
    versions: tuple[SpecVersion, ...]
    diagnostics: tuple[Diagnostic, ...]
    broken: tuple[str, ...]
    sources: Mapping[str, bytes]
