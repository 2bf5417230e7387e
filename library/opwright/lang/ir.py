"""The typed intermediate representation: what a function is between its source text and its FunctionProto.

Values are assigned once. A node is a `Call`, an `If`, a `Loop` or a `Const`; nothing else is left after lowering.
Plain slotted classes, owned by one compile and never shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import partial

from opwright.elements import BY_CODE, ElementType
from opwright.lang.source import Span
from opwright.lang.trail import Trail
from opwright.opsets.record import Record
from opwright.opsets.signatures import ALL_ELEMENTS, Signature, elements_of
from opwright.variants import overload_of

# --------------------------------------------------------------------------------------------------- types


class TypeVariable:
    """An element type that is not known until the function is called: one of `mask`.

    A rigid variable is declared by the function and may only narrow; a flexible one may also become equal to
    another (`same_as`), as the undeclared types of `a + b` do. `narrowed_by` says which operator took what away.
    """

    __slots__ = ("mask", "name", "narrowed_by", "rigid", "same_as")

    def __init__(self, name: str, mask: int = ALL_ELEMENTS, rigid: bool = True) -> None:
        self.name = name
        self.mask = mask
        self.rigid = rigid
        self.same_as: TypeVariable | ElementType | None = None
        self.narrowed_by: list[tuple[int, str]] = []

    def __repr__(self) -> str:
        return self.name

    @property
    def elements(self) -> tuple[ElementType, ...]:
        return elements_of(self.mask)

    def narrow(self, mask: int, why: str, trail: Trail) -> None:
        """Keeps the element types that are in `mask` too; `why` names the operator that takes the others away."""
        taken = self.mask & ~mask
        trail.append(self.narrowed_by, (taken, why))
        self.restrict(self.mask & mask, trail)

    def restrict(self, mask: int, trail: Trail) -> None:
        """Admits the element types of `mask`, a part of those that it admits, and no others."""
        trail.record(partial(self._set_mask, self.mask))
        self.mask = mask

    def equate(self, other: Element, trail: Trail) -> None:
        """Makes the variable stand for another one, or for an element type."""
        trail.record(self._part)
        self.same_as = other

    def _set_mask(self, mask: int) -> None:
        self.mask = mask

    def _part(self) -> None:
        self.same_as = None


Element = ElementType | TypeVariable


def settle(element: Element) -> Element:
    """The element type or variable that stands for `element`; a variable with one type left is that type."""
    while isinstance(element, TypeVariable):
        if element.same_as is not None:
            element = element.same_as
        elif element.mask and not element.mask & (element.mask - 1):
            return BY_CODE[element.mask.bit_length() - 1]
        else:
            break
    return element


def element_mask(element: Element) -> int:
    element = settle(element)
    return element.mask if isinstance(element, TypeVariable) else 1 << element.code


Dimension = int | str | None


class TensorType:
    """`shape` is None when the rank is unknown; a dimension is an int, a symbol, or None when unknown."""

    __slots__ = ("element", "shape")

    def __init__(self, element: Element, shape: tuple[Dimension, ...] | None = None) -> None:
        self.element = element
        self.shape = shape

    def reshaped(self, shape: tuple[Dimension, ...] | None) -> TensorType:
        return TensorType(self.element, shape)

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def __repr__(self) -> str:
        element = settle(self.element)
        if self.shape is None:
            return f"{element!r}[...]"
        return f"{element!r}[{', '.join('?' if dim is None else str(dim) for dim in self.shape)}]"


class SequenceType:
    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        self.item = item

    def __repr__(self) -> str:
        return f"seq({self.item!r})"


class OptionalType:
    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        self.item = item

    def __repr__(self) -> str:
        return f"optional({self.item!r})"


class MapType:
    """A dictionary, whose keys are integers or texts."""

    __slots__ = ("item", "key")

    def __init__(self, key: ElementType, item: Type) -> None:
        self.key = key
        self.item = item

    def __repr__(self) -> str:
        return f"map({self.key.name}, {self.item!r})"


class NumberKind(Enum):
    """Python's kinds of number, and the element type that carries an unknown one."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"


class NumberType:
    """A Python number whose value is unknown until run time: rank 0, carried as BOOL, INT64 or DOUBLE."""

    __slots__ = ("kind",)

    def __init__(self, kind: NumberKind) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"number({self.kind.value})"


