"""Functions that exist as protos, called on arrays: a model of one call, run as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opwright.eager.captured import capturer_of
from opwright.eager.settings import current, is_inside_function
from opwright.eager.tensor import Items, Tensor, tensor_of
from opwright.opsets.signatures import newest_opset

if TYPE_CHECKING:
    from opwright.live.proto_functions import ProtoFunction


def call_proto_function(function: ProtoFunction, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The results: tensors for tensors and within functions that run, else arrays. See `ProtoFunction.__call__`."""
    settings = current()
    capturing = settings.capturing or capturer_of((*args, *kwargs.values()))
    if capturing is not None:
        return capturing.call_function(function, args, kwargs)
    if settings.trace is not None:
        settings.trace.fail(f"{function.name} exists as a proto alone")
    from opwright.builder.one_call import run_once

    tensors = is_inside_function() or any(isinstance(value, (Tensor, Items)) for value in (*args, *kwargs.values()))
    written = next((item.version for item in function.proto.opset_import if not item.domain), newest_opset())
    found = run_once(function, written, args, kwargs)
    results = tuple(tensor_of(item) if tensors and not isinstance(item, list) else item for item in found)
    return results[0] if len(results) == 1 else results
