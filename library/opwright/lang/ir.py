"""The typed intermediate representation: what a function is between its source text and its FunctionProto.

Values are assigned once. A node is a `Call`, an `If`, a `Loop` or a `Const`; nothing else is left after lowering.
Plain slotted classes, owned by one compile and never shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import partial

from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.lang.schema_reads import Constraint, Narrowing
from opwright.lang.text.source import Span
from opwright.lang.trail import Trail
from opwright.opsets.record import Record
from opwright.opsets.records import NOTHING
from opwright.opsets.signatures import ALL_ELEMENTS, Signature, elements_of
from opwright.variants import overload_of

# --------------------------------------------------------------------------------------------------- types


_LAST = 1 << 30  # the place of a variable that no function declares


class TypeVariable:
    """An element type that is not known until the function is called: one of `mask`.

    A rigid variable is declared by the function and may only narrow; a flexible one may also become equal to
    another (`same_as`), as the undeclared types of `a + b` do. `narrowed_by` says which operator took what away.
    Of two that become equal the one that comes first in `place` stands for both, in whatever order they meet.
    `known`: how it came to admit what it admits, of a variable that no function declares; those are told apart by what
    operators answer (ADR 284), while each type that an operator is asked about for a declared one is noted.
    """

    __slots__ = ("_mask", "known", "name", "narrowed_by", "place", "rigid", "same_as")

    def __init__(self, name: str, mask: int = ALL_ELEMENTS, rigid: bool = True, place: int = _LAST) -> None:
        self.name = name
        self._mask = mask
        self.rigid = rigid
        self.place = place
        self.known: Narrowing | None = None
        self.same_as: TypeVariable | ElementType | None = None
        self.narrowed_by: list[tuple[int, str]] = []
        if place == _LAST:
            self._hold(Narrowing(mask))

    def __repr__(self) -> str:
        return self.name

    @property
    def mask(self) -> int:
        """The element types that it admits. Whoever asks for them may do anything with the answer, which is noted."""
        if self.known is not None:
            self.known.is_seen = True
        return self._mask

    @property
    def elements(self) -> tuple[ElementType, ...]:
        return elements_of(self.mask)

    @property
    def only(self) -> ElementType | None:
        """The one element type that it admits; None of a variable that admits several. Nothing is noted."""
        mask = self._mask
        return BY_CODE[mask.bit_length() - 1] if mask and not mask & (mask - 1) else None

    def meet(self, asked: Constraint, trail: Trail) -> bool:
        """Keeps the element types that an operator admits; False, and nothing done, where it admits none of them."""
        admitted, known = asked.mask, None
        if self.known is None:
            trail.reads.ask(asked.signature, self._mask)
        else:
            known = self.known.met(asked, admitted, trail.reads)
        left = self._mask & admitted
        if left and left != self._mask:
            trail.append(self.narrowed_by, (self._mask & ~admitted, asked.signature.identity))
        if left and (left != self._mask or known is not self.known):
            self._become(left, known, trail)
        return bool(left)

    def narrow(self, mask: int, why: str, trail: Trail) -> None:
        """Keeps the element types that are in `mask` too; `why` says what takes the others away."""
        trail.append(self.narrowed_by, (self._mask & ~mask, why))
        self.restrict(mask, trail)

    def restrict(self, mask: int, trail: Trail) -> None:
        """Keeps the element types that are in `mask` too."""
        self._become(self._mask & mask, None if self.known is None else self.known.within(mask, trail.reads), trail)

    def equate(self, other: Element, trail: Trail) -> bool:
        """Makes the variable stand for another one, or for an element type; False where they have none in common."""
        if not isinstance(other, TypeVariable) or self.known is None or other.known is None:
            common = self.mask & other.mask
            if common and isinstance(other, TypeVariable):
                other.restrict(self.mask, trail)
        else:
            known = self.known.joined(other.known, trail.reads)
            common = known.mask
            if common:
                other._become(common, known, trail)
        if common:
            trail.record(self._part, self.known)
            self._hold(None)
            self.same_as = other
        return bool(common)

    def copy(self) -> TypeVariable:
        """A variable that admits the same, for the same reasons, and is narrowed by itself from here on; what it stands
        for is not copied."""
        found = TypeVariable(self.name, self.mask, self.rigid, self.place)
        found._hold(self.known)
        found.narrowed_by = list(self.narrowed_by)
        return found

    def _become(self, mask: int, known: Narrowing | None, trail: Trail) -> None:
        trail.record(self._set, self._mask, self.known)
        self._set(mask, known)

    def _set(self, mask: int, known: Narrowing | None) -> None:
        self._mask = mask
        self._hold(known)

    def _part(self, known: Narrowing | None) -> None:
        self.same_as = None
        self._hold(known)

    def _hold(self, known: Narrowing | None) -> None:
        if self.known is not None:
            self.known.holders -= 1
        if known is not None:
            known.holders += 1
        self.known = known


Element = ElementType | TypeVariable


def settle(element: Element) -> Element:
    """The element type or variable that stands for `element`; a variable with one type left is that type."""
    while isinstance(element, TypeVariable):
        if element.same_as is not None:
            element = element.same_as
        else:
            return element.only or element
    return element


def element_mask(element: Element) -> int:
    return settle(element).mask


def known_element(element: Element | None) -> ElementType | None:
    """The element type, where it is known; None where the caller decides it, and of what has none."""
    found = None if element is None else settle(element)
    return None if isinstance(found, TypeVariable) else found


def open_element(element: Element | None) -> TypeVariable | None:
    """The variable that stands for an element type, where it is not known."""
    found = None if element is None else settle(element)
    return found if isinstance(found, TypeVariable) else None


def declared_variable(element: Element | None) -> TypeVariable | None:
    """The variable by which an element type is declared, whatever stands for it now."""
    return element if isinstance(element, TypeVariable) else None


def unify_elements(first: Element, second: Element, trail: Trail) -> bool:
    """Makes two element types the same where a flexible variable allows it; False where they differ."""
    left, right = settle(first), settle(second)
    if left is right:
        return True
    one, two = open_element(left), open_element(right)
    if one is None or one.rigid or (two is not None and not two.rigid and one.place < two.place):
        if two is None or two.rigid:
            return False
        one, two, right = two, one, left
    return one.equate(right, trail)


Dimension = int | str | None
Shape = tuple[Dimension, ...] | None


def size_of(dimension: Dimension) -> int | None:
    """How long an axis is, where it is known."""
    return dimension if isinstance(dimension, int) else None


class NumberKind(Enum):
    """Python's kinds of number; `carrier` is the element type that carries an unknown one, `natural` what it becomes
    where it meets no tensor, `zero` one of them."""

    BOOL = "bool", BY_NAME["bool"], BY_NAME["bool"], False
    INT = "int", BY_NAME["int64"], BY_NAME["int64"], 0
    FLOAT = "float", BY_NAME["double"], BY_NAME["float"], 0.0

    carrier: ElementType
    natural: ElementType
    zero: bool | int | float

    def __new__(cls, name: str, carrier: ElementType, natural: ElementType, zero: float) -> NumberKind:
        made = object.__new__(cls)
        made._value_ = name
        made.carrier = carrier
        made.natural = natural
        made.zero = zero
        return made


class _TypeBase:
    """What every type answers. Of a type that lacks a part, that part is None: only tensors have an `element` and a
    `shape`, only what holds other values has an `item`, only a number has a `kind`."""

    __slots__ = ()

    shape: Shape = None
    is_unknown = False  # the type is not followed by inference
    holder = ""  # ONNX's name of what holds an item

    @property
    def rank(self) -> int | None:
        """Of a tensor, where it is known."""
        return None

    @property
    def sequence_item(self) -> Type | None:
        """The item of a sequence."""
        return None

    @property
    def optional_item(self) -> Type | None:
        """What an optional holds."""
        return None

    @property
    def carried(self) -> Type:
        """The type of what stands for such a value in a graph."""
        raise NotImplementedError

    @property
    def carried_shape(self) -> Shape:
        """The shape of that, where it is a tensor of known rank."""
        return None

    @property
    def is_known(self) -> bool:
        """Whether ONNX can write the type: its element types are known."""
        return False

    def same_as(self, other: Type) -> bool:
        """Equal up to shapes."""
        raise NotImplementedError

    def unify(self, other: Type, trail: Trail) -> bool:
        """Makes two types the same where flexible variables allow it; False where they differ."""
        raise NotImplementedError

    def joined(self, other: Type) -> Type:
        """What is true of values of both types, which are the same up to shapes."""
        raise NotImplementedError

    def with_tensors(self, step: Callable[[TensorType], Type]) -> Type:
        """The type with `step` done to the tensor type in it."""
        raise NotImplementedError

    def restrict(self, asked: Constraint, trail: Trail) -> bool:
        """Meets the type with what an operator admits for it; False where nothing is left."""
        return True

    @property
    def innermost(self) -> Type:
        """What is held in the end by what holds values."""
        raise NotImplementedError

    def settled(self) -> Type:
        """The type with each element variable replaced by what it stands for now: what outlives a rolled back
        trial."""
        return self.with_tensors(TensorType.with_settled_element)


class TensorType(_TypeBase):
    """`shape` is None when the rank is unknown; a dimension is an int, a symbol, or None when unknown."""

    __slots__ = ("element", "shape")

    item: None = None
    key: None = None
    kind: None = None

    element: Element
    shape: Shape

    def __init__(self, element: Element, shape: Shape = None) -> None:
        self.element = element
        self.shape = shape

    def reshaped(self, shape: Shape) -> TensorType:
        return TensorType(self.element, shape)

    def with_settled_element(self) -> TensorType:
        return TensorType(settle(self.element), self.shape)

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def sizes(self) -> tuple[int | None, ...] | None:
        """The shape as far as it is known in numbers."""
        return None if self.shape is None else tuple(map(size_of, self.shape))

    @property
    def known_element(self) -> ElementType | None:
        """The element type, where it is known."""
        return known_element(self.element)

    @property
    def innermost(self) -> TensorType:
        return self

    @property
    def carried(self) -> TensorType:
        return self

    @property
    def carried_shape(self) -> Shape:
        return self.shape

    @property
    def is_known(self) -> bool:
        return known_element(self.element) is not None

    def same_as(self, other: Type) -> bool:
        return other.element is not None and settle(self.element) is settle(other.element)

    def unify(self, other: Type, trail: Trail) -> bool:
        if other.element is not None:
            return unify_elements(self.element, other.element, trail)
        return other.is_unknown or (other.kind is not None and self.same_as(other.carried))

    def joined(self, other: Type) -> Type:
        """The element type that both have; the shape as far as both agree on it."""
        if other.element is None:
            return self
        if self.shape is None or other.shape is None or len(self.shape) != len(other.shape):
            return TensorType(self.element)
        pairs = zip(self.shape, other.shape, strict=True)
        return TensorType(self.element, tuple(one if one == other else None for one, other in pairs))

    def with_tensors(self, step: Callable[[TensorType], Type]) -> Type:
        return step(self)

    def restrict(self, asked: Constraint, trail: Trail) -> bool:
        element = settle(self.element)
        if isinstance(element, TypeVariable):
            return element.meet(asked, trail)
        trail.reads.ask(asked.signature, element.mask)
        return bool(element.mask & asked.mask)

    def __repr__(self) -> str:
        element = settle(self.element)
        if self.shape is None:
            return f"{element!r}[...]"
        return f"{element!r}[{', '.join('?' if dim is None else str(dim) for dim in self.shape)}]"


class _Holder(_TypeBase):
    """What holds other values: a sequence, an optional, a map."""

    __slots__ = ("item",)

    item: Type

    def __init__(self, item: Type) -> None:
        self.item = item

    @property
    def innermost(self) -> Type:
        return self.item.innermost

    def of(self, item: Type) -> Type:
        """The same with another item."""
        raise NotImplementedError

    @property
    def is_known(self) -> bool:
        return self.item.is_known

    def _is_like(self, other: Type) -> bool:
        return self.holder == other.holder

    def same_as(self, other: Type) -> bool:
        return other.item is not None and self._is_like(other) and self.item.same_as(other.item)

    def unify(self, other: Type, trail: Trail) -> bool:
        if other.item is None:
            return other.is_unknown
        return self._is_like(other) and self.item.unify(other.item, trail)

    def with_tensors(self, step: Callable[[TensorType], Type]) -> Type:
        return self.of(self.item.with_tensors(step))

    def restrict(self, asked: Constraint, trail: Trail) -> bool:
        trail.reads.ask_of_holders(asked.signature)
        items = asked.of_items(self._opening)
        return bool(items.types) and self.item.restrict(items, trail)

    @property
    def _opening(self) -> str:
        """How ONNX's text of such a type begins."""
        return f"{self.holder}("


