"""What an expression can be while a function is lowered: a sealed union of small classes and Python's static values.

`Operand` is all of them. What is not a runtime value is known when the function is built: numbers, texts, None, tuples
(`StaticList` where it is a list), and the objects of `opwright.lang.meaning.objects`.
"""

from __future__ import annotations

from enum import Enum, auto
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from opwright.diagnostics.diagnostic import Choice, Place
from opwright.lang import ir
from opwright.lang.meaning.objects import ArrayObject, ForeignObject, Missing, NamedObject
from opwright.lang.meaning.static import Comparable, Key, StaticNamed, equal
from opwright.lang.text.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import SupportsKeysAndGetItem

# Where a loop stands: its file, the line that its text begins with, its own line and column. The tree of a helper may
# be read anew for each pass over a function.
LoopKey = tuple[str, int, int, int]
Decision = tuple[Place, bool]  # a condition, and its answer
Reach = tuple[tuple[int, int], tuple[float, int]]  # from which line and column to which something depends on it


class Described:
    """An operand of a class of ours that messages name; `described` is what it is called there."""

    __slots__ = ()

    @property
    def described(self) -> str:
        raise NotImplementedError


class NoValue(Comparable):
    """What a name stands for where it has no value. No expression gives one, nothing is made of one, and whatever would
    decide by its truth or equality is a fault of the compiler."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise AssertionError("what has no value has a truth")

    def equals(self, other: object) -> bool:
        raise AssertionError("what has no value is compared")


class Poison(NoValue):
    """What a name stands for that a wrong statement binds: reading it raises Poisoned, and reports nothing."""

    __slots__ = ()


POISON = Poison()


class Unbound(NoValue):
    """A local name that has no value on some path. `missing_on` names the path; `loop` could hand on its value, as
    `copies` of its body alone where no `Loop` carries such a value. `left` is a loop that it has been left by: each
    `break` there may have bound the name.

    `conflict`: it has a value on each of two paths, and no type holds both; the text says what they are.
    """

    __slots__ = ("conflict", "copies", "left", "loop", "missing_on")

    def __init__(
        self,
        missing_on: str,
        loop: LoopKey | None = None,
        conflict: str = "",
        copies: bool = False,
        left: LoopKey | None = None,
    ) -> None:
        self.missing_on = missing_on
        self.loop = loop
        self.conflict = conflict
        self.copies = copies
        self.left = left


class Frame(NoValue):
    """Tells the environments of one call of a function from all others.

    A comprehension has one of its own inside of the `outer` one, for the names that it binds.
    """

    __slots__ = ("names", "outer")

    def __init__(self, outer: Frame | None = None, names: tuple[str, ...] = ()) -> None:
        self.outer = outer
        self.names = names


class StaticIterator(Described):
    """What `zip(...)` gives: items that are handed out once (`values/lists.py`).

    `region`: the block in which it was made. `noted`: for each name that came to stand for it, the frame of that name,
    and what the names stood for of which it was written there.
    """

    __slots__ = ("items", "label", "noted", "region")

    def __init__(self, items: tuple[Operand, ...], label: str, region: ir.Region) -> None:
        self.items = items
        self.label = label
        self.region = region
        self.noted: tuple[tuple[Operand, dict[str, Operand]], ...] = ()

    @property
    def described(self) -> str:
        return "an iterator"


class StaticView(Described):
    """What `d.items()` gives: items that can be run over again and again, since dictionaries do not change here."""

    __slots__ = ("items", "label")

    def __init__(self, items: tuple[Operand, ...], label: str) -> None:
        self.items = items
        self.label = label

    @property
    def described(self) -> str:
        return f"the {self.label} of a dictionary"


class RunTimeIterator(Described):
    """What a loop at run time runs over (`run_over.Range`), as the function that a comprehension is short for gets
    it."""

    __slots__ = ()

    @property
    def described(self) -> str:
        return "an iterator"


class Vacant(NoValue):
    """A hidden name without a value: nothing has been returned on this path."""

    __slots__ = ()


VACANT = Vacant()


class Absent(Described):
    """An optional input that this variant does not have."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def described(self) -> str:
        return f"the absent input `{self.name}`"


