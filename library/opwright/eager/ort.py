"""onnxruntime as an evaluator of single nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from opwright.eager import ort_values
from opwright.eager.arrays import Data
from opwright.eager.messages import named_nodes, one_line
from opwright.eager.node_models import Task
from opwright.eager.ort_faults import fault_of
from opwright.eager.outcome import Failed, NoKernel, Session
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.opsets.records import IDENTITY, record_of
from opwright.opsets.signatures import newest_opset


def is_installed() -> bool:
    return find_spec("onnxruntime") is not None


class OnnxRuntime:
    """Runs a node on onnxruntime's CPU kernels, one thread.

    The node is loaded at the newest opset that onnxruntime accepts among those at which the operator is the same, so
    that its age does not matter. NoKernel where there is none, or no kernel for the types.
    """

    def load(self, task: Task) -> Session:
        first, last = task.opsets()
        opset = min(last, newest_accepted())
        if opset < first:
            raise NoKernel(f"onnxruntime: {task.name} of opset {first} is not known")
        foreign = any(not _is_native(value.type) for value in (*task.inputs, *task.node.made()))
        try:
            return OrtSession(_load(task.model(opset)), task, foreign)
        except Exception as error:  # onnxruntime's exceptions share no base class of their own
            raise NoKernel(f"onnxruntime: {one_line(error)}") from None


def load_whole(model: Any) -> Any:
    """A session of a model of several nodes, each of which computes as it would alone. Raises NoKernel."""
    try:
        return _load(model, {"session.disable_prepacking": "1"})
    except Exception as error:  # as below
        raise NoKernel(f"onnxruntime: {one_line(error)}") from None


def _load(model: Any, entries: Mapping[str, str] = MappingProxyType({})) -> Any:
    runtime = _onnxruntime()
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what it says of a refused model is in the exception
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@cache
def _onnxruntime() -> Any:
    return import_module("onnxruntime")


@cache
def newest_accepted() -> int:
    """The newest default-domain opset that the installed onnxruntime loads; 0 when it loads none."""
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info("i0", TensorProto.FLOAT, [1])
    result = helper.make_tensor_value_info("o0", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node(IDENTITY.name, ["i0"], ["o0"])], "probe", [info], [result])
    for opset in range(newest_opset(), 0, -1):
        imports = [helper.make_opsetid("", opset)]
        version = helper.find_min_ir_version_for(imports)
        try:
            _load(helper.make_model(graph, opset_imports=imports, ir_version=version))
        except Exception:  # it says no in several ways
            continue
        return opset
    return 0


def _is_native(type_: ir.Type) -> bool:
    if isinstance(type_, ir.TensorType):
        element = ir.settle(type_.element)
        return not isinstance(element, ElementType) or ort_values.is_native(element.name)
    return True


class OrtSession:
    def __init__(self, session: Any, task: Task, foreign: bool) -> None:
        self._session = session
        self._run = session._sess.run  # spares a third of the time of a call; both take the same arguments
        self._inputs = [f"i{index}" for index in range(len(task.inputs))]
        self._outputs = [item.name for item in session.get_outputs()]
        self._foreign = foreign or any(is_foreign(item.type) for item in session.get_outputs())
        self._kinds = [_kind(value.type) for value in task.inputs]
        made = [_kind(value.type) for value in task.node.made()]
        self._is_faulty = fault_of(record_of("", task.name), self._kinds, made)

    @property
    def is_sure(self) -> bool:
        """Whether it runs on all data of these types, as it would as a part of a larger model."""
        return self._is_faulty is None and not self._foreign

    def run(self, data: Sequence[Data]) -> list[Data]:
        if self._is_faulty is not None and self._is_faulty(data):
            raise NoKernel("onnxruntime: its kernel is wrong on such operands")
        try:
            if self._foreign:
                return self._run_by_memory(data)
            found: list[Data] = self._run(self._outputs, dict(zip(self._inputs, data, strict=True)), None)
            return found
        except NoKernel:
            raise
        except _onnxruntime().capi.onnxruntime_pybind11_state.NotImplemented as error:
            raise NoKernel(f"onnxruntime: {one_line(error)}") from None
        except Exception as error:  # as above
            raise Failed(one_line(error), next(iter(named_nodes(error)), "")) from None

    def _run_by_memory(self, data: Sequence[Data]) -> list[Data]:
        """Types that numpy does not have go in and out as bytes; strings and sequences cannot go with them."""
        if any(kind in ("", "string") for kind in self._kinds):
            raise NoKernel("onnxruntime: these types cannot be passed in one call")
        values = {
            name: ort_values.to_value(_onnxruntime(), item, kind)
            for name, item, kind in zip(self._inputs, data, self._kinds, strict=True)
        }
        found = self._session.run_with_ort_values(self._outputs, values)
        if not all(value.is_tensor() for value in found):
            raise NoKernel("onnxruntime: these types cannot be passed in one call")
        return [ort_values.to_array(value) for value in found]


_FOREIGN = ("bfloat16", "float8", "float6", "float4", "int4", "int2")


def is_foreign(text: str) -> bool:
    """Whether results of a type, as onnxruntime spells it, cannot be numpy arrays."""
    return any(kind in text for kind in _FOREIGN)


def _kind(type_: ir.Type) -> str:
    """The name of the element type of a tensor; empty for anything else."""
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    return element.name if isinstance(element, ElementType) else ""