class SequenceType(_Holder):
    __slots__ = ()

    element: None = None
    key: None = None
    kind: None = None
    holder = "seq"

    @property
    def sequence_item(self) -> Type:
        return self.item

    @property
    def carried(self) -> SequenceType:
        return self

    def of(self, item: Type) -> Type:
        return SequenceType(item)

    def joined(self, other: Type) -> Type:
        return self

    def __repr__(self) -> str:
        return f"seq({self.item!r})"


class OptionalType(_Holder):
    __slots__ = ()

    element: None = None
    key: None = None
    kind: None = None
    holder = "optional"

    @property
    def optional_item(self) -> Type:
        return self.item

    @property
    def carried(self) -> OptionalType:
        return self

    def of(self, item: Type) -> Type:
        return OptionalType(item)

    def joined(self, other: Type) -> Type:
        return self

    def __repr__(self) -> str:
        return f"optional({self.item!r})"


class MapType(_Holder):
    """A dictionary, whose keys are integers or texts."""

    __slots__ = ("key",)

    element: None = None
    kind: None = None
    holder = "map"

    key: ElementType

    def __init__(self, key: ElementType, item: Type) -> None:
        super().__init__(item)
        self.key = key

    def _is_like(self, other: Type) -> bool:
        return self.key is other.key

    @property
    def carried(self) -> MapType:
        return self

    def of(self, item: Type) -> Type:
        return MapType(self.key, item)

    def joined(self, other: Type) -> Type:
        return self

    @property
    def _opening(self) -> str:
        return f"map({self.key.name}, "

    def __repr__(self) -> str:
        return f"map({self.key.name}, {self.item!r})"


