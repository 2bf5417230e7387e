"""Calls of functions: they stay functions of the model, or their bodies stand in place of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from onnx import FunctionProto, ModelProto

from opwright.builder.open_types import has_rank, infer_value
from opwright.builder.python_operands import arguments_of
from opwright.builder.recorder import Recorder
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.lower.calls import operator_rule, scripts
from opwright.lang.meaning.objects import OperatorObject, ScriptObject
from opwright.lang.meaning.operands import Operand
from opwright.live.compiled import Run
from opwright.live.libraries import opset_object
from opwright.live.proto_functions import ProtoFunction, proto_function
from opwright.packaged import LibraryFunction

# So many states of what a function captures are remembered: each call compares it with them. Equal bodies of one that
# is compiled again are merged.
_STATES = 8


def call_script(
    recorder: Recorder, function: OnnxFunction, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    """A call of a function under `@script`: of the variant that fits."""
    run = Run(recorder.low.target.opset, earlier=recorder.compiled)
    callee = ScriptObject(
        function.name, lambda opset: run.compile(function).script, lambda key: run.without_sizes(function, key)
    )
    arguments = arguments_of(recorder, run.compile(function).script.signature.attributes, args, kwargs)
    found = scripts.call_script(recorder.low, callee, arguments, {})
    for called, compiled in run.done.items():
        known = recorder.compiled.setdefault(called, [])
        if compiled in known:
            known.remove(compiled)
        known.append(compiled)
        del known[:-_STATES]
    _note_last(recorder, inline)
    return found


def call_library(
    recorder: Recorder, function: LibraryFunction, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    """A call of a function of an installed library."""
    callee = OperatorObject(opset_object(function.opset), function.name)
    attributes = [item.name for item in function.entry.attributes]
    found = operator_rule.call_operator(recorder.low, callee, arguments_of(recorder, attributes, args, kwargs))
    _note_last(recorder, inline)
    return found


def call_proto(
    recorder: Recorder, function: Any, args: Sequence[object], kwargs: Mapping[str, object], inline: bool
) -> Operand:
    """A call of a function that exists as a FunctionProto or a ModelProto."""
    if not isinstance(function, FunctionProto | ModelProto | ProtoFunction):
        kind = f"{type(function).__module__}.{type(function).__qualname__}".removeprefix("builtins.")
        recorder.low.error(
            "OW352",
            f"an object of {kind} cannot be called",
            None,
            reason="it is no function under `@script` of opwright or of a library, no FunctionProto and no ModelProto",
            help="`opwright.proto_function` makes a function of one of onnxscript, of an onnx_ir.Model or of a file",
        )
        raise AssertionError
    made = _as_function(recorder, function)
    made.check_opset(recorder.low.target.opset)
    arguments = arguments_of(recorder, made.script.signature.attributes, args, kwargs)
    for operand, _ in (*arguments.positional, *arguments.keywords.values()):
        if isinstance(operand, ir.Value):
            infer_value(recorder, operand)  # the function says which shapes it takes
    found = scripts.call_script(recorder.low, made.callee, arguments, {})
    _note_last(recorder, inline)
    return found


def _as_function(recorder: Recorder, proto: FunctionProto | ModelProto | ProtoFunction) -> ProtoFunction:
    """The function that a proto is now: it may be changed between two calls."""
    if isinstance(proto, ProtoFunction):
        return proto
    key = type(proto), sha256(proto.SerializeToString(deterministic=True)).digest()
    made = recorder.existing.get(key)
    if made is None:
        made = recorder.existing[key] = proto_function(proto)
    return made


def _note_last(recorder: Recorder, inline: bool) -> None:
    """Completes the types of the call which has just been recorded, and notes whether it is to be replaced; of a
    template nothing is left to replace."""
    low = recorder.low
    call = low.region.nodes[-1] if low.region.nodes else None
    if not isinstance(call, ir.Call) or not isinstance(call.callee, ir.FunctionReference):
        return
    if inline:
        low.trail.add(recorder.inlined, call)
    results = [value for value in call.results if value is not None]
    if all(has_rank(value.type) for value in results):
        return
    for value in call.inputs:
        if value is not None:
            infer_value(recorder, value)
    key = _key(recorder, call)
    known = recorder.types.get(key)
    if known is None:
        for value in results:
            infer_value(recorder, value)
        recorder.types[key] = [value.type for value in results]
    else:
        for value, type_ in zip(results, known, strict=True):
            value.retype(type_, low.trail)
            low.trail.add(recorder.asked, value)


def _key(recorder: Recorder, call: ir.Call) -> tuple[object, ...]:
    """Equal for calls with results of the same types."""
    assert isinstance(call.callee, ir.FunctionReference)
    contents = recorder.low.contents
    inputs = [
        None if item is None else (repr(item.type), getattr(contents.get(item), "key", None)) for item in call.inputs
    ]
    attributes = [(name, getattr(item, "value", None)) for name, item in call.attributes.items()]
    return call.callee.origin, call.callee.identity, call.callee.variant, tuple(inputs), repr(attributes)
