"""Models of onnx_ir as ModelProtos, and back: their weights stay where they are.

onnx_ir is never imported here: who gives a model of it has imported it. In the ModelProto an initializer that lies in a
file, is large or cannot be read now is one of an external file, whose location is a number of ours; when a model is
made of a ModelProto again, the tensor itself takes that place. So weights are neither copied nor read, lazy ones not
made, and each keeps the folder that its file is in. Tensors of nodes are part of what is computed: they are read.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.graphs.external_data import LEAST
from opwright.graphs.external_tensors import unreadable
from opwright.graphs.ids import function_id
from opwright.graphs.walk import all_graphs, all_nodes, names_of

_LOCATION = "onnx_ir tensor "
_MOST_LETTERS = 300  # of another package's message


def is_ir_model(value: object) -> bool:
    """Whether it is an onnx_ir.Model."""
    model = getattr(sys.modules.get("onnx_ir"), "Model", None)
    return isinstance(model, type) and issubclass(type(value), model)


class IrModel:
    """An onnx_ir.Model as a ModelProto, `proto`, and the tensors that were left out of it.

    Raises DiagnosticError (OW579) where onnx_ir cannot say the model as a ModelProto.
    """

    def __init__(self, model: Any) -> None:
        self._kept: dict[str, Any] = {}  # by location
        self.proto: ModelProto = converted(
            "the onnx_ir.Model cannot be made a ModelProto", lambda: self._serialised(model)
        )

    def with_proto(self, proto: ModelProto) -> Any:
        """A new onnx_ir.Model of a ModelProto that was made from `proto`, with the tensors that were left out.

        Raises DiagnosticError (OW579) where onnx_ir does not take it.
        """
        return converted("the new model cannot be made one of onnx_ir", lambda: self._deserialised(proto))

    def load(self, tensor: TensorProto) -> None:
        """Reads the elements of a tensor that was left out into its proto. DiagnosticError (OW550)."""
        kept = self._kept_of(tensor)
        try:
            data = bytes(kept.tobytes())
        except Exception as error:  # the tensors of others raise what they like
            raise unreadable(tensor, first_cause(error)) from None
        tensor.ClearField("external_data")
        tensor.ClearField("data_location")
        tensor.raw_data = data

    def array(self, tensor: TensorProto, dtype: Any) -> Any:
        """The elements of a tensor that was left out, without a copy where it has them. DiagnosticError (OW550)."""
        kept = self._kept_of(tensor)
        try:
            array = np.asarray(kept.numpy())
            return array if array.dtype == dtype else np.frombuffer(kept.tobytes(), dtype).reshape(tuple(tensor.dims))
        except Exception as error:  # the tensors of others raise what they like
            raise unreadable(tensor, first_cause(error)) from None

    def _kept_of(self, tensor: TensorProto) -> Any:
        location = next((item.value for item in tensor.external_data if item.key == "location"), "")
        if location not in self._kept:
            raise unreadable(tensor, f"it names the file {location[:200]}, and no folder that this is in")
        return self._kept[location]

    def _serialised(self, model: Any) -> ModelProto:
        functions = {key: _Graph(function, self._initializer) for key, function in model.functions.items()}
        stand_in = _Changed(model, graph=_Graph(model.graph, self._initializer), functions=functions)
        proto: ModelProto = _onnx_ir().serde.serialize_model(stand_in)
        return proto

    def _initializer(self, tensor: Any) -> Any:
        """What stands for an initializer in the ModelProto."""
        if not isinstance(tensor, _onnx_ir().ExternalTensor) and not _is_large(tensor):
            try:
                return _in_memory(tensor)
            except Exception:  # one without elements, as torch exports them to put weights in later
                pass
        location = f"{_LOCATION}{len(self._kept)}"
        self._kept[location] = tensor
        return _onnx_ir().ExternalTensor(
            location,
            None,
            None,
            tensor.dtype,
            shape=_onnx_ir().Shape([int(size) for size in tensor.shape]),
            name=tensor.name or "",
            doc_string=tensor.doc_string,
        )

    def _deserialised(self, proto: ModelProto) -> Any:
        made = _onnx_ir().serde.deserialize_model(proto)
        names, called = _given_names(proto), {function_id(function) for function in proto.functions}
        pending = [made.graph, *made.functions.values()]
        while pending:
            graph = pending.pop()
            for value in getattr(graph, "initializers", {}).values():  # functions have none
                if isinstance(value.const_value, _onnx_ir().ExternalTensor):
                    value.const_value = self._kept.get(str(value.const_value.location), value.const_value)
            for node in graph:
                if (node.domain, node.op_type, node.overload) in called:
                    _name_outputs(node, names)
                items = (item for attribute in node.attributes.values() for item in _items(attribute))
                pending.extend(item for item in items if isinstance(item, _onnx_ir().Graph))
        return made


def _given_names(model: ModelProto) -> set[str]:
    names = {name for graph in all_graphs(model.graph) for name in names_of(graph)}
    for function in model.functions:
        names.update(function.input, *(node.output for node in all_nodes(function.node)))
    return names


def _name_outputs(node: Any, names: set[str]) -> None:
    """Gives names to the last outputs of a call that nothing reads: onnx_ir would leave those without a name out, and
    onnxruntime wants as many as the function has."""
    for number, value in enumerate(node.outputs):
        if not value.name and not any(item.name for item in node.outputs[number:]):
            name = f"{node.outputs[0].name or node.op_type}_unread_{number}"
            while name in names:
                name += "_"
            names.add(name)
            value.name = name


def _onnx_ir() -> Any:
    return sys.modules["onnx_ir"]


def _in_memory(tensor: Any) -> Any:
    """A tensor of onnx_ir with the same elements, in a TensorProto."""
    if not isinstance(tensor, _onnx_ir().ExternalTensor):
        return _onnx_ir().serde.TensorProtoTensor(_onnx_ir().serde.serialize_tensor(tensor))
    proto = TensorProto(name=tensor.name, data_type=int(tensor.dtype), doc_string=tensor.doc_string or "")
    proto.dims.extend(int(size) for size in tensor.shape)
    proto.raw_data = bytes(tensor.tobytes())
    for key, value in tensor.metadata_props.items():
        proto.metadata_props.add(key=key, value=value)
    return _onnx_ir().serde.TensorProtoTensor(proto)


def _is_large(tensor: Any) -> bool:
    element = BY_CODE.get(int(tensor.dtype))
    if element is None or element.kind == "string":
        return False
    return math.prod(int(size) for size in tensor.shape) * element.bits >= 8 * LEAST


class _Changed:
    """An object of onnx_ir some of whose attributes are others; onnx_ir asks for attributes alone."""

    def __init__(self, original: Any, **changed: Any) -> None:
        self.original = original
        self.__dict__.update(changed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


class _Graph(_Changed):
    """A graph or function of onnx_ir with other tensors: `initializer` says what stands for one."""

    def __init__(self, original: Any, initializer: Callable[[Any], Any]) -> None:
        super().__init__(original, initializer=initializer)
        values = getattr(original, "initializers", {})  # functions have none
        self.initializers = {name: self._initializer(value) for name, value in values.items()}

    def __iter__(self) -> Iterator[Any]:
        for node in self.original:
            changed = {name: self._attribute(item) for name, item in node.attributes.items()}
            same = all(changed[name] is item for name, item in node.attributes.items())
            yield node if same else _Changed(node, attributes=changed)

    def _initializer(self, value: Any) -> _Changed:
        if value.const_value is None:
            raise ValueError(f"the initializer {value.name!r} has no value")  # serialised, it would be no initializer
        return _Changed(value, const_value=self.initializer(value.const_value))

    def _attribute(self, attribute: Any) -> Any:
        items = _items(attribute)
        changed = [self._item(item) for item in items]
        if all(one is other for one, other in zip(changed, items, strict=True)):
            return attribute
        return _Changed(attribute, value=changed if isinstance(attribute.value, list | tuple) else changed[0])

    def _item(self, item: Any) -> Any:
        if isinstance(item, _onnx_ir().Graph):
            return _Graph(item, self.initializer)
        return _in_memory(item) if isinstance(item, _onnx_ir().ExternalTensor) else item


def _items(attribute: Any) -> list[Any]:
    """The values of an attribute that has several, or the one."""
    value = getattr(attribute, "value", None)
    return list(value) if isinstance(value, list | tuple) else [value]


def converted(problem: str, work: Callable[[], Any]) -> Any:
    """What code of onnx_ir or torch gives. Raises DiagnosticError (OW579) with the `problem` where it fails."""
    try:
        return work()
    except DiagnosticError:
        raise
    except Exception as error:  # whatever onnx_ir, or a tensor of others, raises
        help_text = "fix what it names, or give the model as a ModelProto"
        raise DiagnosticError([Diagnostic("OW579", problem, reason=first_cause(error), help=help_text)]) from None


def first_cause(error: BaseException) -> str:
    """What went wrong first: onnx_ir shows whole models around it."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:_MOST_LETTERS]}" if text else type(error).__name__
