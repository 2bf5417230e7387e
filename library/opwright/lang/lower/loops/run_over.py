"""What loops run over: numbers of a range, items of lists, rows of tensors, and `zip`, `reversed`, `enumerate` of them.

Each is asked for the item of a trip, by the number of the trip, which is known or a value of the run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.expressions.arithmetic import binary
from opwright.lang.lower.expressions.number_functions import call_number_builtin
from opwright.lang.lower.numbers.number_operands import describe, is_number, is_static_number, number_kind
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies, need_static, numbers_of
from opwright.lang.lower.values.sequences import sequence_length, subscript_sequence
from opwright.lang.lower.values.subscripts import subscript
from opwright.lang.lower.values.tensor_subscripts import known_rows, row, row_count
from opwright.lang.meaning.operands import (
    AttributeOperand,
    Operand,
    RunTimeIterator,
    is_tensor,
    items_in,
    known_int,
)
from opwright.lang.text.source import Span

Index = int | ir.Value


class Range(RunTimeIterator):
    """`range(*bounds)`; `trips` is known, or a rank-0 INT64 value. `known_trips` and `first`: what is known of it.

    `listed`: all items, of what is a static list.
    """

    __slots__ = ("bounds", "first", "known_trips", "start", "step", "trips")

    listed: tuple[Operand, ...] | None = None

    def __init__(self, start: Operand, step: int, trips: Index, bounds: tuple[Operand, ...]) -> None:
        self.start = start
        self.first = known_int(start)
        self.step = step
        self.trips = trips
        self.known_trips = known_int(trips)
        self.bounds = bounds

    @property
    def may_be_static(self) -> bool:
        """Whether the items are known, or will be once the function's attributes are."""
        return all(isinstance(bound, (int, AttributeOperand)) for bound in self.bounds)

    @property
    def makes_trips(self) -> bool:
        """Whether there certainly is one."""
        return self.known_trips is not None and self.known_trips > 0

    @property
    def last(self) -> int | None:
        """The last item, where it is known."""
        if self.first is None or self.known_trips is None or not self.known_trips:
            return None
        return self.first + (self.known_trips - 1) * self.step

    def item(self, low: Lowering, index: Index, span: Span) -> Operand:
        """What the trip of that number, counted from 0, runs with."""
        spans = (span, span)
        scaled: Operand = index if self.step == 1 else binary(low, "*", index, self.step, span, spans)
        at_zero = is_static_number(self.start) and self.start == 0
        return scaled if at_zero else binary(low, "+", scaled, self.start, span, spans)

    def settled(self, low: Lowering, span: Span) -> Range:
        """As a static list, wherever it is one or can be: asks for what would make it so."""
        if self.first is not None and self.known_trips is not None:
            numbers = range(self.first, self.first + self.known_trips * self.step, self.step)
            return Listed(numbers_of(low, numbers, span))
        for bound in self.bounds:
            need_static(low, bound, span)
        return self

    def reversed(self, low: Lowering, span: Span) -> Range:
        """The same items, from the last to the first."""
        last = cast(Index, binary(low, "-", self.trips, 1, span, (span, span)))
        return Range(self.item(low, last, span), -self.step, self.trips, self.bounds)

    def enumerated(self, low: Lowering, start: int, span: Span) -> Range:
        """Each item with its number."""
        return Zipped(low, [Range(start, 1, self.trips, self.bounds), self], span)


class Items(Range):
    """What is taken by its place. `numbered`: each comes with its number, counted from there. `type`: that of an item,
    where all have one."""

    __slots__ = ("numbered", "type")

    def __init__(self, trips: Index, bounds: tuple[Operand, ...], type_: ir.Type | None = None) -> None:
        """`bounds`: what `trips` is computed from."""
        self.numbered: int | None = None
        self.type = type_
        super().__init__(0, 1, trips, bounds)

    def item(self, low: Lowering, index: Index, span: Span) -> Operand:
        found = self.taken(low, index, span)
        if self.numbered is None:
            return found
        return binary(low, "+", index, self.numbered, span, (span, span)) if self.numbered else index, found

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        """The item at a place, without its number."""
        raise NotImplementedError

    def settled(self, low: Lowering, span: Span) -> Range:
        return self

    def reversed(self, low: Lowering, span: Span) -> Range:
        return _Reversed(low, self, span)

    def enumerated(self, low: Lowering, start: int, span: Span) -> Range:
        if self.numbered is not None:
            return super().enumerated(low, start, span)
        self.numbered = start
        return self


