"""The most frequent calls: tensors, plain attributes, one result.

Nothing is to be converted, chosen, narrowed or unified there, so that the type of the result follows from the types of
the inputs alone: from their shapes, and from their element types or what their type variables admit. It is worked out
once for all calls of a kind.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.attribute_values import convert_attribute
from opwright.lang.infer import Mismatch, WrongResult, bind, result_types
from opwright.lang.looked_up import OperatorName
from opwright.lang.lower.context import Lowering, complete, operator_of
from opwright.lang.lower.equal_shapes import BROADCASTS_SINCE
from opwright.lang.lower.invalid_calls import why_invalid
from opwright.lang.lower.operands import Environment, Operand
from opwright.lang.lower.written_for import is_meant
from opwright.lang.objects import OpsetObject
from opwright.lang.operators import BINARY, BINARY_SYMBOLS, Form, class_of
from opwright.lang.rounding import DoesNotFitError, pack, to_float32
from opwright.lang.source import Span, span_of
from opwright.lang.trail import Trail
from opwright.opsets.record import Role
from opwright.opsets.records import record_of
from opwright.opsets.signatures import Signature, signature

_Shape = tuple[ir.Dimension, ...] | None
# A type variable in the key of a plan: its number among those of the call, what it admits, whether it is rigid.
_Open = tuple[int, int, bool]
# Element type and shape of each input, in turn.
_Known = list[Any]


class _Plan:
    """What a call becomes: the operator, its attributes, the type of its result, and under which key the operator has
    been looked up. `variable`: the number of the call's type variable that is the element type of the result."""

    __slots__ = ("attributes", "looked_up", "operator", "type", "variable")

    def __init__(
        self, operator: ir.Operator, attributes: dict[str, ir.Attribute], type_: ir.Type, variable: int | None
    ) -> None:
        self.operator = operator
        self.attributes = attributes
        self.type = type_
        self.variable = variable
        self.looked_up = OperatorName("", operator.signature.name)


_FLOAT = object()  # stands for an attribute in the key of a plan: any float
_LARGEST_FLOAT = 3e38  # what is larger may be no float32
_LONGEST_TEXT, _LONGEST_INTEGER = 256, 64  # letters and bits: what is remembered has limits


def lower_plain(low: Lowering, node: ast.expr, env: Environment) -> ir.Value | None:
    """`x + y` or `op.Name(x, y, axis=0)`, of names and literals, which cost nothing to look up; None, and nothing done,
    where it is another expression."""
    if isinstance(node, ast.BinOp):
        first, second = node.left, node.right
        if type(first) is ast.Name and type(second) is ast.Name:
            symbol = BINARY_SYMBOLS[type(node.op)]
            return emit_plain_binary(low, symbol, env.get(first.id), env.get(second.id), span_of(node))
    elif isinstance(node, ast.Call):
        return _lower_call(low, node, env)
    return None


def _is_opset(low: Lowering, name: str, callee: str, env: Environment) -> bool:
    """Whether the name is known as an opset of ai.onnx, whose operator is the same at the one that is compiled for."""
    opset = None if name in env else low.scope.known(name)
    if type(opset) is not OpsetObject or opset.domain or opset.signatures:
        return False
    return is_meant(low, opset, callee)


def _lower_call(low: Lowering, node: ast.Call, env: Environment) -> ir.Value | None:
    callee = node.func
    if type(callee) is not ast.Attribute or type(callee.value) is not ast.Name:
        return None
    if not _is_opset(low, callee.value.id, callee.attr, env):
        return None
    operands: list[Operand] = [env.get(item.id) for item in node.args if type(item) is ast.Name]
    if len(operands) != len(node.args):
        return None
    attributes = {keyword.arg or "**": _literal(keyword.value) for keyword in node.keywords}
    if len(attributes) != len(node.keywords):
        return None
    return emit_plain(low, callee.attr, operands, span_of(node), attributes)


