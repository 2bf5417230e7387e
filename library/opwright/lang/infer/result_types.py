"""Types of results: from the schema's type constraints, and from a table where an attribute or an item decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.infer.result_lengths import Contents, infer_length
from opwright.lang.infer.result_ranks import infer_rank
from opwright.lang.schema_reads import Constraint
from opwright.lang.trail import Trail
from opwright.opsets.record import (
    VALUE_FORMS,
    ByAttribute,
    ByPresence,
    ByWord,
    RankRule,
    Record,
    TypeRule,
    Typing,
)
from opwright.opsets.signatures import Option, Signature, tensor_element

Bindings = dict[str, ir.Type]


class Mismatch(Exception):
    """An input that its operator does not take. `index` is the input; `admitted` the ONNX types of its constraint."""

    def __init__(self, index: int, admitted: tuple[str, ...], other: int | None = None) -> None:
        self.index = index
        self.admitted = admitted
        self.other = other  # the input of another type that fixed the type variable
        super().__init__(index)


class WrongResult(Exception):
    """A result that its operator does not give: attributes ask for `type_`, the constraint of the output at `index`
    admits `admitted`."""

    def __init__(self, type_: ir.Type, index: int, admitted: tuple[str, ...]) -> None:
        self.type = type_
        self.index = index
        self.admitted = admitted
        super().__init__(type_)


def bind(signature: Signature, inputs: list[ir.Value | None], trail: Trail) -> Bindings:
    """Type variables of the operator to types; narrows the function's own type variables, on the trail. Raises
    Mismatch."""
    bindings: Bindings = {}
    origin: dict[str, int] = {}
    last = len(signature.inputs) - 1
    for index, value in enumerate(inputs):
        if value is None or value.type.is_unknown:
            continue
        position = index if index < last else last
        formal = signature.inputs[position]
        type_ = value.type
        if type(type_) is ir.TensorType and type(type_.element) is ElementType and formal.homogeneous:
            bound = bindings.get(formal.type)
            admits = signature.input_masks[position] >> type_.element.code & 1
            trail.reads.ask(signature, type_.element.mask)
            if admits and (bound is None or (type(bound) is ir.TensorType and bound.element is type_.element)):
                # The common case: nothing to narrow and nothing to unify.
                if bound is None and formal.type in signature.admitted:
                    bindings[formal.type] = type_
                    origin[formal.type] = index
                continue
        _restrict(value.type, Constraint(signature, formal.type), index, trail)
        admitted = signature.admitted.get(formal.type)
        if admitted is None or not formal.homogeneous:
            continue
        if formal.type not in bindings:
            bindings[formal.type] = value.type.carried  # what a number makes with a tensor is a tensor
            origin[formal.type] = index
        elif not bindings[formal.type].unify(value.type, trail):
            raise Mismatch(index, admitted, origin[formal.type])
    return bindings


def _restrict(type_: ir.Type, asked: Constraint, index: int, trail: Trail) -> None:
    """Meets a type with what an operator admits for it."""
    if not type_.restrict(asked, trail):
        raise Mismatch(index, asked.types)


# -------------------------------------------------------------------------------------------------- results

NOTHING: Contents = MappingProxyType({})


def result_types(
    signature: Signature,
    bindings: Bindings,
    inputs: list[ir.Value | None],
    attributes: dict[str, ir.Attribute],
    count: int,
    trail: Trail,
    contents: Contents = NOTHING,
    trusting: bool = False,
) -> list[ir.Type]:
    """The types of the first `count` results; UnknownType where neither constraint nor record decides. `contents` are
    the tensors that are known when the function is built. `trusting`: lists are as long as is asked of them.

    Raises WrongResult for an element type that the operator does not give at this version.
    """
    types: list[ir.Type] = []
    record = signature.record
    rule = record.typing
    shape = _elementwise_shape(record, inputs)
    for index in range(count):
        decided = None if rule is None else _decided(rule, index, inputs, attributes)
        if decided is None:
            is_like = index == 0 or record.rank is not RankRule.LIKE_FIRST
            decided = _from_constraint(signature, bindings, index, shape if is_like else None)
        else:
            _check_result(signature, index, decided, trail)
        if type(decided) is ir.TensorType:
            if decided.shape is None:
                rank = infer_rank(record, index, inputs, attributes)
                if rank is not None:
                    decided = ir.TensorType(decided.element, (None,) * rank)
            if index == 0 and (decided.shape == (None,) or (trusting and decided.shape is None)):
                length = infer_length(record, inputs, attributes, contents, trusting)
                if length is not None:
                    decided = ir.TensorType(decided.element, (length,))
        types.append(decided)
    return types


def _decided(rule: Typing, index: int, inputs: Inputs, attributes: Attributes) -> ir.Type | None:
    """The type that a record's rule gives a result; None where the schema's constraint decides it."""
    found = _ruled(rule, index, inputs, attributes)
    if type(found) is Like:
        return _like(found, inputs)
    assert not isinstance(found, Like)
    if type(rule) is ByAttribute and rule.keeps_shape and type(found) is ir.TensorType:
        return ir.TensorType(found.element, _first_shape(inputs))
    return found


def _check_result(signature: Signature, index: int, type_: ir.Type, trail: Trail) -> None:
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    asked = Constraint(signature, formal.type)
    if not type_.restrict(asked, trail):
        raise WrongResult(type_, index, asked.types)


def narrow_to_result(signature: Signature, type_: ir.Type, trail: Trail) -> None:
    """Takes from the type of a result of control flow the element types that this version of the operator does not
    give: `If` of opset 13 gives no bfloat16. One that is not open stays as it is, and ONNX refuses the model."""
    type_.restrict(Constraint(signature, signature.outputs[-1].type), trail)


def _from_constraint(
    signature: Signature, bindings: Bindings, index: int, shape: tuple[ir.Dimension, ...] | None
) -> ir.Type:
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    bound = bindings.get(formal.type)
    if bound is not None:
        return bound if bound.element is None or bound.shape == shape else ir.TensorType(bound.element, shape)
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


def _elementwise_shape(record: Record, inputs: list[ir.Value | None]) -> tuple[ir.Dimension, ...] | None:
    if not record.is_elementwise:
        if record.rank is RankRule.LIKE_FIRST and inputs and inputs[0] is not None:
            return inputs[0].type.shape
        return None
    result: tuple[ir.Dimension, ...] = ()
    for value in inputs:
        if value is None:
            continue
        shape = value.type.carried_shape
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


Inputs = Sequence[ir.Value | None]
Attributes = Mapping[str, ir.Attribute]


class Like:
    """The type of a result follows from that of one input: `index` is the input. `of` makes the one of the other, None
    where the input is of another kind; a result that has the input's `element` is a tensor as it is."""

    __slots__ = ("element", "index", "of")

    def __init__(self, index: int, of: Callable[[ir.Type], ir.Type | None], element: bool = False) -> None:
        self.index = index
        self.of = of
        self.element = element


