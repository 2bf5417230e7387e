"""Calls in the source: their arguments, checked against a signature and converted to what its inputs take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.calls.attributes import bind_attributes, refuse_unknown
from opwright.lang.lower.nodes.emitted_calls import Chooser, emit_checked
from opwright.lang.lower.nodes.invalid_calls import counts_too_much
from opwright.lang.lower.nodes.written_for import fit_call
from opwright.lang.lower.numbers.mixed import refuse_untyped
from opwright.lang.lower.numbers.number_operands import as_tensor, is_number, shared_element
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import maybe_absent
from opwright.lang.lower.state.poison import Parts, Poisoned
from opwright.lang.lower.values.sequences import as_sequence, unknown_items, with_tensors
from opwright.lang.meaning.objects import OperatorObject
from opwright.lang.meaning.operands import (
    Absent,
    Arguments,
    Operand,
    is_tensor,
    items_in,
)
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.opsets.signatures import Formal, Option, Signature, tensor_element


def refuse_second_version(low: Lowering, callee: OperatorObject, domain: str, span: Span | None) -> Poisoned:
    asked, known = callee.opset.version, low.target.versions[domain]
    return low.error(
        "OW357",
        f"{callee.name} is called at version {asked} of {domain}, and another operator at version {known}",
        span,
        reason=f"a model imports one version of each domain, and what is called is not the same in {known} and {asked}",
        help=f"use version {known} for all of them, if it has them",
        subject=callee.name,
    )


def call_rewritten(low: Lowering, meant: Signature, operator: ir.Operator, arguments: Arguments) -> Operand:
    """A call that is written for another version of the operator than the target opset's."""
    inputs, attributes, spans = check_arguments(low, meant, arguments)
    asked = _asked_count(low, meant, inputs, attributes, arguments)
    count = _result_count(meant, asked)
    fitted = fit_call(low, meant, operator.signature, inputs, attributes, count, arguments.span, arguments.callee_span)
    spans += [arguments.span] * (len(fitted[0]) - len(spans))
    return _emit_counted(low, operator.signature, arguments, (*fitted, spans), operator, asked)


def call_checked(low: Lowering, signature: Signature, arguments: Arguments, choose: Chooser | ir.Operator) -> Operand:
    """Checks a call against a signature and emits it; `choose` gives the callee once the inputs are known."""
    return emit_call(low, signature, arguments, check_arguments(low, signature, arguments), choose)


def emit_call(
    low: Lowering,
    signature: Signature,
    arguments: Arguments,
    checked: Checked,
    choose: Chooser | ir.Operator,
    shapes: Sequence[ir.Shape] = (),
) -> Operand:
    """Emits a call whose arguments have been checked; `shapes` are those that its results are promised to have."""
    asked = _asked_count(low, signature, checked[0], checked[1], arguments)
    return _emit_counted(low, signature, arguments, checked, choose, asked, shapes)


def _emit_counted(
    low: Lowering,
    signature: Signature,
    arguments: Arguments,
    checked: Checked,
    choose: Chooser | ir.Operator,
    asked: int | None,
    shapes: Sequence[ir.Shape] = (),
) -> Operand:
    """Emits a call of which so many results are asked, as `_asked_count` says. As many as are asked of an operator that
    gives any number of them are a tuple, of one too."""
    inputs, attributes, spans = checked
    count = _result_count(signature, asked)
    results = emit_checked(low, signature, choose, inputs, attributes, arguments.span, spans, count, True, shapes)
    is_tuple = len(results) != 1 or (asked is not None and _gives_any_number(signature))
    return tuple(results) if is_tuple else results[0]


Checked = tuple[list[ir.Value | None], dict[str, ir.Attribute], list[Span]]


def check_arguments(low: Lowering, signature: Signature, arguments: Arguments) -> Checked:
    """The inputs as values, the attributes that are given, and the places of the inputs."""
    if not arguments.keywords and not low.held.mixed:
        tensors = _only_tensors(signature, arguments.positional)
        if tensors is not None:
            return tensors, {}, [operand_span for _, operand_span in arguments.positional]
    operands, keywords = _split_keywords(low, signature, arguments)
    if keywords:
        refuse_unknown(low, signature.name, signature.kinds, keywords, _absent(signature, operands))
    _check_arity(low, signature, operands, arguments.span)
    parts = Parts()
    attributes: dict[str, ir.Attribute] = {}
    inputs: list[ir.Value | None] = []
    with parts:
        attributes = bind_attributes(low, signature.name, signature.kinds, keywords, arguments.span)
    with parts:
        if low.held.mixed:
            refuse_untyped(low, signature, operands)
        inputs = _convert_inputs(low, signature, operands)
    parts.close()
    return inputs, attributes, [operand_span for _, operand_span in operands]


