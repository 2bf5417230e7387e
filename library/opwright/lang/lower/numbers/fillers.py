"""Values for paths on which they are dead: any value of a type will do."""

from __future__ import annotations

import math

from opwright.lang import ir
from opwright.lang.infer.result_types import OF_ATTRIBUTE
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.number_operands import (
    carried,
    needs_element,
    typed_constant,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import (
    Scalar,
)
from opwright.lang.text.source import Span
from opwright.opsets.records import CAST_LIKE


def filler(low: Lowering, type_: ir.Type, span: Span | None) -> ir.Value | None:
    """A filler: any value of a type, for a path on which it is dead; None where none can be made."""
    if type_.kind is not None:
        return carried(low, type_.kind.zero, span)
    if type_.sequence_item is not None:
        return _empty_sequence(low, type_.sequence_item, span)
    return None if type_.element is None else _zeros(low, type_.element, _dims_like(type_), span)


def _empty_sequence(low: Lowering, item: ir.Type, span: Span | None) -> ir.Value | None:
    element, variable = ir.known_element(item.element), ir.open_element(item.element)
    known = element if element is not None else _attribute_of(low, variable)
    if known is not None:
        return Writer(low, span).sequence_empty(known)
    if variable is not None and variable.name in low.function.variables:
        needs_element(low, variable, span)  # the element type of an empty sequence is an attribute
    return None


def _attribute_of(low: Lowering, variable: ir.TypeVariable | None) -> ir.AttributeReference | None:
    """The attribute of the function that decides an element type, as `to` does in `op.Cast(x, to=to)`."""
    if variable is None or not variable.name.startswith(OF_ATTRIBUTE):
        return None
    operand = low.attributes.get(variable.name.removeprefix(OF_ATTRIBUTE))
    return None if operand is None else ir.AttributeReference(operand.parameter.name, operand.parameter.kind)


_EMPTY: dict[str, Scalar] = {"string": "", "bool": False}


def _zeros(low: Lowering, wanted: ir.Element, dims: tuple[int, ...], span: Span | None) -> ir.Value | None:
    element, variable = ir.known_element(wanted), ir.open_element(wanted)
    if element is not None:
        return typed_constant(low, _repeated(_EMPTY.get(element.kind, 0), dims), dims, element, span)
    decides = _attribute_of(low, variable)
    if decides is not None:
        zeros = typed_constant(low, _repeated(0.0, dims), dims, low.element_of("float"), span)
        return typed(Writer(low, span).cast(zeros, decides), wanted, dims)
    like = None if variable is None else low.splittable.get(variable.name)
    if variable is None or like is None:
        return None
    if low.target.lookup("", CAST_LIKE.name) is None:
        needs_element(low, variable, span)
        return None
    zeros = typed_constant(low, _repeated(0, dims), dims, low.element_of("int64"), span)
    return Writer(low, span).cast_like(zeros, like)


# A filler has so many elements at most.
_MOST_FILLED = 64


def _dims_like(type_: ir.Type) -> tuple[int, ...]:
    """Dimensions of the same rank: onnxruntime's Scan wants to know those of all that its body gives."""
    known = tuple(1 if (size := ir.size_of(dim)) is None else size for dim in type_.shape or ())
    return known if math.prod(known) <= _MOST_FILLED else (1,) * len(known)


def _repeated(item: Scalar, dims: tuple[int, ...]) -> Scalar | tuple[Scalar, ...]:
    return (item,) * math.prod(dims) if dims else item
