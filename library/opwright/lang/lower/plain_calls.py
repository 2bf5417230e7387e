"""The most frequent calls: tensors of known element types, no attributes, one result.

Nothing is to be converted, chosen or narrowed there, so that what they give follows from the types of the inputs
alone, and is worked out once for all such calls.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.infer import Mismatch, bind, result_types
from opwright.lang.lower.context import Lowering, Operand, complete
from opwright.lang.source import Span
from opwright.opsets.signatures import Signature


def emit_plain(low: Lowering, operator: ir.Operator, operands: list[Operand], span: Span | None) -> ir.Value | None:
    """Emits the call, whose list `operands` becomes; None, and nothing done, where it is none of those."""
    signature = operator.signature
    if signature.needs_attributes or signature.min_outputs > 1:
        return None
    if not signature.min_inputs <= len(operands) <= signature.max_inputs:
        return None
    known: list[Any] = []
    for operand in operands:
        if type(operand) is not ir.Value or operand.optional:
            return None
        type_ = operand.type
        if type(type_) is not ir.TensorType or type(type_.element) is not ElementType:
            return None
        known += (type_.element, type_.shape)
    given = _result_type(signature, *known)
    if given is None:
        return None
    result = ir.Value(given, "", span)
    low.append(ir.Call(operator, operands, complete(signature, {}), [result], span))
    return result


@lru_cache(maxsize=1 << 16)
def _result_type(signature: Signature, *known: Any) -> ir.Type | None:
    """The type of the result, by element type and shape of each input; None where the operator does not take them."""
    pairs = zip(known[::2], known[1::2], strict=True)
    inputs: list[ir.Value | None] = [ir.Value(ir.TensorType(element, shape)) for element, shape in pairs]
    try:
        bindings = bind(signature, inputs)
    except Mismatch:
        return None
    return result_types(signature, bindings, inputs, complete(signature, {}), 1)[0]
