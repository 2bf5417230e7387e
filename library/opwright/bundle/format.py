"""The index of a bundle (`library.json`) as data. The same classes serve the build tool, the reader and the linker."""

from __future__ import annotations

from dataclasses import dataclass, field

FORMAT = 1
READER = 1
MIMETYPE = "application/vnd.opwright.library"
SUFFIX = ".onnxlib"

# What a reader takes on; checked before anything is read into memory.
MOST_BYTES = 1 << 30  # of a bundle
MOST_INDEX_BYTES = 1 << 28  # of library.json
MOST_MEMBERS = 65_000  # of its archive, which counts them in 16 bits


@dataclass(frozen=True, slots=True)
class InputEntry:
    """`type` is a type variable of the function, or an element type's name (`int64`)."""

    name: str
    type: str
    optional: bool = False
    variadic: bool = False
    rank: int | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """`variadic`: the last one may be any number of outputs; what a template is given says how many."""

    name: str
    type: str
    doc: str = ""
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class AttributeEntry:
    """`type` is ONNX's (`INT`, `FLOAT`, `STRING`, `INTS`, `FLOATS`, `STRINGS`, `GRAPH`).

    Neither required nor with a default: it may be absent. `choices` are the only values allowed, where they are few;
    `is_bool` says that the INT is a truth value.
    """

    name: str
    type: str
    required: bool
    default: int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | None = None
    doc: str = ""
    choices: tuple[int, ...] | tuple[str, ...] = ()
    is_bool: bool = False


@dataclass(frozen=True, slots=True)
class CallEntry:
    """A function called from a body: its identity, the variant chosen, and the digest of that variant's body."""

    domain: str
    name: str
    since_version: int
    variant: tuple[tuple[str, str], ...]
    body: str


@dataclass(frozen=True, slots=True)
class BodyEntry:
    """One body of a version: the opsets (both ends included) and the variant that it serves.

    `variant` holds (axis, value) pairs in declaration order, e.g. `(("T", "float"),)`, empty when there is one
    variant only. An axis is a type variable (value: an element type), an input (value: `present` or `absent`) or
    an attribute. `inputs` and `attributes` name those of the interface that the body keeps, in its own order; the
    body itself is anonymous (its inputs are `i0`, `i1`..., its outputs `o0`..., its attributes `a0`...).
    `admits` are the element types that the operators of this body accept, per type variable.
    `calls` are the functions it calls directly; in the body a call is a node of domain `body1` whose operator is
    the callee body's digest without the `body1:`. `outputs` names its outputs where those of the interface are
    variadic; otherwise it has the interface's.

    An instance of a template is a body like any other. Of a variadic input it has `xs_0`, `xs_1`...; on further axes
    its variant says how many there are, and which graph an attribute is (16 digits of the sha256).
    """

    first_opset: int
    last_opset: int
    variant: tuple[tuple[str, str], ...]
    body: str
    inputs: tuple[str, ...]
    attributes: tuple[str, ...]
    admits: tuple[tuple[str, tuple[str, ...]], ...]
    calls: tuple[CallEntry, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateEntry:
    """What serves the opsets (both ends included) at which a version has bodies for given calls only.

    `template` is the digest of its text, `template1:<sha256>`; `axes` are the facts that a call must tell.
    """

    first_opset: int
    last_opset: int
    template: str
    axes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """An identity (domain, name, since_version), its interface and its bodies.

    At the opsets of `templates` the bodies are those instances that are verified.
    """

    domain: str
    name: str
    since_version: int
    summary: str
    doc: str
    deprecated: bool
    inputs: tuple[InputEntry, ...]
    outputs: tuple[OutputEntry, ...]
    attributes: tuple[AttributeEntry, ...]
    types: tuple[tuple[str, tuple[str, ...]], ...]
    bodies: tuple[BodyEntry, ...]
    templates: tuple[TemplateEntry, ...] = ()

    @property
    def identity(self) -> str:
        return f"{self.domain}::{self.name}@{self.since_version}"


@dataclass(frozen=True, slots=True)
class DomainEntry:
    """`mirror` is the domain under which the functions are emitted; it equals `name` where there is none."""

    name: str
    version: int
    mirror: str


@dataclass(frozen=True, slots=True)
class Index:
    """`library.json`.

    `opsets` is the outer range; `onnx` the version of the schemas that were compiled against; `requires` names what an
    installed library needs, as (distribution, version specifier).
    """

    library: str
    version: str
    package: str
    summary: str
    license: str
    opsets: tuple[int, int]
    onnx: str
    domains: tuple[DomainEntry, ...]
    functions: tuple[FunctionEntry, ...]
    requires: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """A library read from bytes: its index, its bodies (serialised anonymous FunctionProtos) by digest, its own digest.

    `document` is the index as it stood in the bundle, keys that this reader does not know included; `others` are the
    members that are neither bodies nor templates, by path; `templates` are the texts of templates, by digest.
    """

    index: Index
    bodies: dict[str, bytes]
    digest: str
    document: bytes = b""
    others: dict[str, bytes] = field(default_factory=dict)
    templates: dict[str, bytes] = field(default_factory=dict)