class NumberType(_TypeBase):
    """A Python number whose value is unknown until run time: rank 0, carried as BOOL, INT64 or DOUBLE."""

    __slots__ = ("kind",)

    element: None = None
    item: None = None
    key: None = None

    kind: NumberKind

    def __init__(self, kind: NumberKind) -> None:
        self.kind = kind

    @property
    def innermost(self) -> NumberType:
        return self

    @property
    def carried(self) -> TensorType:
        return TensorType(self.kind.carrier, ())

    @property
    def carried_shape(self) -> Shape:
        return ()

    @property
    def is_known(self) -> bool:
        return True

    def same_as(self, other: Type) -> bool:
        return self.kind is other.kind

    def unify(self, other: Type, trail: Trail) -> bool:
        return self.carried.same_as(other.carried)

    def joined(self, other: Type) -> Type:
        return self

    def with_tensors(self, step: Callable[[TensorType], Type]) -> Type:
        return self

    def restrict(self, asked: Constraint, trail: Trail) -> bool:
        return self.carried.restrict(asked, trail)

    def __repr__(self) -> str:
        return f"number({self.kind.value})"


class UnknownType(_TypeBase):
    """A type that our inference does not follow; such a value can be passed on, never asked about."""

    __slots__ = ()

    element: None = None
    item: None = None
    key: None = None
    kind: None = None
    is_unknown = True

    @property
    def innermost(self) -> UnknownType:
        return self

    @property
    def carried(self) -> UnknownType:
        return self

    def same_as(self, other: Type) -> bool:
        return other.is_unknown

    def unify(self, other: Type, trail: Trail) -> bool:
        return other.kind is None

    def joined(self, other: Type) -> Type:
        return self

    def with_tensors(self, step: Callable[[TensorType], Type]) -> Type:
        return self

    def __repr__(self) -> str:
        return "unknown"


