"""Static lists: tuples and ranges, and what `zip`, `enumerate` and `reversed` make of them.

Their lengths are known when the function is built; their items may be tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir, static
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.grammar import name_of
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies, need_static, numbers_of
from opwright.lang.lower.state.operands import (
    Environment,
    IntTuple,
    Operand,
    StaticDict,
    StaticIterator,
    is_sequence,
    is_static,
    is_tensor,
    known_int,
    value_of,
)
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.values.sequence_loops import copied, rows_of
from opwright.lang.lower.values.shapes import tuple_items
from opwright.lang.lower.values.tensor_subscripts import known_rows
from opwright.lang.source import Span, span_of
from opwright.lang.static import StaticError, checked, is_int

Items = tuple[Operand, ...]


def items_of(low: Lowering, operand: Operand, span: Span, purpose: str, named: bool = False) -> Items:
    """The items of a static list; `purpose` says what needs them, `named` that a name stands for the list."""
    return _iterated.of(operand)(operand, low, span, purpose, named)


def _no_items(operand: Operand, low: Lowering, span: Span, purpose: str, named: bool) -> Items:
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


_iterated: Operation[Operand, [Lowering, Span, str, bool], Items] = Operation(_no_items)
_iterated.on(tuple)(lambda operand, low, span, purpose, named: tuple(operand))
_iterated.on(str)(lambda operand, low, span, purpose, named: tuple(operand))
_iterated.on(StaticDict)(lambda operand, low, span, purpose, named: tuple(operand.entries))


@_iterated.on(StaticIterator)
def _once(operand: StaticIterator, low: Lowering, span: Span, purpose: str, named: bool) -> Items:
    if named:
        raise _used_twice(low, operand, span)
    return operand.items


_iterated.on(range)(lambda operand, low, span, purpose, named: numbers_of(low, operand, span))


@_iterated.on(IntTuple)
def _sizes(operand: IntTuple, low: Lowering, span: Span, purpose: str, named: bool) -> Items:
    return tuple_items(low, operand, span, f"{purpose} runs over it")


def _used_twice(low: Lowering, operand: StaticIterator, span: Span) -> Poisoned:
    return low.error(
        "OW362",
        f"a name stands for {operand.label}(...), which can be used once only",
        span,
        reason="Python's iterators are empty after their first use",
        help=f"write it where it is used, or keep a list: `tuple({operand.label}(...))`",
        depends_on=Choice.LOOP_FORM,
    )


def iterated(low: Lowering, node: ast.expr, env: Environment, purpose: str) -> Items:
    """The items of an expression that is run over."""
    return items_of(low, lower_expression(low, node, env), span_of(node), purpose, name_of(node) is not None)


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
    return StaticIterator(tuple(enumerate(lists[0], start)), "enumerate")


def _zip(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return StaticIterator(tuple(zip(*lists, strict=False)), "zip")


def _reversed(lists: list[Items], start: int, low: Lowering, span: Span) -> Operand:
    return StaticIterator(tuple(reversed(lists[0])), "reversed")


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
