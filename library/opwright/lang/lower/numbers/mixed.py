"""Tensors that Python holds as numbers on some path: what control flow makes of `s = 0` and of a tensor.

Where they meet, both are tensors of one type, and most of what follows reads the same. What does not is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import (
    is_number,
    number_kind_of,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import (
    Operand,
    is_tensor,
    known_int,
    value_of,
)
from opwright.lang.text.source import Span
from opwright.opsets.signatures import Signature, mask_of

_BOOLEAN = ("==", "!=", "<", "<=", ">", ">=", "not")
_HELP = "make it a tensor on every path, with a typed constant such as `INT64(0)` or `op.CastLike`"


def may_be_number(low: Lowering, operand: Operand) -> bool:
    """Whether Python may hold a number here."""
    return is_number(operand) or mixed_value(low, operand) is not None


def mixed_value(low: Lowering, operand: Operand) -> ir.Value | None:
    """A tensor for which Python holds a number on some path."""
    value = value_of(operand)
    return value if value in low.held.mixed else None


def note_mixed(low: Lowering, result: Operand, *sources: Operand, also: frozenset[ir.NumberKind] = frozenset()) -> None:
    """Remembers that a tensor stands for what may be a number, since one of its sources may be; of the kinds `also`
    it may be in any case."""
    if is_tensor(result):
        kinds = also.union(*(number_kinds(low, source) for source in sources))
        if kinds:
            low.trail.put(low.held.mixed, result, kinds)


def number_kinds(low: Lowering, operand: Operand) -> frozenset[ir.NumberKind]:
    """The kinds of number that Python may hold; none for what is a tensor on every path."""
    kind = number_kind_of(operand)
    if kind is not None:
        return frozenset((kind,))
    value = value_of(operand)
    return frozenset() if value is None else low.held.mixed.get(value, frozenset())


def on_mixed(
    low: Lowering, symbol: str, operands: tuple[Operand, ...], span: Span, apply: Callable[[], Operand]
) -> Operand:
    """`apply()` where it gives what Python's numbers would give; a tensor among the operands makes a tensor of all."""
    if not all(may_be_number(low, operand) for operand in operands):
        return apply()
    _refuse(low, symbol, operands, span)
    result = apply()
    if is_tensor(result):
        low.trail.put(low.held.mixed, result, frozenset((_kind_of_result(symbol, operands, low),)))
    return result


def _kind_of_result(symbol: str, operands: tuple[Operand, ...], low: Lowering) -> ir.NumberKind:
    """What Python makes of such numbers."""
    if symbol in _BOOLEAN:
        return ir.NumberKind.BOOL
    kinds = {kind for operand in operands for kind in number_kinds(low, operand)}
    return ir.NumberKind.FLOAT if symbol == "/" or ir.NumberKind.FLOAT in kinds else ir.NumberKind.INT


def refuse_untyped(low: Lowering, signature: Signature, operands: Sequence[tuple[Operand, Span]]) -> None:
    """A finding where an operator would take the element type of numbers, on the path where Python holds them: nothing
    else says which, and the graph's is another."""
    groups: dict[str, list[tuple[Operand, Span]]] = {}
    for index, pair in enumerate(operands):
        formal = signature.inputs[min(index, len(signature.inputs) - 1)]
        if formal.homogeneous and formal.type in signature.admitted:
            groups.setdefault(formal.type, []).append(pair)
    for group in groups.values():
        given = [pair for pair in group if pair[0] is not None]
        if not all(may_be_number(low, operand) for operand, _ in given):
            continue
        kinds = {kind for operand, _ in given for kind in number_kinds(low, operand)}
        for operand, span in given:
            value = mixed_value(low, operand)
            if value is not None and not _made_natural(low, value, kinds, signature.identity):
                raise low.error(
                    "OW313",
                    f"{signature.name} takes a number on one path, and a tensor of {value.type!r} on another",
                    span,
                    reason="on its own the number becomes INT64, FLOAT or BOOL, which is another element type",
                    help=_HELP,
                    depends_on=Choice.INFERRED_TYPE,
                )


def _made_natural(low: Lowering, operand: ir.Value, kinds: set[ir.NumberKind], operator: str) -> bool:
    """Whether numbers of these kinds become what the tensor is, where they meet nothing else. A type that is what the
    body makes of it is one for which they do."""
    assert is_tensor(operand)
    if len(kinds) > 1:
        return False
    natural = next(iter(kinds)).natural
    element = ir.settle(operand.type.element)
    variable = ir.open_element(element)
    if variable is not None and not variable.rigid and natural in variable.elements:
        variable.narrow(mask_of([natural]), operator, low.trail)
        return True
    return element is natural


def refuse_number(low: Lowering, operand: Operand, what: str, span: Span) -> None:
    """A finding where a tensor is asked for what a number lacks: `what` it is."""
    if mixed_value(low, operand) is None:
        return
    raise low.error(
        "OW304",
        f"a value that is a number on some path has no {what}",
        span,
        reason="Python would raise an error on that path",
        help=_HELP,
    )


def _refuse(low: Lowering, symbol: str, operands: tuple[Operand, ...], span: Span) -> None:
    for operand in operands:
        if is_tensor(operand):
            element = ir.settle(operand.type.element)
            different = [item for item in element.elements if _difference(symbol, item, operands)]
            variable = ir.open_element(element)
            if variable is not None and not variable.rigid and len(different) < len(variable.elements):
                # A type that is what the body makes of it is one for which the two are the same.
                variable.narrow(~mask_of(different), f"`{symbol}`", low.trail)
            elif different:
                raise _say(low, symbol, different[0], operands, span)


def _say(low: Lowering, symbol: str, element: ElementType, operands: tuple[Operand, ...], span: Span) -> Poisoned:
    return low.error(
        "OW314",
        f"`{symbol}` is not the same for the number and the {element.name} tensor that are joined here",
        span,
        reason=f"on some path this is a Python number, {_difference(symbol, element, operands)}",
        help=_HELP,
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def _difference(symbol: str, element: ElementType, operands: tuple[Operand, ...]) -> str:
    """What Python's number gives and the tensor does not; empty where both give the same."""
    integer = element.is_integer or element.kind == "bool"
    if symbol == "/" and integer:
        return "whose quotient has a fraction"
    exponent = known_int(operands[-1])
    if symbol == "**" and integer and (exponent is None or exponent < 0):
        return "whose power has a fraction where the exponent is negative"
    if symbol == "-" and element.kind == "uint":
        return "which may become negative"
    if symbol == "~" and element.kind == "bool":
        return "whose inverse is another number"
    return ""