def source(signature: Signature, index: int, inputs: Sequence[object], attributes: Attributes) -> ir.Type | Like | None:
    """What decides the type of a result beyond unification: the type itself, or an input; None where more has to be
    known. Of `inputs` only which are given counts."""
    rule = signature.record.typing
    decided = None if rule is None else _ruled(rule, index, inputs, attributes)
    if decided is not None:
        return decided
    found = constraint_of(signature, index)
    if not isinstance(found, tuple):
        return found
    position = next((item for item in found if item < len(inputs) and inputs[item]), None)
    return None if position is None else Like(position, _itself, element=True)


def constraint_of(signature: Signature, index: int) -> ir.Type | tuple[int, ...]:
    """What the schema says of the type of a result: the type, or the inputs of which the first that is given has it."""
    formal = signature.outputs[min(index, len(signature.outputs) - 1)]
    if not formal.homogeneous or (index >= len(signature.outputs) and formal.option is not Option.VARIADIC):
        return ()
    admitted = signature.admitted.get(formal.type, (formal.type,))
    if len(admitted) == 1:
        return parse_type(admitted[0])
    inputs = enumerate(signature.inputs)
    return tuple(position for position, item in inputs if item.type == formal.type and item.homogeneous)


def _ruled(rule: Typing, index: int, inputs: Sequence[object], attributes: Attributes) -> ir.Type | Like | None:
    """What a record's rule says of a result; None where the schema's constraint decides it."""
    if type(rule) is ByAttribute:
        return _by_attribute(rule, attributes) if index >= rule.first else None
    if index or type(rule) is ByAttribute:
        return None
    if type(rule) is ByPresence:
        return _by_presence(rule, attributes)
    if type(rule) is ByWord:
        return _by_word(rule, attributes)
    assert isinstance(rule, TypeRule)
    return _by_rule(rule, inputs, attributes)


def _by_rule(rule: TypeRule, inputs: Sequence[object], attributes: Attributes) -> ir.Type | Like | None:
    found = _FROM_INPUTS.get(rule)
    return _RULES[rule](inputs, attributes) if found is None else found


OF_ATTRIBUTE = "@"  # begins the name of a variable that stands for the element type which an attribute decides


def _by_attribute(rule: ByAttribute, attributes: Attributes) -> ir.Type | Like:
    """The element type is an attribute's ONNX code; a reference makes it a variable of that attribute's name."""
    found = attributes.get(rule.attribute)
    if found is None:
        return _LIKE_FIRST if rule.default is None else ir.TensorType(BY_NAME[rule.default])
    if found.refers_to is not None:
        return ir.TensorType(ir.TypeVariable(f"{OF_ATTRIBUTE}{found.refers_to}", rigid=False))
    element = None if found.integer is None else BY_CODE.get(found.integer)
    return ir.TensorType(element) if element is not None else ir.UnknownType()


def _by_presence(rule: ByPresence, attributes: Attributes) -> ir.Type | Like | None:
    for name, text in rule.types.items():
        found = attributes.get(name)
        if found is None or found.items == ():
            continue
        if found.refers_to is not None or (not text and found.tensor is None):
            return ir.UnknownType()  # what a call gives may be empty
        return parse_type(text) if found.tensor is None else ir.TensorType(found.tensor.element)
    return parse_type(rule.otherwise) if isinstance(rule.otherwise, str) else _by_rule(rule.otherwise, (), attributes)