def _only_tensors(signature: Signature, operands: Sequence[tuple[Operand, Span]]) -> list[ir.Value | None] | None:
    """The operands of the most frequent calls, which are taken as they are: a tensor for each input, all of which are
    required, and no attributes. None of other calls."""
    if signature.needs_attributes or len(operands) != len(signature.inputs):
        return None
    tensors: list[ir.Value | None] = []
    for (operand, _), formal in zip(operands, signature.inputs, strict=True):
        if type(operand) is not ir.Value or operand.optional or formal.option is not Option.REQUIRED:
            return None
        if type(operand.type) is not ir.TensorType:
            return None
        tensors.append(operand)
    return tensors


def _split_keywords(
    low: Lowering, signature: Signature, arguments: Arguments
) -> tuple[list[tuple[Operand, Span]], dict[str, tuple[Operand, Span]]]:
    """Keywords that name inputs take their place among the inputs; an input skipped that way is absent."""
    if not arguments.keywords:
        return arguments.positional, arguments.keywords
    operands = list(arguments.positional)
    keywords: dict[str, tuple[Operand, Span]] = {}
    given = len(operands)
    for name, argument in arguments.keywords.items():
        index = signature.positions.get(name)
        if index is None:
            keywords[name] = argument
            continue
        if index < given:
            raise low.error(
                "OW203",
                f"{signature.name} gets its input `{name}` twice",
                argument[1],
                reason=f"the {index + 1}. positional argument is `{name}` already",
                help="leave one of them out",
                subject=signature.name,
                depends_on=Choice.OPSET,
            )
        while len(operands) <= index:
            operands.append((None, argument[1]))
        operands[index] = argument
    return operands, keywords


def _absent(signature: Signature, operands: Sequence[tuple[Operand, Span]]) -> dict[str, bool]:
    """The inputs that are not given, and whether each is required."""
    given = {index for index, (operand, _) in enumerate(operands) if operand is not None}
    return {
        name: signature.inputs[index].option is Option.REQUIRED
        for name, index in signature.positions.items()
        if index not in given
    }


def _named_attributes(signature: Signature) -> str:
    """How attributes are written: one that must be given, where there is one."""
    names = sorted(signature.attributes, key=lambda name: not signature.attributes[name].required)
    return f"write attributes with their names: `{names[0]}=...`" if names else "leave out what is too much"


def _check_arity(low: Lowering, signature: Signature, operands: list[tuple[Operand, Span]], span: Span) -> None:
    """Refuses too many inputs, too few, and absent ones."""
    variadic = signature.variadic
    if len(operands) > len(signature.inputs) and not variadic:
        raise low.error(
            "OW203",
            f"{signature.name} takes {_count(len(signature.inputs))}, and {len(operands)} are given",
            operands[len(signature.inputs)][1],
            reason=f"{signature.identity} has the inputs {_names(signature.inputs)}; positional arguments are inputs",
            help=_named_attributes(signature),
            subject=signature.name,
            depends_on=Choice.OPSET,
        )
    for index in range(len(signature.inputs) - 1, len(operands)) if variadic else ():
        if operands[index][0] is None or isinstance(operands[index][0], Absent):
            raise low.error(
                "OW204",
                f"{signature.name} takes no absent input among its `{signature.inputs[-1].name}`",
                operands[index][1],
                reason="any number of inputs may be given there, and each of them is a value",
                help="leave it out, or ask `is not None` first",
                subject=signature.name,
                depends_on=Choice.OPSET,
            )
    for index, formal in enumerate(signature.inputs):
        if formal.option is not Option.REQUIRED:
            continue
        given = operands[index][0] if index < len(operands) else None
        if given is None or isinstance(given, Absent):
            raise low.error(
                "OW204",
                f"{signature.name} needs its input `{formal.name}`",
                span,
                reason=f"{signature.identity} has the inputs {_names(signature.inputs)}",
                help="" if given is None else f"`{given.name}` is absent in this variant: ask `is not None` first",
                subject=signature.name,
                depends_on=Choice.OPSET,
            )
    if variadic and len(operands) < signature.min_inputs:
        raise low.error(
            "OW204",
            f"{signature.name} needs at least {_count(signature.min_inputs)}",
            span,
            reason=f"{signature.identity} has the inputs {_names(signature.inputs)}",
            subject=signature.name,
            depends_on=Choice.OPSET,
        )


def _count(inputs: int) -> str:
    return "one input" if inputs == 1 else f"{inputs} inputs"


def _names(formals: Sequence[Formal]) -> str:
    return ", ".join(f"`{formal.name}`" for formal in formals) or "none"


