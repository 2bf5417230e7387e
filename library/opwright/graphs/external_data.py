"""Large tensors in a file next to the model: written straight from the arrays, each where a runtime can map it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import numpy as np
from onnx import TensorProto, numpy_helper

from opwright.elements import BY_CODE

LEAST = 1 << 20  # bytes of a tensor that is written next to the model
_ALIGNED = 4096


def aligned(lengths: Sequence[int]) -> list[int]:
    """Where each of the tensors begins that stand one behind the other."""
    found, end = list[int](), 0
    for length in lengths:
        found.append(-(-end // _ALIGNED) * _ALIGNED)
        end = found[-1] + length
    return found


def byte_length(array: Any, code: int) -> int:
    """The bytes of the elements as ONNX stores them, those of strings not counted."""
    return int((array.size * BY_CODE[code].bits + 7) // 8)


def elements(array: Any, code: int) -> memoryview | bytes:
    """The elements as ONNX stores them: those of the array itself where it is laid out so."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if BY_CODE[code].bits < 8 or sys.byteorder == "big":
        found: bytes = numpy_helper.from_array(array).raw_data
        return found
    if not array.flags.c_contiguous:
        return array.tobytes()  # type: ignore[no-any-return]
    return array.reshape(-1).view(np.uint8).data  # type: ignore[no-any-return]


def refer(tensor: TensorProto, location: str, offset: int, length: int) -> None:
    """Makes a tensor, whose type and sizes are said, a part of a file."""
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(text))


def write_elements(parts: Iterable[tuple[int, memoryview | bytes]], stream: BinaryIO) -> None:
    """Elements at their offsets, made one by one. OSError where that fails."""
    for offset, part in parts:
        stream.seek(offset)
        stream.write(part)
