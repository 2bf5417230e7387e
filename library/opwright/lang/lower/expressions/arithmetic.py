"""Python's operators on operands: folded, on numbers, or on tensors by the table of `operators.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.infer.result_ranks import rank_of
from opwright.lang.lower.expressions.conditions import Condition, negate, truth
from opwright.lang.lower.expressions.plain_calls import emit_plain
from opwright.lang.lower.nodes.emitted_calls import try_emit
from opwright.lang.lower.numbers.floor_division import EXPANSIONS
from opwright.lang.lower.numbers.mixed import on_mixed
from opwright.lang.lower.numbers.number_arithmetic import absolute, inverted, negative, on_numbers, positive
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    describe,
    is_number,
    is_static_number,
    narrow,
    needs_element,
    other_value,
)
from opwright.lang.lower.numbers.powers import integer_power, note_power
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import maybe_absent, need_static
from opwright.lang.lower.state.poison import Poisoned, Question, each
from opwright.lang.lower.values.array_arithmetic import check_arrays, computed_by_numpy, is_array
from opwright.lang.lower.values.sequence_loops import joined, repeated
from opwright.lang.lower.values.sequences import is_list
from opwright.lang.lower.values.tuples import equal_tuples, holds_runtime, is_tuple, on_tuples, refuse_list_and_number
from opwright.lang.meaning import static
from opwright.lang.meaning.objects import Missing, NamedObject
from opwright.lang.meaning.operands import (
    Absent,
    AttributeOperand,
    MethodObject,
    Operand,
    Rank,
    SliceItem,
    StaticDict,
    is_sequence,
    is_static,
    is_tensor,
    two_tensors,
)
from opwright.lang.meaning.static import StaticError
from opwright.lang.operators import BINARY, UNARY, Form, Refusal, Table
from opwright.lang.text.source import Span
from opwright.opsets.records import ADD, NOT


def binary(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span, spans: tuple[Span, Span]) -> Operand:
    """`left symbol right`: folded, on numbers, or on tensors."""
    if low.held.arrays and check_arrays(low, symbol, (left, right), span):
        return computed_by_numpy(low, _binary(low, symbol, left, right, span, spans), span)
    if low.held.mixed:
        return on_mixed(low, symbol, (left, right), span, partial(_binary, low, symbol, left, right, span, spans))
    return _binary(low, symbol, left, right, span, spans)


def _binary(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span, spans: tuple[Span, Span]) -> Operand:
    tensors = two_tensors(left, right) if symbol not in ("@", "**") else None
    if tensors is not None:
        form = _form(low, BINARY, symbol, tensors[0].type.element, span)
        return _apply(low, form, tensors, span, spans)
    for operand, place in ((left, spans[0]), (right, spans[1])):
        _refuse_operand(low, operand, symbol, place)
    if is_tuple(left) and is_tuple(right) and (holds_runtime(left) or holds_runtime(right)):
        if symbol in ("==", "!="):
            equal = equal_tuples(low, left, right, span, partial(_same, low, span))
            return equal if symbol == "==" else negate(low, equal, span)
        return on_tuples(low, symbol, left, right, span)
    if (is_tuple(left) and is_number(right)) or (is_number(left) and is_tuple(right)):
        if not (is_static(left) and is_static(right)):
            raise refuse_list_and_number(low, symbol, left, right, span)
    elif is_list(left) and is_list(right) and symbol == "+" and (is_sequence(left) or is_sequence(right)):
        made = joined(low, left, right, span)
        return low.lists.made(made)
    elif symbol == "*" and (is_sequence(left) or is_sequence(right)):
        owner, times = (left, right) if is_sequence(left) else (right, left)
        need_static(low, times, span)
        if is_sequence(owner) and isinstance(times, int):
            return low.lists.made(repeated(low, owner, times, span))
    if is_static(left) and is_static(right):
        return _fold(low, symbol, left, right, span)
    if is_number(left) and is_number(right):
        return on_numbers(low, symbol, left, right, span)
    return _on_tensors(low, symbol, left, right, span, spans)


def _same(low: Lowering, span: Span, one: Operand, other: Operand) -> Condition:
    """Whether two entries of tuples are equal."""
    return truth(low, binary(low, "==", one, other, span, (span, span)), span)


def _refuse_operand(low: Lowering, operand: Operand, symbol: str, span: Span) -> None:
    _refusal.of(operand)(operand, low, symbol, span)


def _not_refused(operand: Operand, low: Lowering, symbol: str, span: Span) -> None:
    """Tensors and what stands for them, numbers, texts, lists and tuples have operators."""


_refusal: Operation[Operand, [Lowering, str, Span], None] = Operation(_not_refused)


@_refusal.on(Absent)
def _refuse_absent(operand: Absent, low: Lowering, symbol: str, span: Span) -> None:
    raise low.error(
        "OW204",
        f"`{symbol}` needs a value, and `{operand.name}` is absent in this variant",
        span,
        reason="an optional input that is not given is None",
        help=f"ask first: `if {operand.name} is not None:`",
    )


@_refusal.on(ir.Value)
def _refuse_optional(operand: ir.Value, low: Lowering, symbol: str, span: Span) -> None:
    if operand.optional:
        raise maybe_absent(low, operand, f"`{symbol}` needs a value", span)


@_refusal.on(Rank)
def _ask_rank(operand: Rank, low: Lowering, symbol: str, span: Span) -> None:
    need_static(low, operand, span)


@_refusal.on(type(None), NamedObject, Missing, SliceItem, StaticDict, MethodObject)
def _refuse_object(
    operand: NamedObject | Missing | SliceItem | StaticDict | MethodObject | None,
    low: Lowering,
    symbol: str,
    span: Span,
) -> None:
    raise low.error(
        "OW314",
        f"`{symbol}` is not defined for {describe(operand)}",
        span,
        reason="operators work on tensors, numbers, and static strings and lists",
        help="",
    )


def _fold(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    try:
        if symbol in static.COMPARE:
            return static.compare(symbol, left, right)
        if symbol == "@":
            raise static.StaticError("OW312", "Python says: numbers have no `@`")
        made = static.binary(symbol, left, right)
        return low.lists.made(made) if isinstance(made, static.StaticList) else made
    except static.StaticError as error:
        help = "the expression is evaluated when the function is built"
        raise low.no_value(error, f"`{symbol}` has no value here", span, help) from None


def _on_tensors(
    low: Lowering, symbol: str, left: Operand, right: Operand, span: Span, spans: tuple[Span, Span]
) -> Operand:
    tensor = other_value(left) or other_value(right)
    element = None if tensor is None else tensor.type.element
    if tensor is not None and element is None:
        raise low.error(
            "OW314",
            f"`{symbol}` is not defined for {describe(tensor)}",
            span,
            reason="arithmetic is defined for tensors",
            help="annotate it where it is created: `y: FLOAT[...] = ...`"
            if tensor.type.is_unknown
            else "use the sequence and optional operators: `op.SequenceAt`, ...",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    by_zero = symbol in _DIVISIONS and is_number(right) and right == 0
    if by_zero and low.checks_statically and element is not None:
        _refuse_integers(low, symbol, element, span)
    if symbol == "**" and element is not None:
        form = _form(low, BINARY, symbol, element, span)
        made = integer_power(low, left, right, ir.settle(element), span)
        if made is not None:
            return made
    # `Pow` takes an exponent of another type, but a number still takes the base's.
    pairs = zip((left, right), spans, strict=True)
    values = each(lambda pair: as_tensor(low, pair[0], element, pair[1]), pairs)
    if symbol == "@" and any(rank_of(value) == 0 for value in values):
        raise low.error(
            "OW314",
            "`@` is not defined for tensors of rank 0",
            span,
            reason="it multiplies matrices and vectors, as in numpy",
            help="write `*`",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    if element is None:  # two lists or strings, of which one is an attribute
        assert is_tensor(values[0])
        element = values[0].type.element
    form = _form(low, BINARY, symbol, element, span)
    result = _apply(low, form, values, span, spans)
    if symbol == "**" and is_static_number(right) and right >= 1:
        note_power(low, result, right)
    return result


_DIVISIONS = ("/", "//", "%")


def _refuse_integers(low: Lowering, symbol: str, element: ir.Element, span: Span) -> None:
    """Of what is divided by zero. An element type that the body decides becomes one of floats."""
    low.target.rely_on(element)
    elements = ir.settle(element).elements
    integers = [item for item in elements if item.is_integer]
    if len(integers) == len(elements):
        raise low.error(
            "OW312",
            f"`{symbol}` has no value here",
            span,
            reason="integers are divided by zero, and runtimes refuse that before they run it",
            help="divide by another number, or cast to a float type first",
            depends_on=Choice.INFERRED_TYPE,
        )
    variable = ir.open_element(element)
    if integers and variable is not None and not narrow(low, variable, integers, f"`{symbol}` by zero"):
        raise needs_element(low, variable, span)


def _form(low: Lowering, table: Table, symbol: str, element: ir.Element, span: Span) -> Form:
    """The form for an element type; over a type variable whose types need different forms, one variant per type."""
    element = ir.settle(element)
    entry = table.common(symbol, element.mask)
    variable = ir.open_element(element)
    if entry is None:
        assert variable is not None
        if not variable.rigid:
            return _narrow_to_defined(low, table, symbol, variable, span)
        raise needs_element(low, variable, span)
    if isinstance(entry, Refusal):
        raise low.error(
            "OW314",
            f"`{symbol}` is not defined for tensors of {element!r}",
            span,
            reason=entry.reason,
            help=entry.help,
            depends_on=Choice.INFERRED_TYPE,
        )
    return entry


def _narrow_to_defined(low: Lowering, table: Table, symbol: str, variable: ir.TypeVariable, span: Span) -> Form:
    """A type that is what the body makes of it becomes one for which the operator is defined: a number, where it could
    be one. Strings have operators of their own, so an input that is one must be declared."""
    mask, forms = table.defined(symbol, variable.mask)
    if forms and variable.mask != mask:
        variable.narrow(mask, f"`{symbol}`", low.trail)
    if len(forms) != 1:
        raise needs_element(low, variable, span)
    return forms[0]


def _apply(low: Lowering, form: Form, values: Sequence[ir.Value], span: Span, spans: tuple[Span, ...]) -> ir.Value:
    if form.expansion:
        first, second = values[0].type.element, values[1].type.element
        if first is not None and second is not None and not ir.unify_elements(first, second, low.trail):
            return try_emit(low, ADD.name, values, span, spans)  # reports the two types, as every operator does
        return EXPANSIONS[form.expansion](low, values[0], values[1], span)
    made = None if form.attributes or form.negated else emit_plain(low, form.operator, list(values), span)
    if made is not None:
        return made
    if low.target.find("", form.operator) is None:
        raise low.unknown_operator("", form.operator, span, "this operator")
    attributes: dict[str, ir.Attribute] = {
        name: ir.AttributeValue(ir.AttributeKind.STRING, text) for name, text in form.attributes
    }
    result = try_emit(low, form.operator, values, span, spans, attributes)
    if form.negated:
        return try_emit(low, NOT.name, [result], span, (span,))
    return result


def is_none(low: Lowering, negated: bool, left: Operand, right: Operand, span: Span) -> Operand:
    """`x is None`: a static question about presence; and whether two are one operator, function, module, class or
    member of an enumeration."""
    if left is None:
        left, right = right, left
    if right is None:
        return _presence.of(left)(left, span) is negated
    if not isinstance(left, NamedObject):
        left, right = right, left
    try:
        return _identity.of(left)(left, right) is not negated
    except StaticError as error:
        raise low.error(error.code, "`is` has no value here", span, str(error), "use `==`") from None


def _no_identity(operand: Operand, other: Operand) -> bool:
    raise StaticError("OW304", "tensors and numbers have no identity")


_identity: Operation[Operand, [Operand], bool] = Operation(_no_identity)
_identity.on(NamedObject)(lambda operand, other: operand.is_same(other))


def _is_there(operand: Operand, span: Span) -> bool:
    return operand is not None


_presence: Operation[Operand, [Span], bool] = Operation(_is_there)
_presence.on(Absent)(lambda operand, span: False)


@_presence.on(ir.Value)
def _value_is_there(operand: ir.Value, span: Span) -> bool:
    if operand.optional:
        raise Poisoned(because=Question(operand.name, ("absent", "present"), span))
    return True


@_presence.on(AttributeOperand)
def _attribute_is_there(operand: AttributeOperand, span: Span) -> bool:
    if operand.parameter.may_be_absent:
        raise Poisoned(because=Question(operand.parameter.name, ("absent", "present"), span))
    return True


_UNARY_ON_NUMBERS: dict[str, Callable[[Lowering, Operand, Span], Operand]] = {
    "+": positive,
    "-": negative,
    "abs": absolute,
    "~": inverted,
}


def unary(low: Lowering, symbol: str, operand: Operand, span: Span, place: Span) -> Operand:
    """`symbol operand`, or its `abs`: on a number, or on a tensor."""
    if low.held.arrays and is_array(low, operand):
        return computed_by_numpy(low, _unary(low, symbol, operand, span, place), span)
    if low.held.mixed:
        return on_mixed(low, symbol, (operand,), span, partial(_unary, low, symbol, operand, span, place))
    return _unary(low, symbol, operand, span, place)


def _unary(low: Lowering, symbol: str, operand: Operand, span: Span, place: Span) -> Operand:
    _refuse_operand(low, operand, symbol, place)
    if is_number(operand):
        return _UNARY_ON_NUMBERS[symbol](low, operand, span)
    if not is_tensor(operand):
        raise low.error(
            "OW314",
            f"`{symbol}` is not defined for {describe(operand)}",
            span,
            "it is not a tensor",
            "",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    form = _form(low, UNARY, symbol, operand.type.element, span)
    return _apply(low, form, [operand], span, (place,))