def _literal(node: ast.expr) -> object:
    """The value of a literal, a negative number among them; None for another expression."""
    if type(node) is ast.Constant:
        return node.value
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub and type(node.operand) is ast.Constant:
        value = node.operand.value
        return -value if type(value) is int or type(value) is float else None
    return None


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def emit_plain(
    low: Lowering,
    name: str,
    operands: list[Operand],
    span: Span | None,
    attributes: Mapping[str, Any] = _NOTHING,
) -> ir.Value | None:
    """Emits a call of an operator of ai.onnx, whose list `operands` becomes; None, and nothing done, where it is not as
    plain as that: `attributes` other than numbers and short texts are not."""
    given: list[object] = []  # of which the type of the result may depend: names and values in turn
    floats: dict[str, ir.Attribute] = {}
    for key, value in attributes.items():
        kind = type(value)
        if kind is float and -_LARGEST_FLOAT < value < _LARGEST_FLOAT:
            given += (key, _FLOAT)
            floats[key] = ir.AttributeValue(ir.AttributeKind.FLOAT, to_float32(value))
        elif kind is int or kind is bool:
            given += (key, int(value))
        elif kind is str and len(value) <= _LONGEST_TEXT:
            given += (key, value)
        else:
            return None
    inputs = [operand if type(operand) is ir.Value else None for operand in operands]
    variables: list[ir.TypeVariable] = []
    known = _known(inputs, variables)
    if known is None or low.mixed or _says_what_is_done(low, name, operands):
        return None
    plan = _plan(low.opset, name, tuple(given), *known)
    return None if plan is None else _emit(low, plan, inputs, span, variables, floats)


def _says_what_is_done(low: Lowering, name: str, operands: list[Operand]) -> bool:
    """Whether axes, a shape or a divisor is a constant, which may be one that is refused."""
    record = record_of("", name)
    if record.is_elementwise and not record.divides:
        return False
    contents = low.contents
    return bool(contents) and any(operand in contents for operand in operands)


