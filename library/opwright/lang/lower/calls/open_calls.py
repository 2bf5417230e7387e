"""Calls of operators that nothing describes, in an opset that its author calls open: they are taken as they stand."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.nodes.held_arrays import with_numbers
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.objects import ArrayObject, FunctionObject, NestedObject, OperatorObject, TypeObject
from opwright.lang.meaning.operands import Arguments, AttributeOperand, Operand
from opwright.opsets.implied import ImpliedSignature, implied_signature, sorted_kinds


def signature_of_call(low: Lowering, callee: OperatorObject, arguments: Arguments) -> ImpliedSignature:
    """The signature that a call implies. Refuses an attribute whose kind is not known."""
    opset = callee.opset
    assert opset.open is not None
    kinds = dict(opset.open.get(callee.name, {}))
    for name, (operand, span) in arguments.keywords.items():
        if name in kinds:
            continue
        kind = "INT" if operand is None else _kind_of(with_numbers(low, operand))  # None leaves it out, whatever it is
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
    """The kind of attribute that holds such a value; None where it does not follow."""
    return _KINDS.of(operand)(operand)


_SCALARS: dict[type, str] = {bool: "INT", float: "FLOAT", int: "INT", str: "STRING"}
_KINDS: Operation[Operand, [], str | None] = Operation(lambda operand: None)
_KINDS.on(bool, int, TypeObject)(lambda operand: "INT")
_KINDS.on(float)(lambda operand: "FLOAT")
_KINDS.on(str)(lambda operand: "STRING")
_KINDS.on(ArrayObject, ir.Value)(lambda operand: "TENSOR")
_KINDS.on(FunctionObject, NestedObject)(lambda operand: "GRAPH")
_KINDS.on(AttributeOperand)(lambda operand: str(operand.parameter.kind.value))


@_KINDS.on(list, tuple)
def _of_items(items: Sequence[Operand]) -> str | None:
    """Floats and ints in one list are floats."""
    found = {_SCALARS.get(type(item)) for item in items}
    if found == {"INT", "FLOAT"}:
        found = {"FLOAT"}
    single = found.pop() if len(found) == 1 else None
    return None if single is None else f"{single}S"
