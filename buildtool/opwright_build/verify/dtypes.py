"""Element types as numpy dtypes, and arrays as canonical bytes: the same array, the same bytes, on every platform."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import ml_dtypes
import numpy as np
from opwright.elements import BY_NAME, ElementType, element

from opwright_build.verify.model import Array

_DTYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "string": np.dtype(object),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "float8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "float8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "float4e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
    "float6e2m3": np.dtype(ml_dtypes.float6_e2m3fn),
    "float6e3m2": np.dtype(ml_dtypes.float6_e3m2fn),
    "float8e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "int4": np.dtype(ml_dtypes.int4),
    "uint4": np.dtype(ml_dtypes.uint4),
    "int2": np.dtype(ml_dtypes.int2),
    "uint2": np.dtype(ml_dtypes.uint2),
}
DTYPES: dict[ElementType, np.dtype[Any]] = {
    entry: _DTYPES[name] if name in _DTYPES else np.dtype(name) for name, entry in BY_NAME.items()
}
_ELEMENTS: dict[np.dtype[Any], ElementType] = {dtype: entry for entry, dtype in DTYPES.items()}


def element_of(array: Array) -> ElementType:
    """The element type of an array; numpy's fixed-width strings count as `string`. KeyError when ONNX has none."""
    if array.dtype.kind in "US":
        return element("string")
    return _ELEMENTS[array.dtype.newbyteorder("=")]


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
