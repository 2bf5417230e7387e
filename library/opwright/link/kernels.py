"""Names of functions that a runtime has a kernel for: it runs that, and ignores the body that a model brings.

onnxruntime does so for every operator that it knows, whether a graph calls it or a function. What it knows is found by
trying: a model brings a function of that name, and the graph that onnxruntime makes of it has the body's nodes, or the
call. Where it is not installed, the operators of a release that was looked at are known.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import onnx
from onnx import ModelProto, helper

from opwright.graphs.ids import FunctionId, call_id
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import DEFAULT_DOMAIN, RUNTIME_DOMAINS, normal_domain
from opwright.opsets.records import IDENTITY

OPERATORS = Path(__file__).with_name("runtime_operators.json")

_PROBED = 18  # an opset that every onnxruntime accepts
_IR_VERSION = 8  # which has it


def runtime_with_kernel(identity: FunctionId, version: int) -> str:
    """The runtime that runs a kernel of its own where a function of that id is called; empty where none does that is
    known. `version` is that of the domain in the model."""
    domain, name, _ = identity
    domain = normal_domain(domain)
    if domain == DEFAULT_DOMAIN:
        return "onnxruntime" if schema_at(name, domain, version) is not None else ""
    if has_kernel(domain, name):
        return f"onnxruntime {import_module('onnxruntime').__version__}"
    known = _known()
    return f"onnxruntime {known['release']}" if name in known["operators"].get(domain, ()) else ""


def has_kernel(domain: str, name: str) -> bool:
    """Whether the installed onnxruntime runs a kernel of its own for a function of that name."""
    return domain.startswith(RUNTIME_DOMAINS) and find_spec("onnxruntime") is not None and _runs_kernel(domain, name)


@cache
def _known() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(OPERATORS.read_text(encoding="utf-8"))
    return table


@cache
def _runs_kernel(domain: str, name: str) -> bool:
    """Whether the call is still there once onnxruntime has put the bodies of functions in the place of their calls."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "made.onnx")
        try:
            runtime.InferenceSession(
                _probe(domain, name).SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception:  # it holds the call against an operator of its own; its exceptions have no base class
            return True
        made = onnx.load(options.optimized_model_filepath)
    return any(call_id(node) == (domain, name, "") for node in made.graph.node)


def _probe(domain: str, name: str) -> ModelProto:
    """A model that calls a function of that name."""
    imports = [helper.make_opsetid("", _PROBED), helper.make_opsetid(domain, 1)]
    body = helper.make_function(
        domain, name, ["x"], ["y"], [helper.make_node(IDENTITY.name, ["x"], ["y"])], imports[:1]
    )
    x, y = (helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, [1]) for value in ("x0", "y0"))
    graph = helper.make_graph([helper.make_node(name, ["x0"], ["y0"], domain=domain)], "probe", [x], [y])
    return helper.make_model(
        graph, functions=[body], ir_version=_IR_VERSION, opset_imports=imports, producer_name="opwright"
    )
