"""Calls of functions: they stay functions of the model, or their bodies stand in place of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.builder.operands import arguments_of
from opwright.builder.recorder import Recorder
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.lower import calls, scripts
from opwright.lang.lower.context import Operand
from opwright.lang.objects import OperatorObject, ScriptObject
from opwright.live.libraries import opset_object
from opwright.packaged import LibraryFunction


def call_script(
    recorder: Recorder, function: OnnxFunction, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    """A call of a function under `@script`: of the variant that fits."""
    run = recorder.run
    callee = ScriptObject(
        function.name, lambda opset: run.compile(function).script, lambda key: run.without_sizes(function, key)
    )
    arguments = arguments_of(recorder, run.compile(function).script.signature, args, kwargs)
    found = scripts.call_script(recorder.low, callee, arguments, {})
    if inline:
        _inline_last(recorder)
    return found


def call_library(
    recorder: Recorder, function: LibraryFunction, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    """A call of a function of an installed library."""
    callee = OperatorObject(opset_object(function.opset), function.name)
    found = calls.call_operator(recorder.low, callee, arguments_of(recorder, None, args, kwargs))
    if inline:
        _inline_last(recorder)
    return found


def call_proto(
    recorder: Recorder, function: Any, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    return recorder.low.error("OW352", f"a {type(function).__name__} is no function", None, reason="", help="")


def _inline_last(recorder: Recorder) -> None:
    """Notes that the call which has just been recorded is to be replaced; of a template nothing is left to replace."""
    nodes = recorder.low.region.nodes
    if nodes and isinstance(nodes[-1], ir.Call) and isinstance(nodes[-1].callee, ir.FunctionReference):
        recorder.inlined.add(nodes[-1])
