"""The index of a bundle as data. The same classes serve the build tool, the reader and the linker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from opwright.bundle.function_lookup import Functions, functions_of

FORMAT = 2
READER = 2
MIMETYPE = "application/vnd.opwright.library"
SUFFIX = ".onnxlib"

# What a reader takes on; checked before anything is read into memory.
MOST_BYTES = 1 << 30  # of a bundle
MOST_INDEX_BYTES = 1 << 28  # of library.json, and of any other member that is JSON
MOST_MEMBERS = 2_000_000  # of its archive


Shape = tuple[int | str | None, ...]  # sizes by axis: a number, a name that is the same size wherever it stands, or any


@dataclass(frozen=True, slots=True)
class InputEntry:
    """`type` is a type variable of the function, or an element type's name (`int64`).

    `rank` and `shape` are promises, and of a sequence those of its items; the shape is there where it says more than
    the rank does. Of a variadic one that is `optional` each item may be absent.
    """

    name: str
    type: str
    optional: bool = False
    variadic: bool = False
    rank: int | None = None
    doc: str = ""
    shape: Shape | None = None

    @property
    def declared_shape(self) -> Shape | None:
        """All that is promised of the shape; None where not even the rank is."""
        return self.shape if self.shape is not None or self.rank is None else (None,) * self.rank


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """`variadic`: the last one may be any number of outputs; what a template is given says how many. `shape` is a
    promise, and of a sequence that of its items."""

    name: str
    type: str
    doc: str = ""
    variadic: bool = False
    shape: Shape | None = None

    @property
    def declared_shape(self) -> Shape | None:
        """All that is promised of the shape; None where not even the rank is."""
        return self.shape


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
class ImplementsEntry:
    """An operator of PyTorch that a function stands for, and what the schema does not say of its arguments.

    `schema` is PyTorch's own text. `forms` are what is done to arguments before a parameter gets them
    (`opwright.aten` has them by name), `sources` the arguments of parameters that are named otherwise. `drops` are
    arguments that the function lacks, each with the JSON texts of the values for which it is right without them;
    none: all. `promotion` says of a type variable how PyTorch chooses its type: `wide` (integers become int64),
    `kept` (no other stands for it), `einsum` (`kept`, and `wide` for an equation that sums one tensor), or the argument
    whose type alone counts. With `lifts` tensors of rank 0 are taken as tensors of one element, and results become
    tensors of rank 0 again; with `rank_of` all of them, and results do where the argument of that name is one.
    """

    schema: str
    forms: tuple[tuple[str, str], ...] = ()
    drops: tuple[tuple[str, tuple[str, ...]], ...] = ()
    promotion: tuple[tuple[str, str], ...] = ()
    lifts: bool = False
    sources: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rank_of: str = ""


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
    implements: ImplementsEntry | None = None

    @property
    def identity(self) -> str:
        return f"{self.domain}::{self.name}@{self.since_version}"

    @property
    def last_opset(self) -> int:
        """The newest opset that has a body."""
        ends = [item.last_opset for item in self.bodies] + [item.last_opset for item in self.templates]
        return max(ends, default=0)


@dataclass(frozen=True, slots=True)
class DomainEntry:
    """`mirror` is the domain under which the functions are emitted; it equals `name` where there is none."""

    name: str
    version: int
    mirror: str


@dataclass(frozen=True, slots=True)
class DependencyEntry:
    """Another library, as far as functions of this one call it. Its bodies that are called lie among this one's.

    `sha256` is that of its bundle's file, as it was when this library was built. `functions` are those that are called,
    each with all its bodies, of which the bundle holds the ones that are reached; `versions` are all that these
    functions have there, by `domain::Name`: they decide how a version is named in a model. `needs` are the libraries
    that it depends on itself, which are listed beside it.
    """

    library: str
    version: str
    package: str
    sha256: str
    domains: tuple[DomainEntry, ...] = ()
    functions: Sequence[FunctionEntry] = ()
    versions: tuple[tuple[str, tuple[int, ...]], ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def table(self) -> Functions:
        """The functions, to be looked up. Of those of a bundle, only what is looked up is read."""
        return functions_of(self.functions)


@dataclass(frozen=True, slots=True)
class Index:
    """What a library is, and its functions.

    Of a bundle, `functions` are read when they are asked for: see `table`. `opsets` is the outer range; `onnx` the
    version of the schemas that were compiled against; `requires` names what an installed library needs, as
    (distribution, version specifier).
    """

    library: str
    version: str
    package: str
    summary: str
    license: str
    opsets: tuple[int, int]
    onnx: str
    domains: tuple[DomainEntry, ...]
    functions: Sequence[FunctionEntry]
    requires: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[DependencyEntry, ...] = ()

    @property
    def table(self) -> Functions:
        """The functions, to be looked up. Of those of a bundle, only what is looked up is read."""
        return functions_of(self.functions)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A library: its index, its bodies (serialised anonymous FunctionProtos) by digest, its own digest.

    `document` is library.json as it stood in the bundle, keys that this reader does not know included; `others` are the
    members that the format does not know, by path; `templates` are the texts of templates, by digest. Of a bundle that
    was read, bodies, templates, others and functions are read and checked when they are looked up: what is not as the
    digest says raises DiagnosticError (OW512 to OW516) then.
    """

    index: Index
    bodies: Mapping[str, bytes]
    digest: str
    document: bytes = b""
    others: Mapping[str, bytes] = field(default_factory=dict)
    templates: Mapping[str, bytes] = field(default_factory=dict)
