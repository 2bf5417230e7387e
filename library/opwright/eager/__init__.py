"""Running functions and operators on arrays: what a script computes, as plain Python.

`strict`, `at_opset` and `whole_functions` are context managers. What runs the operators: `opwright.evaluator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright.eager.operations import call_operator, make_scalar
    from opwright.eager.python_execution import call_function, run_body
    from opwright.eager.settings import at_opset, strict, whole_functions
    from opwright.eager.tensor import Tensor, tensor_of

_HOMES = {
    "Tensor": "opwright.eager.tensor",
    "at_opset": "opwright.eager.settings",
    "call_function": "opwright.eager.python_execution",
    "call_operator": "opwright.eager.operations",
    "make_scalar": "opwright.eager.operations",
    "run_body": "opwright.eager.python_execution",
    "strict": "opwright.eager.settings",
    "tensor_of": "opwright.eager.tensor",
    "whole_functions": "opwright.eager.settings",
}

__all__ = [
    "Tensor",
    "at_opset",
    "call_function",
    "call_operator",
    "make_scalar",
    "run_body",
    "strict",
    "tensor_of",
    "whole_functions",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'opwright.eager' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(home), name)
    globals()[name] = found
    return found
