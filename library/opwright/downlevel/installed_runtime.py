"""What the installed onnxruntime takes, found by trying: for releases that came out after the last that is on record.

It loads a model of one node at each opset and IR version, and says which kernels it has. Of those that the newest
release on record lacks, the ones that are there now are no longer missing; where it does not say, all of them stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from onnx import TensorProto, helper

from opwright.opsets.records import IDENTITY

_OPSETS, _IR_VERSIONS = range(13, 100), range(3, 100)
_EVERY = 13, 3  # an opset and an IR version that every release takes
_CPU = "CPUExecutionProvider"


def takes() -> tuple[int, int]:
    """The newest opset and the newest IR version that it loads. ImportError where it is not installed."""
    opset, ir_version = _EVERY
    while opset + 1 in _OPSETS and _loads(opset + 1, _EVERY[1]):
        opset += 1
    while ir_version + 1 in _IR_VERSIONS and _loads(_EVERY[0], ir_version + 1):
        ir_version += 1
    return opset, ir_version


def without_kernel(
    domain: str, operator: str, since_version: int, types: Iterable[Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """Those of the types (variable to element) for which it still has no kernel, of one version of an operator."""
    kernels = [
        kernel.type_constraints
        for kernel in _kernels()
        if (kernel.domain, kernel.op_name, kernel.provider) == (domain, operator, _CPU)
        and kernel.version_range[0] <= since_version <= kernel.version_range[1]
    ]
    return [row for row in types if not any(_admits(constraints, row) for constraints in kernels)]


def _admits(constraints: Mapping[str, list[str]], types: Mapping[str, str]) -> bool:
    return all(f"tensor({element})" in constraints.get(variable, ()) for variable, element in types.items())


def _kernels() -> list[Any]:
    """Its kernels; none where this build does not list them."""
    state = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    listing = getattr(state, "get_all_opkernel_def", None)
    return [] if listing is None else listing()


def _loads(opset: int, ir_version: int) -> bool:
    runtime: Any = import_module("onnxruntime")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y"))
    graph = helper.make_graph([helper.make_node(IDENTITY.name, ["x"], ["y"])], "probe", [x], [y])
    model = helper.make_model(graph, ir_version=ir_version, opset_imports=[helper.make_opsetid("", opset)])
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        runtime.InferenceSession(model.SerializeToString(), options, providers=[_CPU])
    except Exception:  # its exceptions have no base class of their own
        return False
    return True
