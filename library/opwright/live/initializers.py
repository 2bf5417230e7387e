"""Inputs of a model whose values it carries itself: initializers, and defaults of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onnx import GraphProto, ModelProto, SparseTensorProto, ValueInfoProto, numpy_helper

from opwright.diagnostics.model import Diagnostic, DiagnosticError
from opwright.elements import BY_NAME
from opwright.live.names import element_of_dtype

SEEN_BY_INFERENCE = 1 << 10  # elements: what inference may look at is that small, and every copy of the rest costs
FIRST_IR_VERSION = 4  # below it every initializer is the default of an input


class Carried:
    """The tensors of a model, by the parameters of its function; see `OnnxFunction.to_model_proto`."""

    def __init__(self, constants: Mapping[str, object] | None, defaults: Mapping[str, object] | None) -> None:
        self.constants = dict(constants or {})
        self.defaults = dict(defaults or {})

    def add_small(self, model: ModelProto) -> None:
        """Moves small constants from the inputs of the graph to its initializers. Raises DiagnosticError where a tensor
        is not what its parameter says."""
        graph = model.graph
        inputs = {item.name: item for item in graph.input}
        for name, value in (*self.constants.items(), *self.defaults.items()):
            declared = inputs.get(name)
            if declared is None:
                raise DiagnosticError([_refused(f"`{name}` is no input of the model", "it has been given a tensor")])
            _check(declared, value)
        for name in [name for name, value in self.constants.items() if _elements(value) <= SEEN_BY_INFERENCE]:
            _add(graph, name, self.constants.pop(name))
            graph.input.remove(inputs[name])

    def add_rest(self, model: ModelProto) -> None:
        """The same of what is left, and of defaults, which stay inputs."""
        graph = model.graph
        for name, value in (*self.constants.items(), *self.defaults.items()):
            _add(graph, name, value)
        kept = [item for item in graph.input if item.name not in self.constants]
        if len(kept) < len(graph.input):
            del graph.input[:]
            graph.input.extend(kept)


def _add(graph: GraphProto, name: str, value: Any) -> None:
    if isinstance(value, SparseTensorProto):
        tensor = graph.sparse_initializer.add()
        tensor.CopyFrom(value)
        tensor.values.name = name
    else:
        graph.initializer.append(numpy_helper.from_array(value, name))


def _dims(value: Any) -> tuple[int, ...]:
    return tuple(value.dims if isinstance(value, SparseTensorProto) else value.shape)


def _elements(value: Any) -> int:
    count = 1
    for size in _dims(value):
        count *= size
    return count


def _check(declared: ValueInfoProto, value: Any) -> None:
    code = _code(value)
    wanted = declared.type.tensor_type
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in wanted.shape.dim]
    fits = code == wanted.elem_type
    if fits and wanted.HasField("shape"):
        dims = _dims(value)
        fits = len(dims) == len(sizes) and all(b in (None, a) for a, b in zip(dims, sizes, strict=True))
    if not fits:
        found = f"{getattr(value, 'dtype', type(value).__name__)}{list(_dims(value)) if code else ''}"
        message = f"the tensor given for `{declared.name}` is not of its type"
        raise DiagnosticError([_refused(message, f"it is {found}")])


def _code(value: Any) -> int:
    """The ONNX code of the elements; 0 where there is none. Arrays of objects are of texts."""
    if isinstance(value, SparseTensorProto):
        return int(value.values.data_type)
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return 0
    element = BY_NAME["string"] if dtype.kind == "O" else element_of_dtype(dtype)
    return 0 if element is None else element.code


def _refused(message: str, reason: str) -> Diagnostic:
    help_ = "give a numpy array of the element type and shape that the parameter's annotation says"
    return Diagnostic("OW354", message, reason=reason, help=help_)
