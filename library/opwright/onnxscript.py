"""Functions of ours in scripts of the package onnxscript.

Imported on request alone: it needs onnxscript. The other way needs nothing: `opwright.proto_function` takes a function
of onnxscript.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any

import numpy as np
from onnxscript import tensor, values

from opwright.foreign.callables import Callable, emitted_domain, version_of
from opwright.foreign.function_schemas import schema_of
from opwright.foreign.link import link

__all__ = ["link", "operator"]


def operator(function: Callable) -> values.Op:
    """The function as an operator that a script of onnxscript calls: `swish = operator(Swish)`.

    The script's model has a node of the function's domain for each call; `link(model, [Swish])` gives it the function.
    Called on arrays, by such a script or by itself, it runs the function. Raises DiagnosticError where the function
    does not compile.
    """
    return _Operator(function)


class _Operator(values.Op):
    def __init__(self, function: Callable) -> None:
        opset = values.Opset(emitted_domain(function), version_of(function))
        super().__init__(opset, function.name, schema_of(function))
        self.ours = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        held = any(isinstance(value, tensor.Tensor) for value in (*args, *kwargs.values()))
        found = self.ours(*map(_array, args), **{name: _array(value) for name, value in kwargs.items()})
        if not held:
            return found
        return tuple(map(_tensor, found)) if isinstance(found, tuple) else _tensor(found)


def _array(value: Any) -> Any:
    return value.value if isinstance(value, tensor.Tensor) else value


def _tensor(value: Any) -> Any:
    return tensor.Tensor(value) if isinstance(value, np.ndarray) else value
