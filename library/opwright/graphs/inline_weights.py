"""Weights inside a model's file that stay there: the model is read without them, and they are spliced into the new one.

What is read of a large initializer of the main graph is all but its elements. In their place stands an entry that says
where in the file they are; the tensor counts as one of another file until then, which no part of us reads. When the
model is written, the bytes of the elements go from file to file, as protobuf would have written them.

Nothing is guessed: a file, or a tensor, with anything unusual in it is read as protobuf reads it. The key of the entry
is drawn for each process, so that no file can have it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, TensorProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.regular_file import open_regular

HEAVY = 1 << 16  # bytes of a tensor that is left where it is, and that judges of a model need not see
MOST_BYTES = (1 << 31) - 1  # of a protobuf message

_KEY = f"opwright.inline.{secrets.token_hex(16)}"
_LEAST = 1 << 22  # bytes of a file that is worth the trouble
_MOST_SAID = 1 << 16  # bytes that a tensor has besides its elements
_WINDOW = 1 << 16
_PIECE = 1 << 20
_GRAPH = ModelProto.DESCRIPTOR.fields_by_name["graph"].number
_INITIALIZER = GraphProto.DESCRIPTOR.fields_by_name["initializer"].number
_FIELDS = {name: field.number for name, field in TensorProto.DESCRIPTOR.fields_by_name.items()}
_RAW = _FIELDS["raw_data"]
_TYPED = {_FIELDS["float_data"]: TensorProto.FLOAT, _FIELDS["double_data"]: TensorProto.DOUBLE}
# Wire types: a number, and something with its length before it.
_NUMBER, _BYTES = 0, 2
_USUAL = {
    (_FIELDS["dims"], _NUMBER),
    (_FIELDS["dims"], _BYTES),
    (_FIELDS["data_type"], _NUMBER),
    (_FIELDS["name"], _BYTES),
    (_FIELDS["doc_string"], _BYTES),
    (_FIELDS["data_location"], _NUMBER),
    (_FIELDS["metadata_props"], _BYTES),
}


def declared_bytes(tensor: TensorProto) -> int:
    """What the elements take, from what is declared: to ask protobuf for the size of its data copies them."""
    element = BY_CODE.get(tensor.data_type)
    return prod(tensor.dims) * (element.bits if element is not None else 8) // 8


@dataclass(frozen=True, slots=True)
class _Identity:
    """Which file it is, and which state of it."""

    device: int
    inode: int
    size: int
    changed: int

    @staticmethod
    def of(file: BinaryIO) -> _Identity:
        status = os.fstat(file.fileno())
        return _Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """Elements in a file: the `field` of TensorProto that holds them there, and whether the tensor says that it is in
    the model, which is as good as nothing."""

    offset: int
    length: int
    field: int
    is_said: bool
    identity: _Identity


Piece = bytes | LeftBehind


class _UnusualError(Exception):
    """A file that is better read by protobuf alone."""


def is_left_behind(tensor: TensorProto) -> bool:
    """Whether the elements of a tensor have been left in the model's file."""
    return _left_behind(tensor) is not None


def without_heavy(path: Path) -> bytes | None:
    """The bytes of the model in a file, without the elements of its heavy initializers; None where protobuf is to read
    the file itself. Raises what `open_regular` raises."""
    with open(open_regular(path, MOST_BYTES), "rb", buffering=0) as file:
        identity = _Identity.of(file)
        if identity.size < _LEAST:
            return None
        try:
            return _Cutter(file, identity).model()
        except (_UnusualError, OSError):
            return None


