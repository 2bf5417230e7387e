"""The rows of a tensor, which Python runs over: its parts along the first axis, with a rank less by one."""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.lower.array_arithmetic import computed_by_numpy, is_array
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.held_arrays import item_of_array
from opwright.lang.lower.mixed import refuse_number
from opwright.lang.lower.operands import Operand, is_tensor
from opwright.lang.lower.primitives import Writer, typed
from opwright.lang.lower.shapes import shape_of, tuple_item
from opwright.lang.lower.tensor_subscripts import subscript_tensor
from opwright.lang.source import Span


def row_count(low: Lowering, value: ir.Value, span: Span) -> int | ir.Value:
    """How many rows a tensor has: known, or a number. Refuses what has none."""
    refuse_number(low, value, "items", span)
    shape = shape_of(low, value, span)
    if shape.places == ():
        raise low.error("OW312", "Python says: iteration over a 0-d tensor", span, "a tensor of rank 0 has no rows")
    return tuple_item(low, shape, 0, span)


def row(low: Lowering, value: ir.Value, index: int | ir.Value, span: Span) -> Operand:
    """A row that exists, as Python has it."""
    found = row_tensor(low, value, index, span)
    return computed_by_numpy(low, found, span) if is_array(low, value) else found


def row_tensor(low: Lowering, value: ir.Value, index: int | ir.Value, span: Span) -> ir.Value:
    """A row that exists, as a tensor."""
    assert is_tensor(value)
    element = ir.known_element(value.type.element)
    if element is not None and element.kind == "string":
        return subscript_tensor(low, value, (index,), span)  # which knows what runtimes do with texts
    op = Writer(low, span)
    made = op.gather(value, op.at(index), axis=0)
    return typed(made, value.type.element, value.type.shape and value.type.shape[1:])


def known_row_count(operand: Operand) -> int | None:
    """How many rows there are, where the type of a tensor says it."""
    if not is_tensor(operand) or operand.optional:
        return None
    dims = operand.type.shape
    return ir.size_of(dims[0]) if dims else None


def known_rows(low: Lowering, operand: Operand, span: Span) -> tuple[Operand, ...] | None:
    """All rows of a tensor, where their number is known; None where it is not, or where this is no tensor."""
    count = known_row_count(operand)
    if count is None:
        return None
    assert is_tensor(operand)
    refuse_number(low, operand, "items", span)
    if not low.held.known_arrays:
        return tuple(row(low, operand, index, span) for index in range(count))
    items = (item_of_array(low, operand, (index,), span) for index in range(count))
    return tuple(row(low, operand, index, span) if item is None else item for index, item in enumerate(items))
