"""Where control flow meets: one value for a name that two paths bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.infer.result_types import narrow_to_result
from opwright.lang.lower.nodes.item_ranks import item_rank, joined_rank, note_item_rank
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.numbers.fillers import filler
from opwright.lang.lower.numbers.mixed import note_mixed
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    carried,
    describe,
    holds_value,
    is_number,
    number_kind,
    other_value,
)
from opwright.lang.lower.numbers.ranks import Sources
from opwright.lang.lower.paths.flow import (
    BROKE,
    CONTINUED,
    COUNT,
    NOTHING,
    PLACE,
    RETURNED,
    TUPLE_OF_ONE,
    Branch,
    changed_names,
    is_at_break,
    is_flag,
    is_hidden,
    is_result,
    place_of,
)
from opwright.lang.lower.paths.speculate import attempt
from opwright.lang.lower.state.aggregates import Aggregate, alike, same_each, same_static, taken_apart
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import makers_of
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.lower.values.sequences import is_list, join_lists
from opwright.lang.lower.values.shapes import tuple_tensor
from opwright.lang.lower.values.tuples import ints_of, is_tuple
from opwright.lang.meaning.operands import (
    POISON,
    VACANT,
    Environment,
    IntTuple,
    NoValue,
    Operand,
    Unbound,
    is_sequence,
    is_tensor,
    known_int,
    unbound_of,
    value_of,
)
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.lang.value_class import record


@record
class GoingOn:
    """The one side of an `If` on which a path goes on, and the last statement that is lowered inside of it, or which it
    is: the path goes on behind that. The other side may have left the trip of a loop by these flags."""

    side: int
    behind: Span
    left_by: tuple[str, ...]


class Join:
    """The meeting of the two branches of an `If`.

    `paths` say when each branch is not taken. The names of a side that has returned are dead. Where one side alone is
    `going_on`, and the other has left a loop's trip, those are that nothing reads behind the trip.
    """

    def __init__(
        self,
        low: Lowering,
        node: ir.If,
        env: Environment,
        sides: tuple[Branch, Branch],
        paths: tuple[str, str] = ("", ""),
        going_on: GoingOn | None = None,
    ) -> None:
        self.low = low
        self.node = node
        self.env = env
        self.sides = sides
        self.paths = paths
        self.going_on = going_on
        self.unread = tuple(side.get(RETURNED) is True for side in sides)
        self.liveness = low.liveness()

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
        hidden = is_hidden(name)
        first = then.get(name, VACANT if hidden else Unbound(self.paths[1]))
        second = orelse.get(name, VACANT if hidden else Unbound(self.paths[0]))
        if is_flag(name) and first is VACANT and second is VACANT:
            return  # those of a loop that is over; outside of loops there are none
        self.env[name] = self._hidden(name, first, second) if hidden else self._named(name, first, second)

    def _named(self, name: str, first: Operand, second: Operand) -> Operand:
        if first is second or same_static(first, second):
            return first
        if all(self.unread):
            return POISON
        if self._is_dead(name):
            return Unbound("after it is last read")
        if any(self.unread):
            return self._one_sided(name, second if self.unread[0] else first, 0 if self.unread[0] else 1)
        made = self._met(name, first, second)
        if isinstance(made, Unbound) and self.going_on is not None and self._is_read_going_on_alone(name):
            return self._one_sided(name, (first, second)[self.going_on.side], 1 - self.going_on.side)
        return made

    def _met(self, name: str, first: Operand, second: Operand) -> Operand:
        """A name of the author's that may be read on both paths."""
        unbound = unbound_of(first), unbound_of(second)
        is_unbound = unbound != (None, None)
        if is_unbound and self.low.scouting:
            return first if unbound[0] is None else second  # what it is on a path that could be lowered
        if is_unbound:
            return self._unbound(*unbound)
        if first is POISON or second is POISON:
            return POISON
        return self._join(name, first, second)

    def _is_dead(self, name: str) -> bool:
        """Whether nothing reads the name after the `if`: its values need not be of one type."""
        span = self.node.span
        return self.liveness is not None and span is not None and not self.liveness.is_read_after(name, span)

    def _is_read_going_on_alone(self, name: str) -> bool:
        """Whether the name is dead on the side that has left a loop's trip, and not where the other one goes on."""
        if self.going_on is None or self.liveness is None:
            return False
        left_by = self.going_on.left_by
        return self.liveness.is_read_going_on_alone(name, self.going_on.behind, BROKE in left_by, CONTINUED in left_by)

    def _unbound(self, first: Unbound | None, second: Unbound | None) -> Unbound:
        """A name that one of the sides does not bind; a loop may yet hand on its value."""
        missing, path = (first, self.paths[1]) if first is not None else (second, self.paths[0])
        assert missing is not None
        one_sided = first is None or second is None
        says_more = missing.loop is not None or missing.left is not None or missing.conflict
        return Unbound(path) if one_sided and path and not says_more else missing

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
                raise Poisoned if POISON in (first, second) else self._disagree(_how_many(first), _how_many(second))
            return first
        if first is VACANT or second is VACANT:
            return self._one_sided(name, second if first is VACANT else first, 0 if first is VACANT else 1)
        if is_at_break(name):
            return self._met(name, first, second)
        if first is POISON or second is POISON:
            return POISON
        for side, (operand, other) in enumerate(((first, second), (second, first))):
            if unbound_of(operand) is not None:
                raise self._no_stand_in(side, other)
        made = self._join(name, first, second)
        if unbound_of(made) is not None:
            raise self._disagree(describe(first), describe(second))
        return made

    def _disagree(self, first: str, second: str) -> Poisoned:
        places = [place_of(side) for side in self.sides]
        lines = [self.low.scope.module.source.line(place[0]) if place else 0 for place in places]
        return self.low.error(
            "OW307",
            "the returns disagree",
            places[1] or places[0],
            reason=f"line {lines[0]} returns {first}, line {lines[1]} returns {second}",
            help="return the same number of values, of the same types, on every path",
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )

    def _no_stand_in(self, side: int, other: Operand) -> Poisoned:
        """A side that returns on some of its own paths, and has no value for the others that could be handed on."""
        return self.low.error(
            "OW308",
            "a `return` inside an `if` inside an `if` needs a value on the paths that go on",
            place_of(self.sides[side]) or self.node.span,
            reason=f"there is no default for {describe(other)}",
            help="bind one name on every path, and return it at the end",
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )

    def _one_sided(self, name: str, value: Operand, vacant: int) -> Operand:
        """A value of one side, where the name is dead after the other: that side yields a filler of the type."""
        return _one_sided.of(value)(value, self, name, vacant)

    def one_sided_parts(self, value: Operand, name: str, vacant: int) -> Operand:
        whole = taken_apart(value)
        if whole is None or same_static(value, self.env.get(name)):
            return value
        parts = tuple(self._one_sided(name, part, vacant) for part in whole.parts)
        return put_together(self.low, whole, parts, value)

    def one_sided_ints(self, value: IntTuple, name: str, vacant: int) -> Operand:
        if value is self.env.get(name):
            return value  # from before the `if`
        made = self.low.within(self._regions()[1 - vacant], partial(tuple_tensor, self.low, value, self.node.span))
        held = value_of(self.filled(made, name, vacant))
        return Unbound(_NO_FILLER) if held is None else IntTuple(None, value=held)

    def _regions(self) -> tuple[ir.Region, ir.Region]:
        return self.node.then, self.node.orelse

    def one_sided_value(self, value: ir.Value, name: str, vacant: int) -> Operand:
        return value if value is self.env.get(name) else self.filled(value, name, vacant)

    def filled(self, value: ir.Value, name: str, vacant: int) -> ir.Value | Unbound:
        filled = self.low.within(self._regions()[vacant], partial(filler, self.low, value.type, self.node.span))
        if filled is None:
            return Unbound(_NO_FILLER)
        values = (filled, value) if vacant == 0 else (value, filled)
        # Every read of the name comes from the other side, so the type is that side's, its shape included.
        return self._result(name, values[0], values[1], value.type)

    def _join(self, name: str, first: Operand, second: Operand) -> Operand:
        both = alike(first, second)
        if both is not None:
            join = self._hidden if is_hidden(name) else self._named
            parts = tuple(join(name, *pair) for pair in zip(both[0].parts, both[1].parts, strict=True))
            return put_together(self.low, both[0], parts, first, second)
        returned = is_result(name) and not self.low.call_frame.is_inlined  # by the function itself
        made = None
        if returned or not one_is_tuple(first, second):  # a list of numbers that is returned is a tensor
            made = join_values(self.low, (self.node.then, self.node.orelse), (first, second), self.node.span)
        if made is None:
            conflict = f"it is {describe(first)} on one path, and {describe(second)} on the other"
            return Unbound("to one type on both paths", conflict=conflict)
        result = self._result(name, *made)
        return as_joined(self.low, result, first, second)

    def _result(self, name: str, first: ir.Value, second: ir.Value, type_: ir.Type) -> ir.Value:
        first, second = unsized(self.low, self.node, first, second)
        narrow_to_result(self.node.operator.signature, type_, self.low.trail)
        self.node.then.yields.append(first)
        self.node.orelse.yields.append(second)
        result = ir.Value(type_, "" if is_hidden(name) else name, self.node.span)
        self.node.results.append(result)
        self.low.region.makes_too(self.node, result)
        return result


