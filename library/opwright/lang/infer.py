"""Types of results: from the schema's type constraints, and from a table where an attribute or an item decides."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.infer_lengths import Contents, infer_length
from opwright.lang.infer_ranks import infer_rank
from opwright.lang.trail import Trail
from opwright.opsets.signatures import Signature, tensor_element, tensor_mask

Bindings = dict[str, ir.Type]


class Mismatch(Exception):
    """An input that its operator does not take. `index` is the input; `admitted` the ONNX types of its constraint."""

    def __init__(self, index: int, admitted: tuple[str, ...], other: int | None = None) -> None:
        self.index = index
        self.admitted = admitted
        self.other = other  # the input of another type that fixed the type variable
        super().__init__(index)


class WrongResult(Exception):
    """A result that its operator does not give: attributes ask for `type_`, the constraint admits `admitted`."""

    def __init__(self, type_: ir.Type, admitted: tuple[str, ...]) -> None:
        self.type = type_
        self.admitted = admitted
        super().__init__(type_)


def bind(signature: Signature, inputs: list[ir.Value | None], trail: Trail) -> Bindings:
    """Type variables of the operator to types; narrows the function's own type variables, on the trail. Raises
    Mismatch."""
    bindings: Bindings = {}
    origin: dict[str, int] = {}
    last = len(signature.inputs) - 1
    for index, value in enumerate(inputs):
        if value is None or isinstance(value.type, ir.UnknownType):
            continue
        position = index if index < last else last
        formal = signature.inputs[position]
        type_ = value.type
        if type(type_) is ir.TensorType and type(type_.element) is ElementType and formal.homogeneous:
            bound = bindings.get(formal.type)
            admits = signature.input_masks[position] >> type_.element.code & 1
            if admits and (bound is None or (type(bound) is ir.TensorType and bound.element is type_.element)):
                # The common case: nothing to narrow and nothing to unify.
                if bound is None and formal.type in signature.admitted:
                    bindings[formal.type] = type_
                    origin[formal.type] = index
                continue
        admitted = signature.admitted.get(formal.type)
        if admitted is None:
            _restrict(value.type, (formal.type,), index, signature.identity, trail)
            continue
        _restrict(value.type, admitted, index, signature.identity, trail)
        if not formal.homogeneous:
            continue
        if formal.type not in bindings:
            bindings[formal.type] = _number_tensor(value.type)  # what a number makes with a tensor is a tensor
            origin[formal.type] = index
        elif not unify(bindings[formal.type], value.type, trail):
            raise Mismatch(index, admitted, origin[formal.type])
    return bindings


def _restrict(type_: ir.Type, admitted: tuple[str, ...], index: int, operator: str, trail: Trail) -> None:
    """Meets a type with the ONNX types that `operator` admits for it."""
    if isinstance(type_, ir.NumberType):
        type_ = ir.TensorType(BY_NAME[{"bool": "bool", "int": "int64", "float": "double"}[type_.kind.value]], ())
    if isinstance(type_, ir.TensorType):
        mask = tensor_mask(admitted)
        element = ir.settle(type_.element)
        if isinstance(element, ir.TypeVariable):
            if not element.mask & mask:
                raise Mismatch(index, admitted)
            if element.mask & ~mask:
                element.narrow(mask, operator, trail)
        elif not mask >> element.code & 1:
            raise Mismatch(index, admitted)
        return
    if isinstance(type_, ir.SequenceType):
        items = tuple(text[4:-1] for text in admitted if text.startswith("seq("))
        if not items:
            raise Mismatch(index, admitted)
        _restrict(type_.item, items, index, operator, trail)
    elif isinstance(type_, ir.MapType):
        start = f"map({type_.key.name}, "
        items = tuple(f"tensor({text[len(start) : -1]})" for text in admitted if text.startswith(start))
        if not items:
            raise Mismatch(index, admitted)
        _restrict(type_.item, items, index, operator, trail)
    elif isinstance(type_, ir.OptionalType):
        items = tuple(text[9:-1] for text in admitted if text.startswith("optional("))
        if not items:
            raise Mismatch(index, admitted)
        _restrict(type_.item, items, index, operator, trail)


def unify(left: ir.Type, right: ir.Type, trail: Trail) -> bool:
    """Makes two types the same where flexible variables allow it; False where they differ."""
    if isinstance(left, ir.NumberType) or isinstance(right, ir.NumberType):
        return ir.same_type(_number_tensor(left), _number_tensor(right))
    if isinstance(left, ir.TensorType) and isinstance(right, ir.TensorType):
        return unify_elements(left.element, right.element, trail)
    if isinstance(left, ir.SequenceType) and isinstance(right, ir.SequenceType):
        return unify(left.item, right.item, trail)
    if isinstance(left, ir.OptionalType) and isinstance(right, ir.OptionalType):
        return unify(left.item, right.item, trail)
    if isinstance(left, ir.MapType) and isinstance(right, ir.MapType):
        return left.key is right.key and unify(left.item, right.item, trail)
    return isinstance(left, ir.UnknownType) or isinstance(right, ir.UnknownType)


def unify_elements(first: ir.Element, second: ir.Element, trail: Trail) -> bool:
    left, right = ir.settle(first), ir.settle(second)
    if left is right:
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ir.TypeVariable) and not one.rigid:
            common = one.mask & ir.element_mask(other)
            if not common:
                return False
            if isinstance(other, ir.TypeVariable):
                other.restrict(common, trail)
            one.equate(other, trail)
            return True
    return False


def _number_tensor(type_: ir.Type) -> ir.Type:
    if isinstance(type_, ir.NumberType):
        return ir.TensorType(BY_NAME[{"bool": "bool", "int": "int64", "float": "double"}[type_.kind.value]], ())
    return type_


# -------------------------------------------------------------------------------------------------- results

_NOTHING: Contents = MappingProxyType({})


def result_types(
    signature: Signature,
    bindings: Bindings,
    inputs: list[ir.Value | None],
    attributes: dict[str, ir.Attribute],
    count: int,
    trail: Trail,
    contents: Contents = _NOTHING,
) -> list[ir.Type]:
    """The types of the first `count` results; UnknownType where neither constraint nor table decides. `contents` are
    the tensors that are known when the function is built.

    Raises WrongResult for an element type that the operator does not give at this version.
    """
    types: list[ir.Type] = []
    rule = _RULES.get(signature.name) if signature.domain == "" else None
    shape = _elementwise_shape(signature, inputs)
    for index in range(count):
        decided = rule(index, inputs, attributes, bindings) if rule is not None else None
        if decided is None:
            decided = _from_constraint(signature, bindings, index, shape)
        elif rule is not None:
            _check_result(signature, index, decided, trail)
        if type(decided) is ir.TensorType and decided.shape is None and not signature.domain:
            rank = infer_rank(signature.name, index, inputs, attributes)
            if rank is not None:
                decided = ir.TensorType(decided.element, (None,) * rank)
        if index == 0 and type(decided) is ir.TensorType and decided.shape == (None,) and not signature.domain:
            length = infer_length(signature.name, inputs, attributes, contents)
            if length is not None:
                decided = ir.TensorType(decided.element, (length,))
        types.append(decided)
    return types


def _check_result(signature: Signature, index: int, type_: ir.Type, trail: Trail) -> None:
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    admitted = signature.admitted.get(formal.type, (formal.type,))
    try:
        _restrict(type_, admitted, index, signature.identity, trail)
    except Mismatch:
        raise WrongResult(type_, admitted) from None


def _from_constraint(
    signature: Signature, bindings: Bindings, index: int, shape: tuple[ir.Dimension, ...] | None
) -> ir.Type:
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    bound = bindings.get(formal.type)
    if bound is not None:
        return bound if not isinstance(bound, ir.TensorType) or bound.shape == shape else bound.reshaped(shape)
    admitted = signature.admitted.get(formal.type, (formal.type,))
    return parse_type(admitted[0], shape) if len(admitted) == 1 else ir.UnknownType()


def parse_type(text: str, shape: tuple[ir.Dimension, ...] | None = None) -> ir.Type:
    """`tensor(float)`, `seq(tensor(int64))`, `optional(...)` as a type of the IR."""
    element = tensor_element(text)
    if element is not None:
        return ir.TensorType(element, shape)
    if text.startswith("seq("):
        return ir.SequenceType(parse_type(text[4:-1]))
    if text.startswith("optional("):
        return ir.OptionalType(parse_type(text[9:-1]))
    if text.startswith("map("):
        key, _, item = text[4:-1].partition(", ")  # ONNX writes `map(int64, float)`, whose values are tensors
        return ir.MapType(BY_NAME[key], parse_type(f"tensor({item})"))
    return ir.UnknownType()


# Operators whose result has the shape that their inputs broadcast to.
ELEMENTWISE = frozenset(
    [
        "Abs",
        "Acos",
        "Acosh",
        "Add",
        "And",
        "Asin",
        "Asinh",
        "Atan",
        "Atanh",
        "BitShift",
        "BitwiseAnd",
        "BitwiseNot",
        "BitwiseOr",
        "BitwiseXor",
        "Cast",
        "Ceil",
        "Celu",
        "Clip",
        "Cos",
        "Cosh",
        "Div",
        "Elu",
        "Equal",
        "Erf",
        "Exp",
        "Floor",
        "Gelu",
        "Greater",
        "GreaterOrEqual",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "IsInf",
        "IsNaN",
        "LeakyRelu",
        "Less",
        "LessOrEqual",
        "Log",
        "Max",
        "Mean",
        "Min",
        "Mish",
        "Mod",
        "Mul",
        "Neg",
        "Not",
        "Or",
        "Pow",
        "Reciprocal",
        "Relu",
        "Round",
        "Selu",
        "Shrink",
        "Sigmoid",
        "Sign",
        "Sin",
        "Sinh",
        "Softplus",
        "Softsign",
        "Sqrt",
        "Sub",
        "Sum",
        "Swish",
        "Tan",
        "Tanh",
        "ThresholdedRelu",
        "Where",
        "Xor",
    ]
)


def _elementwise_shape(signature: Signature, inputs: list[ir.Value | None]) -> tuple[ir.Dimension, ...] | None:
    if signature.name not in ELEMENTWISE or signature.domain:
        if (
            signature.name == "CastLike"
            and inputs
            and inputs[0] is not None
            and isinstance(inputs[0].type, ir.TensorType)
        ):
            return inputs[0].type.shape
        return None
    result: tuple[ir.Dimension, ...] = ()
    for value in inputs:
        if value is None:
            continue
        type_ = value.type
        shape = type_.shape if isinstance(type_, ir.TensorType) else () if isinstance(type_, ir.NumberType) else None
        if shape is None:
            return None
        result = _broadcast(result, shape) if result else shape
    return result


def _broadcast(left: tuple[ir.Dimension, ...], right: tuple[ir.Dimension, ...]) -> tuple[ir.Dimension, ...]:
    """Numpy's rule where it is certain; a dimension that depends on the caller is unknown."""
    if left == right:
        return left
    if len(left) < len(right):
        left, right = right, left
    padded = (1,) * (len(left) - len(right)) + right
    return tuple(
        one if one == other or other == 1 else other if one == 1 else None
        for one, other in zip(left, padded, strict=True)
    )


