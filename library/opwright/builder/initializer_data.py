"""Initializers: the tensors that a model carries, in memory or in files next to it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from onnx import TensorProto, numpy_helper

from opwright.diagnostics.diagnostic import Place
from opwright.elements import ElementType
from opwright.graphs.external_data import refer
from opwright.graphs.ndarrays import Array, as_array, element_of
from opwright.lang import ir

_BLOCK = 1 << 22  # elements of an array of another layout that are copied at a time


def mark_of(array: Array) -> int:
    """A checksum of all elements: a quarter of a second for a gigabyte, less than writing it takes."""
    steps = array.strides
    distinct = array[tuple(slice(0, 1) if step == 0 else slice(None) for step in steps)]
    if distinct.flags.f_contiguous:
        distinct = distinct.T
    if distinct.flags.c_contiguous:
        return crc32(distinct.reshape(-1).view(np.uint8).data)
    rows = max(_BLOCK * len(distinct) // max(distinct.size, 1), 1)
    found = 0
    for start in range(0, len(distinct), rows):
        block = np.ascontiguousarray(distinct[start : start + rows])
        found = crc32(block.reshape(-1).view(np.uint8).data, found)
    return found


@dataclass(slots=True)
class Kept:
    """A tensor: an array, or a part of a file (`location`, `offset`, `length`)."""

    element: ElementType
    dims: tuple[int, ...]
    array: Array | None
    location: str = ""
    offset: int = 0
    value: ir.Value | None = None
    mark: int | None = None  # of an array that is the caller's: what its elements were when it was given
    given: Place | None = None  # and where that was

    @classmethod
    def of_array(cls, array: Any) -> Kept:
        """ValueError where ONNX has no tensors of its type."""
        made = as_array(array)
        element = element_of(made)
        if element is None:
            raise ValueError(f"ONNX has no tensors of {made.dtype}")
        return cls(element, made.shape, made)

    def copied(self) -> Kept:
        """The same with elements in memory of its own, which no other code can change."""
        assert self.array is not None
        return Kept(self.element, self.dims, self.array.copy())

    def watched(self, given: Place | None) -> Kept:
        """The same with a mark by which a later change is noticed; strings, which are small here, as a copy."""
        if self.element.name == "string":
            return self.copied()
        assert self.array is not None
        return Kept(self.element, self.dims, self.array, mark=mark_of(self.array), given=given)

    @property
    def is_changed(self) -> bool:
        """Whether the caller has written to the array since it was given."""
        return self.mark is not None and self.array is not None and mark_of(self.array) != self.mark

    @property
    def length(self) -> int:
        """The bytes of its elements, as ONNX stores them; of strings their own."""
        if self.element.name == "string":
            return sum(len(str(item).encode()) + 8 for item in self.array.flat) if self.array is not None else 0
        count = 1
        for size in self.dims:
            count *= size
        return (count * self.element.bits + 7) // 8

    def write(self, proto: TensorProto) -> None:
        """Fills in the tensor with its elements, which are copied."""
        assert self.array is not None
        proto.data_type = self.element.code
        proto.dims.extend(self.dims)
        if self.element.name == "string":
            proto.string_data.extend(str(item).encode() for item in self.array.flat)
        else:
            proto.raw_data = self.raw()

    def raw(self) -> bytes:
        """The elements as ONNX stores them: little-endian, narrow ones sharing bytes."""
        assert self.array is not None
        if self.element.bits < 8 or sys.byteorder == "big":
            found: bytes = numpy_helper.from_array(self.array).raw_data
            return found
        return self.array.tobytes()

    def content(self) -> bytes:
        """What tells it from other tensors of its type and sizes."""
        assert self.array is not None
        return repr(self.array.tolist()).encode() if self.element.name == "string" else self.raw()

    def refer(self, proto: TensorProto, location: str, offset: int) -> None:
        """Fills in the tensor as a part of a file."""
        proto.data_type = self.element.code
        proto.dims.extend(self.dims)
        refer(proto, location, offset, self.length)