def _by_word(rule: ByWord, attributes: Attributes) -> ir.Type:
    found = attributes.get(rule.attribute)
    text = rule.default if found is None else found.text
    return ir.UnknownType() if text is None or text not in rule.types else parse_type(rule.types[text])


def _type_of(inputs: Inputs, index: int) -> ir.Type | None:
    value = inputs[index] if index < len(inputs) else None
    return None if value is None else value.type


def _like(found: Like, inputs: Inputs) -> ir.Type | None:
    type_ = _type_of(inputs, found.index)
    return None if type_ is None else found.of(type_)


def _first_shape(inputs: Inputs) -> tuple[ir.Dimension, ...] | None:
    first = _type_of(inputs, 0)
    return None if first is None else first.carried_shape


def _constant(inputs: Sequence[object], attributes: Attributes) -> ir.Type | None:
    for name, attribute in attributes.items():
        form = VALUE_FORMS.get(name)
        if form is not None:
            shape = (None,) * form.rank if attribute.items is None else (len(attribute.items),)
            return ir.TensorType(BY_NAME[form.element], shape)
        if attribute.tensor is not None:
            return ir.TensorType(attribute.tensor.element, attribute.tensor.dims)
    return None


def _filled(inputs: Sequence[object], attributes: Attributes) -> ir.Type | None:
    found = attributes.get("value")
    if found is None:
        return ir.TensorType(BY_NAME["float"])
    return ir.UnknownType() if found.tensor is None else ir.TensorType(found.tensor.element)


_OUTPUT_TYPE = ByAttribute("output_dtype")
_ITEM_TYPE = ByAttribute("dtype")


def _quantized(inputs: Sequence[object], attributes: Attributes) -> ir.Type | Like | None:
    if len(inputs) > 2 and inputs[2]:
        return None
    found = attributes.get("output_dtype")
    if found is not None and found.integer:
        return _by_attribute(_OUTPUT_TYPE, attributes)
    return ir.TensorType(BY_NAME["uint8"])


def _dequantized(inputs: Sequence[object], attributes: Attributes) -> ir.Type | Like | None:
    found = attributes.get("output_dtype")
    if found is not None and (found.refers_to is not None or found.integer):
        return _by_attribute(_OUTPUT_TYPE, attributes)
    return Like(1, _without_shape, element=True)  # of the scale


def _empty_sequence(inputs: Sequence[object], attributes: Attributes) -> ir.Type | None:
    item = _by_attribute(_ITEM_TYPE, attributes)
    return None if isinstance(item, Like) else ir.SequenceType(item)


def _itself(type_: ir.Type) -> ir.Type:
    return type_


def _tensor(type_: ir.Type) -> ir.Type | None:
    return None if type_.element is None else type_


def _without_shape(type_: ir.Type) -> ir.Type | None:
    return None if type_.element is None else ir.TensorType(type_.element)


def _item(type_: ir.Type) -> ir.Type | None:
    return type_.sequence_item


def _joined_items(type_: ir.Type) -> ir.Type | None:
    return None if type_.sequence_item is None else _without_shape(type_.sequence_item)


def _sequence(type_: ir.Type) -> ir.Type | None:
    return None if type_.element is None else ir.SequenceType(ir.TensorType(type_.element))


def _optional(type_: ir.Type) -> ir.Type | None:
    return None if type_.element is None and type_.sequence_item is None else ir.OptionalType(type_)


def _optional_item(type_: ir.Type) -> ir.Type:
    return type_.optional_item or type_


def _exchanged(type_: ir.Type) -> ir.Type | None:
    element = ir.known_element(type_.element)
    return None if element is None else ir.TensorType(BY_NAME["int64" if element.name == "string" else "string"])


def _map_item(type_: ir.Type) -> ir.Type | None:
    return _without_shape(type_.item) if isinstance(type_, ir.MapType) else None


_LIKE_FIRST = Like(0, _tensor, element=True)
_FROM_INPUTS: dict[TypeRule, Like] = {
    TypeRule.EXCHANGED: Like(0, _exchanged),
    TypeRule.ITEM: Like(0, _item),
    TypeRule.JOINED_ITEMS: Like(0, _joined_items),
    TypeRule.MAP_ITEM: Like(0, _map_item),
    TypeRule.OPTIONAL: Like(0, _optional),
    TypeRule.OPTIONAL_ITEM: Like(0, _optional_item),
    TypeRule.SEQUENCE: Like(0, _sequence),
}
_RULES: dict[TypeRule, Callable[[Sequence[object], Attributes], ir.Type | Like | None]] = {
    TypeRule.CONSTANT: _constant,
    TypeRule.DEQUANTIZED: _dequantized,
    TypeRule.EMPTY_SEQUENCE: _empty_sequence,
    TypeRule.FILLED: _filled,
    TypeRule.QUANTIZED: _quantized,
}
