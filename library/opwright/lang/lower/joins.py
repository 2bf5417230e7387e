"""Where control flow meets: one value for a name that two paths bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from opwright.lang import ir
from opwright.lang.lower.branches import Branch, changed_names
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.flow import COUNT, NOTHING, PLACE, RETURNED, TUPLE_OF_ONE, is_flag, is_hidden, place_of
from opwright.lang.lower.item_ranks import item_rank, joined_rank, note_item_rank
from opwright.lang.lower.mixed import note_mixed
from opwright.lang.lower.numbers import (
    as_tensor,
    carried,
    describe,
    is_number,
    needs_element,
    number_kind,
    typed_constant,
)
from opwright.lang.lower.operands import POISON, VACANT, Environment, IntTuple, Operand, Unbound, is_sequence, is_tensor
from opwright.lang.lower.poison import Poisoned, each
from opwright.lang.lower.primitives import Writer
from opwright.lang.lower.sequences import is_list, join_lists
from opwright.lang.lower.shapes import tuple_tensor
from opwright.lang.lower.speculate import attempt
from opwright.lang.lower.tuples import ints_of, is_tuple
from opwright.lang.source import Span
from opwright.lang.static import RecordType, StaticList, StaticNamed
from opwright.opsets.records import CAST_LIKE

Result = TypeVar("Result")


class Join:
    """The meeting of the two branches of an `If`.

    `paths` say when each branch is not taken. A side that has returned has names that nobody reads.
    """

    def __init__(
        self,
        low: Lowering,
        node: ir.If,
        env: Environment,
        sides: tuple[Branch, Branch],
        paths: tuple[str, str] = ("", ""),
    ) -> None:
        self.low = low
        self.node = node
        self.env = env
        self.sides = sides
        self.paths = paths
        self.unread = tuple(side.get(RETURNED) is True for side in sides)

    def run(self) -> None:
        """Gives the environment every name as it is after the `if`; what neither branch has touched is as it was."""
        for name in changed_names(self.sides, self.low.positions):
            try:
                self._meet(name)
            except Poisoned as wrong:
                wrong.recover()
                self.env[name] = POISON

    def _meet(self, name: str) -> None:
        """One name, or one thing that is said of how paths end."""
        then, orelse = self.sides
        missing = VACANT if is_hidden(name) else None
        first = then.get(name, missing or Unbound(self.paths[1]))
        second = orelse.get(name, missing or Unbound(self.paths[0]))
        if is_flag(name) and first is VACANT and second is VACANT:
            return  # those of a loop that is over; outside of loops there are none
        self.env[name] = self._hidden(name, first, second) if is_hidden(name) else self._named(name, first, second)

    def _named(self, name: str, first: Operand, second: Operand) -> Operand:
        if first is second or same_static(first, second):
            return first
        if all(self.unread):
            return POISON
        if any(self.unread):
            return self._one_sided(name, second if self.unread[0] else first, 0 if self.unread[0] else 1)
        if isinstance(first, Unbound) or isinstance(second, Unbound):
            return self._unbound(first, second)
        if first is POISON or second is POISON:
            return POISON
        return self._join(name, first, second)

    def _unbound(self, first: Operand, second: Operand) -> Unbound:
        """A name that one of the sides does not bind; a loop may yet hand on its value."""
        missing, path = (first, self.paths[1]) if isinstance(first, Unbound) else (second, self.paths[0])
        assert isinstance(missing, Unbound)
        one_sided = not (isinstance(first, Unbound) and isinstance(second, Unbound))
        return Unbound(path) if one_sided and path and missing.loop is None else missing

    def _hidden(self, name: str, first: Operand, second: Operand) -> Operand:
        if is_flag(name):
            first, second = (False if flag is VACANT else flag for flag in (first, second))
        if first is second or same_static(first, second):
            return first
        if is_flag(name):
            return self._join(name, first, second)
        if name in (PLACE, COUNT):
            if first is VACANT or second is VACANT:
                return second if first is VACANT else first
            if name == COUNT:
                raise Poisoned if POISON in (first, second) else self._disagree("{} values", first, second)
            return first
        if first is VACANT or second is VACANT:
            return self._one_sided(name, second if first is VACANT else first, 0 if first is VACANT else 1)
        if first is POISON or second is POISON:
            return POISON
        made = self._join(name, first, second)
        if isinstance(made, Unbound):
            raise self._disagree("{}", describe(first), describe(second))
        return made

    def _disagree(self, form: str, first: object, second: object) -> Poisoned:
        places = [place_of(side) for side in self.sides]
        lines = [self.low.scope.module.source.line(place[0]) if place else 0 for place in places]
        special = {NOTHING: "nothing", TUPLE_OF_ONE: "a tuple of one value"}
        texts = [special.get(item, form.format(item)) if isinstance(item, int) else item for item in (first, second)]
        return self.low.error(
            "OW307",
            "the returns disagree",
            places[1] or places[0],
            reason=f"line {lines[0]} returns {texts[0]}, line {lines[1]} returns {texts[1]}",
            help="return the same number of values, of the same types, on every path",
        )

    def _one_sided(self, name: str, value: Operand, vacant: int) -> Operand:
        """A value of one side, while nobody reads the name after the other: that side yields anything of the type."""
        if isinstance(value, tuple) and not same_static(value, self.env.get(name)):
            items = tuple(self._one_sided(name, item, vacant) for item in value)
            unbound = next((item for item in items if isinstance(item, Unbound)), None)
            return unbound or self._like(value, items)
        if value is self.env.get(name):
            return value  # from before the `if`
        if isinstance(value, IntTuple):
            made = within(self.low, self._regions()[1 - vacant], partial(tuple_tensor, self.low, value, self.node.span))
            held = self._filled(name, made, vacant)
            return held if isinstance(held, Unbound) else IntTuple(None, value=held)
        return self._filled(name, value, vacant) if isinstance(value, ir.Value) else value

    def _regions(self) -> tuple[ir.Region, ir.Region]:
        return self.node.then, self.node.orelse

    def _filled(self, name: str, value: ir.Value, vacant: int) -> ir.Value | Unbound:
        filled = within(self.low, self._regions()[vacant], partial(filler, self.low, value.type, self.node.span))
        if filled is None:
            return Unbound("with a value that could stand in for it on the path that ends")
        values = (filled, value) if vacant == 0 else (value, filled)
        # Whoever reads the name comes from the other side, so the type is that side's, its shape included.
        return self._result(name, values[0], values[1], value.type)

    def _join(self, name: str, first: Operand, second: Operand) -> Operand:
        alike = type(first) is type(second) and _record(first) == _record(second)
        if alike and isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
            items = tuple(self._named(name, one, other) for one, other in zip(first, second, strict=True))
            unbound = next((item for item in items if isinstance(item, Unbound)), None)
            return unbound or self._like(first, items, second)
        returned = is_hidden(name) and not self.low.inlining  # by the function itself: a list of numbers is a tensor
        made = None
        if returned or not one_is_tuple(first, second):
            made = join_values(self.low, (self.node.then, self.node.orelse), (first, second), self.node.span)
        if made is None:
            conflict = f"it is {describe(first)} on one path, and {describe(second)} on the other"
            return Unbound("to one type on both paths", conflict=conflict)
        result = self._result(name, *made)
        return as_joined(self.low, result, first, second)

    def _like(self, value: tuple[Operand, ...], items: tuple[Operand, ...], *others: Operand) -> Operand:
        """The items as a list or tuple, as `value` is; a list may be what any of the values was."""
        if isinstance(value, StaticNamed):
            return StaticNamed(value.record, items)
        if not isinstance(value, StaticList):
            return items
        made = StaticList(items)
        self.low.lists.derived(made, value, *others)
        return made

    def _result(self, name: str, first: ir.Value, second: ir.Value, type_: ir.Type) -> ir.Value:
        if self.node.operator.signature.since_version < _IF_OF_ANY_SHAPES and self.low.opset >= _BROADCASTING:
            first, second = self._unsized(first, second, 0), self._unsized(second, first, 1)
        self.node.then.yields.append(first)
        self.node.orelse.yields.append(second)
        result = ir.Value(type_, "" if is_hidden(name) else name, self.node.span)
        self.node.results.append(result)
        return result

    def _unsized(self, value: ir.Value, other: ir.Value, side: int) -> ir.Value:
        """The value that one branch gives, without the sizes that are known of it and that the other branch's may not
        have: reshaped to its own shape times one, which is what the condition is as a number, at run time alone."""
        shape = value.type.shape if is_tensor(value) else None
        given = other.type.shape if is_tensor(other) else None
        if shape is None or (given is not None and not _says_more(shape, given)):
            return value
        return within(self.low, self._regions()[side], partial(self._reshaped_at_run_time, value, side))

    def _reshaped_at_run_time(self, value: ir.Value, side: int) -> ir.Value:

        low, condition = self.low, self.node.condition
        op = Writer(low, self.node.span)
        if side == 1:
            condition = op.not_(condition)
        one = op.cast(condition, low.element_of("int64"))
        return op.reshape(value, op.mul(op.shape(value), one))


_IF_OF_ANY_SHAPES = 11  # an `If` before that version gives one shape, which runtimes conclude from either branch

_BROADCASTING = 7  # the first opset at which Mul takes a tensor and a number


def _says_more(shape: tuple[ir.Dimension, ...], given: tuple[ir.Dimension, ...]) -> bool:
    """Whether a size is known that is not known to be that of the other shape."""
    if len(shape) != len(given):
        return True
    return any(isinstance(size, int) and size != other for size, other in zip(shape, given, strict=True))


def _record(operand: Operand) -> RecordType | None:
    return operand.record if isinstance(operand, StaticNamed) else None


def one_is_tuple(first: Operand, second: Operand) -> bool:
    """Whether one is a tuple or list of numbers and the other a tensor: `+`, `*` and conditions are not the same."""
    return is_tuple(first) is not is_tuple(second) and not (is_list(first) and is_list(second))


def same_static(first: Operand, second: Operand) -> bool:
    """Whether two operands are one and the same value, known when the function is built."""
    if isinstance(first, (ir.Value, Unbound)) or isinstance(second, (ir.Value, Unbound)):
        return False
    if isinstance(first, float) and isinstance(second, float):
        return first.hex() == second.hex()  # -0.0 is not 0.0, nan is nan
    if isinstance(first, StaticList) or isinstance(second, StaticList):
        return False  # two lists of the same items are two lists: each may grow
    if isinstance(first, tuple) and isinstance(second, tuple):
        same = type(first) is type(second) and len(first) == len(second) and _record(first) == _record(second)
        return same and all(one is other or same_static(one, other) for one, other in zip(first, second, strict=True))
    return type(first) is type(second) and bool(first == second)


def same_items(low: Lowering, first: Operand, second: Operand) -> StaticList | None:
    """A list that may be either of two that hold the same now; None where they do not."""
    if not isinstance(first, StaticList) or not isinstance(second, StaticList) or len(first) != len(second):
        return None
    if not all(one is other or same_static(one, other) for one, other in zip(first, second, strict=True)):
        return None
    made = StaticList(first)
    low.lists.derived(made, first, second)
    return made


def as_joined(low: Lowering, result: ir.Value, first: Operand, second: Operand) -> Operand:
    """What a joined value stands for: tuples of ints stay one, and a list may be either of the two."""
    if is_sequence(result):
        low.lists.derived(result, first, second)
    note_mixed(low, result, first, second)
    note_item_rank(low, result, joined_rank(item_rank(low, first), item_rank(low, second)))
    if is_tuple(first) and is_tuple(second) and is_tensor(result):
        return IntTuple(None, value=result)
    return result


def filler(low: Lowering, type_: ir.Type, span: Span | None) -> ir.Value | None:
    """Any value of a type, for a path on which nobody reads it; None where none can be made."""

    if isinstance(type_, ir.NumberType):
        zero = {ir.NumberKind.BOOL: False, ir.NumberKind.INT: 0, ir.NumberKind.FLOAT: 0.0}[type_.kind]
        return carried(low, zero, span)
    if isinstance(type_, ir.SequenceType) and isinstance(type_.item, ir.TensorType):
        element = ir.settle(type_.item.element)
        if isinstance(element, ir.TypeVariable):
            if element.name in low.function.variables:
                needs_element(low, element, span)  # the element type of an empty sequence is an attribute
            return None
        return Writer(low, span).sequence_empty(element)
    if not isinstance(type_, ir.TensorType):
        return None
    element = ir.settle(type_.element)
    dims = _dims_like(type_)
    if not isinstance(element, ir.TypeVariable):
        empty = {"string": "", "bool": False}.get(element.kind, 0)
        return typed_constant(low, _repeated(empty, dims), dims, element, span)
    like = low.splittable.get(element.name)
    if like is None:
        return None
    if low.lookup("", CAST_LIKE.name) is None:
        needs_element(low, element, span)
        return None
    zeros = typed_constant(low, _repeated(0, dims), dims, low.element_of("int64"), span)
    return Writer(low, span).cast_like(zeros, like)


# A value that nobody reads has so many elements at most.
_MOST_FILLED = 64


def _dims_like(type_: ir.TensorType) -> tuple[int, ...]:
    """Dimensions of the same rank: onnxruntime's Scan wants to know those of all that its body gives."""
    known = tuple(dim if isinstance(dim, int) else 1 for dim in type_.shape or ())
    return known if math.prod(known) <= _MOST_FILLED else (1,) * len(known)


