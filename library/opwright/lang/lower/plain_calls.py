"""The most frequent calls: tensors of known element types, plain attributes, one result.

Nothing is to be converted, chosen or narrowed there, so that what they give follows from the types of the inputs
alone, and is worked out once for all such calls.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.infer import Mismatch, bind, result_types
from opwright.lang.interface import convert_attribute
from opwright.lang.lower.context import Environment, Lowering, Operand, complete, operator_of
from opwright.lang.operators import BINARY, BINARY_SYMBOLS, Form, class_of
from opwright.lang.resolve import OpsetObject
from opwright.lang.source import Span, span_of
from opwright.opsets.signatures import Signature, signature

# The operator, its attributes, the type of its result, and under which key it has been looked up.
_Plan = tuple[ir.Operator, dict[str, ir.Attribute], ir.Type, tuple[str, str]]
_LONGEST_TEXT = 256  # of an attribute: what is remembered has limits


def lower_plain(low: Lowering, node: ast.expr, env: Environment) -> ir.Value | None:
    """`x + y` or `op.Name(x, y, axis=0)`, of names and literals, which cost nothing to look up; None, and nothing done,
    where it is another expression."""
    if isinstance(node, ast.BinOp):
        first, second = node.left, node.right
        if type(first) is ast.Name and type(second) is ast.Name:
            return emit_plain_binary(low, node, env.get(first.id), env.get(second.id))
    elif isinstance(node, ast.Call):
        return _lower_call(low, node, env)
    return None


def _lower_call(low: Lowering, node: ast.Call, env: Environment) -> ir.Value | None:
    callee = node.func
    if type(callee) is not ast.Attribute or type(callee.value) is not ast.Name or callee.value.id in env:
        return None
    opset = low.scope.known(callee.value.id)
    if type(opset) is not OpsetObject or opset.domain or opset.signatures:
        return None
    operands: list[Operand] = []
    for argument in node.args:
        found = env.get(argument.id) if type(argument) is ast.Name else None
        if type(found) is not ir.Value:
            return None
        operands.append(found)
    attributes: list[Any] = []
    for keyword in node.keywords:
        literal = keyword.value.value if type(keyword.value) is ast.Constant else None
        if type(literal) is not int and (type(literal) is not str or len(literal) > _LONGEST_TEXT):
            return None
        attributes += (keyword.arg, literal)
    return emit_plain(low, callee.attr, operands, span_of(node), tuple(attributes))


def emit_plain(
    low: Lowering, name: str, operands: list[Operand], span: Span | None, attributes: tuple[Any, ...] = ()
) -> ir.Value | None:
    """Emits a call of an operator of ai.onnx, whose list `operands` becomes; None, and nothing done, where it is not as
    plain as that. `attributes` are names and ints or strings in turn."""
    known = _known(operands)
    plan = None if known is None or low.mixed else _plan(low.opset, name, attributes, *known)
    return None if plan is None else _emit(low, plan, operands, span)


def emit_plain_binary(low: Lowering, node: ast.BinOp, left: Operand, right: Operand) -> ir.Value | None:
    """`left + right` likewise, where that is a call of one operator of ai.onnx."""
    if type(left) is not ir.Value or type(right) is not ir.Value or left.optional or right.optional or low.mixed:
        return None
    one, other = left.type, right.type
    if type(one) is not ir.TensorType or type(other) is not ir.TensorType:
        return None
    if type(one.element) is not ElementType or type(other.element) is not ElementType:
        return None
    plan = _binary_plan(low.opset, BINARY_SYMBOLS[type(node.op)], one.element, one.shape, other.element, other.shape)
    return None if plan is None else _emit(low, plan, [left, right], span_of(node))


def _emit(low: Lowering, plan: _Plan, operands: list[Operand], span: Span | None) -> ir.Value:
    """The call, whose list `operands` becomes."""
    operator, attributes, type_, looked_up = plan
    low.looked_up[looked_up] = operator.signature.since_version
    result = ir.Value(type_, "", span)
    low.append(ir.Call(operator, operands, attributes, [result], span))
    return result


def _known(operands: Sequence[Operand]) -> list[Any] | None:
    """Element type and shape of each operand, in turn; None where they are not all certain."""
    known: list[Any] = []
    for operand in operands:
        if type(operand) is not ir.Value or operand.optional:
            return None
        type_ = operand.type
        if type(type_) is not ir.TensorType or type(type_.element) is not ElementType:
            return None
        known += (type_.element, type_.shape)
    return known


@lru_cache(maxsize=1 << 16)
def _binary_plan(opset: int, symbol: str, *known: Any) -> _Plan | None:
    form = BINARY[symbol].get(class_of(known[0]))
    if not isinstance(form, Form) or form.expansion or form.attributes or form.negated:
        return None
    if symbol == "@" and () in known[1::2]:
        return None  # refused for tensors of rank 0
    return _plan(opset, form.operator, (), *known)


@lru_cache(maxsize=1 << 16)
def _plan(opset: int, name: str, attributes: tuple[Any, ...], *known: Any) -> _Plan | None:
    """None where the operator does not exist, or does not take these."""
    found = signature("", name, opset)
    if found is None or found.deprecated or found.min_outputs > 1:
        return None
    if not found.min_inputs <= len(known) // 2 <= found.max_inputs:
        return None
    given = _attributes(found, attributes)
    if given is None or any(spec.required and spec.name not in given for spec in found.attributes.values()):
        return None
    inputs: list[ir.Value | None] = [
        ir.Value(ir.TensorType(element, shape)) for element, shape in zip(known[::2], known[1::2], strict=True)
    ]
    try:
        bindings = bind(found, inputs)
    except Mismatch:
        return None
    full = complete(found, given)
    return operator_of(found), full, result_types(found, bindings, inputs, full, 1)[0], ("", name)


def _attributes(found: Signature, given: tuple[Any, ...]) -> dict[str, ir.Attribute] | None:
    attributes: dict[str, ir.Attribute] = {}
    for name, value in zip(given[::2], given[1::2], strict=True):
        kind = found.kinds.get(name, ("", False))[0]
        converted = convert_attribute(value, kind)
        if converted is None or name in attributes:
            return None
        attributes[name] = ir.AttributeValue(ir.AttributeKind[kind], converted)
    return attributes