class _Cutter:
    """Copies a model, but for the elements of heavy initializers. Raises _UnusualError."""

    def __init__(self, file: BinaryIO, identity: _Identity) -> None:
        self._wire = _Wire(file)
        self._identity = identity
        self._any = False

    def model(self) -> bytes | None:
        """None where nothing would be left behind."""
        pieces: list[bytes] = []
        size = self._identity.size
        graphs = 0
        for number, kind, begin, value, end in self._wire.fields(0, size):
            if number == _GRAPH and kind == _BYTES:
                graphs += 1
                graph = self._graph(value, end)
                pieces += (_header(_GRAPH, len(graph)), graph)
            else:
                pieces.append(self._wire.read(begin, end))
        if graphs > 1:
            raise _UnusualError
        return b"".join(pieces) if self._any else None

    def _graph(self, begin: int, end: int) -> bytes:
        pieces: list[bytes] = []
        kept = begin
        for number, kind, start, value, stop in self._wire.fields(begin, end):
            if number == _INITIALIZER and kind == _BYTES and stop - value > HEAVY:
                tensor = self._tensor(value, stop)
                if tensor is not None:
                    pieces += (self._wire.read(kept, start), _header(_INITIALIZER, len(tensor)), tensor)
                    kept = stop
        return b"".join((*pieces, self._wire.read(kept, end)))

    def _tensor(self, begin: int, end: int) -> bytes | None:
        """The tensor without its elements; None where it is to stay as it is."""
        others: list[tuple[int, int]] = []
        elements: list[tuple[int, int, int]] = []
        for number, kind, start, value, stop in self._wire.fields(begin, end):
            if (number, kind) in _USUAL:
                others.append((start, stop))
            elif kind == _BYTES and (number == _RAW or number in _TYPED):
                elements.append((number, value, stop))
            else:
                return None
        if len(elements) != 1 or sum(stop - start for start, stop in others) > _MOST_SAID:
            return None
        ((field, start, stop),) = elements
        tensor = TensorProto()
        try:
            tensor.ParseFromString(b"".join(self._wire.read(*place) for place in others))
        except DecodeError:
            return None
        element = BY_CODE.get(tensor.data_type)
        if element is None or element.kind == "string" or any(size < 0 for size in tensor.dims):
            return None
        if tensor.data_location != TensorProto.DEFAULT or _TYPED.get(field, tensor.data_type) != tensor.data_type:
            return None
        if (prod(tensor.dims) * element.bits + 7) // 8 != stop - start or declared_bytes(tensor) <= HEAVY:
            return None
        _leave(tensor, LeftBehind(start, stop - start, field, tensor.HasField("data_location"), self._identity))
        self._any = True
        return tensor.SerializeToString(deterministic=True)


def _leave(tensor: TensorProto, left: LeftBehind) -> None:
    identity = left.identity
    numbers = (left.offset, left.length, left.field, int(left.is_said))
    whole = (*numbers, identity.device, identity.inode, identity.size, identity.changed)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key=_KEY, value=" ".join(map(str, whole)))


def _left_behind(tensor: TensorProto) -> LeftBehind | None:
    if tensor.data_location != TensorProto.EXTERNAL:
        return None
    for item in tensor.external_data:
        if item.key == _KEY:
            offset, length, field, is_said, *identity = map(int, item.value.split())
            return LeftBehind(offset, length, field, bool(is_said), _Identity(*identity))
    return None


def pieces_of(data: bytes) -> Sequence[Piece]:
    """The bytes of a model that was read without heavy initializers, and between them those that were left behind."""
    if _KEY.encode() not in data:
        return [data]
    wire = _Wire.of(data)
    pieces: list[Piece] = []
    for number, _, begin, value, end in wire.fields(0, len(data)):
        if number == _GRAPH:
            graph = list(_graph_pieces(wire, value, end))
            pieces += (_header(_GRAPH, sum(map(length_of, graph))), *graph)
        else:
            pieces.append(wire.read(begin, end))
    return pieces


def _graph_pieces(wire: _Wire, begin: int, end: int) -> Iterator[Piece]:
    kept = begin
    for number, _, start, value, stop in wire.fields(begin, end):
        if number != _INITIALIZER:
            continue
        data = wire.read(value, stop)
        tensor = TensorProto.FromString(data) if _KEY.encode() in data else None
        left = None if tensor is None else _left_behind(tensor)
        if tensor is not None and left is not None:
            yield wire.read(kept, start)
            inner = list(_tensor_pieces(tensor, left))
            yield _header(_INITIALIZER, sum(map(length_of, inner)))
            yield from inner
            kept = stop
    yield wire.read(kept, end)


def _tensor_pieces(tensor: TensorProto, left: LeftBehind) -> Iterator[Piece]:
    """Fields are written by their numbers."""
    _forget(tensor, left)
    data = tensor.SerializeToString(deterministic=True)
    wire = _Wire.of(data)
    place = next((begin for number, _, begin, _, _ in wire.fields(0, len(data)) if number > left.field), len(data))
    yield data[:place] + _header(left.field, left.length)
    yield left
    yield data[place:]