Scalar = bool | int | float | str
_LISTS = (ir.AttributeKind.INTS, ir.AttributeKind.FLOATS, ir.AttributeKind.STRINGS)


class AttributeOperand(Described):
    """An attribute of the function where a number, a string or a list of them is wanted.

    `choices` are the values of its `Literal`; `is_bool`: a Python bool, stored as INT.
    """

    __slots__ = ("choices", "is_bool", "parameter")

    def __init__(
        self, parameter: ir.AttributeParameter, choices: tuple[Scalar, ...] = (), is_bool: bool = False
    ) -> None:
        self.parameter = parameter
        self.choices = choices
        self.is_bool = is_bool

    @property
    def number_kind(self) -> ir.NumberKind | None:
        """The kind of number that the attribute is; None where it is a text or a list."""
        if self.parameter.kind is ir.AttributeKind.INT:
            return ir.NumberKind.BOOL if self.is_bool else ir.NumberKind.INT
        return ir.NumberKind.FLOAT if self.parameter.kind is ir.AttributeKind.FLOAT else None

    @property
    def is_list(self) -> bool:
        """Whether the attribute is a list of numbers or texts."""
        return self.parameter.kind in _LISTS

    @property
    def described(self) -> str:
        return f"the attribute `{self.parameter.name}`"


class Rank(Described):
    """The rank of a parameter, where no fact says which it is. `axis` is the parameter's, `span` where it is asked."""

    __slots__ = ("axis", "span")

    def __init__(self, axis: str, span: Span | None) -> None:
        self.axis = axis
        self.span = span

    @property
    def described(self) -> str:
        return "a rank"


class IntTuple(Described):
    """A tuple of ints that are known at run time only, and perhaps how many there are.

    Of the shape of `owner`: the axes `places` where the rank is known, else its part `start:stop`. Without an owner it
    is what `value` holds, an INT64 tensor of rank 1.
    """

    __slots__ = ("owner", "places", "start", "stop", "value")

    def __init__(
        self,
        owner: ir.Value | None,
        places: tuple[int, ...] | None = None,
        start: int | None = None,
        stop: int | None = None,
        value: ir.Value | None = None,
    ) -> None:
        self.owner = owner
        self.places = places
        self.start = start
        self.stop = stop
        self.value = value

    @property
    def described(self) -> str:
        return "a tuple of ints"


class SliceItem(Described):
    """`start:stop:step` as it is written; None where a part is left out."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Operand = None, stop: Operand = None, step: Operand = None) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    @property
    def described(self) -> str:
        return "a slice"


class StaticDict(Described, Comparable):
    """A dictionary, which does not change; its keys are known when the function is built."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Key, Operand]) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def equals(self, other: object) -> bool:
        if not isinstance(other, StaticDict) or self.entries.keys() != other.entries.keys():
            return False
        return all(item is other.entries[key] or equal(item, other.entries[key]) for key, item in self.entries.items())

    @property
    def described(self) -> str:
        return "a dictionary"


