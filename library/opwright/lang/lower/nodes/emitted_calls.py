"""Calls whose arguments are values: checked against the signature of what they call, typed, and emitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.infer.result_types import Bindings, Mismatch, WrongResult, bind, result_types
from opwright.lang.lower.nodes.equal_shapes import BROADCASTS_SINCE, fit_shapes
from opwright.lang.lower.nodes.invalid_calls import note_contents, refuse_invalid
from opwright.lang.lower.nodes.item_ranks import note_result, ranked
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import (
    is_sequence,
    is_tensor,
)
from opwright.lang.text.source import Span
from opwright.opsets.record import Role
from opwright.opsets.signatures import Formal, Signature, later_version_with

# Gives what is called, once the inputs and the type variables that they bind are known.
Chooser = Callable[[list[ir.Value | None], Bindings], ir.Operator | ir.FunctionReference]


def emit(
    low: Lowering, name: str, inputs: Sequence[ir.Value | None], attributes: dict[str, ir.Attribute], span: Span | None
) -> ir.Value:
    """A primitive with one result that the lowering itself writes. Where the opset's operator does not take what the
    author's values are, the function ends with a diagnostic."""
    operator = low.operator(name, span)
    try:
        places = [span] * len(inputs)
        return emit_checked(low, operator.signature, operator, list(inputs), attributes, span, places, 1)[0]
    except Poisoned as wrong:
        raise Poisoned(True, wrong.because) from None


def try_emit(
    low: Lowering,
    name: str,
    inputs: Sequence[ir.Value | None],
    span: Span | None,
    operand_spans: Sequence[Span | None],
    attributes: dict[str, ir.Attribute] | None = None,
) -> ir.Value:
    """A primitive that a source operator means; its type errors are the author's."""
    operator = low.operator(name, span)
    signature = operator.signature
    return emit_checked(low, signature, operator, list(inputs), attributes or {}, span, operand_spans, 1)[0]


def emit_checked(
    low: Lowering,
    signature: Signature,
    choose: Chooser | ir.Operator,
    inputs: list[ir.Value | None],
    attributes: dict[str, ir.Attribute],
    span: Span | None,
    spans: Sequence[Span | None],
    count: int,
    written: bool = False,
    shapes: Sequence[ir.Shape] = (),
) -> list[ir.Value]:
    """`written`: the author names the operator. `shapes`: what is promised of the results."""
    try:
        bindings = bind(signature, inputs, low.trail)
    except Mismatch as mismatch:
        raise report_mismatch(low, signature, inputs, mismatch, spans) from None
    if low.target.is_before(BROADCASTS_SINCE):
        low.target.needs_version(signature)
        attributes = fit_shapes(low, signature, inputs, attributes, span, written)
    callee = choose if isinstance(choose, ir.Operator) else choose(inputs, bindings)
    full = complete(signature, attributes)
    try:
        types = result_types(signature, bindings, inputs, full, count, low.trail, low.contents)
    except WrongResult as wrong:
        raise _report_result(low, signature, wrong, span) from None
    if types:
        types[0] = ranked(low, signature, inputs, full, types[0])
    for index, (type_, shape) in enumerate(zip(types, shapes, strict=False)):
        if shape is not None and type_.element is not None:
            types[index] = type_.reshaped(shape)
    results = [ir.Value(type_, "", span) for type_ in types]
    if results:
        note_result(low, signature, inputs, results[0])
    if isinstance(callee, ir.FunctionReference):
        inputs, full = _kept(signature, callee, inputs, full)
    else:
        refuse_invalid(low, signature, inputs, full, count, span)
    low.append(ir.Call(callee, inputs, full, [*results], span))
    if signature.record.role is Role.CONSTANT and low.checks_statically:
        note_contents(low, results[0], full)
    return results


def _kept(
    signature: Signature,
    callee: ir.FunctionReference,
    inputs: list[ir.Value | None],
    attributes: dict[str, ir.Attribute],
) -> tuple[list[ir.Value | None], dict[str, ir.Attribute]]:
    """What the variant that is called takes of a call's inputs and attributes: it lacks those that it answers."""
    names = [formal.name for formal in signature.inputs]
    if len(inputs) <= len(names):
        inputs = [value for name, value in zip(names, inputs, strict=False) if name in callee.inputs]
    return inputs, {name: value for name, value in attributes.items() if name in callee.attributes}


