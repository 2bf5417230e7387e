"""Types of values as text, in the words of ONNX's schemas: `tensor(float)`, `seq(tensor(int64))`, `optional(...)`."""

from __future__ import annotations

from onnx import TypeProto

from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.infer.result_types import parse_type

ABSENT = ""  # the fact about an input that is not given; None is "not known"

_WRAPPERS = {"seq": "sequence_type", "optional": "optional_type"}


def tensor_of(element: str) -> str:
    return f"tensor({element})"


def element_of(text: str | None) -> str | None:
    """`float` of `tensor(float)`; None for everything else."""
    if text is None or not text.startswith("tensor("):
        return None
    return text[len("tensor(") : -1]


def wrap(wrapper: str, inner: str | None) -> str | None:
    """`seq(tensor(float))` of `seq` and `tensor(float)`."""
    return f"{wrapper}({inner})" if inner else None


def unwrap(text: str | None) -> str | None:
    """What a sequence or optional holds."""
    if not text or text.startswith(("tensor(", "map(")):
        return None
    return text.partition("(")[2][:-1]


def text_of_code(code: int) -> str | None:
    """The tensor type of a `TensorProto.DataType`; None for undefined and unknown codes."""
    found = BY_CODE.get(code)
    return tensor_of(found.name) if found is not None else None


def type_of(fact: str | None) -> ir.Type | None:
    """A fact as inference takes it; None where nothing is given."""
    return None if fact == ABSENT else ir.UnknownType() if fact is None else parse_type(fact)


def fact_of(type_: ir.Type | None) -> str | None:
    """What is known of a type, without its shape."""
    if isinstance(type_, ir.TensorType):
        element = ir.settle(type_.element)
        return tensor_of(element.name) if isinstance(element, ElementType) else None
    if isinstance(type_, ir.SequenceType):
        return wrap("seq", fact_of(type_.item))
    return wrap("optional", fact_of(type_.item)) if isinstance(type_, ir.OptionalType) else None


def text_of(proto: TypeProto) -> str | None:
    """A declared type as text; None where it says nothing about the element."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            return text_of_code(proto.tensor_type.elem_type)
        case "sparse_tensor_type":
            inner = text_of_code(proto.sparse_tensor_type.elem_type)
            return inner and f"sparse_{inner}"
        case "sequence_type":
            return wrap("seq", text_of(proto.sequence_type.elem_type))
        case "optional_type":
            return wrap("optional", text_of(proto.optional_type.elem_type))
        case _:
            return None


def proto_of(text: str) -> TypeProto | None:
    """The TypeProto, without a shape, of what `text_of` gives; None for what it never gives."""
    result = TypeProto()
    target = result
    while True:
        kind, _, rest = text.partition("(")
        text = rest[:-1]
        if kind in _WRAPPERS:
            target = getattr(target, _WRAPPERS[kind]).elem_type
        elif kind in ("tensor", "sparse_tensor") and text in BY_NAME:
            getattr(target, f"{kind}_type").elem_type = BY_NAME[text].code
            return result
        else:
            return None