_Rule = Callable[[int, list[ir.Value | None], dict[str, ir.Attribute], Bindings], ir.Type | None]


def _element_from(attribute: str, default: str = "float", same_shape: bool = False) -> _Rule:
    """The element type is an attribute's ONNX code; a reference makes it a variable of that attribute's name."""

    def rule(
        index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
    ) -> ir.Type | None:
        if index:
            return None
        first = inputs[0].type if same_shape and inputs and inputs[0] is not None else None
        shape = first.shape if isinstance(first, ir.TensorType) else () if isinstance(first, ir.NumberType) else None
        found = attributes.get(attribute)
        if found is None:
            return ir.TensorType(BY_NAME[default], shape)
        if isinstance(found, ir.AttributeReference):
            return ir.TensorType(ir.TypeVariable(f"@{found.name}", rigid=False), shape)
        element = BY_CODE.get(found.value) if isinstance(found.value, int) else None
        return ir.TensorType(element, shape) if element is not None else ir.UnknownType()

    return rule


def _constant(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    elements = {
        "value_int": "int64",
        "value_ints": "int64",
        "value_float": "float",
        "value_floats": "float",
        "value_string": "string",
        "value_strings": "string",
    }
    for name, attribute in attributes.items():
        if name in elements:
            rank = (None,) if name.endswith("s") else ()
            if isinstance(attribute, ir.AttributeValue) and isinstance(attribute.value, tuple):
                return ir.TensorType(BY_NAME[elements[name]], (len(attribute.value),))
            return ir.TensorType(BY_NAME[elements[name]], rank)
        if isinstance(attribute, ir.AttributeValue) and isinstance(attribute.value, ir.TensorData):
            return ir.TensorType(attribute.value.element, attribute.value.dims)
    return None


def _constant_of_shape(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    found = attributes.get("value")
    if isinstance(found, ir.AttributeValue) and isinstance(found.value, ir.TensorData):
        return ir.TensorType(found.value.element)
    return ir.TensorType(BY_NAME["float"])


def _shape(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    return ir.TensorType(BY_NAME["int64"], (None,))


def _size(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    return ir.TensorType(BY_NAME["int64"], ())


def _sequence_item(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    sequence = inputs[0].type if inputs and inputs[0] is not None else None
    return sequence.item if isinstance(sequence, ir.SequenceType) else None


def _joined_items(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    """One tensor of the items of a sequence."""
    item = _sequence_item(index, inputs, attributes, bindings)
    return ir.TensorType(item.element) if isinstance(item, ir.TensorType) else None


def _sequence_of(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    item = inputs[0].type if inputs and inputs[0] is not None else None
    return ir.SequenceType(ir.TensorType(item.element)) if isinstance(item, ir.TensorType) else None


def _quantized(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    """QuantizeLinear: the zero point's type, else `output_dtype`, else uint8."""
    if len(inputs) > 2 and inputs[2] is not None:
        return None
    found = attributes.get("output_dtype")
    if isinstance(found, ir.AttributeValue) and found.value:
        return _element_from("output_dtype")(index, inputs, attributes, bindings)
    return ir.TensorType(BY_NAME["uint8"])


def _dequantized(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    """DequantizeLinear: `output_dtype` where it is given, else the scale's type."""
    found = attributes.get("output_dtype")
    if isinstance(found, ir.AttributeReference) or (isinstance(found, ir.AttributeValue) and found.value):
        return _element_from("output_dtype")(index, inputs, attributes, bindings)
    scale = inputs[1].type if len(inputs) > 1 and inputs[1] is not None else None
    return ir.TensorType(scale.element) if isinstance(scale, ir.TensorType) else None


def _layer_statistics(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    """LayerNormalization computes its mean and deviation in the type of `stash_type`."""
    return None if index == 0 else _element_from("stash_type")(0, [], attributes, bindings)


def _maybe_element_from_input(attribute: str) -> _Rule:
    """The attribute where it is given, else the input's own element type."""

    def rule(
        index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
    ) -> ir.Type | None:
        if attribute in attributes:
            return _element_from(attribute, same_shape=True)(index, inputs, attributes, bindings)
        first = inputs[0].type if inputs and inputs[0] is not None else None
        return first if isinstance(first, ir.TensorType) else None

    return rule


def _sequence_empty(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    item = _element_from("dtype")(0, [], attributes, bindings)
    return ir.SequenceType(item) if item is not None else None


def _optional(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    item = inputs[0].type if inputs and inputs[0] is not None else None
    return ir.OptionalType(item) if isinstance(item, (ir.TensorType, ir.SequenceType)) else None


def _optional_element(
    index: int, inputs: list[ir.Value | None], attributes: dict[str, ir.Attribute], bindings: Bindings
) -> ir.Type | None:
    optional = inputs[0].type if inputs and inputs[0] is not None else None
    return optional.item if isinstance(optional, ir.OptionalType) else optional


_RULES: dict[str, _Rule] = {
    "Bernoulli": _maybe_element_from_input("dtype"),
    "BlackmanWindow": _element_from("output_datatype"),
    "Cast": _element_from("to", same_shape=True),
    "ConcatFromSequence": _joined_items,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "DequantizeLinear": _dequantized,
    "EyeLike": _maybe_element_from_input("dtype"),
    "HammingWindow": _element_from("output_datatype"),
    "HannWindow": _element_from("output_datatype"),
    "LayerNormalization": _layer_statistics,
    "MelWeightMatrix": _element_from("output_datatype"),
    "Multinomial": _element_from("dtype", "int32"),
    "Optional": _optional,
    "OptionalGetElement": _optional_element,
    "QuantizeLinear": _quantized,
    "RandomNormal": _element_from("dtype"),
    "RandomNormalLike": _maybe_element_from_input("dtype"),
    "RandomUniform": _element_from("dtype"),
    "RandomUniformLike": _maybe_element_from_input("dtype"),
    "SequenceAt": _sequence_item,
    "SequenceConstruct": _sequence_of,
    "SequenceEmpty": _sequence_empty,
    "Shape": _shape,
    "Size": _size,
    "SplitToSequence": _sequence_of,
}
