"""Attributes at a call: static values and references to the function's own attributes, checked by kind."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.lower.nodes.held_arrays import list_of_scalars, with_lists, with_numbers
from opwright.lang.lower.numbers.number_operands import (
    as_scalar_item,
    default_element,
    describe,
    flatten,
    pack_constant,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Parts, Poisoned
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.objects import ArrayObject, TensorObject, TypeObject
from opwright.lang.meaning.operands import AttributeOperand, Operand, Scalar
from opwright.lang.text.source import Misspelt, Span
from opwright.suggest import meant_by, nearest, sure_name

_WRITTEN = {
    "INT": "an int (or an element type such as FLOAT)",
    "FLOAT": "a number",
    "STRING": "a string",
    "INTS": "a list of ints",
    "FLOATS": "a list of numbers",
    "STRINGS": "a list of strings",
    "TENSOR": "a number or nested lists of numbers",
}


# What PyTorch and numpy call an attribute that is near to no name of ONNX.
_ELSEWHERE = {
    "dim": ("axis", "axes"),
    "dims": ("axes",),
    "dtype": ("to", "dtype"),
    "eps": ("epsilon",),
    "negative_slope": ("alpha",),
    "padding": ("pads",),
}


def bind_attributes(
    low: Lowering,
    callee: str,
    kinds: Mapping[str, tuple[str, bool]],
    keywords: Mapping[str, tuple[Operand, Span]],
    span: Span,
) -> dict[str, ir.Attribute]:
    """The attributes of a call, all of which are known. `kinds` maps each formal attribute to (ONNX kind, required)."""
    attributes: dict[str, ir.Attribute] = {}
    parts = Parts()
    for name, (operand, place) in keywords.items():
        if operand is None and not kinds[name][1]:
            continue  # None leaves an attribute out, as it does an input
        with parts:
            attributes[name] = convert_operand(low, callee, name, kinds[name][0], operand, place)
    for name, (kind, required) in kinds.items():
        if required and name not in keywords:
            parts.wrong = True
            low.error(
                "OW206",
                f"{callee} needs its attribute `{name}`",
                span,
                reason=f"it is {_WRITTEN.get(kind, kind)} and has no default",
                help=f"write `{name}=...`",
                subject=callee,
                depends_on=Choice.OPSET,
            )
    parts.close()
    return attributes


def refuse_unknown(
    low: Lowering,
    callee: str,
    kinds: Mapping[str, tuple[str, bool]],
    keywords: Mapping[str, tuple[Operand, Span]],
    inputs: Mapping[str, bool],
) -> None:
    """Refuses keywords that name no attribute. `inputs` are those that are not given, each with whether it is required:
    they may be meant, so that what is missing is told once all names are known."""
    unknown = [name for name in keywords if name not in kinds]
    required = [name for name, (_, is_required) in kinds.items() if is_required and name not in keywords]
    known = (*kinds, *inputs)
    meant = meant_by(unknown, known, [*required, *(name for name, is_required in inputs.items() if is_required)])
    listed = ", ".join(f"`{item}`" for item in kinds) or "none"
    for name in unknown:
        other = meant.get(name) or nearest(name, known)
        other = other or next((item for item in _ELSEWHERE.get(name, ()) if item in known), "")
        low.error(
            "OW205",
            f"{callee} has no attribute `{name}` at opset {low.target.bare_opset}",
            keywords[name][1],
            reason=f"its attributes are: {listed}",
            help=f"did you mean `{other}`?" if other else "",
            subject=callee,
            misspelt=Misspelt(name, sure_name(name, known), is_keyword=True),
            depends_on=Choice.OPSET,
        )
    if unknown:
        raise Poisoned


def convert_operand(low: Lowering, callee: str, name: str, kind: str, operand: Operand, span: Span) -> ir.Attribute:
    if isinstance(operand, AttributeOperand):
        if operand.parameter.kind.value == kind:
            return ir.AttributeReference(operand.parameter.name, operand.parameter.kind)
        raise low.error(
            "OW207",
            f"`{name}` of {callee} takes {_WRITTEN.get(kind, kind)}, not the attribute `{operand.parameter.name}`",
            span,
            reason=f"`{operand.parameter.name}` is of type {operand.parameter.kind.value}, `{name}` of type {kind}; "
            "an attribute can only be passed on as it is",
            subject=callee,
            depends_on=Choice.OPSET,
        )
    if kind != "TENSOR":
        operand = with_lists(low, with_numbers(low, operand), span)
    need_static(low, operand, span)
    if isinstance(operand, (ArrayObject, TensorObject)) and kind == "TENSOR":
        return ir.AttributeValue(ir.AttributeKind.TENSOR, operand.data)
    if isinstance(operand, ir.Value):
        data = _array(low, operand) if kind == "TENSOR" else None
        if data is not None:
            return ir.AttributeValue(ir.AttributeKind.TENSOR, data)
        raise low.error(
            "OW324",
            f"`{name}` of {callee} must be known when the function is built",
            span,
            reason=f"it is an attribute, and {describe(operand)} is computed at run time",
            help="pass a constant or an attribute of this function",
        )
    if kind == "TENSOR":
        return _tensor(low, callee, name, operand, span)
    value = operand.element.code if isinstance(operand, TypeObject) and kind == "INT" else operand
    converted = convert_attribute(value, kind) if kind in _WRITTEN else None
    if converted is None:
        raise low.error(
            "OW207",
            f"`{name}` of {callee} takes {_WRITTEN.get(kind, f'a {kind.lower()}')}, not {describe(operand)}",
            span,
            reason=f"the operator's schema at opset {low.target.bare_opset} gives `{name}` the type {kind}",
            help=_as_kind(name, kind, operand),
            subject=callee,
            depends_on=Choice.OPSET,
        )
    return ir.AttributeValue(ir.AttributeKind[kind], converted)


def _as_kind(name: str, kind: str, operand: Operand) -> str:
    """How to write an attribute that is given as something near to what it takes."""
    if (
        isinstance(operand, (int, float, str))
        and kind.endswith("S")
        and convert_attribute((operand,), kind) is not None
    ):
        return f"write a list: `{name}=[{operand!r}]`"
    if isinstance(operand, str) and kind == "INT":
        element = BY_NAME.get(_NAMES_OF_NUMPY.get(operand, operand.lower()))
        return "" if element is None else f"write `{name}={element.name.upper()}`"
    return ""


_NAMES_OF_NUMPY = {"float32": "float", "float64": "double"}


def _array(low: Lowering, operand: ir.Value) -> ir.TensorData | None:
    """The data of a constant tensor, such as an array that the function captures."""
    if operand in low.held.known_arrays:
        return low.held.known_arrays[operand]
    for node in low.prologue.nodes:
        if isinstance(node, ir.Const) and node.result is operand:
            return node.data
    return None


def _tensor(low: Lowering, callee: str, name: str, operand: Operand, span: Span) -> ir.Attribute:
    listed = list_of_scalars(low, operand)
    if listed is not None:
        return ir.AttributeValue(ir.AttributeKind.TENSOR, listed)
    found: tuple[tuple[int, ...], tuple[Scalar, ...]] | None = flatten(operand, as_scalar_item)
    if found is None:
        raise low.error(
            "OW207",
            f"`{name}` of {callee} takes {_WRITTEN['TENSOR']}, not {describe(operand)}",
            span,
            reason=f"`{name}` holds a tensor",
            help="",
            depends_on=Choice.OPSET,
        )
    dims, items = found
    data = pack_constant(low, items, dims, default_element(low, items), span)
    return ir.AttributeValue(ir.AttributeKind.TENSOR, data)
