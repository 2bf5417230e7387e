"""Calls of functions: they stay functions of the model, or their bodies stand in place of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.builder.inference import infer_value
from opwright.builder.operands import arguments_of
from opwright.builder.recorder import Recorder
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.lower import calls, scripts
from opwright.lang.lower.context import Operand
from opwright.lang.objects import OperatorObject, ScriptObject
from opwright.live.libraries import opset_object
from opwright.live.proto_functions import proto_function
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
    """A call of a function that exists as a FunctionProto or a ModelProto."""
    try:
        known = recorder.existing.get(id(function))
        made = known[1] if known is not None else proto_function(function)
    except TypeError as error:
        recorder.low.error(
            "OW352",
            f"a {type(function).__name__} cannot be called",
            None,
            reason=str(error),
            help="give a function under `@script`, a function of a library, a FunctionProto or a ModelProto",
        )
        raise AssertionError from error
    recorder.existing[id(function)] = function, made
    script = made.script
    made.at_opset(recorder.low.opset)
    callee = ScriptObject(made.name, lambda opset: script, lambda key: script.variants[0].outputs)
    found = scripts.call_script(recorder.low, callee, arguments_of(recorder, script.signature, args, kwargs), {})
    for value in found if isinstance(found, tuple) else (found,):
        if isinstance(value, ir.Value):
            infer_value(recorder, value)
    if inline:
        _inline_last(recorder)
    return found


def _inline_last(recorder: Recorder) -> None:
    """Notes that the call which has just been recorded is to be replaced; of a template nothing is left to replace."""
    nodes = recorder.low.region.nodes
    if nodes and isinstance(nodes[-1], ir.Call) and isinstance(nodes[-1].callee, ir.FunctionReference):
        recorder.inlined.add(nodes[-1])
