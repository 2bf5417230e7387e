"""Static questions about ranks: `x.rank == 3`, `len(x.shape) in (3, 4)`.

A known rank is an int. The rank of a parameter that the caller decides is a `Rank`: comparing it with a static int
splits the function into variants, one for each rank that must be told apart and one for all others. Any other use
needs the very rank, so that only a call can decide: the function is a template.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import facts, ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import Makers, makers_of, need_copies, need_static
from opwright.lang.lower.state.poison import Poisoned, Question
from opwright.lang.meaning.operands import (
    Operand,
    Rank,
    is_absent,
    is_tensor,
    known_int,
)
from opwright.lang.operators import MIRRORED
from opwright.lang.text.source import Span
from opwright.opsets.record import RankRule

# So many ranks are told apart at most; no runtime has tensors of more axes than that.
MOST_RANKS = 32


def rank_of(low: Lowering, operand: Operand, span: Span) -> int | Rank:
    """The rank of a tensor: an int, or a question about the parameter that it follows from."""
    if is_absent(operand):
        raise low.error(
            "OW326",
            f"`{operand.name}` may be absent, and has no rank then",
            span,
            reason=f"`{operand.name}=None` makes it an optional input",
            help=f"ask first: `if {operand.name} is not None:`",
        )
    if not is_tensor(operand):
        raise low.error("OW304", f"{describe(operand)} has no rank", span, reason="only tensors have one")
    if operand.type.rank is not None:
        return operand.type.rank
    source = _source(low, operand)
    if source is not None:
        return Rank(source.name + facts.RANK, span)
    need_copies(low, operand)
    name = f" of `{operand.name}`" if operand.name else ""
    raise low.error(
        "OW360",
        f"the rank{name} is not known when the function is built",
        span,
        reason="the compiler cannot derive it from the rank of a parameter",
        help="ask about a parameter, give the rank with `op.Reshape` to a list of known length, or declare it",
        depends_on=Choice.LOOP_FORM,
    )


def require_rank(low: Lowering, value: ir.Value, span: Span) -> int:
    """The rank of a tensor, where a form needs it: known, or asked of the caller."""
    rank = rank_of(low, value, span)
    if isinstance(rank, Rank):
        need_static(low, rank, span)
        raise AssertionError("a rank that is not known is asked for")
    return rank


def _source(low: Lowering, value: ir.Value) -> ir.Value | None:
    """The parameter whose rank a value certainly has."""
    if any(value is item for item in low.function.inputs):
        return value
    return Sources(frozenset(map(id, low.function.inputs)), makers_of(low)).of(value, None)


Asked = tuple[ir.Value, ir.Value | None]  # a value, and what the loop that is looked into begins its trips with
Found = ir.Value | None
# What is asked of others, and what follows from the answers.
Followed = tuple[Sequence[Asked], Callable[[Sequence[Found]], Found]]


class Sources:
    """Where ranks come from, followed back through operators, branches and loops; `makers` grows on the way.

    Both sides of a branch lead back to what was before it, and so does the next branch: each value is looked at once,
    and without recursion. With `sizes` it is whole shapes whose source is looked for. After `most` steps
    nothing more is known: where each of many values is asked about, time would grow with the square of them.
    """

    def __init__(self, parameters: frozenset[int], makers: Makers, sizes: bool = False, most: float = math.inf) -> None:
        self.parameters = parameters
        self.makers = makers
        self.sizes = sizes
        self._left = most
        self._found: dict[tuple[int, int], Found] = {}

    def of(self, value: ir.Value, carried: ir.Value | None) -> Found:
        """A parameter of the function, or `carried`, whose rank a value certainly has."""
        pending = [(value, carried)]
        while pending:
            asked = pending[-1]
            followed = None if self._is_known(*asked) else self._followed(*asked)
            further = [] if followed is None else [item for item in followed[0] if not self._is_known(*item)]
            if further:
                pending += further
                continue
            pending.pop()
            if followed is not None:
                of_others, conclude = followed
                self._found[id(asked[0]), id(asked[1])] = conclude([self._answer(*item) for item in of_others])
        return self._answer(value, carried)

    def _is_known(self, value: ir.Value, carried: ir.Value | None) -> bool:
        return value is carried or id(value) in self.parameters or (id(value), id(carried)) in self._found

    def _answer(self, value: ir.Value, carried: ir.Value | None) -> Found:
        return value if value is carried or id(value) in self.parameters else self._found[id(value), id(carried)]

    def _followed(self, value: ir.Value, carried: ir.Value | None) -> Followed:
        self._left -= 1
        node = None if self._left < 0 else self.makers.get(id(value))
        return ((), _nothing) if node is None else _followed.of(node)(node, self, value, carried)

    def of_branches(self, node: ir.If, value: ir.Value, carried: ir.Value | None) -> Followed:
        index = next(index for index, result in enumerate(node.results) if result is value)
        for region in (node.then, node.orelse):
            self.enter(region)
        sides = [(region.yields[index], carried) for region in (node.then, node.orelse)]
        return sides, lambda found: found[0] if found[0] is found[1] else None

    def before_loop(self, node: ir.Loop, value: ir.Value, carried: ir.Value | None) -> Followed:
        """What a name is when the loop begins, where no trip changes its rank."""
        index = next(index for index, result in enumerate(node.results) if result is value)
        self.enter(node.body)
        parameter = node.body.parameters[index + 2]
        asked = [(node.body.yields[index + 1], parameter), (node.initial[index], carried)]
        return asked, lambda found: found[1] if found[0] is parameter else None

    def line(self, value: ir.Value) -> list[ir.Value]:
        """The value, the one that it has its rank from, and so on, through operators and calls alone."""
        found = [value]
        while len(found) <= self._left and isinstance(node := self.makers.get(id(value)), ir.Call):
            before = _taken_from(node, self, value)
            if before is None:
                break
            value = before
            found.append(value)
        return found

    def enter(self, region: ir.Region) -> None:
        """Takes the values of a region, too."""
        self.makers.update({id(result): node for node in region.nodes for result in node.made()})


def _nothing(found: Sequence[Found]) -> Found:
    return None


def _first(found: Sequence[Found]) -> Found:
    return found[0]


_followed: Operation[ir.Node, [Sources, ir.Value, ir.Value | None], Followed] = Operation(
    lambda node, sources, value, carried: ((), _nothing)
)
_followed.on(ir.If)(lambda node, sources, value, carried: sources.of_branches(node, value, carried))
_followed.on(ir.Loop)(lambda node, sources, value, carried: sources.before_loop(node, value, carried))


@_followed.on(ir.Call)
def _of_call(node: ir.Call, sources: Sources, value: ir.Value, carried: ir.Value | None) -> Followed:
    found = _taken_from(node, sources, value)
    return ((), _nothing) if found is None else ([(found, carried)], _first)


def _taken_from(node: ir.Call, sources: Sources, value: ir.Value) -> Found:
    """The input whose rank a result of the node has."""
    if isinstance(node.callee, ir.FunctionReference):
        likes = zip(node.results, () if sources.sizes else node.callee.ranks_like, strict=False)
        like = next((like for result, like in likes if result is value), None)
        return node.inputs[like] if like is not None and like < len(node.inputs) else None
    if node.callee.identity[0] or not node.inputs or node.results[0] is not value:
        return None
    return _has_the_shape_of(node) if sources.sizes else _follows(node)


def _follows(node: ir.Call) -> ir.Value | None:
    """The input whose rank the first result has; its own rank is not known, or there would be no question."""
    record = node.callee.record
    if record.keeps_rank:
        return node.inputs[0] if record.rank is not RankRule.SAME_ON_AXIS or "axis" in node.attributes else None
    if record.rank is not RankRule.BROADCAST:
        return None
    return _only_tensor(node)


def _has_the_shape_of(node: ir.Call) -> ir.Value | None:
    """The input whose shape the first result has; an operator of values of one shape, or of one and scalars."""
    record = node.callee.record
    if record.rank is RankRule.LIKE_FIRST:
        return node.inputs[0]
    return _only_tensor(node) if record.is_elementwise else None


def _only_tensor(node: ir.Call) -> ir.Value | None:
    """The only value that a node takes beside scalars."""
    found = {id(value): value for value in node.inputs if value is not None and not _is_scalar(value)}
    return next(iter(found.values())) if len(found) == 1 else None


def _is_scalar(value: ir.Value) -> bool:
    return value.type.carried_shape == ()


def ranks_like(function: ir.Function, values: Sequence[ir.Value]) -> tuple[int | None, ...]:
    """The position of the input of a finished function whose rank each value certainly has; None where none is known,
    and for values whose own rank is."""
    positions = {id(item): index for index, item in enumerate(function.inputs)}
    sources = Sources(
        frozenset(positions), {id(result): node for node in function.body.nodes for result in node.made()}
    )
    found: list[int | None] = []
    for value in values:
        source = None if value.type.carried_shape is not None else sources.of(value, None)
        found.append(None if source is None else positions[id(source)])
    return tuple(found)


# -------------------------------------------------------------------------------------------- comparisons


def compare_rank(low: Lowering, symbol: str, left: Operand, right: Operand) -> bool | None:
    """`left symbol right` where one side is a `Rank` and the other a static int; None where it is something else."""
    if not isinstance(left, Rank):
        left, right, symbol = right, left, MIRRORED[symbol]
    bound = known_int(right)
    if not isinstance(left, Rank) or bound is None or bound > MOST_RANKS:
        return None
    equality = symbol in ("==", "!=")
    apart: Sequence[int] = (bound,) if equality else range(bound if symbol in ("<", ">=") else bound + 1)
    if len(apart) > MOST_RANKS:
        return None
    tell_apart(low, left, apart, implied=not equality)
    return symbol in ("!=", ">", ">=")  # what is left is none of these ranks


def rank_is_in(low: Lowering, rank: Operand, items: Sequence[Operand]) -> bool | None:
    """`rank in items`; None where it is no `Rank`, or an item is no static int."""
    if not isinstance(rank, Rank) or isinstance(items, str):
        return None
    if len(items) > MOST_RANKS:
        return None
    ranks = [found for found in map(known_int, items) if found is not None and found <= MOST_RANKS]
    if len(ranks) < len(items):
        return None
    tell_apart(low, rank, ranks)
    return False


def ruled_out(low: Lowering, value: ir.Value) -> tuple[int, ...]:
    """The ranks that a value certainly does not have, by what is known of the parameter that it follows from."""
    source = _source(low, value)
    return () if source is None else facts.excluded_ranks(low.facts.get(source.name + facts.RANK, facts.OTHER)) or ()


def tell_apart(low: Lowering, rank: Rank, ranks: Sequence[int], implied: bool = False) -> None:
    """Asks for a variant for each of those ranks, unless the rank is known to be none of them."""
    known = facts.excluded_ranks(low.facts.get(rank.axis, facts.OTHER)) or ()
    # As ints: True and False are ranks too, for Python, and answers are their texts.
    new = [item for item in dict.fromkeys(map(int, ranks)) if item >= 0 and item not in known]
    if new:
        values = (*map(str, sorted(new)), facts.other_rank([*known, *new]))
        raise Poisoned(because=Question(rank.axis, values, rank.span, implied))
