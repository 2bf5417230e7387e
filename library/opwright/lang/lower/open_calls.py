"""Calls of operators that nothing describes, in an opset that its author calls open: they are taken as they stand."""

from __future__ import annotations

from typing import Any

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.numbers import describe
from opwright.lang.lower.operands import Arguments, AttributeOperand, Operand
from opwright.lang.objects import ArrayObject, FunctionObject, NestedObject, OperatorObject, TypeObject
from opwright.opsets.implied import ImpliedSignature, implied_signature, sorted_kinds


def signature_of_call(low: Lowering, callee: OperatorObject, arguments: Arguments) -> ImpliedSignature:
    """The signature that a call implies. Refuses an attribute whose kind is not known."""
    opset = callee.opset
    assert opset.open is not None
    kinds = dict(opset.open.get(callee.name, {}))
    for name, (operand, span) in arguments.keywords.items():
        if name in kinds:
            continue
        kind = "INT" if operand is None else _kind_of(operand)  # None leaves it out, whatever it is
        if kind is None:
            raise low.error(
                "OW207",
                f"the kind of the attribute `{name}` of {callee.name} does not follow from {describe(operand)}",
                span,
                reason=f"nothing describes {opset.domain}::{callee.name}, so the values of its attributes must",
                help=f'declare it where the opset is made: `open={{"{callee.name}": {{"{name}": "FLOATS"}}}}`',
                subject=callee.name,
            )
        kinds[name] = kind
    given = {name: kind for name, kind in kinds.items() if name in arguments.keywords}
    count = len(arguments.positional)
    return implied_signature(opset.domain, callee.name, opset.version, count, sorted_kinds(given))


def _kind_of(operand: Operand) -> str | None:
    """The kind of attribute that holds such a value: floats and ints in one list are floats."""
    if isinstance(operand, AttributeOperand):
        return str(operand.parameter.kind.value)
    if isinstance(operand, (ArrayObject, ir.Value)):
        return "TENSOR"
    if isinstance(operand, (NestedObject, FunctionObject)):
        return "GRAPH"
    if isinstance(operand, TypeObject):
        return "INT"
    if isinstance(operand, (tuple, list)):
        found = {_of_scalar(item) for item in operand}
        if found == {"INT", "FLOAT"}:
            found = {"FLOAT"}
        single = found.pop() if len(found) == 1 else None
        return None if single is None else f"{single}S"
    return _of_scalar(operand)


def _of_scalar(value: Any) -> str | None:
    if isinstance(value, (bool, int)):
        return "INT"
    if isinstance(value, float):
        return "FLOAT"
    return "STRING" if isinstance(value, str) else None
