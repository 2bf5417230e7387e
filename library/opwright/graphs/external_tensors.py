"""Tensors whose elements lie in other files: the files are looked at before anything of them is read or mapped.

A model says where: a path, an offset and a length, each of which may be anything. A file must be a regular one in the
model's folder, all links followed, and hold what is asked of it.
"""

from __future__ import annotations

import errno
import math
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.elements import BY_CODE
from opwright.graphs.inline_weights import is_left_behind
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.regular_file import open_regular

_LARGEST = 1 << 62  # of a place in a file
_FAILURES = (OSError, ValueError, OverflowError, MemoryError)
_MISSING = "put the file where the model looks for it"


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
    """Tensors that lie in files of a model's folder; `file` names the model in messages."""

    folder: Path
    file: str

    def load(self, tensor: TensorProto) -> None:
        """Reads the elements into the tensor. DiagnosticError (OW550)."""
        path, offset, size = self.place(tensor)
        try:
            with open(open_regular(path, _LARGEST), "rb") as stream:
                stream.seek(offset)
                data = stream.read(size)
            if len(data) < size:
                raise OSError(errno.EIO, "it became shorter meanwhile")
            tensor.raw_data = data
        except _FAILURES as error:
            raise self._unreadable(tensor, _text(error)) from None
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]

    def array(self, tensor: TensorProto, dtype: Any) -> Any:
        """The elements in their file, nothing of which is in memory. DiagnosticError (OW550)."""
        path, offset, _ = self.place(tensor)
        try:
            return np.memmap(path, dtype, "r", offset, tuple(tensor.dims))
        except _FAILURES as error:
            raise self._unreadable(tensor, _text(error)) from None

    def place(self, tensor: TensorProto) -> tuple[str, int, int]:
        """Where a tensor's elements are: a regular file in the folder that holds them, the offset, and how many bytes
        they are. DiagnosticError (OW550)."""
        said = {item.key: item.value for item in tensor.external_data}
        location = said.get("location", "")
        if not location:
            raise self._unreadable(tensor, "it names no file")
        try:
            real, status = located(location, self.folder)
        except LocationError as error:
            text = f"cannot read the weights in {location[:200]}"
            raise DiagnosticError([Diagnostic("OW550", text, Place(self.file), str(error), _MISSING)]) from None
        offset = self._position(tensor, said.get("offset", "")) or 0
        length, size = self._position(tensor, said.get("length", "")), self._size(tensor)
        if length not in (None, size):
            raise self._unreadable(tensor, f"its type and sizes ask for {size} bytes, and {length} are named")
        if offset + size > status.st_size:
            reason = f"{_shown(location, self.folder)} has {status.st_size} bytes, and ends before it does"
            raise self._unreadable(tensor, reason)
        return real, offset, size

    def _size(self, tensor: TensorProto) -> int:
        """The bytes that the type and the sizes ask for."""
        element = BY_CODE.get(tensor.data_type)
        if element is None or element.kind == "string":
            raise self._unreadable(tensor, "elements of its type do not lie in files")
        if any(size < 0 for size in tensor.dims):
            raise self._unreadable(tensor, "it has a negative size")
        return (math.prod(tensor.dims) * element.bits + 7) // 8

    def _position(self, tensor: TensorProto, text: str) -> int | None:
        if not text:
            return None
        if not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > _LARGEST:
            raise self._unreadable(tensor, f"{text[:40]} is no place in a file")
        return int(text)

    def _unreadable(self, tensor: TensorProto, reason: str) -> DiagnosticError:
        return unreadable(tensor, reason, Place(self.file), "write the model again with its weights")


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


def _text(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def unreadable(tensor: TensorProto, reason: str, place: Place | None = None, help_text: str = "") -> DiagnosticError:
    """The finding (OW550) for a tensor whose elements cannot be had."""
    message = f"cannot read the elements of the tensor {tensor.name!r}"
    return DiagnosticError([Diagnostic("OW550", message, place, reason[:300], help_text)])
