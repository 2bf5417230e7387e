"""Functions that lack what they call: another tool has removed it from the model."""

from __future__ import annotations

from onnx import FunctionProto, ModelProto

from opwright.graphs.ids import call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.link.check import undefined_calls


def missing_callee(model: ModelProto, function: FunctionProto) -> str | None:
    """What a function of the model calls, by others too, and nothing defines, as `domain::Name`; None where there is no
    such call. The digest of the function is then none that any library has."""
    undefined = set(undefined_calls(model))
    by_id = {function_id(item): item for item in model.functions}
    pending, seen = [function], {function_id(function)}
    while pending and undefined:
        for node in all_nodes(pending.pop().node):
            identity = call_id(node)
            if identity in undefined:
                return f"{identity[0]}::{identity[1]}"
            if identity in by_id and identity not in seen:
                seen.add(identity)
                pending.append(by_id[identity])
    return None