Type = TensorType | SequenceType | OptionalType | MapType | NumberType | UnknownType


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
        trail.record(Value._set_name, self, self.name)
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
    def packed(self) -> bytes | None:
        """The elements, one after the other; None of texts."""
        return self.data if isinstance(self.data, bytes) else None

    @property
    def texts(self) -> tuple[bytes, ...] | None:
        """The texts of a string tensor."""
        return self.data if isinstance(self.data, tuple) else None

    @property
    def key(self) -> TensorKey:
        """Equal for tensors of one type, shape and content."""
        return (self.element.code, self.dims, self.data)


TensorKey = tuple[int, tuple[int, ...], bytes | tuple[bytes, ...]]


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
    """An attribute whose value is an attribute of the function (`@alpha`); what that is, only a call says."""

    __slots__ = ("kind", "name")

    value: None = None
    literal: AttributeLiteral | None = None
    integer: int | None = None
    text: str | None = None
    items: AttributeItems | None = None
    tensor: TensorData | None = None
    graph: Region | None = None
    is_literal = False

    def __init__(self, name: str, kind: AttributeKind) -> None:
        self.name = name
        self.kind = kind

    @property
    def refers_to(self) -> str | None:
        """The attribute of the function."""
        return self.name


class AttributeValue:
    """A literal attribute: Python values by kind (TENSOR: `TensorData`, GRAPH: `Region`); None where only the kind is
    known."""

    __slots__ = ("kind", "value")

    refers_to: str | None = None
    is_literal = True

    def __init__(self, kind: AttributeKind, value: AttributeLiteral | TensorData | Region | None) -> None:
        self.kind = kind
        self.value = value

    @property
    def literal(self) -> AttributeLiteral | None:
        """A number, a text or a list of them."""
        return self.value if isinstance(self.value, (int, float, str, tuple)) else None

    @property
    def integer(self) -> int | None:
        """Of the kind INT."""
        return self.value if isinstance(self.value, int) else None

    @property
    def text(self) -> str | None:
        """Of the kind STRING."""
        return self.value if isinstance(self.value, str) else None

    @property
    def items(self) -> AttributeItems | None:
        """Of the kinds INTS, FLOATS and STRINGS."""
        return self.value if isinstance(self.value, tuple) else None

    @property
    def tensor(self) -> TensorData | None:
        """Of the kind TENSOR."""
        return self.value if isinstance(self.value, TensorData) else None

    @property
    def graph(self) -> Region | None:
        """Of the kind GRAPH."""
        return self.value if isinstance(self.value, Region) else None


