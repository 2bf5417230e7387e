"""Tensors whose elements are not in the model: large ones stay where they are, mapped where that is a file."""

from __future__ import annotations

import math
import sys
from typing import Any

from onnx import ModelProto, TensorProto

from opwright.decompiler.literal_text import Constant
from opwright.elements import BY_CODE
from opwright.graphs.external_tensors import TensorSource, external_tensors
from opwright.graphs.ndarrays import DTYPES

_LEAST = 1 << 20  # bytes of a tensor that is mapped


def read_outside(model: ModelProto, source: TensorSource) -> dict[str, Constant]:
    """The large initializers of the main graph that are not in the model, by name; all other tensors that are not are
    read into it. Raises DiagnosticError (OW550) where one cannot be read."""
    found: dict[str, Constant] = {}
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        dtype = _mappable(tensor)
        if dtype is None:
            source.load(tensor)
        else:
            found[tensor.name] = Constant(source.array(tensor, dtype), BY_CODE[tensor.data_type])
    for tensor in external_tensors(model, initializers=False):
        source.load(tensor)
    return found


def _mappable(tensor: TensorProto) -> Any:
    """The type of the tensor's elements in numpy; None where they are few, or laid out in another way than numpy's."""
    element = BY_CODE.get(tensor.data_type)
    if element is None or element.kind == "string" or element.bits < 8 or sys.byteorder == "big":
        return None
    return DTYPES[element] if math.prod(tensor.dims) * element.bits >= 8 * _LEAST else None