def _repeated(item: Any, dims: tuple[int, ...]) -> Any:
    return (item,) * math.prod(dims) if dims else item


def join_values(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Both operands as values of one type, each made in its own region, and that type; None where there is none."""
    first, second = values
    if is_number(first) and is_number(second):
        if number_kind(first) is not number_kind(second):
            return None
        one, other = _each_in_its_region(low, regions, partial(carried, low, span=span), values)
        return one, other, ir.NumberType(number_kind(first))
    if is_list(first) and is_list(second) and (is_sequence(first) or is_sequence(second) or _hold_tensors(values)):
        return join_lists(low, regions, values, span)
    if is_tuple(first) and is_tuple(second):
        return _join_tuples(low, regions, values, span)
    if any(isinstance(value, tuple) and _hold_tensors((value,)) for value in values):
        return None  # Python would give several values here and one there
    tensor = first if isinstance(first, ir.Value) and not is_number(first) else second
    element = tensor.type.element if is_tensor(tensor) else None
    return attempt(low, partial(_as_one_type, low, regions, values, element, span))


def _as_one_type(
    low: Lowering,
    regions: tuple[ir.Region, ir.Region],
    values: tuple[Operand, Operand],
    element: ir.Element | None,
    span: Span | None,
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    first, second = _each_in_its_region(low, regions, partial(as_tensor, low, element=element, span=span), values)
    if first.optional or second.optional or not first.type.unify(second.type, low.trail):
        return None
    return first, second, first.type.joined(second.type)


def _each_in_its_region(
    low: Lowering,
    regions: tuple[ir.Region, ir.Region],
    step: Callable[[Operand], ir.Value],
    values: tuple[Operand, Operand],
) -> tuple[ir.Value, ir.Value]:
    """What a step makes of both values, each where it is yielded."""
    first, second = each(
        lambda side: within(low, regions[side], partial(step, values[side])),
        (0, 1),
    )
    return first, second


def _hold_tensors(values: tuple[Operand, ...]) -> bool:
    items = [item for value in values if isinstance(value, tuple) for item in value]
    return any(isinstance(item, ir.Value) and not is_number(item) for item in items)


def _join_tuples(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Tuples of ints, of which the lengths differ or are not known: INT64 tensors of rank 1."""
    place = span or (0, 0, 0, 0)
    pair = attempt(low, partial(_each_in_its_region, low, regions, partial(ints_of, low, span=place), values))
    return None if pair is None else (*pair, pair[0].type.joined(pair[1].type))


def within(low: Lowering, region: ir.Region, step: Callable[[], Result]) -> Result:
    """Runs a step of lowering with `region` as the one that is being filled."""
    outer, low.region = low.region, region
    low.open_regions.append(outer)
    try:
        return step()
    finally:
        low.region = low.open_regions.pop()