class UnknownType:
    """A type that our inference does not follow; such a value can be passed on, never asked about."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unknown"


Type = TensorType | SequenceType | OptionalType | MapType | NumberType | UnknownType


def same_type(left: Type, right: Type) -> bool:
    """Equal up to shapes."""
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return settle(left.element) is settle(right.element)
    if isinstance(left, SequenceType) and isinstance(right, SequenceType):
        return same_type(left.item, right.item)
    if isinstance(left, OptionalType) and isinstance(right, OptionalType):
        return same_type(left.item, right.item)
    if isinstance(left, MapType) and isinstance(right, MapType):
        return left.key is right.key and same_type(left.item, right.item)
    if isinstance(left, NumberType) and isinstance(right, NumberType):
        return left.kind is right.kind
    return isinstance(left, UnknownType) and isinstance(right, UnknownType)


def settled_type(type_: Type) -> Type:
    """The type with each element variable replaced by what it stands for now: what outlives a rolled back trial."""
    if isinstance(type_, TensorType):
        return TensorType(settle(type_.element), type_.shape)
    if isinstance(type_, SequenceType):
        return SequenceType(settled_type(type_.item))
    if isinstance(type_, OptionalType):
        return OptionalType(settled_type(type_.item))
    if isinstance(type_, MapType):
        return MapType(type_.key, settled_type(type_.item))
    return type_


# -------------------------------------------------------------------------------------------------- values


class Value:
    """The result of one node, a region's parameter, or an input. `optional`: the caller may leave this input out."""

    __slots__ = ("name", "optional", "span", "type")

    def __init__(self, type_: Type, name: str = "", span: Span | None = None, optional: bool = False) -> None:
        self.type = type_
        self.name = name
        self.span = span
        self.optional = optional

    def rename(self, name: str, trail: Trail) -> None:
        """Gives the value another name, which is a hint for readers of the proto."""
        trail.record(partial(self._set_name, self.name))
        self.name = name

    def _set_name(self, name: str) -> None:
        self.name = name

    def retype(self, type_: Type, trail: Trail) -> None:
        """Gives the value a type that says more of it."""
        trail.record(partial(self._set_type, self.type))
        self.type = type_

    def _set_type(self, type_: Type) -> None:
        self.type = type_

    def __repr__(self) -> str:
        return f"%{self.name or hex(id(self))}"


class TensorData:
    """A tensor constant: little-endian `data` of `element` with `dims`; for strings `data` is a tuple of bytes."""

    __slots__ = ("data", "dims", "element")

    def __init__(self, element: ElementType, dims: tuple[int, ...], data: bytes | tuple[bytes, ...]) -> None:
        self.element = element
        self.dims = dims
        self.data = data

    @property
    def key(self) -> tuple[object, ...]:
        return (self.element.code, self.dims, self.data)


class AttributeKind(Enum):
    """ONNX's attribute types, by the names of `AttributeProto.AttributeType`; `code` is the number there."""

    FLOAT = "FLOAT", 1
    INT = "INT", 2
    STRING = "STRING", 3
    TENSOR = "TENSOR", 4
    GRAPH = "GRAPH", 5
    FLOATS = "FLOATS", 6
    INTS = "INTS", 7
    STRINGS = "STRINGS", 8

    code: int

    def __new__(cls, name: str, code: int) -> AttributeKind:
        made = object.__new__(cls)
        made._value_ = name
        made.code = code
        return made


class AttributeReference:
    """An attribute whose value is an attribute of the function (`@alpha`)."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: AttributeKind) -> None:
        self.name = name
        self.kind = kind


class AttributeValue:
    """A literal attribute: Python values by kind (TENSOR: `TensorData`, GRAPH: `Region`)."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: AttributeKind, value: object) -> None:
        self.kind = kind
        self.value = value


Attribute = AttributeReference | AttributeValue


# --------------------------------------------------------------------------------------------------- nodes


class Operator:
    """A standard operator at its schema version."""

    __slots__ = ("signature",)

    def __init__(self, signature: Signature) -> None:
        self.signature = signature

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.signature.domain, self.signature.name, "")

    @property
    def pure(self) -> bool:
        return self.signature.deterministic

    @property
    def record(self) -> Record:
        """What is known of the operator beyond its signature."""
        return self.signature.record


_NO_OPERATOR = Record("")


class FunctionReference:
    """A function that is called: its identity, the variant, and the digest of that variant's body.

    `origin` is the living function that is meant, where it is one.
    """

    __slots__ = (
        "attributes",
        "digest",
        "domain",
        "emitted_domain",
        "inputs",
        "name",
        "origin",
        "pure",
        "since_version",
        "variant",
        "version",
    )

    def __init__(
        self,
        domain: str,
        emitted_domain: str,
        version: int,
        name: str,
        since_version: int,
        variant: tuple[tuple[str, str], ...],
        digest: str,
        attributes: tuple[str, ...],
        inputs: tuple[str, ...],
        pure: bool,
        origin: object = None,
    ) -> None:
        self.domain = domain
        self.emitted_domain = emitted_domain
        self.version = version
        self.name = name
        self.since_version = since_version
        self.variant = variant
        self.digest = digest
        self.attributes = attributes  # the body's own, in its order
        self.inputs = inputs  # likewise
        self.pure = pure
        self.origin = origin

    @property
    def record(self) -> Record:
        """Of a function nothing is known by its name."""
        return _NO_OPERATOR

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.emitted_domain, self.name, overload_of(self.variant))