Attribute = AttributeReference | AttributeValue


def known_integer(attributes: Mapping[str, Attribute], name: str) -> int | None:
    """An attribute that is an integer, where it is known."""
    return attributes[name].integer if name in attributes else None


AttributeItem = int | float | str
AttributeItems = tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
AttributeLiteral = AttributeItem | AttributeItems


# --------------------------------------------------------------------------------------------------- nodes


class Operator:
    """A standard operator at its schema version. `lacks_attributes`: a runtime does not take one of its
    attributes."""

    __slots__ = ("lacks_attributes", "signature")

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.lacks_attributes = not signature.record.runtimes_lack.keys().isdisjoint(signature.attributes)

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


class FunctionReference:
    """A function that is called: its identity, the variant, and the digest of that variant's body.

    `origin` is what is meant, where that is no function of a library: a live function as it was compiled, a proto.
    `ranks_like`: the position of the input whose rank each result certainly has; None, or nothing, where none is known.
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
        "ranks_like",
        "since_version",
        "variant",
        "version",
    )

    lacks_attributes = False

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
        ranks_like: tuple[int | None, ...] = (),
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
        self.ranks_like = ranks_like

    def with_digest(self, digest: str) -> FunctionReference:
        """The same function, whose body is another one."""
        found = copy(self)
        found.digest = digest
        return found

    @property
    def record(self) -> Record:
        """Of a function nothing is known by its name."""
        return NOTHING

    @property
    def identity(self) -> tuple[str, str, str]:
        return (self.emitted_domain, self.name, overload_of(self.variant))


class Region:
    """A nested block: parameters, nodes in order, what it yields. Captures are computed, never stored.

    `declared` are the types that the author declares of parameters and of values that are made here, `promised` those
    of what it yields: a model says them, whatever inference finds.
    """

    __slots__ = ("_makers", "declared", "nodes", "parameters", "promised", "yields")

    def __init__(self, parameters: list[Value] | None = None) -> None:
        self.parameters = parameters or []
        self.nodes: list[Node] = []
        self.yields: list[Value] = []
        self.declared: dict[Value, Type] = {}
        self.promised: dict[Value, Type] = {}
        self._makers: Makers | None = None

    def makers(self) -> Makers:
        """Which of its nodes makes each value, as long as nodes are only appended and taken back."""
        if self._makers is None or self._makers.nodes is not self.nodes:
            self._makers = Makers(self.nodes)
        return self._makers

    def makes_too(self, node: Node, value: Value) -> None:
        """Notes a value that is added to those that one of its nodes makes."""
        if self._makers is not None:
            self._makers.add(node, value)


class Makers:
    """The node that makes each value, of a list to which nodes are appended, and from whose end they are taken back:
    each node is looked at once, however often one asks."""

    __slots__ = ("_by_value", "_last", "_seen", "nodes")

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self._seen = 0
        self._last: Node | None = None  # of those that have been seen
        self._by_value: dict[int, Node] = {}  # by `id`; the nodes keep their values

    def now(self) -> dict[int, Node]:
        """The nodes by the `id` of what they make; to be read at once, and not to be changed."""
        nodes = self.nodes
        if self._seen and (self._seen > len(nodes) or nodes[self._seen - 1] is not self._last):
            self._seen = 0
            self._by_value.clear()
        for node in nodes[self._seen :]:
            self._by_value.update((id(result), node) for result in node.made())
            self._last = node
        self._seen = len(nodes)
        return self._by_value

    def add(self, node: Node, value: Value) -> None:
        """Notes a value that is added to those that a node makes."""
        self._by_value[id(value)] = node


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

    def regions(self) -> Sequence[Region]:
        """The blocks inside the node, in their order."""
        if type(self.callee) is Operator and not self.callee.signature.takes_graphs:
            return ()
        return [attribute.graph for attribute in self.attributes.values() if attribute.graph is not None]

    def made(self) -> list[Value]:
        """The values that the node makes."""
        return [value for value in self.results if value is not None]

    def read(self) -> list[Value]:
        """The values that the node reads itself, those read in its regions not included."""
        return [value for value in self.inputs if value is not None]


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

    def regions(self) -> Sequence[Region]:
        return (self.then, self.orelse)

    def made(self) -> list[Value]:
        return list(self.results)

    def read(self) -> list[Value]:
        return [self.condition]


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

    def regions(self) -> Sequence[Region]:
        return (self.body,)

    def made(self) -> list[Value]:
        return list(self.results)

    def read(self) -> list[Value]:
        return [value for value in (self.trips, self.condition, *self.initial) if value is not None]


class Const:
    __slots__ = ("data", "operator", "result", "span")

    def __init__(self, operator: Operator, data: TensorData, result: Value, span: Span | None) -> None:
        self.operator = operator
        self.data = data
        self.result = result
        self.span = span

    def regions(self) -> Sequence[Region]:
        return ()

    def made(self) -> list[Value]:
        return [self.result]

    def read(self) -> list[Value]:
        return []


Node = Call | If | Loop | Const


def read_instead(node: Node, others: Mapping[Value, Value]) -> None:
    """Has a node read other values in place of those that it reads. Graphs in it stay as they are."""
    match node:
        case Call():
            node.inputs = [value and others.get(value, value) for value in node.inputs]
        case If():
            node.condition = others.get(node.condition, node.condition)
        case Loop():
            node.trips = node.trips and others.get(node.trips, node.trips)
            node.condition = node.condition and others.get(node.condition, node.condition)
            node.initial = [others.get(value, value) for value in node.initial]


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

    @property
    def may_be_absent(self) -> bool:
        """Whether a call may leave it out, and it has no value then."""
        return not self.required and self.default is None


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

    def at_opset(self, opset: int) -> Function:
        """The same function with the same body, for another opset."""
        found = self.head()
        found.opset, found.body = opset, self.body
        return found

    def head(self) -> Function:
        """The same function without its body: reading that raises AttributeError."""
        found = Function.__new__(Function)
        found.domain, found.name, found.since_version = self.domain, self.name, self.since_version
        found.opset, found.span, found.doc = self.opset, self.span, self.doc
        found.inputs, found.outputs, found.attributes = self.inputs, self.outputs, self.attributes
        found.variables = self.variables
        return found


def with_regions(region: Region) -> Iterator[Node]:
    """The nodes of a region and of those nested in it that have regions themselves, outer before inner, in order."""
    pending = [iter([*region.nodes])]
    while pending:
        for node in pending[-1]:
            inner = node.regions()
            if inner:
                yield node
                pending.extend(iter([*nested.nodes]) for nested in reversed(inner))
                break
        else:
            pending.pop()


def walk(region: Region) -> Iterator[tuple[Region, Node]]:
    """Every node of a region and of those nested in it, outer before inner, in order."""
    pending = [(region, iter([*region.nodes]))]
    while pending:
        current, nodes = pending[-1]
        for node in nodes:
            yield current, node
            inner = node.regions()
            if inner:
                pending.extend((nested, iter([*nested.nodes])) for nested in reversed(inner))
                break
        else:
            pending.pop()
