"""Which functions onnxruntime has a kernel named like: it takes their calls for its own, and ignores their bodies."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import onnx
from onnx import helper
from opwright.opsets.domains import RUNTIME_DOMAINS

_PROBED = 18  # an opset that every onnxruntime accepts
_IR_VERSION = 8  # which has it


def has_kernel(domain: str, name: str) -> bool:
    """Whether onnxruntime knows an operator of that name: then it ignores the body of a function that has it."""
    return domain.startswith(RUNTIME_DOMAINS) and find_spec("onnxruntime") is not None and _knows(domain, name)


@cache
def _knows(domain: str, name: str) -> bool:
    node = helper.make_node(name, [], ["y0"], domain=domain)
    graph = helper.make_graph([node], "probe", [], [onnx.ValueInfoProto(name="y0")])
    imports = [helper.make_opsetid("", _PROBED), helper.make_opsetid(domain, 1)]
    model = helper.make_model(graph, ir_version=_IR_VERSION, opset_imports=imports, producer_name="opwright")
    try:
        onnxruntime_module().InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base class of their own
        return "is not a registered function/op" not in str(error)
    return True


def onnxruntime_module() -> Any:
    """onnxruntime, which tells fatal errors alone."""
    runtime: Any = import_module("onnxruntime")
    runtime.set_default_logger_severity(4)
    return runtime