def _convert_inputs(low: Lowering, signature: Signature, operands: list[tuple[Operand, Span]]) -> list[ir.Value | None]:
    """Numbers take the element type of the first tensor that shares their type variable, else what the schema says,
    else the one that holds all numbers which share it."""
    met: dict[str, ir.Element] = {}
    others: dict[str, list[tuple[Operand, Span]]] = {}
    for index, (operand, span) in enumerate(operands):
        formal = signature.inputs[min(index, len(signature.inputs) - 1)]
        if is_tensor(operand) and formal.homogeneous:
            met.setdefault(formal.type, operand.type.element)
        elif operand is not None and formal.homogeneous and len(signature.admitted.get(formal.type, ())) > 1:
            others.setdefault(formal.type, []).append((operand, span))
    for name, sharing in others.items():
        if len(sharing) > 1 and name not in met:
            element = shared_element(low, *zip(*sharing, strict=True))
            if element is not None:
                met[name] = element
    inputs: list[ir.Value | None] = []
    wrong = False
    for index, (operand, span) in enumerate(operands):
        formal = signature.inputs[min(index, len(signature.inputs) - 1)]
        if operand is None or isinstance(operand, Absent):
            inputs.append(None)
            continue
        try:
            value = _converted(low, signature, formal, operand, met, span)
        except Poisoned as found:
            found.recover()
            wrong = True
            continue
        if value.optional and formal.option is Option.REQUIRED:
            wrong = True
            maybe_absent(low, value, f"{signature.name} needs its input `{formal.name}`", span)
            continue
        inputs.append(value)
        if is_tensor(value) and formal.homogeneous:
            met.setdefault(formal.type, value.type.element)
    if wrong:
        raise Poisoned
    return inputs


def _converted(
    low: Lowering, signature: Signature, formal: Formal, operand: Operand, met: dict[str, ir.Element], span: Span
) -> ir.Value:
    """An operand as what an input takes: a sequence where a list or tuple is given and nothing else is admitted, or a
    tensor. A number where ONNX wants a list of them is a list of one."""
    if is_number(operand) and signature.wants_list(formal.name):
        operand = StaticList((operand,))
    items = items_in(operand)
    if items is not None:
        admitted = signature.admitted.get(formal.type, (formal.type,))
        if all(text.startswith("seq(") for text in admitted):
            element = tensor_element(admitted[0][len("seq(") : -1]) if len(admitted) == 1 else None
            return as_sequence(low, with_tensors(low, items, element, span), unknown_items(), span)
    return as_tensor(low, operand, _wanted(signature, formal, met), span)


def _wanted(signature: Signature, formal: Formal, met: dict[str, ir.Element]) -> ir.Element | None:
    """The element type that a number takes as this input; None: its own default."""
    if formal.type in met:
        return met[formal.type]
    admitted = signature.admitted.get(formal.type, (formal.type,))
    return tensor_element(admitted[0]) if len(admitted) == 1 else None


def _said_count(
    low: Lowering, signature: Signature, attributes: Mapping[str, ir.Attribute], arguments: Arguments
) -> int | None:
    """How many results an attribute of the call asks for; None where none does. onnxruntime does not look at it: it
    takes the number of the node's outputs."""
    count = signature.record.results
    if not count or counts_too_much(signature, attributes):
        return None
    wanted, said = arguments.result_count, ir.known_integer(attributes, count)
    if wanted is None and count in attributes and attributes[count].refers_to is not None:
        raise low.error(
            "OW324",
            "`num_outputs` of Split must be known when the function is built",
            arguments.span,
            reason="it decides how many values there are, and a function has one body for all values of its attributes",
            help="unpack the values to names: `a, b = op.Split(x, num_outputs=n)`",
            subject=signature.name,
        )
    if said is None or said <= 0:
        return None
    if wanted in (None, said):
        return said
    raise low.error(
        "OW328",
        f"{said} values cannot be unpacked to {wanted} names",
        arguments.span,
        reason="`num_outputs` decides how many values there are",
        help="write a name for each: `a, _, _ = op.Split(x, num_outputs=3)`",
        subject=signature.name,
    )


def _asked_count(
    low: Lowering,
    signature: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Mapping[str, ir.Attribute],
    arguments: Arguments,
) -> int | None:
    """How many results a call asks for: by an attribute, by the names that they are unpacked to, or by a list that says
    how large each one is. None where it does not say."""
    said = _said_count(low, signature, attributes, arguments)
    if said is not None:
        return said
    wanted = arguments.result_count
    if wanted is not None:
        return wanted if _gives_any_number(signature) else min(wanted, len(signature.outputs))
    for name in signature.record.lists if signature.record.results else ():
        index, attribute = signature.positions.get(name), attributes.get(name)
        value = inputs[index] if index is not None and index < len(inputs) else None
        if value is not None and value.type.shape:  # a scalar in place of a list is refused later
            return ir.size_of(value.type.shape[0])
        if attribute is not None and attribute.items is not None:
            return len(attribute.items)
    return None


def _result_count(signature: Signature, asked: int | None) -> int:
    """As many results as are asked for, but at least all that the operator must give, and one."""
    return max(1, signature.min_outputs, asked or 0)


def _gives_any_number(signature: Signature) -> bool:
    return bool(signature.outputs) and signature.outputs[-1].option is Option.VARIADIC
