"""Element types as numpy dtypes, and arrays as canonical bytes: the same array, the same bytes, on every platform."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from hashlib import sha256

import numpy as np
from opwright.elements import ElementType, element
from opwright.graphs.ndarrays import DTYPES, ELEMENTS

from opwright_build.verify.case_model import Array


def element_of(array: Array) -> ElementType:
    """The element type of an array; numpy's fixed-width strings count as `string`. KeyError when ONNX has none."""
    if array.dtype.kind in "US":
        return element("string")
    return ELEMENTS[array.dtype.newbyteorder("=")]


def array_bytes(array: Array) -> bytes:
    """The elements in C order, little-endian; strings as length-prefixed UTF-8."""
    if element_of(array).kind == "string":
        return b"".join(length_prefixed(_text(item)) for item in array.ravel().tolist())
    dense = np.ascontiguousarray(array)
    if dense.dtype.kind == "V":  # the types of ml_dtypes do not know byte orders
        dense = dense.view(f"u{dense.dtype.itemsize}")
    return dense.astype(dense.dtype.newbyteorder("<"), copy=False).tobytes()


def array_from_bytes(data: bytes, kind: ElementType, shape: tuple[int, ...]) -> Array:
    """The inverse of `array_bytes`. ValueError when the bytes do not make up that shape."""
    if kind.kind == "string":
        strings = np.empty(shape, dtype=object)
        strings.ravel()[:] = _split(data, strings.size)
        return strings
    dtype = DTYPES[kind]
    if dtype.kind == "V":
        stored = np.frombuffer(data, dtype=f"<u{dtype.itemsize}")
        return stored.astype(f"=u{dtype.itemsize}").view(dtype).reshape(shape)
    return np.frombuffer(data, dtype=dtype.newbyteorder("<")).astype(dtype).reshape(shape)


def array_digest_parts(array: Array) -> Iterable[bytes]:
    """What tells one array from another, as parts for `digest`: element type, shape, elements."""
    yield element_of(array).name.encode()
    yield repr(tuple(array.shape)).encode()
    yield array_bytes(array)


def digest(parts: Iterable[bytes]) -> str:
    """sha256 in hexadecimal over the parts, each prefixed by its length, so that no two lists of parts collide."""
    hasher = sha256()
    for part in parts:
        hasher.update(struct.pack("<Q", len(part)))
        hasher.update(part)
    return hasher.hexdigest()


def length_prefixed(part: bytes) -> bytes:
    return struct.pack("<Q", len(part)) + part


def _text(item: str | bytes) -> bytes:
    return item if isinstance(item, bytes) else item.encode()


def _split(data: bytes, count: int) -> list[str]:
    texts: list[str] = []
    position = 0
    for _ in range(count):
        (length,) = struct.unpack_from("<Q", data, position)
        position += 8
        texts.append(data[position : position + length].decode())
        position += length
    if position != len(data):
        raise ValueError("trailing bytes")
    return texts