class MethodObject(Described):
    """A method of a dictionary or a namedtuple, or of an array of numpy whose elements are known."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: StaticDict | StaticNamed | ir.TensorData, name: str) -> None:
        self.owner = owner
        self.name = name

    @property
    def described(self) -> str:
        return f"the method `{self.name}`"


class Marker(Enum):
    ELLIPSIS = auto()
    NEWAXIS = auto()

    @property
    def axes(self) -> int:
        """Of a tensor, for which a marker in its subscript stands, as other items of one do."""
        return 0

    @property
    def is_advanced(self) -> bool:
        return False

    @property
    def is_joint(self) -> bool:
        return False

    @property
    def position(self) -> int | None:
        return None


ELLIPSIS, NEWAXIS = Marker.ELLIPSIS, Marker.NEWAXIS

Object = NamedObject | ArrayObject | ForeignObject | Missing

Operand: TypeAlias = (
    ir.Value
    | Scalar
    | tuple["Operand", ...]
    | AttributeOperand
    | IntTuple
    | Rank
    | Absent
    | Unbound
    | Vacant
    | Poison
    | Frame
    | StaticIterator
    | StaticView
    | RunTimeIterator
    | SliceItem
    | StaticDict
    | MethodObject
    | Marker
    | range
    | Object
    | bytes
    | EllipsisType
    | None
)


class TensorValue(ir.Value):
    """What `is_tensor` tells type checkers; none is ever made. So are the two that follow."""

    __slots__ = ()
    type: ir.TensorType


class NumberValue(ir.Value):
    __slots__ = ()
    type: ir.NumberType


class SequenceValue(ir.Value):
    __slots__ = ()
    type: ir.SequenceType


def is_tensor(operand: Operand) -> TypeGuard[TensorValue]:
    return type(operand) is ir.Value and type(operand.type) is ir.TensorType


def two_tensors(first: Operand, second: Operand) -> tuple[TensorValue, TensorValue] | None:
    """Both operands, where both are tensors that are certainly present."""
    if is_tensor(first) and is_tensor(second) and not first.optional and not second.optional:
        return first, second
    return None


def is_run_time_number(operand: Operand) -> TypeGuard[NumberValue]:
    """A number that is known at run time only."""
    return type(operand) is ir.Value and type(operand.type) is ir.NumberType


def is_sequence(operand: Operand) -> TypeGuard[SequenceValue]:
    return type(operand) is ir.Value and type(operand.type) is ir.SequenceType


def value_of(operand: Operand) -> ir.Value | None:
    """The value of the graph that an operand is: a tensor, a sequence, a number of the run time."""
    return operand if isinstance(operand, ir.Value) else None


def choices_of(operand: Operand) -> Choice:
    """What it depends on that an operand of its kind is refused: nothing, unless it has a rank and a type."""
    return Choice.RANK | Choice.INFERRED_TYPE if isinstance(operand, ir.Value) else Choice.NONE


def items_in(operand: Operand) -> tuple[Operand, ...] | None:
    """The items of a tuple or list whose length is known."""
    return operand if isinstance(operand, tuple) else None


def unbound_of(operand: Operand) -> Unbound | None:
    """What is known of a name without a value."""
    return operand if isinstance(operand, Unbound) else None


def known_int(operand: Operand) -> int | None:
    """The int that an operand is, where it is known; a bool is one in Python."""
    return operand if isinstance(operand, int) else None


def is_absent(operand: Operand) -> TypeGuard[Absent | ir.Value]:
    """An optional input that is not there, or may not be."""
    return isinstance(operand, Absent) or (isinstance(operand, ir.Value) and operand.optional)


IndexItem = Operand  # an int operand, a SliceItem, ELLIPSIS, NEWAXIS, a list or a tensor

Environment = dict[str, Operand]
Bindings: TypeAlias = "SupportsKeysAndGetItem[str, Operand] | Iterable[tuple[str, Operand]]"


class Arguments:
    """A call's arguments, evaluated in Python's order. `result_count`: to how many names its value is unpacked.

    `span` is the place of the call, `callee_span` that of what is called.
    """

    __slots__ = ("callee_span", "keywords", "positional", "result_count", "span")

    def __init__(
        self,
        positional: list[tuple[Operand, Span]],
        keywords: dict[str, tuple[Operand, Span]],
        result_count: int | None,
        span: Span,
        callee_span: Span,
    ) -> None:
        self.positional = positional
        self.keywords = keywords
        self.result_count = result_count
        self.span = span
        self.callee_span = callee_span


_OF_RUN_TIME = frozenset([ir.Value, AttributeOperand, Rank, IntTuple, Absent, Unbound, Missing])


def is_static(operand: Operand) -> bool:
    """Known when the function is built."""
    return type(operand) not in _OF_RUN_TIME
