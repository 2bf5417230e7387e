"""What the schemas do not say of an operator's types, written by hand: results that follow an attribute, sequences."""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.opsets.record import VALUE_FORMS, Role
from opwright.opsets.signatures import Signature

from opwright_build.opset_stubs.python_types import ANY_TENSOR, python_type

# Attributes whose int is an element type, and which therefore take `FLOAT` too.
ELEMENT_ATTRIBUTES = ("dtype", "output_datatype", "output_dtype", "precision", "softmax_precision", "stash_type", "to")
ELEMENT_OF_RESULT = "<element>"  # stands for the type variable that such an attribute and the result share

_NAMES_RESULT = ("dtype", "output_datatype", "output_dtype", "to")
_WITHOUT = {"DequantizeLinear": "x_scale", "SequenceEmpty": "tensor(float)"}  # what the result is like without it
_ITEM = "_Item"
_ITEMS = f"_Sequence[{_ITEM}]"
_GIVEN_ITEM = f"{_ITEM} | _Array"  # what arrays become are tensors
_GIVEN_ITEMS = f"{_ITEMS} | _Sequence[_Array]"


@dataclass(frozen=True, slots=True)
class Special:
    """One overload as far as it differs from the schema: types of inputs and attributes by name, the result's type.

    `attributes` hold types with their defaults, if any; those in `left_out` do not occur.
    """

    result: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


_SEQUENCES = {
    "ConcatFromSequence": Special(_ITEM, {"input_sequence": _GIVEN_ITEMS}),
    "SequenceAt": Special(_ITEM, {"input_sequence": _GIVEN_ITEMS}),
    "SequenceConstruct": Special(_ITEMS, {"inputs": _GIVEN_ITEM}),
    "SequenceErase": Special(_ITEMS, {"input_sequence": _GIVEN_ITEMS}),
    "SequenceInsert": Special(_ITEMS, {"input_sequence": _GIVEN_ITEMS, "tensor": _GIVEN_ITEM}),
    "SplitToSequence": Special(_ITEMS, {"input": _GIVEN_ITEM}),
    "Optional": Special(ANY_TENSOR),
    "OptionalGetElement": Special("_Given", {"input": "_Given | _Array | _Sequence[_Array] | None"}),
}


def special_forms(signature: Signature) -> tuple[Special, ...]:
    """The overloads of the operator; where nothing is special, one that is empty."""
    if signature.record.role is Role.CONSTANT:
        return _constant(signature)
    if signature.name in _SEQUENCES:
        return (_SEQUENCES[signature.name],)
    attribute = next((name for name in _NAMES_RESULT if name in signature.attributes), None)
    if attribute is None or signature.attributes[attribute].kind != "INT":
        return (Special(),)
    inputs = {item.type for item in signature.inputs}
    if signature.outputs[0].type in inputs:
        return (Special(),)
    return _typed_by(signature, attribute)


def _constant(signature: Signature) -> tuple[Special, ...]:
    """One overload for each attribute that may hold the value: exactly one of them is given."""
    names = tuple(signature.attributes)
    if names == ("value",):
        return (Special(ANY_TENSOR),)
    return tuple(
        Special(
            VALUE_FORMS[name].element.upper() if name in VALUE_FORMS else ANY_TENSOR,
            attributes={name: _attribute_type(signature, name)},
            left_out=tuple(item for item in names if item != name),
        )
        for name in sorted(names, key=lambda item: (item not in VALUE_FORMS, item))
    )


def _attribute_type(signature: Signature, name: str) -> str:
    kinds = {"INT": "int", "FLOAT": "float", "STRING": "str"}
    kind = signature.attributes[name].kind
    if kind in kinds:
        return kinds[kind]
    return f"_Sequence[{kinds[kind[:-1]]}]" if kind[:-1] in kinds else "_Any"


def _typed_by(signature: Signature, attribute: str) -> tuple[Special, ...]:
    """The result has the element type that the attribute names; left out, that of its default or of an input."""
    sequence = signature.outputs[0].type in signature.admitted and signature.admitted[signature.outputs[0].type][
        0
    ].startswith("seq(")
    if sequence:
        typed = Special(_ITEMS, attributes={attribute: f"type[{_ITEM}] | _DataType[{_ITEM}]"})
    else:
        kind = f"type[{ELEMENT_OF_RESULT}] | _DataType[{ELEMENT_OF_RESULT}]"
        typed = Special(ELEMENT_OF_RESULT, attributes={attribute: kind})
    spec = signature.attributes[attribute]
    coded = Special(ANY_TENSOR, attributes={attribute: "int | _ElementType"})
    if spec.required:
        return (typed, coded)
    return (typed, Special(_default_result(signature, attribute), left_out=(attribute,)), coded)


def _default_result(signature: Signature, attribute: str) -> str:
    default = signature.attributes[attribute].default
    if signature.name == "SequenceEmpty":
        return "_Sequence[FLOAT]"
    if isinstance(default, int) and default > 0:
        from opwright.elements import BY_CODE

        return python_type(f"tensor({BY_CODE[default].name})")
    named = _WITHOUT.get(signature.name)
    formal = next((item for item in signature.inputs if item.name == named), signature.inputs[0])
    return formal.type