class Region:
    """A nested block: parameters, nodes in order, what it yields. Captures are computed, never stored.

    `declared` are the types that the author declares of parameters and of values that are made here, `promised` those
    of what it yields: a model says them, whatever inference finds.
    """

    __slots__ = ("declared", "nodes", "parameters", "promised", "yields")

    def __init__(self, parameters: list[Value] | None = None) -> None:
        self.parameters = parameters or []
        self.nodes: list[Node] = []
        self.yields: list[Value] = []
        self.declared: dict[Value, Type] = {}
        self.promised: dict[Value, Type] = {}


class Call:
    __slots__ = ("attributes", "callee", "inputs", "results", "span")

    def __init__(
        self,
        callee: Operator | FunctionReference,
        inputs: list[Value | None],
        attributes: dict[str, Attribute],
        results: list[Value | None],
        span: Span | None,
    ) -> None:
        self.callee = callee
        self.inputs = inputs
        self.attributes = attributes
        self.results = results
        self.span = span


class If:
    __slots__ = ("condition", "operator", "orelse", "results", "span", "then")

    def __init__(
        self,
        operator: Operator,
        condition: Value,
        then: Region,
        orelse: Region,
        results: list[Value],
        span: Span | None,
    ) -> None:
        self.operator = operator
        self.condition = condition
        self.then = then
        self.orelse = orelse
        self.results = results
        self.span = span


class Loop:
    """`body` takes the trip number, the condition and the carried values; it yields the condition and those."""

    __slots__ = ("body", "condition", "initial", "operator", "results", "span", "trips")

    def __init__(
        self,
        operator: Operator,
        trips: Value | None,
        condition: Value | None,
        initial: list[Value],
        body: Region,
        results: list[Value],
        span: Span | None,
    ) -> None:
        self.operator = operator
        self.trips = trips
        self.condition = condition
        self.initial = initial
        self.body = body
        self.results = results
        self.span = span


class Const:
    __slots__ = ("data", "operator", "result", "span")

    def __init__(self, operator: Operator, data: TensorData, result: Value, span: Span | None) -> None:
        self.operator = operator
        self.data = data
        self.result = result
        self.span = span


Node = Call | If | Loop | Const


def regions_of(node: Node) -> Iterator[Region]:
    if isinstance(node, If):
        yield node.then
        yield node.orelse
    elif isinstance(node, Loop):
        yield node.body
    elif isinstance(node, Call):
        for attribute in node.attributes.values():
            if isinstance(attribute, AttributeValue) and isinstance(attribute.value, Region):
                yield attribute.value


def results_of(node: Node) -> list[Value]:
    if isinstance(node, Const):
        return [node.result]
    return [value for value in node.results if value is not None]


def operands_of(node: Node) -> list[Value]:
    """The values a node reads itself, those read in its regions not included."""
    if isinstance(node, Call):
        return [value for value in node.inputs if value is not None]
    if isinstance(node, If):
        return [node.condition]
    if isinstance(node, Loop):
        return [value for value in (node.trips, node.condition, *node.initial) if value is not None]
    return []


# ------------------------------------------------------------------------------------------------ functions


class AttributeParameter:
    """An attribute of the function; `default` None and not required: it may be absent."""

    __slots__ = ("default", "kind", "name", "required", "span")

    def __init__(self, name: str, kind: AttributeKind, required: bool, default: object, span: Span | None) -> None:
        self.name = name
        self.kind = kind
        self.required = required
        self.default = default
        self.span = span


class Function:
    """A function for one opset and one variant. `outputs` are the declared names of what `body` yields."""

    __slots__ = (
        "attributes",
        "body",
        "doc",
        "domain",
        "inputs",
        "name",
        "opset",
        "outputs",
        "since_version",
        "span",
        "variables",
    )

    def __init__(self, domain: str, name: str, since_version: int, opset: int, span: Span | None) -> None:
        self.domain = domain
        self.name = name
        self.since_version = since_version
        self.opset = opset
        self.span = span
        self.doc = ""
        self.inputs: list[Value] = []
        self.attributes: list[AttributeParameter] = []
        self.outputs: list[str] = []
        self.variables: dict[str, Element] = {}
        self.body = Region()

    def head(self) -> Function:
        """The same function without its body: whoever reads that gets an AttributeError."""
        found = Function.__new__(Function)
        found.domain, found.name, found.since_version = self.domain, self.name, self.since_version
        found.opset, found.span, found.doc = self.opset, self.span, self.doc
        found.inputs, found.outputs, found.attributes = self.inputs, self.outputs, self.attributes
        found.variables = self.variables
        return found


def walk(region: Region) -> Iterator[tuple[Region, Node]]:
    """Every node of a region and of those nested in it, outer before inner, in order."""
    pending: list[Iterator[tuple[Region, Node]]] = [iter([(region, node) for node in region.nodes])]
    while pending:
        step = next(pending[-1], None)
        if step is None:
            pending.pop()
            continue
        yield step
        inner = [(nested, node) for nested in regions_of(step[1]) for node in nested.nodes]
        if inner:
            pending.append(iter(inner))