class Listed(Items):
    """The items of a static list."""

    __slots__ = ("_items", "listed")

    def __init__(self, items: tuple[Operand, ...]) -> None:
        self._items = self.listed = items
        super().__init__(len(items), (0, len(items), 1))

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        return subscript(low, self._items, [index], span)

    def reversed(self, low: Lowering, span: Span) -> Range:
        return Listed(self._items[::-1])

    def enumerated(self, low: Lowering, start: int, span: Span) -> Range:
        return Listed(tuple(enumerate(self._items, start)))


class OfSequence(Items):
    """The items of a sequence."""

    __slots__ = ("value",)

    def __init__(self, low: Lowering, value: ir.Value, span: Span) -> None:
        self.value = value
        super().__init__(sequence_length(low, value, span), (value,), value.type.item)

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        return subscript_sequence(low, self.value, index, span)

    def settled(self, low: Lowering, span: Span) -> Range:
        need_static(low, self.value, span)
        need_copies(low, self.value)
        return self


class Rows(Items):
    """The rows of a tensor."""

    __slots__ = ("value",)

    def __init__(self, low: Lowering, value: ir.Value, span: Span) -> None:
        count = row_count(low, value, span)
        self.value = value
        super().__init__(count, (value,) if known_int(count) is None else (0, count, 1), value.type)

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        return row(low, self.value, index, span)

    def settled(self, low: Lowering, span: Span) -> Range:
        rows = known_rows(low, self.value, span)
        if rows is None:
            need_static(low, self.value, span)
            return self
        return Listed(rows if self.numbered is None else tuple(enumerate(rows, self.numbered)))


class _Reversed(Items):
    """Other items, from the last to the first."""

    __slots__ = ("_forwards", "_last")

    def __init__(self, low: Lowering, forwards: Items, span: Span) -> None:
        self._forwards = forwards
        self._last = binary(low, "-", forwards.trips, 1, span, (span, span))
        super().__init__(forwards.trips, forwards.bounds, forwards.type)

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        return self._forwards.item(low, cast(Index, binary(low, "-", self._last, index, span, (span, span))), span)


class Zipped(Items):
    """What several lists have at the same place, as far as the shortest of them goes."""

    __slots__ = ("_parts",)

    def __init__(self, low: Lowering, parts: Sequence[Range], span: Span) -> None:
        self._parts = parts
        known = [part.known_trips for part in parts if part.known_trips is not None]
        trips = [part.trips for part in parts]
        shortest = trips[0] if len(parts) == 1 else call_number_builtin(low, "min", trips, span)
        bounds = tuple(bound for part in parts for bound in part.bounds)
        super().__init__(min(known) if len(known) == len(parts) else cast(ir.Value, shortest), bounds)

    def taken(self, low: Lowering, index: Index, span: Span) -> Operand:
        return tuple(part.item(low, index, span) for part in self._parts)

    def reversed(self, low: Lowering, span: Span) -> Range:
        raise low.error("OW312", "Python says: what `zip` gives is not reversible", span, "it is an iterator", "")


def zipped(low: Lowering, parts: Sequence[Range], span: Span) -> Range:
    """What `zip` gives."""
    lists = [part.listed for part in parts if part.listed is not None]
    if len(lists) == len(parts) or not all(lists):
        return Listed(tuple(zip(*lists, strict=False)) if all(lists) else ())
    return Zipped(low, [_taken_apart(low, part, span) for part in parts], span)


def _taken_apart(low: Lowering, part: Range, span: Span) -> Range:
    """A static list whose items are taken at places of the run time: one of pairs as a pair of lists."""
    items = part.listed
    if items is None or _are_numbers(items) or all(map(is_tensor, items)):
        return part
    rows = [items_in(item) or () for item in items]
    if len(set(map(len, rows))) == 1 and rows[0]:
        return Zipped(low, [_taken_apart(low, Listed(tuple(column)), span) for column in zip(*rows, strict=True)], span)
    raise low.error(
        "OW362",
        "a static list beside one whose length is known at run time only holds tensors, or numbers of one kind",
        span,
        reason="which of its items it is, is known at run time only: "
        + ", ".join(map(describe, items[:3]))
        + ("" if len(items) < 4 else ", ..."),
        help="write floats beside floats (`1.0`), or a tensor, whose rows are its items",
        depends_on=Choice.LOOP_FORM,
    )


def _are_numbers(items: Sequence[Operand]) -> bool:
    return all(map(is_number, items)) and len({number_kind(item) for item in items if is_number(item)}) == 1