def _forget(tensor: TensorProto, left: LeftBehind) -> None:
    del tensor.external_data[:]
    tensor.ClearField("data_location")
    if left.is_said:
        tensor.data_location = TensorProto.DEFAULT


def length_of(piece: Piece) -> int:
    return piece.length if isinstance(piece, LeftBehind) else len(piece)


def write_pieces(pieces: Sequence[Piece], stream: BinaryIO, source: Path) -> None:
    """Writes a model; `source` is the file in which pieces were left. OSError where that fails, DiagnosticError (OW550)
    where the file is not what it was."""
    if not any(isinstance(piece, LeftBehind) for piece in pieces):
        stream.writelines(piece for piece in pieces if isinstance(piece, bytes))
        return
    with _opened(source) as file:
        for piece in pieces:
            if isinstance(piece, LeftBehind):
                for part in _parts(file, piece, source):
                    stream.write(part)
            else:
                stream.write(piece)


def bring_back(model: ModelProto, source: Path) -> None:
    """Reads the elements that were left in a file into the model. DiagnosticError (OW550) where the file is not what it
    was."""
    tensors = [(tensor, left) for tensor in model.graph.initializer if (left := _left_behind(tensor)) is not None]
    if not tensors:
        return
    with _opened(source) as file:
        for tensor, left in tensors:
            _forget(tensor, left)
            data = b"".join((_header(left.field, left.length), *_parts(file, left, source)))
            tensor.MergeFromString(data)


def _opened(source: Path) -> BinaryIO:
    try:
        return open(open_regular(source, MOST_BYTES), "rb", buffering=0)
    except (OSError, ValueError) as error:
        raise DiagnosticError([_changed(source, getattr(error, "strerror", None) or str(error))]) from None


def _parts(file: BinaryIO, left: LeftBehind, source: Path) -> Iterator[bytes]:
    """The elements, while the file is what it was."""
    file.seek(left.offset)
    missing = left.length
    while missing:
        part = file.read(min(_PIECE, missing))
        if not part:
            break
        missing -= len(part)
        yield part
    if missing or _Identity.of(file) != left.identity:
        raise DiagnosticError([_changed(source, "the file has been changed meanwhile")])


def _changed(source: Path, reason: str) -> Diagnostic:
    text = f"cannot read the weights of the model {source}"
    return Diagnostic("OW550", text, reason=reason, help="run the command again")


class _Wire:
    """The fields of messages in a file, as protobuf writes them. Raises _UnusualError."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO | None = file
        self._window = b""
        self._begin = 0

    @classmethod
    def of(cls, data: bytes) -> _Wire:
        made = cls.__new__(cls)
        made._file, made._window, made._begin = None, data, 0
        return made

    def read(self, begin: int, end: int) -> bytes:
        inside = begin - self._begin
        if inside >= 0 and end - self._begin <= len(self._window):
            return self._window[inside : end - self._begin]
        assert self._file is not None
        self._file.seek(begin)
        parts: list[bytes] = []
        while begin < end:
            part = self._file.read(end - begin)
            if not part:
                raise _UnusualError
            parts.append(part)
            begin += len(part)
        return b"".join(parts)

    def fields(self, begin: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Number, wire type, and where the field, its value and what follows begin."""
        position = begin
        while position < end:
            tag, value = self._varint(position, end)
            number, kind = tag >> 3, tag & 7
            if kind == _BYTES:
                length, value = self._varint(value, end)
                stop = value + length
            elif kind == _NUMBER:
                _, stop = self._varint(value, end)
            elif kind in (1, 5):
                stop = value + (8 if kind == 1 else 4)
            else:
                raise _UnusualError
            if not number or stop > end:
                raise _UnusualError
            yield number, kind, position, value, stop
            position = stop

    def _varint(self, position: int, end: int) -> tuple[int, int]:
        """A number, and where it ends."""
        inside = position - self._begin
        if self._file is not None and not 0 <= inside <= len(self._window) - 10:
            self._file.seek(position)
            self._window, self._begin, inside = self._file.read(_WINDOW), position, 0
        found = shift = 0
        for byte in self._window[inside : min(inside + 10, end - self._begin)]:
            inside += 1
            found |= (byte & 127) << shift
            if byte < 128:
                return found, self._begin + inside
            shift += 7
        raise _UnusualError


def _header(number: int, length: int) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(length)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
