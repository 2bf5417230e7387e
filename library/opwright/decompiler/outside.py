"""Tensors whose elements lie in other files: large ones are mapped, so that nothing of them is in memory."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

from onnx import ModelProto, TensorProto

from opwright.decompiler.literal_text import Constant
from opwright.elements import BY_CODE
from opwright.graphs.external_tensors import external_tensors, load_external_tensor, map_external_tensor
from opwright.graphs.ndarrays import DTYPES

_LEAST = 1 << 20  # bytes of a tensor that is mapped


def read_outside(model: ModelProto, folder: Path) -> dict[str, Constant]:
    """The large initializers of the main graph that lie in files of the folder, by name; all other tensors that do are
    read into the model. Raises DiagnosticError (OW550) where a file cannot be read."""
    found: dict[str, Constant] = {}
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        dtype = _mappable(tensor)
        if dtype is None:
            load_external_tensor(tensor, folder)
        else:
            found[tensor.name] = Constant(map_external_tensor(tensor, folder, dtype), BY_CODE[tensor.data_type])
    for tensor in external_tensors(model, initializers=False):
        load_external_tensor(tensor, folder)
    return found


def _mappable(tensor: TensorProto) -> Any:
    """The type of the tensor's elements in numpy; None where they are few, or laid out in another way than numpy's."""
    element = BY_CODE.get(tensor.data_type)
    if element is None or element.kind == "string" or element.bits < 8 or sys.byteorder == "big":
        return None
    return DTYPES[element] if math.prod(tensor.dims) * element.bits >= 8 * _LEAST else None
