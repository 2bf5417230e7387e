"""The most frequent calls: tensors, plain attributes, one result.

Nothing is to be converted or chosen there, so that the type of the result, and what the call tells of type variables,
follow from the types of the inputs alone: from their shapes, and from their element types or what their type variables
admit. It is worked out once for all calls of a kind.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.infer.result_types import Mismatch, WrongResult, bind, result_types
from opwright.lang.looked_up import OperatorName
from opwright.lang.lower.nodes.equal_shapes import BROADCASTS_SINCE
from opwright.lang.lower.nodes.invalid_calls import why_invalid
from opwright.lang.lower.nodes.written_for import is_meant
from opwright.lang.lower.numbers.number_operands import constant_of, is_static_number, weak_constant
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.lowering_parts import operator_of
from opwright.lang.lower.state.poison import Parts
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.objects import OperatorObject
from opwright.lang.meaning.operands import Arguments, AttributeOperand, Operand, is_tensor
from opwright.lang.meaning.rounding import DoesNotFitError, pack, to_float32
from opwright.lang.operators import BINARY, BINARY_SYMBOLS, Form
from opwright.lang.schema_reads import SchemaReads
from opwright.lang.text.source import Span, span_of
from opwright.lang.trail import Trail
from opwright.opsets.record import Role
from opwright.opsets.signatures import Signature, signature

_Shape = tuple[ir.Dimension, ...] | None
# A type variable in the key of a plan: its number among those of the call, what it admits, whether it is rigid.
_Open = tuple[int, int, bool]
_Kind = ElementType | _Open
_Numbered = dict[ir.TypeVariable, int]  # the type variables of a call, and their numbers
# Element types of the inputs, and their shapes.
_Known = tuple[tuple[_Kind, ...], tuple[_Shape, ...]]


class _Narrowed:
    """What a call tells of a type variable: its number, what it admits from now on and which operators have taken the
    rest, and the number of the one that it is equal to."""

    __slots__ = ("equal", "mask", "taken", "variable")

    def __init__(self, variable: int, found: ir.TypeVariable, equal: int | None) -> None:
        self.variable = variable
        self.mask = found.mask
        self.taken = tuple(found.narrowed_by)
        self.equal = equal

    def tell(self, variables: Sequence[ir.TypeVariable], trail: Trail) -> None:
        variable = variables[self.variable]
        for taken in self.taken:
            trail.append(variable.narrowed_by, taken)
        if variable.mask != self.mask:
            variable.restrict(self.mask, trail)
        if self.equal is not None:
            variable.equate(variables[self.equal], trail)


class _Plan:
    """What a call becomes: the operator, its attributes, the type of its result, and under which key the operator has
    been looked up. `variable`: the number of the call's type variable that is the element type of the result; `like`:
    an input of the same type. `narrowed`: what the call tells of each of its type variables. `reads_contents`: the call
    may be wrong where what an input holds is known. `reads`: what the operator was asked."""

    __slots__ = (
        "attributes",
        "like",
        "looked_up",
        "narrowed",
        "operator",
        "reads",
        "reads_contents",
        "since_version",
        "type",
        "variable",
    )

    def __init__(
        self,
        operator: ir.Operator,
        attributes: dict[str, ir.Attribute],
        type_: ir.TensorType,
        variable: int | None,
        like: int | None,
        narrowed: tuple[_Narrowed, ...],
        reads: SchemaReads,
    ) -> None:
        self.operator = operator
        self.attributes = attributes
        self.type = type_
        self.variable = variable
        self.like = like
        self.narrowed = narrowed
        self.reads = reads
        self.looked_up = OperatorName("", operator.signature.name)
        self.since_version = operator.signature.since_version
        record = operator.record
        self.reads_contents = record.divides or not record.is_elementwise  # divisors; axes and shapes


_FLOAT = object()  # stands for an attribute in the key of a plan: any float
_LARGEST_FLOAT = 3e38  # what is larger may be no float32
_LONGEST_TEXT, _LONGEST_INTEGER = 256, 64  # letters and bits: what is remembered has limits


Keywords = Mapping[str, Operand]
_NOTHING: Keywords = MappingProxyType({})


def emit_call_of(low: Lowering, callee: OperatorObject, arguments: Arguments) -> ir.Value | None:
    """Emits a call of an operator of ai.onnx that is the same version at the opset which is compiled for; None, and
    nothing done, where it is not as plain as that."""
    if not is_meant(low, callee.opset, callee.name):
        return None
    if not arguments.keywords:
        return emit_plain(low, callee.name, _with_constants(low, callee.name, arguments.positional), arguments.span)
    operands = [operand for operand, _ in arguments.positional]
    attributes = {name: operand for name, (operand, _) in arguments.keywords.items()}
    return emit_plain(low, callee.name, operands, arguments.span, attributes)


def emit_plain(
    low: Lowering,
    name: str,
    operands: Sequence[Operand],
    span: Span | None,
    attributes: Keywords = _NOTHING,
) -> ir.Value | None:
    """Emits a call of an operator of ai.onnx; None, and nothing done, where it is not as plain as that: `attributes`
    other than numbers, short texts and floats of the function's own are not."""
    given: list[tuple[str, object]] = []  # names and values of which the type of the result may depend
    floats: dict[str, ir.Attribute] = {}
    for key, value in attributes.items():
        if type(value) is float and -_LARGEST_FLOAT < value < _LARGEST_FLOAT:
            given.append((key, _FLOAT))
            floats[key] = ir.AttributeValue(ir.AttributeKind.FLOAT, to_float32(value))
        elif type(value) is int or type(value) is bool:
            given.append((key, int(value)))
        elif type(value) is str and len(value) <= _LONGEST_TEXT:
            given.append((key, value))
        elif type(value) is AttributeOperand and value.parameter.kind is ir.AttributeKind.FLOAT:
            given.append((key, _FLOAT))
            floats[key] = ir.AttributeReference(value.parameter.name, value.parameter.kind)
        else:
            return None
    inputs: list[ir.Value | None] = []
    variables: _Numbered = {}
    known = _known(operands, inputs, variables)
    if known is None or low.held.mixed:
        return None
    plan = _plan(low.target.bare_opset, name, tuple(given), *known)
    if plan is None or (plan.reads_contents and not low.contents.keys().isdisjoint(inputs)):
        return None
    return _emit(low, plan, inputs, span, tuple(variables), floats)


