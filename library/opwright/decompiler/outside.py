"""Tensors whose elements lie in other files: large ones are mapped, so that nothing of them is in memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto
from onnx.checker import ValidationError
from onnx.external_data_helper import ExternalDataInfo, load_external_data_for_tensor

from opwright.decompiler.literal_text import Constant
from opwright.decompiler.refuse import refuse
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.graphs.ndarrays import DTYPES
from opwright.graphs.walk import all_graphs

_LEAST = 1 << 20  # bytes of a tensor that is mapped


def read_outside(model: ModelProto, folder: Path) -> dict[str, Constant]:
    """The large initializers of the main graph that lie in files of the folder, by name; all other tensors that do are
    read into the model. Raises DiagnosticError (OW550) where a file cannot be read."""
    found: dict[str, Constant] = {}
    for graph in all_graphs(model.graph):
        attributes = (attribute.t for node in graph.node for attribute in node.attribute if attribute.HasField("t"))
        for tensor in (*graph.initializer, *attributes):
            if tensor.data_location != TensorProto.EXTERNAL:
                continue
            try:
                array = _mapped(tensor, folder) if graph is model.graph else None
                if array is None:
                    load_external_data_for_tensor(tensor, str(folder))
                else:
                    found[tensor.name] = Constant(array, BY_CODE[tensor.data_type])
            except (OSError, ValueError, OverflowError, RuntimeError, ValidationError) as error:
                message = f"cannot read the elements of the tensor {tensor.name!r}"
                raise DiagnosticError([Diagnostic("OW550", message, reason=str(error)[:300])]) from None
    return found


def _mapped(tensor: TensorProto, folder: Path) -> Any:
    """The tensor's elements in its file; None where they are few, or laid out in another way than numpy's."""
    element = BY_CODE.get(tensor.data_type)
    if element is None or element.kind == "string" or element.bits < 8 or sys.byteorder == "big":
        return None
    shape, dtype = tuple(tensor.dims), DTYPES[element]
    size = int(np.prod(shape, dtype=np.float64)) * dtype.itemsize
    if size < _LEAST:
        return None
    info = ExternalDataInfo(tensor)
    path = (folder / info.location).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise refuse(f"the tensor {tensor.name!r} lies in {info.location}", "a model's files are in its own folder")
    if info.length is not None and info.length != size:
        raise ValueError(f"its type and sizes ask for {size} bytes, and {info.length} are named")
    return np.memmap(path, dtype, "r", info.offset or 0, shape)
