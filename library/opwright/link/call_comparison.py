"""What two bodies compute for one call, side by side: both are run on inputs that are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.constant_nodes import tensor_of_constant
from opwright.graphs.drawn_runs import SEEDS, EndlessError, draw_inputs, run_limited, same_value
from opwright.graphs.inline import inline_model
from opwright.graphs.inlined_names import keep_apart
from opwright.graphs.left_out import leave_out_defaults
from opwright.link.choose import Call
from opwright.link.naming import Instance
from opwright.link.possible_types import possible_types
from opwright.link.propagate import Shape, Visit
from opwright.link.value_types import proto_of

ULPS = 64  # within which results that differ are called close
_RELATIVE = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
_UNKNOWN_RANK: Shape = (None, None)


class Results(Enum):
    """How far the results of two bodies lie apart, on all inputs that were drawn."""

    EQUAL = "equal"
    CLOSE = "close"
    DIFFERENT = "different"
    UNKNOWN = "unknown"  # nothing could be compared


@dataclass(frozen=True, slots=True)
class CallInput:
    """What is known of an input of a call: its type, its shape, or the tensor that it always is."""

    name: str
    type: TypeProto | None
    shape: Shape | None
    constant: TensorProto | None


def inputs_of(call: Call, instance: Instance) -> list[tuple[str, list[CallInput]]]:
    """The inputs of a node, each name once, as they are before the node is changed: for all types that they may have,
    each with what is assumed for that."""
    visit = call.visit
    shapes = {name: visit.shape(position) for position, name in enumerate(visit.node.input) if name}
    tensors = {name: _constant(visit, name) for name in shapes}
    return [
        (
            possible.assumed,
            [CallInput(name, proto_of(possible.facts[name] or ""), shapes[name], tensors[name]) for name in shapes],
        )
        for possible in possible_types(call, instance)
    ]


def _constant(visit: Visit, name: str) -> TensorProto | None:
    """The tensor that a value always is, where the model itself holds it."""
    found = visit.scope.constant(name) if visit.scope is not None else None
    if isinstance(found, NodeProto) and visit.scope is not None:
        found = tensor_of_constant(found, visit.scope.attributes)
    if not isinstance(found, TensorProto) or found.external_data:
        return None
    named = TensorProto()
    named.CopyFrom(found)
    named.name = name
    return named


def open_attribute(visit: Visit) -> str:
    """An attribute of a call that is one of the function around, which nothing calls; empty where there is none."""
    if visit.scope is None or visit.scope.caller:
        return ""
    return next((item.name for item in visit.node.attribute if item.name not in visit.attributes), "")


def model_of_call(
    node: NodeProto,
    inputs: Iterable[CallInput],
    attributes: Mapping[str, AttributeProto],
    functions: Iterable[FunctionProto],
    imports: Mapping[str, int],
) -> ModelProto:
    """A model of one call. `attributes` are those of the node, with references to attributes of a function resolved."""
    call = NodeProto()
    call.CopyFrom(node)
    del call.attribute[:]
    for attribute in node.attribute:
        given = attributes.get(attribute.name) if attribute.ref_attr_name else attribute
        if given is not None:
            call.attribute.append(given)
    graph = helper.make_graph([call], "call", [], [ValueInfoProto(name=name) for name in node.output if name])
    for item in inputs:
        if item.constant is not None:
            graph.initializer.append(item.constant)
        elif item.type is not None:
            graph.input.append(ValueInfoProto(name=item.name, type=_with_shape(item.type, item.shape)))
    opsets = [helper.make_opsetid(domain, version) for domain, version in imports.items()]
    model = helper.make_model(graph, functions=list(functions), opset_imports=opsets)
    keep_apart(model.functions)
    return model


def _with_shape(type_: TypeProto, shape: Shape | None) -> TypeProto:
    result = TypeProto()
    result.CopyFrom(type_)
    inner = result
    while inner.WhichOneof("value") in ("sequence_type", "optional_type"):
        inner = (inner.sequence_type if inner.HasField("sequence_type") else inner.optional_type).elem_type
    for size in _UNKNOWN_RANK if shape is None else shape:
        dim = inner.tensor_type.shape.dim.add()
        if size is not None:
            dim.dim_value = size
    if not inner.tensor_type.HasField("shape"):
        inner.tensor_type.shape.SetInParent()
    return result


def compare_calls(old: ModelProto, new: ModelProto) -> tuple[Results, str]:
    """How the results of a call differ, and where."""
    try:
        for model in (old, new):
            inline_model(model)
            leave_out_defaults(model)
    except DiagnosticError as error:
        return Results.UNKNOWN, error.diagnostics[0].message
    worst: tuple[Results, str] | None = None
    reason = "it could not be run on inputs that were drawn"
    for seed in SEEDS:
        try:
            inputs = draw_inputs(old, seed)
            before, again = run_limited(old, inputs), run_limited(old, inputs)
        except EndlessError:
            return Results.UNKNOWN, "it takes too long"
        except Exception as error:  # the evaluator does not take the model or the inputs, for whatever reason
            reason = f"{reason}: {str(error).splitlines()[0][:120]}" if str(error) and ":" not in reason else reason
            continue
        if not all(map(same_value, before, again)):
            return Results.UNKNOWN, "its values are random"
        try:
            after = run_limited(new, inputs)
        except Exception as error:  # what the evaluator took of the one, it must take of the other
            return Results.DIFFERENT, f"it fails where it gave results: {str(error).splitlines()[0][:120]}"
        for number, (left, right) in enumerate(zip(before, after, strict=True), start=1):
            found = _difference(f"output {number}", left, right)
            if worst is None or _ORDER.index(found[0]) > _ORDER.index(worst[0]):
                worst = found
    return worst or (Results.UNKNOWN, reason)


def worst_of(found: Iterable[tuple[Results, str]]) -> tuple[Results, str]:
    """Of several calls, which all are made."""
    return max(found, key=lambda item: _SEVERITY.index(item[0]))


def of_possible(found: Sequence[tuple[str, tuple[Results, str]]]) -> tuple[Results, str]:
    """Of calls of which one is made, each with what is assumed for it: the same only where it is so for all, and
    different where it is for all."""
    if not found:
        return Results.UNKNOWN, "the types of its inputs are not known"
    assumed, worst = max(found, key=lambda item: _SEVERITY.index(item[1][0]))
    if worst[0] in (Results.EQUAL, Results.CLOSE) or len(found) == 1:
        return worst
    if all(results is Results.DIFFERENT for _, (results, _) in found):
        return Results.DIFFERENT, f"where {assumed}, {worst[1]}"
    return Results.UNKNOWN, f"the types of its inputs are not known; where {assumed}, {worst[1]}"


_SEVERITY = (Results.EQUAL, Results.CLOSE, Results.UNKNOWN, Results.DIFFERENT)
_ORDER = (Results.EQUAL, Results.CLOSE, Results.DIFFERENT)


def _difference(name: str, left: Any, right: Any) -> tuple[Results, str]:
    if same_value(left, right):
        return Results.EQUAL, ""
    if isinstance(left, list) or isinstance(right, list) or left is None or right is None:
        return Results.DIFFERENT, f"{name} is another sequence"
    one, other = np.asarray(left), np.asarray(right)
    if one.dtype != other.dtype or one.shape != other.shape:
        kinds = [f"{array.dtype}{list(array.shape)}" for array in (one, other)]
        return Results.DIFFERENT, f"{name} is {kinds[1]}, and was {kinds[0]}"
    unit = _RELATIVE.get(one.dtype.name)
    if unit is None:
        return Results.DIFFERENT, f"{name} has other values"
    with np.errstate(all="ignore"):
        a, b = one.astype(np.float64), other.astype(np.float64)
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        allowed = ULPS * unit * np.maximum(np.abs(a), np.abs(b))
        within = distance <= allowed
    if within.all():
        return Results.CLOSE, f"{name} differs by rounding, at most {distance.max():.3g}"
    at = np.unravel_index(int(np.argmin(within)), within.shape)
    return Results.DIFFERENT, f"{name} is {b[at]:.6g} where it was {a[at]:.6g}"