def emit_plain_binary(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> ir.Value | None:
    """`left + right` likewise, where that is a call of one operator of ai.onnx."""
    if low.held.mixed or low.held.arrays or type(right) is not ir.Value or right in low.contents:
        return None  # a constant may be zero, and divide
    inputs: list[ir.Value | None] = []
    variables: _Numbered = {}
    known = _known((left, right), inputs, variables)
    plan = None if known is None else _binary_plan(low.target.bare_opset, symbol, *known)
    return None if plan is None else _emit(low, plan, inputs, span, tuple(variables))


def emit_with_literal(low: Lowering, node: ast.BinOp, left: Operand) -> ir.Value | None:
    """`left + 1.5` likewise: the number as a tensor of the other one's type."""
    number = node.right.value if type(node.right) is ast.Constant else None
    if not isinstance(number, float) and (type(number) is not int or number.bit_length() > _LONGEST_INTEGER):
        return None
    if not number:
        return None  # integers are not divided by zero
    if type(left) is not ir.Value or left.optional or low.held.mixed or left in low.held.arrays:
        return None
    type_, symbol = left.type, BINARY_SYMBOLS[type(node.op)]
    if type(type_) is not ir.TensorType:
        return None
    element = type_.element
    if type(element) is not ElementType:
        return _emit_with_weak(low, node, symbol, left, element, number)
    plan = _binary_plan(low.target.bare_opset, symbol, (element, element), (type_.shape, ()))
    data = None if plan is None else _scalar(element, repr(number), number)
    if plan is None or data is None:
        return None
    return _emit(low, plan, [left, low.constant(data, span_of(node.right))], span_of(node))


def _emit_with_weak(
    low: Lowering, node: ast.BinOp, symbol: str, left: ir.Value, element: ir.Element, number: int | float
) -> ir.Value | None:
    """The same where the other type is the caller's. A constant that is made for nothing is the one that a close look
    asks for."""
    variable = ir.open_element(element)
    if variable is None or symbol in _NOT_ELEMENTWISE:
        return None
    right = weak_constant(low, number, (), variable, span_of(node.right))
    return emit_plain_binary(low, symbol, left, right, span_of(node))


_NOT_ELEMENTWISE = ("@", "**")  # of another type, or a product


def _with_constants(low: Lowering, name: str, given: Sequence[tuple[Operand, Span]]) -> Sequence[Operand]:
    """The inputs of an elementwise operator, the numbers among them as tensors of the type of another input, where that
    is certain. A constant that is made for nothing is the one that a close look asks for."""
    operands = [operand for operand, _ in given]
    kinds = tuple(map(type, operands))
    if float not in kinds and int not in kinds:
        return operands
    sources = None if low.held.mixed else _sources_of_numbers(low.target.bare_opset, name, kinds)
    if sources is None:
        return operands
    made = list(operands)
    parts = Parts()
    for index, source in sources:
        number, like = operands[index], operands[source]
        if not is_tensor(like) or not is_static_number(number):
            return operands
        with parts:
            made[index] = constant_of(low, number, like.type.element, given[index][1])
    parts.close()
    return made


@lru_cache(maxsize=1 << 12)
def _sources_of_numbers(opset: int, name: str, kinds: tuple[type, ...]) -> tuple[tuple[int, int], ...] | None:
    """The places of numbers among the inputs of an operator, each with that of the tensor whose type it takes; None
    where that is no tensor, or the operator may not take them."""
    found = signature("", name, opset)
    if found is None or found.deprecated or not found.record.is_elementwise or found.has_lists:
        return None
    if opset < BROADCASTS_SINCE or not found.min_inputs <= len(kinds) <= found.max_inputs:
        return None
    if any(kind not in (ir.Value, float, int) for kind in kinds):
        return None
    formals = [found.inputs[min(index, len(found.inputs) - 1)] for index in range(len(kinds))]
    first: dict[str, int] = {}
    for index, (formal, kind) in enumerate(zip(formals, kinds, strict=True)):
        if kind is ir.Value and formal.homogeneous:
            first.setdefault(formal.type, index)
    numbers = [(index, formals[index].type) for index, kind in enumerate(kinds) if kind is not ir.Value]
    if any(type_ not in first for _, type_ in numbers):
        return None
    return tuple((index, first[type_]) for index, type_ in numbers)


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
    for told in plan.narrowed:
        told.tell(variables, low.trail)
    type_ = plan.type
    low.target.looked_up[plan.looked_up] = plan.since_version
    low.trail.reads.add(plan.reads)
    if plan.variable is not None:
        variable = variables[plan.variable]
        like = None if plan.like is None else inputs[plan.like]
        if like is not None and type(like.type) is ir.TensorType and like.type.element is variable:
            type_ = like.type
        else:
            type_ = ir.TensorType(variable, type_.shape)
    result = ir.Value(type_, "", span)
    attributes = {**plan.attributes, **floats} if floats else plan.attributes
    low.append(ir.Call(plan.operator, inputs, attributes, [result], span))
    return result


def _known(operands: Sequence[Operand], inputs: list[ir.Value | None], variables: _Numbered) -> _Known | None:
    """What is known of the operands; None where one is absent, optional or no tensor, or of a type variable that no
    function declares. They are appended to `inputs`, and their type variables put into `variables`, in the order in
    which they are declared: of two that become equal the earlier one stands for both."""
    kinds: list[_Kind] = []
    shapes: list[_Shape] = []
    for operand in operands:
        if type(operand) is not ir.Value or operand.optional:
            return None
        type_ = operand.type
        if type(type_) is not ir.TensorType:
            return None
        element = type_.element
        if type(element) is ElementType:
            kinds.append(element)
        else:
            settled = ir.settle(element)
            if type(settled) is not ir.TypeVariable:
                return None
            number = variables.setdefault(settled, len(variables))
            if settled.known is not None:
                return None
            kinds.append((number, settled.mask, settled.rigid))
        shapes.append(type_.shape)
        inputs.append(operand)
    return tuple(kinds if len(variables) < 2 else _in_order(kinds, variables)), tuple(shapes)


def _in_order(kinds: list[_Kind], variables: _Numbered) -> list[_Kind]:
    """The kinds with their type variables, which are sorted, numbered anew."""
    met = list(variables)
    declared = sorted(met, key=_place)
    if declared == met:
        return kinds
    variables.clear()
    variables.update({variable: number for number, variable in enumerate(declared)})
    numbers = [variables[variable] for variable in met]
    return [kind if isinstance(kind, ElementType) else (numbers[kind[0]], kind[1], kind[2]) for kind in kinds]


_place = attrgetter("place")


@lru_cache(maxsize=1 << 16)
def _binary_plan(opset: int, symbol: str, elements: tuple[_Kind, ...], shapes: tuple[_Shape, ...]) -> _Plan | None:
    first = elements[0]
    form = BINARY.common(symbol, first.mask if isinstance(first, ElementType) else first[1])
    if not isinstance(form, Form) or form.expansion or form.attributes or form.negated:
        return None
    if symbol == "@" and () in shapes:
        return None  # refused for tensors of rank 0
    if symbol == "**" and (not isinstance(first, ElementType) or first.is_integer):
        return None  # a product
    return _plan(opset, form.operator, (), elements, shapes)


@lru_cache(maxsize=1 << 16)
def _plan(
    opset: int,
    name: str,
    attributes: tuple[tuple[str, object], ...],
    elements: tuple[_Kind, ...],
    shapes: tuple[_Shape, ...],
) -> _Plan | None:
    """None where the operator does not exist, or does not take these: said where the call is looked at closely."""
    found = signature("", name, opset)
    if found is None or found.deprecated or found.min_outputs > 1 or found.record.results:
        return None
    if found.record.role is Role.CONSTANT:
        return None  # what a constant holds is noted
    if opset < BROADCASTS_SINCE and len(elements) > 1:
        return None
    if not found.min_inputs <= len(elements) <= found.max_inputs:
        return None
    given = _attributes(found, attributes)
    if given is None or any(spec.required and spec.name not in given for spec in found.attributes.values()):
        return None
    open_ = [item for item in elements if not isinstance(item, ElementType)]
    variables = {number: ir.TypeVariable("T", mask, rigid, place=number) for number, mask, rigid in open_}
    pairs = list(zip(elements, shapes, strict=True))
    kinds: dict[tuple[_Kind, _Shape], ir.Value | None] = {
        (item, shape): ir.Value(ir.TensorType(item if isinstance(item, ElementType) else variables[item[0]], shape))
        for item, shape in dict.fromkeys(pairs)
    }
    inputs: list[ir.Value | None] = [kinds[pair] for pair in pairs]
    # Of a `Sum` of thousands all of one kind count once, for ONNX's inference too; other operators tell their inputs
    # apart.
    counted = list(kinds.values()) if found.record.is_elementwise and len(found.inputs) == 1 else inputs
    full = complete(found, given)
    trail = Trail()
    trail.begin()  # whatever is narrowed or unified is on it
    try:
        type_ = result_types(found, bind(found, counted, trail), counted, full, 1, trail)[0]
    except (Mismatch, WrongResult):
        return None
    if why_invalid(found, counted, full, 1, [None] * len(counted), trail.reads) is not None:
        return None
    narrowed = _narrowed(variables) if trail.mark else ()
    if narrowed is None:
        return None
    if type(type_) is not ir.TensorType:
        return None  # of sequences more is noted
    variable = next((number for number, item in variables.items() if item is type_.element), None)
    if variable is None and type(type_.element) is not ElementType:
        return None
    like = (
        None
        if variable is None
        else next((index for index, pair in enumerate(pairs) if _is(pair, variable, type_)), None)
    )
    return _Plan(operator_of(found), full, type_, variable, like, narrowed, trail.reads)


def forget_plans() -> None:
    """Forgets what is worked out for all calls of a kind, after the schemas have changed."""
    for kept in (_plan, _binary_plan, _sources_of_numbers):
        kept.cache_clear()


def _narrowed(variables: Mapping[int, ir.TypeVariable]) -> tuple[_Narrowed, ...] | None:
    """What has been found out about type variables; None where one of them is an element type now."""
    numbers = {variable: number for number, variable in variables.items()}
    found: list[_Narrowed] = []
    for number, variable in variables.items():
        same = ir.declared_variable(variable.same_as)
        if variable.same_as is not None and same is None:
            return None
        found.append(_Narrowed(number, variable, None if same is None else numbers[same]))
    return tuple(found)


def _is(pair: tuple[_Kind, _Shape], variable: int, type_: ir.TensorType) -> bool:
    """Whether an input has the type of the result."""
    element, shape = pair
    return not isinstance(element, ElementType) and element[0] == variable and shape == type_.shape


def _attributes(found: Signature, given: tuple[tuple[str, object], ...]) -> dict[str, ir.Attribute] | None:
    attributes: dict[str, ir.Attribute] = {}
    for name, value in given:
        kind = found.kinds.get(name, ("", False))[0]
        converted: ir.AttributeLiteral | None
        if value is _FLOAT:  # where nothing depends on which one
            converted = 0.0 if kind == "FLOAT" and found.record.is_elementwise else None
        else:
            converted = convert_attribute(value, kind)
        if converted is None:
            return None
        attributes[name] = ir.AttributeValue(ir.AttributeKind[kind], converted)
    return attributes
