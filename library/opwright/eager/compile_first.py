"""Strict mode: a call in eager mode is first one that the compiler lowers, with the same types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from opwright.diagnostics.diagnostic import Choice, DiagnosticError, has_errors
from opwright.eager.described import Described
from opwright.eager.eager_lowering import NOWHERE, EagerLowering
from opwright.eager.python_values import operand
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.lower.calls.scripts import call_script
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.interface import Arity
from opwright.lang.meaning.objects import ScriptObject
from opwright.lang.meaning.operands import Arguments, Operand
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span
from opwright.live.compiled import Run


def check_opset(function: OnnxFunction, opset: int) -> None:
    """Raises what the compiler finds in a function of operators that mean another thing at an opset that it is not
    written for. Whatever else it finds, Python may do."""
    try:
        Run(opset).compile(function)
    except DiagnosticError as error:
        found = [item for item in error.diagnostics if Choice.WRITTEN_FOR in item.depends_on]
        if found:
            raise DiagnosticError(found) from None


def result_types(
    low: EagerLowering, function: OnnxFunction, described: Described, arguments: Mapping[str, Any], count: int = 1
) -> list[ir.Type]:
    """What the `count` results of a call with arguments of these types are, unknown for what is no value of the graph.
    Raises what the compiler finds in the function, or in such a call."""
    compiled = Run(low.target.opset).compile(function)
    call = Lowering(low.scope, ir.Function("", "", 1, low.target.opset, None), {}, {})
    positional: list[tuple[Operand, Span]] = []
    keywords: dict[str, tuple[Operand, Span]] = {}
    variadic = any(item.arity is Arity.VARIADIC for item in described.interface.inputs)
    for item in described.interface.inputs:
        if item.arity is Arity.VARIADIC:
            positional.extend((operand(low, value), NOWHERE) for value in arguments[item.name])
        elif variadic:
            positional.append((operand(low, arguments.get(item.name)), NOWHERE))
        elif arguments.get(item.name) is not None:
            keywords[item.name] = (operand(low, arguments[item.name]), NOWHERE)
    for attribute in described.interface.attributes:
        if arguments[attribute.name] is not None:
            keywords[attribute.name] = (operand(low, arguments[attribute.name]), NOWHERE)
    callee = ScriptObject(function.name, lambda opset: compiled.script, lambda key: None)  # sizes are known here
    result: Operand = ()
    try:
        result = call_script(call, callee, Arguments(positional, keywords, None, NOWHERE, NOWHERE), {})
    except Poisoned as wrong:
        if wrong.question is not None:
            reason = f"it asks about {wrong.question.axis}"
            low.error("OW218", f"`{function.name}` has no variant for this call", None, reason)
        assert has_errors(call.diagnostics)
    if has_errors(call.diagnostics):
        raise DiagnosticError([replace(found, place=low.place) for found in call.diagnostics])
    is_tuple = isinstance(result, tuple) and not isinstance(result, StaticList) and len(result) == count
    results = result if is_tuple and isinstance(result, tuple) else [result, *([None] * (count - 1))]
    return [item.type if isinstance(item, ir.Value) else ir.UnknownType() for item in results]