_NO_FILLER = "with a value that could stand in for it on the path that ends"

_one_sided: Operation[Operand, [Join, str, int], Operand] = Operation(
    lambda value, join, name, vacant: join.one_sided_parts(value, name, vacant)
)
_one_sided.on(IntTuple)(lambda value, join, name, vacant: join.one_sided_ints(value, name, vacant))
_one_sided.on(ir.Value)(lambda value, join, name, vacant: join.one_sided_value(value, name, vacant))


def put_together(low: Lowering, like: Aggregate, parts: tuple[Operand, ...], *sources: Operand) -> Operand:
    """An aggregate of joined parts; where one of them has no value the whole has none. A list may be any of its
    sources."""
    missing = next((part for part in parts if isinstance(part, NoValue)), None)
    if missing is not None:
        return missing
    made = like.of(parts)
    if isinstance(made, StaticList):
        low.lists.derived(made, *sources)
    return made


def _how_many(count: Operand) -> str:
    """How many values a `return` gives, as `flow` notes it."""
    known = known_int(count)
    return _FEW.get(known, f"{known} values") if known is not None else ""


_FEW = {NOTHING: "nothing", TUPLE_OF_ONE: "a tuple of one value"}


def one_is_tuple(first: Operand, second: Operand) -> bool:
    """Whether one is a tuple or list of numbers and the other a tensor: `+`, `*` and conditions are not the same."""
    return is_tuple(first) is not is_tuple(second) and not (is_list(first) and is_list(second))