def emit_plain_binary(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> ir.Value | None:
    """`left + right` likewise, where that is a call of one operator of ai.onnx."""
    if (
        type(left) is not ir.Value
        or type(right) is not ir.Value
        or left.optional
        or right.optional
        or low.mixed
        or low.arrays
    ):
        return None
    one, other = left.type, right.type
    if type(one) is not ir.TensorType or type(other) is not ir.TensorType or right in low.contents:
        return None  # a constant may be zero, and divide
    if type(one.element) is not ElementType or type(other.element) is not ElementType:
        return None
    plan = _binary_plan(low.opset, symbol, one.element, one.shape, other.element, other.shape)
    return None if plan is None else _emit(low, plan, [left, right], span)


def emit_with_literal(low: Lowering, node: ast.BinOp, left: Operand) -> ir.Value | None:
    """`left + 1.5` likewise: the number as a tensor of the other one's type."""
    number = node.right.value if type(node.right) is ast.Constant else None
    if not isinstance(number, float) and (type(number) is not int or number.bit_length() > _LONGEST_INTEGER):
        return None
    if not number:
        return None  # integers are not divided by zero
    if type(left) is not ir.Value or left.optional or low.mixed or low.arrays:
        return None
    type_ = left.type
    if type(type_) is not ir.TensorType or type(type_.element) is not ElementType:
        return None
    plan = _binary_plan(low.opset, BINARY_SYMBOLS[type(node.op)], type_.element, type_.shape, type_.element, ())
    data = None if plan is None else _scalar(type_.element, repr(number), number)
    if plan is None or data is None:
        return None
    return _emit(low, plan, [left, low.constant(data, span_of(node.right))], span_of(node))


@lru_cache(maxsize=1 << 12)
def _scalar(element: ElementType, text: str, number: int | float) -> ir.TensorData | None:
    """None where the number does not fit. `text` tells apart what `==` does not: 1 and 1.0, 0.0 and -0.0."""
    try:
        packed = pack(number, element) if element.bits >= 8 else None
    except DoesNotFitError:
        return None
    return None if packed is None else ir.TensorData(element, (), packed)


def _emit(
    low: Lowering,
    plan: _Plan,
    inputs: list[ir.Value | None],
    span: Span | None,
    variables: Sequence[ir.TypeVariable] = (),
    floats: Mapping[str, ir.Attribute] | None = None,
) -> ir.Value:
    """The call, whose list `inputs` becomes; `floats` are attributes of which the plan does not know the values."""
    operator, type_ = plan.operator, plan.type
    attributes = {**plan.attributes, **floats} if floats else plan.attributes
    low.looked_up[plan.looked_up] = operator.signature.since_version
    if plan.variable is not None:
        assert type(type_) is ir.TensorType
        type_ = ir.TensorType(variables[plan.variable], type_.shape)
    result = ir.Value(type_, "", span)
    low.append(ir.Call(operator, inputs, attributes, [result], span))
    return result


def _known(inputs: Sequence[ir.Value | None], variables: list[ir.TypeVariable]) -> _Known | None:
    """What is known of the inputs; None where one is absent, optional or no tensor. Their type variables are appended
    to `variables`, each once."""
    known: _Known = []
    for operand in inputs:
        if operand is None or operand.optional:
            return None
        type_ = operand.type
        if type(type_) is not ir.TensorType:
            return None
        element = type_.element
        if type(element) is ElementType:
            known.append(element)
        else:
            settled = ir.settle(element)
            if type(settled) is not ir.TypeVariable:
                return None
            if settled not in variables:
                variables.append(settled)
            known.append((variables.index(settled), settled.mask, settled.rigid))
        known.append(type_.shape)
    return known


@lru_cache(maxsize=1 << 16)
def _binary_plan(opset: int, symbol: str, *known: Any) -> _Plan | None:
    form = BINARY[symbol].get(class_of(known[0]))
    if not isinstance(form, Form) or form.expansion or form.attributes or form.negated:
        return None
    if symbol == "@" and () in known[1::2]:
        return None  # refused for tensors of rank 0
    if symbol == "**" and known[0].is_integer:
        return None  # a product
    return _plan(opset, form.operator, (), *known)


@lru_cache(maxsize=1 << 16)
def _plan(opset: int, name: str, attributes: tuple[Any, ...], *known: Any) -> _Plan | None:
    """None where the operator does not exist, or does not take these: said where the call is looked at closely."""
    found = signature("", name, opset)
    if found is None or found.deprecated or found.min_outputs > 1 or found.record.results:
        return None
    if found.record.role is Role.CONSTANT:
        return None  # what a constant holds is noted
    if opset < BROADCASTS_SINCE and len(known) > 2:
        return None
    if not found.min_inputs <= len(known) // 2 <= found.max_inputs:
        return None
    given = _attributes(found, attributes)
    if given is None or any(spec.required and spec.name not in given for spec in found.attributes.values()):
        return None
    variables = {item[0]: ir.TypeVariable("T", item[1], item[2]) for item in known[::2] if type(item) is tuple}
    pairs = list(zip(known[::2], known[1::2], strict=True))
    kinds: dict[Any, ir.Value | None] = {
        (item, shape): ir.Value(ir.TensorType(variables[item[0]] if type(item) is tuple else item, shape))
        for item, shape in dict.fromkeys(pairs)
    }
    inputs: list[ir.Value | None] = [kinds[pair] for pair in pairs]
    # Of a `Sum` of thousands all of one kind count once; other operators tell their inputs apart.
    counted = list(kinds.values()) if found.record.is_elementwise and len(found.inputs) == 1 else inputs
    full = complete(found, given)
    trail = Trail()
    trail.begin()  # whatever is narrowed or unified is on it
    try:
        type_ = result_types(found, bind(found, counted, trail), counted, full, 1, trail)[0]
    except (Mismatch, WrongResult):
        return None
    if trail.mark or why_invalid(found, inputs, full, 1, [None] * len(inputs)) is not None:
        return None
    if type(type_) is not ir.TensorType:
        return None  # of sequences more is noted
    variable = next((number for number, item in variables.items() if item is type_.element), None)
    if variable is None and type(type_.element) is not ElementType:
        return None
    return _Plan(operator_of(found), full, type_, variable)


def _attributes(found: Signature, given: tuple[Any, ...]) -> dict[str, ir.Attribute] | None:
    attributes: dict[str, ir.Attribute] = {}
    for name, value in zip(given[::2], given[1::2], strict=True):
        kind = found.kinds.get(name, ("", False))[0]
        if value is _FLOAT:  # where nothing depends on which one
            converted = 0.0 if kind == "FLOAT" and found.record.is_elementwise else None
        else:
            converted = convert_attribute(value, kind)
        if converted is None:
            return None
        attributes[name] = ir.AttributeValue(ir.AttributeKind[kind], converted)
    return attributes
