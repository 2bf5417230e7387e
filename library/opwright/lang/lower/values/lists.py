"""Static lists: tuples and ranges, and what `zip`, `enumerate` and `reversed` make of them.

Their lengths are known when the function is built; their items may be tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.paths.flow import FRAME
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies, need_static, numbers_of
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.values.sequence_loops import copied, rows_of
from opwright.lang.lower.values.shapes import tuple_items
from opwright.lang.lower.values.tensor_subscripts import known_rows
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import (
    Environment,
    IntTuple,
    Operand,
    StaticDict,
    StaticIterator,
    StaticView,
    is_sequence,
    is_static,
    is_tensor,
    known_int,
    value_of,
)
from opwright.lang.meaning.static import StaticError, checked, is_int
from opwright.lang.text.source import Span, span_of
from opwright.lang.text.syntax import names_of

Items = tuple[Operand, ...]
GENERATOR = "a generator"  # the label of one


def items_of(low: Lowering, operand: Operand, span: Span, purpose: str) -> Items:
    """The items of a static list, or those that an iterator hands out; `purpose` says what needs them."""
    return _iterated.of(operand)(operand, low, span, purpose)


def _no_items(operand: Operand, low: Lowering, span: Span, purpose: str) -> Items:
    rows = known_rows(low, operand, span)
    if rows is not None:
        return rows
    need_static(low, operand, span)
    if is_sequence(operand):
        need_copies(low, operand)
    raise low.error(
        "OW362",
        f"{purpose} needs a list whose length is known when the function is built",
        span,
        reason=f"it gets {describe(operand)}",
        help="give it a tuple, a list, `range(n)`, or a parameter `*xs`"
        + ("" if value_of(operand) is None else "; over a tensor, or a list that grew in a loop, write `for v in x:`"),
        depends_on=Choice.LOOP_FORM,
    )


_iterated: Operation[Operand, [Lowering, Span, str], Items] = Operation(_no_items)
_iterated.on(tuple)(lambda operand, low, span, purpose: tuple(operand))
_iterated.on(str)(lambda operand, low, span, purpose: tuple(operand))
_iterated.on(StaticDict)(lambda operand, low, span, purpose: tuple(operand.entries))
_iterated.on(StaticView)(lambda operand, low, span, purpose: operand.items)
_iterated.on(range)(lambda operand, low, span, purpose: numbers_of(low, operand, span))


@_iterated.on(IntTuple)
def _sizes(operand: IntTuple, low: Lowering, span: Span, purpose: str) -> Items:
    return tuple_items(low, operand, span, f"{purpose} runs over it")


def iterated(low: Lowering, node: ast.expr, env: Environment, purpose: str) -> Items:
    """The items of an expression that is run over."""
    return items_of(low, lower_expression(low, node, env), span_of(node), purpose)


# ---------------------------------------------------------------------------------------------- iterators
#
# Python evaluates the items of an iterator when they are taken, once; here they are evaluated where it is made. That is
# the same where they are taken once, in the same trip of all loops, and before anything changes that they read.


def iterator_over(low: Lowering, items: Items, label: str) -> StaticIterator:
    """An iterator that is made here; `label` is what makes it."""
    return low.lists.hands_out(StaticIterator(items, label, low.region))


@_iterated.on(StaticIterator)
def _handed_out(operand: StaticIterator, low: Lowering, span: Span, purpose: str) -> Items:
    blocks = [low.region, *reversed(low.open_regions)]
    inside = blocks[: blocks.index(operand.region)] if operand.region in blocks else blocks
    if any(region.parameters for region in inside):
        raise _refused_iterator(
            low, operand, span, "it is made once, and the loop around this would use it in each trip"
        )
    if not low.lists.run_over(operand):
        raise _refused_iterator(low, operand, span, "Python's iterators are empty after their first use")
    return operand.items


def taken(low: Lowering, operand: Operand, span: Span, purpose: str) -> Operand:
    """The items of an iterator or of a view, and anything else as it is."""
    return _taken.of(operand)(operand, low, span, purpose)


_taken: Operation[Operand, [Lowering, Span, str], Operand] = Operation(lambda operand, low, span, purpose: operand)
_taken.on(StaticIterator)(lambda operand, low, span, purpose: items_of(low, operand, span, purpose))
_taken.on(StaticView)(lambda operand, low, span, purpose: operand.items)


def note_names(low: Lowering, value: Operand, written: ast.expr, env: Environment) -> None:
    """Notes what the names stand for of which an iterator is `written` that a name is to stand for."""
    iterator = low.lists.iterators.get(id(value))
    if iterator is None or any(frame is env.get(FRAME) for frame, _ in iterator.noted):
        return
    read = {name: env[name] for name in names_of(low.scope.module, written) if name in env}
    if not any(low.lists.reads_late(operand) for operand in read.values()):
        iterator.noted += ((env.get(FRAME), read),)


def check_names(low: Lowering, value: Operand, env: Environment, span: Span) -> None:
    """Refuses an iterator where the names of which it is written stand for other things by now."""
    iterator = low.lists.iterators.get(id(value))
    if iterator is None:
        return
    around = (env, *(outer.caller for outer in low.call_frame.chain()))
    for frame, before in iterator.noted:
        now = next((candidate for candidate in around if candidate.get(FRAME) is frame), before)
        for name, operand in before.items():
            if now.get(name) is not operand:
                reason = f"`{name}` has changed since, and Python's iterators read what they need when they are used"
                raise _refused_iterator(low, iterator, span, reason)


def check_waiting(low: Lowering, span: Span) -> None:
    """Refuses to bind a name in the middle of an expression that has an iterator, which may read it."""
    found = low.lists.waiting()
    if found is not None:
        raise _refused_iterator(low, found, span, "`:=` may change what it reads before it is used")


def check_kept(low: Lowering, value: Operand, span: Span, named_in: Environment | None = None) -> None:
    """Refuses to keep an iterator in a list, or under a name of `named_in` for which is not noted what it reads."""
    found = low.lists.iterator_in(value)
    if found is None:
        return
    frame = None if named_in is None else named_in.get(FRAME)
    if named_in is None or found is not value or not any(noted is frame for noted, _ in found.noted):
        raise _refused_iterator(low, found, span, "what it reads may have changed before it is used")


def _refused_iterator(low: Lowering, operand: StaticIterator, span: Span, reason: str) -> Poisoned:
    what = "a generator" if operand.label == GENERATOR else f"{operand.label}(...)"
    return low.error(
        "OW362",
        f"{what} cannot be used here",
        span,
        reason=reason,
        help="write it where it is used, or keep a list of its items: `tuple(...)`",
        depends_on=Choice.LOOP_FORM,
    )


# ------------------------------------------------------------------------------------------------- builtins


def call_list_builtin(
    low: Lowering,
    name: str,
    positional: Sequence[tuple[Operand, Span]],
    keywords: dict[str, tuple[Operand, Span]],
    span: Span,
) -> Operand:
    """`range`, `enumerate`, `zip`, `reversed`, `list`, `any`, `all` of operands."""
    known = {"enumerate": ("start",), "zip": ("strict",)}.get(name, ())
    for keyword, (_, place) in keywords.items():
        if keyword not in known:
            raise low.error("OW203", f"`{name}` has no argument `{keyword}`", place, "it has Python's signature")
    operands = [operand for operand, _ in positional]
    if name == "range":
        return _range(low, operands, span)
    if name == "list" and len(operands) == 1 and (is_sequence(operands[0]) or is_tensor(operands[0])):
        return low.lists.made(_listed(low, operands[0], span))
    lists = []
    start: Operand = 0
    if name == "enumerate":
        starts = [*operands[1:], *(operand for operand, _ in keywords.values())]
        if len(starts) > 1:
            raise low.error("OW203", "`enumerate` takes one list and one start", span, "it has Python's signature")
        start = starts[0] if starts else 0
        positional = positional[:1]
    for operand, place in positional:
        if name == "reversed" and id(operand) in low.lists.iterators:
            raise low.error("OW312", "`reversed` has no value here", place, "Python does not accept an iterator there")
        lists.append(items_of(low, operand, place, f"`{name}`"))
    if name != "zip" and len(lists) != 1:
        raise low.error("OW203", f"`{name}` takes one list, not {len(lists)}", span, "it has Python's signature")
    if name == "enumerate" and not is_int(start):
        raise low.error(
            "OW362",
            "`enumerate` starts at a static int",
            span,
            f"it gets {describe(start)}",
            depends_on=Choice.LOOP_FORM,
        )
    strict = keywords["strict"][0] if "strict" in keywords else False
    if strict and len({len(items) for items in lists}) > 1:
        lengths = " and ".join(str(len(items)) for items in lists)
        raise low.error("OW312", f"Python says: zip() gets lists of {lengths} items", span, "`strict=True` is given")
    return _BUILTINS[name](lists, known_int(start) or 0, low, span)


def _range(low: Lowering, operands: list[Operand], span: Span) -> Operand:
    bounds: list[int] = []
    for operand in operands:
        if not is_int(operand):
            need_static(low, operand, span)
            raise low.error(
                "OW362",
                "this `range` needs ints that are known when the function is built",
                span,
                reason=f"it gets {describe(operand)}; only `for` runs over a range that is known at run time",
                help="write `for i in range(n):`; downwards, `for i in range(n - 1, -1, -1):`",
                depends_on=Choice.LOOP_FORM,
            )
        bounds.append(operand)
    try:
        return checked(range(*bounds))
    except (TypeError, ValueError) as error:
        raise low.error("OW312", "`range` has no value here", span, f"Python says: {error}") from None
    except StaticError as error:
        raise low.error(error.code, str(error), span, "its length is not known") from None


def _enumerate(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return iterator_over(low, tuple(enumerate(lists[0], start)), "enumerate")


def _zip(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return iterator_over(low, tuple(zip(*lists, strict=False)), "zip")


def _reversed(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return iterator_over(low, tuple(reversed(lists[0])), "reversed")


def _list(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return low.lists.made(static.StaticList(lists[0]))


def _listed(low: Lowering, value: ir.Value, span: Span) -> Operand:
    """`list(xs)` of a sequence or a tensor."""

    rows = known_rows(low, value, span)
    if rows is not None:
        return static.StaticList(rows)
    need_static(low, value, span)
    if not is_sequence(value):
        return rows_of(low, value, span)
    need_copies(low, value)
    return copied(low, value, span)


def _tuple(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return tuple(lists[0])


def _any(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return _decide(lists[0], True, low, span)


def _all(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return _decide(lists[0], False, low, span)


def _decide(items: Items, decides: bool, low: Lowering, span: Span) -> Operand:
    for item in items:
        if not is_static(item):
            need_static(low, item, span)
            name = "any" if decides else "all"
            raise low.error(
                "OW362",
                f"`{name}` needs items that are known when the function is built",
                span,
                reason=f"one is {describe(item)}",
                help="combine conditions with `or` and `and`, or reduce a tensor: `op.ReduceMax`",
                depends_on=Choice.LOOP_FORM,
            )
        if bool(item) is decides:
            return decides
    return not decides


_BUILTINS: dict[str, Callable[[list[Items], int, Lowering, Span], Operand]] = {
    "all": _all,
    "any": _any,
    "enumerate": _enumerate,
    "list": _list,
    "reversed": _reversed,
    "tuple": _tuple,
    "zip": _zip,
}
LIST_BUILTINS = frozenset([*_BUILTINS, "range"])