def same_items(low: Lowering, first: Operand, second: Operand) -> StaticList | None:
    """A list that may be either of two that hold the same now; None where they do not."""
    if not isinstance(first, StaticList) or not isinstance(second, StaticList) or len(first) != len(second):
        return None
    if not same_each(first, second):
        return None
    made = StaticList(first)
    low.lists.derived(made, first, second)
    return made


def as_joined(low: Lowering, result: ir.Value, first: Operand, second: Operand) -> Operand:
    """What a joined value stands for: tuples of ints stay one, and a list may be either of the two."""
    rank = joined_rank(item_rank(low, first), item_rank(low, second)) if is_sequence(result) else None
    hand_on(low, result, (first, second), rank)
    if is_tuple(first) and is_tuple(second) and is_tensor(result):
        return IntTuple(None, value=result)
    return result


def hand_on(
    low: Lowering,
    result: ir.Value,
    sources: Sequence[Operand],
    rank: int | None,
    kinds: frozenset[ir.NumberKind] = frozenset(),
) -> None:
    """Notes of a value that is one of others, as control flow decides, what is known of those beside their types: which
    lists it may be, and whether Python may hold a number. `rank`: that of the items of a list. `kinds` of number it may
    be in any case."""
    if is_sequence(result):
        low.lists.derived(result, *sources)
        note_item_rank(low, result, rank)
    else:
        note_mixed(low, result, *sources, also=kinds)


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
    if (
        is_list(first)
        and is_list(second)
        and (is_sequence(first) or is_sequence(second) or any(map(holds_value, values)))
    ):
        return join_lists(low, regions, values, span)
    if is_tuple(first) and is_tuple(second):
        return _join_tuples(low, regions, values, span)
    if any(map(holds_value, values)):
        return None  # Python would give several values here and one there
    tensor = other_value(first) or other_value(second)
    element = None if tensor is None else tensor.type.element
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
        lambda side: low.within(regions[side], partial(step, values[side])),
        (0, 1),
    )
    return first, second


