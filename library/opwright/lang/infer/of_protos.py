"""The inference of the compiler over nodes as models hold them, and over graphs that nodes are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from onnx import AttributeProto, TensorProto

from opwright.elements import BY_CODE, BY_NAME
from opwright.lang import ir
from opwright.lang.infer.result_lengths import Contents
from opwright.lang.infer.result_types import NOTHING, Like, Mismatch, WrongResult, bind, result_types, source
from opwright.lang.trail import Trail
from opwright.opsets.record import ByAttribute, Role
from opwright.opsets.signatures import Option, Signature

_KINDS = {kind.code: kind for kind in ir.AttributeKind}
_COUNT = ir.TensorType(BY_NAME["int64"], ())
_CONDITION = ir.TensorType(BY_NAME["bool"], ())


def attributes_of(given: Iterable[AttributeProto]) -> dict[str, ir.Attribute]:
    """The attributes as inference asks for them: of tensors the header alone; graphs are left out."""
    found: dict[str, ir.Attribute] = {}
    for item in given:
        kind = _KINDS.get(item.type)
        if item.ref_attr_name:  # whose kind nodes may leave open, and inference does not ask for
            found[item.name] = ir.AttributeReference(item.ref_attr_name, kind or ir.AttributeKind.INT)
        elif kind is not None and kind is not ir.AttributeKind.GRAPH:
            found[item.name] = ir.AttributeValue(kind, _value(item, kind))
    return found


def _value(item: AttributeProto, kind: ir.AttributeKind) -> ir.AttributeLiteral | ir.TensorData | None:
    return _READERS[kind](item)


_READERS: dict[ir.AttributeKind, Callable[[AttributeProto], ir.AttributeLiteral | ir.TensorData | None]] = {
    ir.AttributeKind.INT: lambda item: item.i,
    ir.AttributeKind.FLOAT: lambda item: item.f,
    ir.AttributeKind.STRING: lambda item: item.s.decode("utf-8", "replace"),
    ir.AttributeKind.INTS: lambda item: tuple(item.ints),
    ir.AttributeKind.FLOATS: lambda item: tuple(item.floats),
    ir.AttributeKind.STRINGS: lambda item: tuple(text.decode("utf-8", "replace") for text in item.strings),
    ir.AttributeKind.TENSOR: lambda item: _header(item.t),
}


def _header(tensor: TensorProto) -> ir.TensorData | None:
    element = BY_CODE.get(tensor.data_type)
    return None if element is None else ir.TensorData(element, tuple(tensor.dims), b"")


def node_types(
    found: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Mapping[str, ir.Attribute],
    count: int,
    contents: Contents = NOTHING,
    trusting: bool = False,
) -> list[ir.Type]:
    """The types of the first `count` results of a node, UnknownType where they do not follow. An input is None where it
    is not given. Of a node that its operator does not admit, each input speaks for itself: others judge it.

    `contents` are inputs that are known. `trusting`: lists are as long as is asked of them (see `infer_length`).
    """
    unknown: list[ir.Type] = [ir.UnknownType() for _ in range(count)]
    if found.record.is_control_flow:
        return unknown  # what its graphs give, `flow_types` takes into account
    rule = found.record.typing
    if type(rule) is ByAttribute and rule.attribute not in attributes and found.attributes[rule.attribute].required:
        return unknown  # as where an attribute of a function decides it, and the call is not known
    arity = count if found.outputs and found.outputs[-1].option is Option.VARIADIC else min(count, len(found.outputs))
    values, trail = list(inputs if found.variadic else inputs[: len(found.inputs)]), Trail()
    try:
        bindings = bind(found, values, trail) if found.inputs else {}
        made = result_types(found, bindings, values, dict(attributes), arity, trail, contents, trusting)
    except (Mismatch, WrongResult):
        made = [_alone(found, index, values, attributes) for index in range(arity)]
    return [*made, *unknown[arity:]]


def _alone(
    found: Signature, index: int, inputs: Sequence[ir.Value | None], attributes: Mapping[str, ir.Attribute]
) -> ir.Type:
    """The type of a result by the first input that the operator admits, whatever the others are."""
    given = list(inputs)
    for position, value in enumerate(given[: len(found.inputs)]):
        element = None if value is None else ir.known_element(value.type.element)
        if element is not None and not found.input_masks[position] & element.mask:
            given[position] = None
    decided = source(found, index, given, attributes)
    if not isinstance(decided, Like):
        return decided or ir.UnknownType()
    value = given[decided.index]
    return (None if value is None else decided.of(value.type)) or ir.UnknownType()


# ---------------------------------------------------------------------------------------------- control flow


Types = Sequence[ir.Type | None]
Yields = Sequence[Sequence[ir.Type]]


def graph_arguments(role: Role, inputs: Types, opset: int) -> Types:
    """The types of what the graphs of a node take."""
    found = _FLOW.get(role)
    return () if found is None else found[0](inputs, opset)


def flow_types(role: Role, inputs: Types, yields: Yields) -> Sequence[ir.Type]:
    """The types of the results of control flow, by what it takes and what each of its graphs gives."""
    found = _FLOW.get(role)
    return () if found is None else found[1](inputs, yields)


def _joined(inputs: Types, yields: Yields) -> Sequence[ir.Type]:
    return [_first_known(*types) for types in zip(*yields, strict=False)]


def _carried(inputs: Types, yields: Yields) -> Sequence[ir.Type]:
    carried, given = inputs[2:], yields[0][1:]
    states = [_first_known(one, other) for one, other in zip(carried, given, strict=False)]
    return [*states, *given[len(carried) :]]


def _mapped(inputs: Types, yields: Yields) -> Sequence[ir.Type]:
    return [item if item.is_unknown else ir.SequenceType(item) for item in yields[0]]


def _items(inputs: Types, opset: int) -> Types:
    return [item if item is None else item.sequence_item or item for item in inputs]


# What the graphs of control flow take, and what it gives by what they give.
_FLOW: dict[Role, tuple[Callable[[Types, int], Types], Callable[[Types, Yields], Sequence[ir.Type]]]] = {
    Role.IF: (lambda inputs, opset: (), _joined),
    Role.LOOP: (lambda inputs, opset: [_COUNT, _CONDITION, *inputs[2:]], _carried),
    Role.SCAN: (lambda inputs, opset: inputs[1:] if opset < 9 else inputs, lambda inputs, yields: yields[0]),
    Role.SEQUENCE_MAP: (_items, _mapped),
}


def _first_known(*types: ir.Type | None) -> ir.Type:
    return next((item for item in types if item is not None and not item.is_unknown), ir.UnknownType())
