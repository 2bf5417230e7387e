"""A graph of one call on arrays that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opwright.builder.graph_builder import GraphBuilder
from opwright.builder.values import Value
from opwright.eager.settings import default_as
from opwright.eager.tensor import Tensor
from opwright.graphs.ndarrays import as_array
from opwright.lang import ir


def run_once(function: Any, opset: int, args: Sequence[object], kwargs: Mapping[str, object]) -> list[Any]:
    """What a function gives for arrays and lists of them; its attributes are given by name. DiagnosticError."""
    builder = GraphBuilder(opset, name="call")
    given: dict[Value, object] = {}

    def enter(value: object) -> object:
        data = value.numpy() if isinstance(value, Tensor) else value
        if isinstance(data, (np.ndarray, np.generic)):
            made = builder.value_of(as_array(data))
            given[made] = as_array(data)
            return made
        if isinstance(data, list) and data and all(isinstance(item, (Tensor, np.ndarray)) for item in data):
            items = [item.numpy() if isinstance(item, Tensor) else as_array(item) for item in data]
            first = builder.value_of(items[0])
            assert isinstance(first.inner.type, ir.TensorType)
            first.inner.type = ir.SequenceType(ir.TensorType(first.inner.type.element))
            given[first] = items
            return first
        return value

    with default_as():
        found = builder.call_function(
            function, [*map(enter, args)], {name: enter(value) for name, value in kwargs.items()}
        )
        return list(builder.run(list(found) if isinstance(found, tuple) else [found], given))