def report_mismatch(
    low: Lowering, signature: Signature, inputs: list[ir.Value | None], mismatch: Mismatch, spans: Sequence[Span | None]
) -> Poisoned:
    value = inputs[mismatch.index]
    assert value is not None
    formal = signature.inputs[min(mismatch.index, len(signature.inputs) - 1)]
    if mismatch.other is not None:
        other = inputs[mismatch.other]
        assert other is not None
        return low.error(
            "OW315",
            f"{signature.name} takes tensors of one element type, not {other.type!r} and {value.type!r}",
            spans[mismatch.index],
            reason="ONNX defines no promotion between element types",
            help="cast one of them: `op.CastLike(a, b)`, or `op.Cast(a, to=...)` below opset 15",
            depends_on=Choice.INFERRED_TYPE,
        )
    return low.error(
        "OW208",
        f"{signature.name} does not take {value.type!r} as `{formal.name}`",
        spans[mismatch.index],
        reason=f"{signature.identity}, its version at opset {low.target.bare_opset}, "
        f"takes {_elements(mismatch.admitted)}",
        help=_since(signature, signature.inputs, mismatch.index, value.type) or _way_out(low, value, mismatch.admitted),
        subject=signature.name,
        depends_on=Choice.ELEMENT_TYPE,
    )


def _since(signature: Signature, formals: Sequence[Formal], index: int, type_: ir.Type) -> str:
    """What to do where a later version of the operator takes that type there, or gives it: `formals` are the operator's
    inputs or its outputs."""
    element = ir.known_element(type_.element)
    if element is None:
        return ""
    version = later_version_with(signature, formals, index, element.name)
    if version is None:
        return ""
    verb = "takes" if formals is signature.inputs else "gives"
    return f"from opset {version} on it {verb} {element.name}: write the function for that opset"


def _report_result(low: Lowering, signature: Signature, wrong: WrongResult, span: Span | None) -> Poisoned:
    return low.error(
        "OW208",
        f"{signature.name} does not give {wrong.type!r}",
        span,
        reason=f"{signature.identity}, its version at opset {low.target.bare_opset}, gives {_elements(wrong.admitted)}",
        help=_since(signature, signature.outputs, wrong.index, wrong.type)
        or "choose another element type, or leave this one out of the declared types",
        subject=signature.name,
        depends_on=Choice.ELEMENT_TYPE,
    )


_CONTAINERS = {
    "seq(tensor(": "sequences",
    "optional(seq(tensor(": "optional sequences",
    "optional(tensor(": "optionals",
}


def _elements(admitted: Sequence[str]) -> str:
    """ONNX's type texts as people say them: element types, and those of sequences and optionals apart."""
    groups: dict[str, list[str]] = {}
    for text in admitted:
        start = next((start for start in _CONTAINERS if text.startswith(start)), "tensor(")
        name = text.removeprefix(start).rstrip(")") if text.startswith(start) else text
        groups.setdefault(start, []).append(name)
    parts = [
        (f"{_CONTAINERS[start]} of " if start in _CONTAINERS else "") + ", ".join(names)
        for start, names in groups.items()
    ]
    return "; ".join(parts)


def _way_out(low: Lowering, value: ir.Value, admitted: Sequence[str]) -> str:
    """What to write where an operand is of a type that an operator does not take."""
    wants_sequence = all(text.startswith("seq(") for text in admitted)
    if is_sequence(value) and not any(text.startswith("seq(") for text in admitted):
        return "take an item, `op.SequenceAt(xs, 0)`, or join them, `op.ConcatFromSequence(xs, axis=0)`"
    if wants_sequence and is_tensor(value):
        variable = ir.open_element(value.type.element)
        if variable is not None and not variable.rigid and any(value is one for one in low.function.inputs):
            return f"annotate the input, which is a tensor otherwise: `{value.name}: Sequence[FLOAT]`"
        return "make a sequence of it: `op.SequenceConstruct(x)`"
    return "cast the operand, or leave that element type out of the declared types"
