"""Tensors whose elements lie in other files: the files are looked at before anything of them is read or mapped.

A model says where: a path, an offset and a length, each of which may be anything. A file must be a regular one in the
model's folder, all links followed, and hold what is asked of it.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto
from onnx.checker import ValidationError
from onnx.external_data_helper import load_external_data_for_tensor

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.graphs.inline_weights import is_left_behind
from opwright.graphs.walk import all_graphs, all_nodes

_LARGEST = 1 << 62  # of a place in a file
_FAILURES = (OSError, ValueError, OverflowError, RuntimeError, MemoryError, ValidationError)


class TensorSource(Protocol):
    """Where the elements of tensors are that are not in a model."""

    def load(self, tensor: TensorProto) -> None:
        """Reads the elements into the tensor. DiagnosticError (OW550)."""
        ...

    def array(self, tensor: TensorProto, dtype: Any) -> Any:
        """The elements, without a copy of them where that can be had. DiagnosticError (OW550)."""
        ...


@dataclass(frozen=True, slots=True)
class FolderTensors:
    """Tensors that lie in files of a model's folder."""

    folder: Path

    def load(self, tensor: TensorProto) -> None:
        """Reads the elements into the tensor. DiagnosticError (OW550)."""
        _look_at(tensor, self.folder)
        try:
            load_external_data_for_tensor(tensor, str(self.folder))
        except _FAILURES as error:
            raise unreadable(tensor, str(error)) from None

    def array(self, tensor: TensorProto, dtype: Any) -> Any:
        """The elements in their file, nothing of which is in memory. DiagnosticError (OW550)."""
        path, offset, length = _look_at(tensor, self.folder)
        shape = tuple(tensor.dims)
        size = math.prod(shape) * int(np.dtype(dtype).itemsize)
        if length not in (None, size):
            raise unreadable(tensor, f"its type and sizes ask for {size} bytes, and {length} are named")
        try:
            return np.memmap(path, dtype, "r", offset, shape)
        except _FAILURES as error:
            raise unreadable(tensor, str(error)) from None


def load_external_tensors(model: ModelProto, source: TensorSource) -> None:
    """Reads every tensor whose elements are not in the model into it. DiagnosticError (OW550)."""
    for tensor in external_tensors(model):
        source.load(tensor)


def external_tensors(model: ModelProto, initializers: bool = True) -> Iterator[TensorProto]:
    """The tensors of graphs and functions whose elements are in other files. The initializers of the main graph, which
    come first, may be left out."""
    for graph in all_graphs(model.graph):
        if initializers or graph is not model.graph:
            elsewhere = (item for item in graph.initializer if item.data_location == TensorProto.EXTERNAL)
            yield from (item for item in elsewhere if not is_left_behind(item))
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        yield from external_tensors_of(nodes)


def external_tensors_of(nodes: Iterable[NodeProto]) -> Iterator[TensorProto]:
    """The tensors among the attributes of nodes, those of graphs within them included, whose elements are not in the
    model."""
    for node in all_nodes(nodes):
        for attribute in node.attribute:
            tensors = (*((attribute.t,) if attribute.HasField("t") else ()), *attribute.tensors)
            yield from (item for item in tensors if item.data_location == TensorProto.EXTERNAL)


class LocationError(Exception):
    """A place in which no file of a model can be read; the message is the reason."""


def located(location: str, folder: Path) -> tuple[str, os.stat_result]:
    """The regular file in a model's folder, all links followed, that a location means. Raises LocationError."""
    shown = _shown(location, folder)
    try:
        real = os.path.realpath(folder / location)
        if os.path.isabs(location) or os.path.commonpath([real, os.path.realpath(folder)]) != os.path.realpath(folder):
            raise LocationError(f"it lies in {location[:200]}, and a model's files are in its own folder")
        status = os.stat(real)
    except (OSError, ValueError) as error:
        raise LocationError(f"{shown}: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(status.st_mode):
        raise LocationError(f"{shown} is no regular file")
    return real, status


def _shown(location: str, folder: Path) -> str:
    return (folder / location[:200]).as_posix()


def _look_at(tensor: TensorProto, folder: Path) -> tuple[str, int, int | None]:
    """Where a tensor's elements are: a regular file in the folder, the offset, and the length if there is one."""
    said = {item.key: item.value for item in tensor.external_data}
    location = said.get("location", "")
    try:
        real, status = located(location, folder)
    except LocationError as error:
        raise unreadable(tensor, str(error)) from None
    offset, length = _place(tensor, said.get("offset", "")) or 0, _place(tensor, said.get("length", ""))
    if offset + (length or 0) > status.st_size:
        raise unreadable(tensor, f"{_shown(location, folder)} has {status.st_size} bytes, and ends before it does")
    element = BY_CODE.get(tensor.data_type)
    bits = 0 if element is None or element.kind == "string" else element.bits
    if any(size < 0 for size in tensor.dims) or math.prod(tensor.dims) * bits > 8 * (status.st_size - offset) + 7:
        raise unreadable(tensor, f"{_shown(location, folder)} has not as many bytes as its type and sizes ask for")
    return real, offset, length


def _place(tensor: TensorProto, text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > _LARGEST:
        raise unreadable(tensor, f"{text[:40]} is no place in a file")
    return int(text)


def unreadable(tensor: TensorProto, reason: str) -> DiagnosticError:
    """The finding (OW550) for a tensor whose elements cannot be had."""
    message = f"cannot read the elements of the tensor {tensor.name!r}"
    return DiagnosticError([Diagnostic("OW550", message, reason=reason[:300])])