def _join_tuples(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Tuples of ints, of which the lengths differ or are not known: INT64 tensors of rank 1."""
    place = span or (0, 0, 0, 0)
    pair = attempt(low, partial(_each_in_its_region, low, regions, partial(ints_of, low, span=place), values))
    return None if pair is None else (*pair, pair[0].type.joined(pair[1].type))


# ---------------------------------------------------------------------------------------- shapes of the sides

# Before version 11 an `If` gives values of one shape, and ONNX's inference takes for that what it knows of either
# branch. From then on the shapes may differ; but up to version 12 inference takes a first branch of rank 0 for the
# shape where it knows nothing of the other one. onnxruntime computes ahead with what is inferred, and sets memory aside
# for it. So a value whose shape may be another one on the other path is reshaped to its own shape, by a tensor that is
# known at run time alone: inference learns nothing of it.

_OF_ANY_SHAPES = 11  # the version of `If` whose branches may give values of different shapes
_OF_UNKNOWN_RANK = 13  # the one of which inference knows an unknown rank from rank 0
_STEPS = 32  # back from a value to where its shape comes from
_HIDEABLE = 7  # the first opset with a Tile of any number of axes, and a Mul that broadcasts


def unsized(low: Lowering, node: ir.If, first: ir.Value, second: ir.Value) -> tuple[ir.Value, ir.Value]:
    """What the branches give, of which nothing is inferred that does not hold of both."""
    shapes = first.type.carried_shape, second.type.carried_shape
    if not is_tensor(first) or _are_equal(*shapes):
        return first, second
    signature = node.operator.signature
    if not low.target.is_older(signature, _OF_UNKNOWN_RANK):
        return first, second
    is_strict = low.target.is_older(signature, _OF_ANY_SHAPES)
    # Inference may find a rank of 0 that is not known here, and not find one that is.
    if not is_strict and ((shapes[0] is not None and shapes[0] != ()) or shapes[1] == ()):
        return first, second
    if _are_of_one_shape(low, node, first, second):
        return first, second
    if not is_strict:
        return _hidden(low, node, 0, first, keeps_rank=False), second
    if low.target.is_before(_HIDEABLE):
        raise low.error(
            "OW202",
            f"values of different shapes on two paths need opset {_HIDEABLE}, not {low.target.bare_opset}",
            node.span,
            reason="an `If` of that opset gives values of one shape, and earlier versions of Mul and Tile cannot keep "
            f"runtimes from concluding it: these are {first.type!r} and {second.type!r}",
            help=f"{low.scope.newer_opset('', _HIDEABLE)}, or declare shapes that are the same: `FLOAT[2, 3]`",
            depends_on=Choice.OPSET | Choice.INFERRED_TYPE,
        )
    one_rank = shapes[0] is not None and shapes[1] is not None and len(shapes[0]) == len(shapes[1])
    return _hidden(low, node, 0, first, one_rank), _hidden(low, node, 1, second, one_rank)


def _are_equal(first: ir.Shape, second: ir.Shape) -> bool:
    """Whether all sizes are known to be the same."""
    return first is not None and first == second and None not in first


def _are_of_one_shape(low: Lowering, node: ir.If, first: ir.Value, second: ir.Value) -> bool:
    """Whether both are computed from one value by operators that keep its shape, whatever that is."""
    inputs = _sources(low, node, low.function.inputs)
    source = inputs.of(first, None)
    if source is not None and source is inputs.of(second, None):
        return True
    pairs = (first, second), (second, first)
    return any(_sources(low, node, inputs.line(one)).of(other, None) is not None for one, other in pairs)


def _sources(low: Lowering, node: ir.If, ends: Sequence[ir.Value]) -> Sources:
    sources = Sources(frozenset(map(id, ends)), makers_of(low), sizes=True, most=_STEPS)
    sources.enter(node.then)
    sources.enter(node.orelse)
    return sources


def _hidden(low: Lowering, node: ir.If, side: int, value: ir.Value, keeps_rank: bool) -> ir.Value:
    region = (node.then, node.orelse)[side]
    return low.within(region, partial(_reshaped_at_run_time, low, node, side, value, keeps_rank))


def _reshaped_at_run_time(low: Lowering, node: ir.If, side: int, value: ir.Value, keeps_rank: bool) -> ir.Value:
    """The value reshaped to its own shape times one, or where the length of that may not be known either, repeated
    once. One is what the condition is as a number, at run time alone."""
    op = Writer(low, node.span)
    condition = op.not_(node.condition) if side == 1 else node.condition
    one = op.cast(condition, low.element_of("int64"))
    shape = op.shape(value)
    if keeps_rank:
        return op.reshape(value, op.mul(shape, one))
    # Tile wants a list: the shape of a shape's shape is [1], without a constant, which opset 8 has none of for int64.
    times = op.mul(op.shape(op.shape(shape)), one)
    return op.reshape(value, op.tile(shape, times))
