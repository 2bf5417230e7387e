"""Functions that exist as protos, called on arrays: a graph of one call, run as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opwright.builder.graph_builder import GraphBuilder
from opwright.builder.graph_values import Value
from opwright.eager.outcome import capturer_of
from opwright.eager.settings import current, default_as, is_inside_function
from opwright.eager.tensor import Items, Tensor, tensor_of
from opwright.graphs.ndarrays import as_array
from opwright.lang import ir
from opwright.live.proto_functions import ProtoFunction
from opwright.opsets.signatures import newest_opset


def call_proto_function(function: ProtoFunction, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The results: tensors for tensors and within functions that run, else arrays. See `ProtoFunction.__call__`."""
    settings = current()
    capturing = settings.capturing or capturer_of((*args, *kwargs.values()))
    if capturing is not None:
        return capturing.call_function(function, args, kwargs)
    if settings.trace is not None:
        settings.trace.fail(f"{function.name} exists as a proto alone")
    tensors = is_inside_function() or any(isinstance(value, (Tensor, Items)) for value in (*args, *kwargs.values()))
    written = next((item.version for item in function.proto.opset_import if not item.domain), newest_opset())
    found = _run_once(function, written, args, kwargs)
    results = tuple(tensor_of(item) if tensors and not isinstance(item, list) else item for item in found)
    return results[0] if len(results) == 1 else results


def _run_once(function: ProtoFunction, opset: int, args: Sequence[object], kwargs: Mapping[str, object]) -> list[Any]:
    """What a function gives for arrays and lists of them; its attributes are given by name. DiagnosticError."""
    builder = GraphBuilder(opset, name="call")
    given: dict[Value, object] = {}

    def enter(value: object) -> object:
        data = value.numpy() if isinstance(value, Tensor) else value
        if isinstance(data, (np.ndarray, np.generic)):
            array = as_array(data)
            made = builder.value_of(array)
            assert isinstance(made.inner.type, ir.TensorType)
            made.inner.type = ir.TensorType(made.inner.type.element, array.shape)
            given[made] = array
            return made
        if isinstance(data, list) and data and all(isinstance(item, (Tensor, np.ndarray)) for item in data):
            return [enter(item) for item in data]
        return value

    with default_as():
        found = builder.call_function(
            function, [*map(enter, args)], {name: enter(value) for name, value in kwargs.items()}
        )
        return list(builder.run(list(found) if isinstance(found, tuple) else [found], given))
