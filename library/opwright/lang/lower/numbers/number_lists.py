"""Lists whose items are numbers of the run time, or tensors of one element: a tensor is joined from pieces."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.number_operands import (
    as_scalar_item,
    as_tensor,
    constant_items,
    default_element,
    describe,
    flatten,
    holds_value,
    is_number,
    is_plain,
    number_kind,
    tensors,
    typed_constant,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_rank
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import AttributeOperand, Operand, Scalar, is_tensor
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span


def number_list(low: Lowering, items: Sequence[Operand], span: Span) -> tuple[ir.Value, ir.NumberKind] | None:
    """A list of numbers of one kind as the rank-1 tensor that carries them; None where it is no such list."""
    if not items or not all(map(is_number, items)):
        return None
    kind = number_kind(items[0])
    if any(number_kind(item) is not kind for item in items):
        return None
    made = _join(low, items, kind.carrier, span)
    return made, kind


@tensors.on(tuple)
def _list_tensor(
    operand: tuple[Operand, ...], low: Lowering, element: ir.Element | None, span: Span | None
) -> ir.Value:
    """Nested lists of numbers, or of texts; what else they may hold is looked into last."""
    found: tuple[tuple[int, ...], tuple[Scalar, ...]] | None = flatten(operand, as_scalar_item)
    if found is None:
        need_rank(operand)
        return _of_run_time(low, operand, element, span)
    dims, items = found
    return constant_items(low, items, dims, default_element(low, items) if element is None else element, span)


def _of_run_time(
    low: Lowering, operand: tuple[Operand, ...], element: ir.Element | None, span: Span | None
) -> ir.Value:
    """Lists of numbers, or of texts, and of tensors of rank 0; they take `element`, else the type of those tensors.
    What is no such list is refused."""
    found: tuple[tuple[int, ...], tuple[Item, ...]] | None = flatten(operand, _as_item) or flatten(operand, _as_text)
    if found is None:
        raise _refuse(low, operand, span)
    dims, items = found
    for item in items:
        if is_tensor(item):
            if element is not None and not ir.unify_elements(element, item.type.element, low.trail):
                raise low.error(
                    "OW315",
                    f"the list holds {describe(item)} where {element!r} is wanted",
                    span,
                    reason="ONNX defines no promotion between element types",
                    help="cast it: `op.CastLike(a, b)`, or `op.Cast(a, to=...)`",
                    depends_on=Choice.INFERRED_TYPE,
                )
            element = item.type.element if element is None else element
    made = _join(low, items, default_element(low, items) if element is None else element, span)
    if len(dims) == 1:
        return made
    op = Writer(low, span)
    assert is_tensor(made)
    return typed(op.reshape(made, op.int64s(dims)), made.type.element, dims)


Item = ir.Value | AttributeOperand | Scalar


_item: Operation[Operand, [], Item | None] = Operation(lambda operand: None)
_item.on(bool, int, float)(lambda operand: operand)
_item.on(ir.Value)(lambda operand: operand if operand.type.carried_shape == () else None)
_item.on(AttributeOperand)(lambda operand: None if operand.number_kind is None else operand)


def _as_item(operand: Operand) -> Item | None:
    """The operand, where it is a number or a tensor of rank 0."""
    return _item.of(operand)(operand)


def _as_text(operand: Operand) -> ir.Value | str | None:
    """The operand, where it is a text or a STRING of rank 0."""
    if isinstance(operand, str):
        return operand
    is_text = is_tensor(operand) and operand.type.shape == () and ir.known_element(operand.type.element) == _STRING
    return operand if is_text and isinstance(operand, ir.Value) else None


_STRING = BY_NAME["string"]


def _refuse(low: Lowering, operand: tuple[Operand, ...], span: Span | None) -> Poisoned:
    holds_tensors = holds_value(operand)
    return low.error(
        "OW325",
        "a list of tensors is not a tensor" if holds_tensors else f"{describe(operand)} is not a tensor",
        span,
        reason="an input of an operator is a tensor, a number or a list of numbers",
        help=_way_out(low, operand, not isinstance(operand, StaticList)) if holds_tensors else "",
        depends_on=Choice.LOOP_FORM,
    )


def _are_results(items: tuple[Operand, ...]) -> bool:
    """Whether they are the results of one call."""
    values = [item for item in items if is_tensor(item)]
    return len({id(item) for item in values}) == len(items) and len({item.span for item in values}) == 1


def _way_out(low: Lowering, items: tuple[Operand, ...], is_tuple: bool) -> str:
    """What to do with a list that holds tensors."""
    if is_tuple and len(items) == 1:
        return "take its one item: `(y,) = ...`, or `y[0]`"
    if is_tuple and _are_results(items):
        names = ", ".join(item.name or f"y{number}" for number, item in enumerate(items, 1) if is_tensor(item))
        return f"the call gives {len(items)} results: `{names} = ...`, or take one of them: `y[0]`"
    help_text = "give tensors one by one, as `op.Concat(a, b, axis=0)`, or as a sequence: `op.SequenceConstruct(a, b)`"
    for item in items:
        if not is_tensor(item) or item.type.shape is not None or not item.name or item in low.function.inputs:
            continue
        element = ir.known_element(item.type.element)
        if element is not None:
            return f"{help_text}; if `{item.name}` is one number, say so: `{item.name}: {element.name.upper()} = ...`"
    return help_text


def _join(low: Lowering, items: Sequence[Operand], element: ir.Element, span: Span | None) -> ir.Value:
    """One tensor of rank 1; static items that stand side by side are one constant."""
    op = Writer(low, span)
    pieces: list[ir.Value] = []
    known: list[Operand] = []
    for item in (*items, None):
        if item is not None and is_plain(item):
            known.append(item)
            continue
        if known:
            piece = as_tensor(low, tuple(known), element, span)
            pieces.append(piece)
            known = []
        if item is not None:
            value = as_tensor(low, item, element, span)
            pieces.append(typed(op.reshape(value, op.int64s([1])), element, (1,)))
    if not pieces:
        return typed_constant(low, (), (0,), low.element_of("int64"), span)
    joined = pieces[0] if len(pieces) == 1 else op.concat(*pieces, axis=0)
    return typed(joined, element, (len(items),)) if len(pieces) > 1 else joined
