"""What a function did, operator by operator, while it ran as Python: the steps that another call would take too.

They are the same for other data where nothing that Python saw depended on data: no condition, no index and no size of
a tensor was looked at, and every operation was lowered by types and ranks alone. Else the trace says why not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, helper, numpy_helper

from opwright.eager.arrays import Data
from opwright.eager.node_models import Task
from opwright.eager.ort import newest_accepted
from opwright.eager.tensor import Tensor, make_tensor
from opwright.elements import BY_NAME
from opwright.graphs.ndarrays import element_of
from opwright.lang import ir
from opwright.lang.emit import emit_nodes

MOST_STEPS = 1000
_FLOATS = ("float", "double")  # halves are computed in float between nodes that stand together
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_ADMITTED = frozenset(BY_NAME[name] for name in (*_FLOATS, *_INTEGERS, "bool"))


class Untraceable(Exception):
    """Another call may take other steps, or other values. The text says why."""


class Trace:
    """The steps from the inputs on. Values are told apart by the arrays that hold them, which are kept meanwhile."""

    def __init__(self) -> None:
        self.problem = ""
        self.steps: list[tuple[Task, list[str], list[str]]] = []
        self.inputs: dict[tuple[str, int], np.ndarray[Any, Any]] = {}  # by parameter, and place in a variadic one
        self.results: list[Data] = []
        self.gives_tuple = False
        self.attributes: dict[str, Any] = {}
        self.needs_sizes = False
        self.sized: list[str] = []  # of which a size was looked at
        self._names: dict[int, str] = {}
        self._kept: list[Data] = []
        self._constants: dict[str, np.ndarray[Any, Any]] = {}

    def fail(self, problem: str) -> None:
        self.problem = self.problem or problem

    def enter(self, name: str, index: int, value: Any) -> Any:
        """An input, as a tensor whose array is its own."""
        if type(value) is not Tensor or value.other is not None:
            self.fail("an input is not a tensor")
            return value
        found = value.data.view()
        self._name(found, self.input_name(len(self.inputs)))
        self.inputs[name, index] = found
        return make_tensor(found)

    @staticmethod
    def input_name(index: int) -> str:
        return f"i{index}"

    def leave(self, values: Sequence[Any], is_tuple: bool) -> None:
        """What the function gives; `is_tuple`: in a tuple, which may be one of a single value."""
        self.gives_tuple = is_tuple
        for value in values:
            if type(value) is not Tensor or value.other is not None:
                self.fail("a result is not a tensor")
            else:
                self.results.append(value.data)

    def size_of(self, data: Data) -> None:
        """Python looks at the sizes of a tensor."""
        self.sized.append(self._read(data))

    def step(self, task: Task, results: Sequence[Data], is_sure: bool) -> None:
        """A task has run. `is_sure`: it does the same on all data of these types."""
        if not is_sure or task.key is None or not _is_deterministic(task):
            self.fail(f"{task.name} does not do the same each time, or not on onnxruntime")
        if len(self.steps) >= MOST_STEPS:
            self.fail(f"it takes more than {MOST_STEPS} steps")
        if self.problem:
            return
        inputs = [self._read(data) for data in task.data]
        outputs = [f"v{len(self.steps)}_{index}" for index in range(len(results))]
        for data, name in zip(results, outputs, strict=True):
            self._name(data, name)
        self.steps.append((task, inputs, outputs))

    def outputs(self) -> list[str]:
        """The names of what the function gives. Raises Untraceable where no step has made it."""
        found = [self._names.get(id(data), "") for data in self.results]
        if not all(name.startswith("v") for name in found):
            raise Untraceable("a result is an input, or a constant")
        return found

    def opset(self) -> int:
        """The newest opset at which onnxruntime takes all steps, and each means what it did. Raises Untraceable."""
        spans = [task.opsets() for task, _, _ in self.steps]
        first, last = max(span[0] for span in spans), min(newest_accepted(), *(span[1] for span in spans))
        if last < first:
            raise Untraceable("no opset has all operators")
        return last

    def constant(self, data: np.ndarray[Any, Any]) -> None:
        """An array that is the same in each call."""
        if id(data) not in self._names:
            name = self._name(data, f"c{len(self._constants)}")
            self._constants[name] = data.copy()

    def _read(self, data: Data) -> str:
        found = self._names.get(id(data))
        if found is None:
            self.fail("it computes with something that no step has made")
        return found or ""

    def _name(self, data: Data, name: str) -> str:
        if not isinstance(data, np.ndarray) or element_of(data) not in _ADMITTED:
            self.fail("it has values that are not computed alike in one graph")
        self._names[id(data)] = name
        self._kept.append(data)
        return name

    # ------------------------------------------------------------------------------------------------ the graph

    def model(self, opset: int, outputs: Sequence[str], shaped: bool) -> ModelProto:
        """All steps as one model; `shaped`: for inputs of these sizes alone."""
        if self.problem:
            raise Untraceable(self.problem)
        infos = [
            helper.make_tensor_value_info(
                self.input_name(index),
                helper.np_dtype_to_tensor_dtype(array.dtype),
                array.shape if shaped else [None] * array.ndim,
            )
            for index, array in enumerate(self.inputs.values())
        ]
        results = [helper.make_empty_tensor_value_info(name) for name in outputs]
        constants = [numpy_helper.from_array(array, name) for name, array in self._constants.items()]
        graph = helper.make_graph([], "whole", infos, results, constants)
        imports: dict[str, int] = {"": opset}
        for task, inputs, made in self.steps:
            names: dict[ir.Value | None, str] = dict(zip(task.inputs, inputs, strict=True))
            names |= dict(zip(task.node.made(), made, strict=True))
            for domain, version in emit_nodes([task.node], opset, names, graph).items():
                imports[domain] = max(version, imports.get(domain, 1))
        ids = [helper.make_opsetid(*item) for item in imports.items()]
        return helper.make_model(graph, opset_imports=ids, ir_version=helper.find_min_ir_version_for(ids))

    @staticmethod
    def check_use(graph: GraphProto) -> None:
        """Raises Untraceable where the result of a step is unused: the step may fail all the same."""
        read = {name for node in graph.node for name in node.input} | {item.name for item in graph.output}
        for node in graph.node:
            if read.isdisjoint(node.output):
                raise Untraceable(f"the results of {node.op_type} are unused")

    def follows(self, model: ModelProto, shaped: bool) -> bool:
        """Whether all ranks, and the sizes that Python looked at, follow from what the model says of its inputs; else
        `needs_sizes` says whether they may follow from sizes."""
        self.needs_sizes = not shaped
        if self.sized and not shaped:
            return False
        from opwright.graphs.model_inference import infer_model

        inferred = infer_model(model, data_prop=True)
        if inferred is None:
            return False
        known = {item.name: item.type.tensor_type for item in (*inferred.input, *inferred.value_info, *inferred.output)}
        made = [name for _, _, names in self.steps for name in names]
        sized = [known[name] for name in self.sized if name in known]
        if all(name in known and known[name].HasField("shape") for name in made) and all(
            dim.HasField("dim_value") for item in sized for dim in item.shape.dim
        ):
            self.needs_sizes = False
            return True
        return False


def _is_deterministic(task: Task) -> bool:
    signatures = list(task.signatures())
    return bool(signatures) and all(item.deterministic for item in signatures)
