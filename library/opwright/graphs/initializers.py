"""Inputs of a model whose values it carries itself: initializers, and defaults of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnx import GraphProto, ModelProto, SparseTensorProto, TensorProto, TypeProto, ValueInfoProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE, BY_NAME
from opwright.graphs.external_data import LEAST, aligned, byte_length, elements, refer, write_elements
from opwright.graphs.ndarrays import element_of_dtype, is_masked
from opwright.graphs.whole_files import written_whole

SEEN_BY_INFERENCE = 1 << 10  # elements: what inference may look at is that small, and every copy of the rest costs
LARGEST = (1 << 31) - 1  # bytes of a protobuf message
_STRING = BY_NAME["string"].code


class Carried:
    """The tensors of a model, by the parameters of its function; see `OnnxFunction.to_model_proto`."""

    def __init__(
        self,
        constants: Mapping[str, object] | None = None,
        defaults: Mapping[str, object] | None = None,
        external_data: Path | None = None,
    ) -> None:
        self.constants = dict(constants or {})
        self.defaults = dict(defaults or {})
        self.external_data = external_data

    def add_small(self, model: ModelProto) -> None:
        """Moves small constants from the inputs of the graph to its initializers. Raises DiagnosticError where a tensor
        is not what its parameter says."""
        graph = model.graph
        inputs = {item.name: item for item in graph.input}
        for name in (name for name in self.constants if name in self.defaults):
            reason = "what `initializers` names is no input, and what `input_defaults` names is one"
            raise DiagnosticError([_refused(f"`{name}` has been given two tensors", reason, "give one of them")])
        for name, value in (*self.constants.items(), *self.defaults.items()):
            declared = inputs.get(name)
            if declared is None:
                listed = ", ".join(f"`{item}`" for item in inputs) or "none"
                reason = f"it has been given a tensor; the inputs are: {listed}"
                raise DiagnosticError([_refused(f"`{name}` is no input of the model", reason)])
            _check(declared, value)
        for name in [name for name, value in self.constants.items() if _elements(value) <= SEEN_BY_INFERENCE]:
            _add(graph, name, self.constants.pop(name))
            graph.input.remove(inputs[name])

    def add_rest(self, model: ModelProto) -> None:
        """The same of what is left, and of defaults, which stay inputs; large ones go to the file next to the model.
        Raises DiagnosticError where it cannot be written, or there is none and a model cannot hold them."""
        graph = model.graph
        given = {**self.constants, **self.defaults}
        offsets = {} if self.external_data is None else self._write_aside(given, self.external_data)
        size = sum(_length(value) for name, value in given.items() if name not in offsets)
        if size > LARGEST:
            raise DiagnosticError([_too_large(size)])
        for name, value in given.items():
            tensor = _add(graph, name, value, name in offsets)
            if name in offsets:
                assert self.external_data is not None and tensor is not None
                refer(tensor, self.external_data.name, offsets[name], _length(value))
        kept = [item for item in graph.input if item.name not in self.constants]
        if len(kept) < len(graph.input):
            del graph.input[:]
            graph.input.extend(kept)

    def _write_aside(self, given: Mapping[str, Any], path: Path) -> dict[str, int]:
        """Writes the large tensors to the file; gives where each begins in it."""
        large = {name: value for name, value in given.items() if _code(value) != _STRING and _length(value) >= LEAST}
        offsets = aligned([_length(value) for value in large.values()])
        parts = (elements(value, _code(value)) for value in large.values())
        try:
            if large:
                with written_whole(path) as stream:
                    write_elements(zip(offsets, parts, strict=True), stream)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DiagnosticError([Diagnostic("OW572", f"cannot write {path}", reason=reason)]) from None
        return dict(zip(large, offsets, strict=True))


def _add(graph: GraphProto, name: str, value: Any, elsewhere: bool = False) -> TensorProto | None:
    """Adds a tensor to a graph; gives one that is not sparse, without its elements where those are `elsewhere`."""
    if isinstance(value, SparseTensorProto):
        sparse = graph.sparse_initializer.add()
        sparse.CopyFrom(value)
        sparse.values.name = name
        return None
    tensor = graph.initializer.add(name=name, data_type=_code(value), dims=value.shape)
    if tensor.data_type == _STRING:
        tensor.string_data.extend(item if isinstance(item, bytes) else str(item).encode() for item in value.flat)
    elif not elsewhere:
        tensor.raw_data = bytes(elements(value, tensor.data_type))
    return tensor


def _length(value: Any) -> int:
    return 0 if isinstance(value, SparseTensorProto) else byte_length(value, _code(value))


def _dims(value: Any) -> tuple[int, ...]:
    return tuple(value.dims if isinstance(value, SparseTensorProto) else value.shape)


def _elements(value: Any) -> int:
    count = 1
    for size in _dims(value):
        count *= size
    return count


def _check(declared: ValueInfoProto, value: Any) -> None:
    if is_masked(value):
        message = f"the tensor given for `{declared.name}` is a masked array"
        raise DiagnosticError([_refused(message, "a model holds no masks")])
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
        raise DiagnosticError([_refused(message, f"it is {found}, and `{declared.name}` is {_written(wanted)}")])


def _written(wanted: TypeProto.Tensor) -> str:
    """A type as messages have it; that of a sequence has no element type here."""
    if wanted.elem_type not in BY_CODE:
        return "no tensor"
    sizes = [dim.dim_param or (str(dim.dim_value) if dim.HasField("dim_value") else "?") for dim in wanted.shape.dim]
    return f"{BY_CODE[wanted.elem_type].name}[{', '.join(sizes) if wanted.HasField('shape') else '...'}]"


def _code(value: Any) -> int:
    """The ONNX code of the elements; 0 where there is none. Arrays of objects are of texts."""
    if isinstance(value, SparseTensorProto):
        return int(value.values.data_type)
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return 0
    element = BY_NAME["string"] if dtype.kind == "O" else element_of_dtype(dtype)
    return 0 if element is None else element.code


def _too_large(size: int) -> Diagnostic:
    return Diagnostic(
        "OW384",
        f"the initializers have {size:,} bytes, and a protobuf message holds {LARGEST:,}",
        reason="a ModelProto is one message, and tensors in it are a part of it",
        help='write large ones to a file next to the model: `external_data="model.onnx.data"`',
    )


_HELP = "give a numpy array of the element type and shape that the parameter's annotation says"


def _refused(message: str, reason: str, help_: str = _HELP) -> Diagnostic:
    return Diagnostic("OW354", message, reason=reason, help=help_)
