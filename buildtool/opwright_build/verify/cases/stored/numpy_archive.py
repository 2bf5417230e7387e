"""Vectors from an archive of numpy (`.npz`): arrays, and a text `calls` that says what each one is.

Nothing is unpickled. Sizes, counts and rates of compression are checked before anything is unpacked.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from opwright.aten.array_calls import Pairs
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import BY_NAME, ElementType
from opwright.graphs.ndarrays import DTYPES

from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import VectorSource
from opwright_build.verify.case_model import Array, Items, Value
from opwright_build.verify.cases.stored.stored_rows import OperatorCall, StoredFile, StoredVector, UnusableError

CALLS = "calls"
MOST_BYTES = 1 << 26  # of the archive
MOST_UNPACKED = 1 << 28
MOST_MEMBERS = 4096
MOST_RATE = 1000  # bytes that come of one
_MOST_HEADER = 10_000
_COMMON = {"name", "outputs", "versions", "scale", "reason", "doc", "provenance"}
_KEYS = _COMMON | {"attributes", "inputs"}
_KEYS_OF_OPERATOR = _COMMON | {"call", "truth", "random"}
_UNSIGNED: dict[int, np.dtype[Any]] = {1: np.dtype(np.uint8), 2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}
_NUMPY_KINDS = "biufc"


def read_archive(files: LibraryFiles, folder: str, source: VectorSource) -> StoredFile:
    """The calls of an archive of the spec folder."""
    path = f"{folder}/{source.path}"
    data = files.read(folder, source.path, MOST_BYTES, source.place)
    if isinstance(data, Diagnostic):
        return StoredFile((), (data,), {path: None})
    try:
        vectors = tuple(vectors_of(data, path))
    except UnusableError as error:
        finding = Diagnostic("OW152", f"{path} cannot be used", source.place, reason=str(error))
        return StoredFile((), (finding,), {path: data})
    return StoredFile(vectors, (), {path: data})


def vectors_of(data: bytes, path: str) -> list[StoredVector]:
    """What an archive holds, `path` being its own. UnusableError for what is no such archive."""
    return _calls(members_of(data), path)


def members_of(data: bytes) -> dict[str, Array]:
    """The arrays by name. UnusableError for what is no such archive, or exceeds a limit."""
    if len(data) > MOST_BYTES:
        raise UnusableError(f"it is larger than {MOST_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = archive.infolist()
            _check_sizes(listed)
            return {item.filename.removesuffix(".npy"): _array(archive, item) for item in listed}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zipfile.LargeZipFile) as error:
        raise UnusableError(f"it is no sound zip archive: {error}") from None
    except ValueError as error:
        raise UnusableError(str(error)) from None


def _check_sizes(listed: Sequence[zipfile.ZipInfo]) -> None:
    if len(listed) > MOST_MEMBERS:
        raise UnusableError(f"it has {len(listed):,} members; at most {MOST_MEMBERS:,}")
    names = [item.filename for item in listed]
    if len(set(names)) < len(names):
        raise UnusableError("two of its members have one name")
    total = sum(item.file_size for item in listed)
    if total > MOST_UNPACKED:
        raise UnusableError(f"unpacked it has {total:,} bytes; at most {MOST_UNPACKED:,}")
    for item in listed:
        if item.file_size > MOST_RATE * max(item.compress_size, 1):
            raise UnusableError(f"{item.filename} is compressed by more than {MOST_RATE}")
        if not item.filename.endswith(".npy"):
            raise UnusableError(f"{item.filename} is no array of numpy")
        if item.flag_bits & 1 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnusableError(f"{item.filename} is encrypted, or compressed in a way that numpy does not write")


def _array(archive: zipfile.ZipFile, item: zipfile.ZipInfo) -> Array:
    with archive.open(item) as member:
        data = member.read(item.file_size + 1)
    if len(data) != item.file_size:
        raise UnusableError(f"{item.filename} is not as long as the archive says")
    if not data.startswith(np.lib.format.MAGIC_PREFIX):
        raise UnusableError(f"{item.filename} does not begin with numpy's magic string")
    if data[6:8] not in (b"\x01\x00", b"\x02\x00"):
        raise UnusableError(f"{item.filename} has an unknown version of numpy's format")
    start = _length_of_header(data)
    shape, fortran, dtype = _header(data[:start])
    if dtype.hasobject or dtype.kind not in f"{_NUMPY_KINDS}UV" or dtype.subdtype or dtype.names:
        raise UnusableError(f"{item.filename} holds {dtype}, which is no plain array: objects are not unpickled")
    rest = data[start:]
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize != len(rest):
        raise UnusableError(f"{item.filename} does not have as many bytes as its shape says")
    flat = np.frombuffer(rest, dtype) if dtype.itemsize else np.zeros(math.prod(shape), dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _length_of_header(data: bytes) -> int:
    """Up to where numpy's magic bytes, version, length and header go, in the versions 1.0 and 2.0."""
    end = 10 if data[6] == 1 else 12
    return end + int.from_bytes(data[8:end], "little")


@lru_cache(1024)  # most arrays are of few types and shapes, and numpy reads a header as Python
def _header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether the first axis is the innermost one, and type. ValueError where it is none."""
    stream = io.BytesIO(data)
    read = (
        np.lib.format.read_array_header_1_0
        if np.lib.format.read_magic(stream) == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    return read(stream, max_header_size=_MOST_HEADER)


def calls_of(arrays: Mapping[str, Array]) -> list[Any]:
    """The calls as they are written."""
    if CALLS not in arrays:
        raise UnusableError(f"it has no member `{CALLS}` that says what its arrays are")
    try:
        document = json.loads(_text(arrays[CALLS]))
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"`{CALLS}` is no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != 1 or not isinstance(document.get("calls"), list):
        raise UnusableError(f'`{CALLS}` is not of the form {{"schema": 1, "calls": [...]}}')
    calls: list[Any] = document["calls"]
    return calls


def _calls(arrays: Mapping[str, Array], path: str) -> list[StoredVector]:
    found: list[StoredVector] = []
    for position, call in enumerate(calls_of(arrays)):
        try:
            found.append(_vector(call, arrays, path))
        except (UnusableError, TypeError, ValueError, AttributeError) as error:
            raise UnusableError(f"call {position} of `{CALLS}`: {error}") from None
    names = [vector.name for vector in found]
    if len(set(names)) < len(names):
        raise UnusableError(f"two calls of `{CALLS}` have one name")
    return found


def _text(array: Array) -> str:
    if array.dtype.kind == "U" and array.ndim == 0:
        return str(array[()])
    if array.dtype == np.uint8 and array.ndim == 1:
        return array.tobytes().decode("utf-8")
    raise UnusableError(f"`{CALLS}` is neither one text nor bytes of UTF-8")


def _vector(call: Any, arrays: Mapping[str, Array], path: str) -> StoredVector:
    if not isinstance(call, dict):
        raise UnusableError("it is no object")
    unknown = sorted(set(call) - (_KEYS_OF_OPERATOR if "call" in call else _KEYS))
    if unknown:
        known = unknown[0] in _KEYS | _KEYS_OF_OPERATOR
        company = "does not go with `call`" if "call" in call else "goes with `call` alone"
        raise UnusableError(f"the key `{unknown[0]}` {company if known else 'is not known'}")
    name, scale, versions = call.get("name"), call.get("scale", 1.0), call.get("versions")
    if not isinstance(name, str) or not name:
        raise UnusableError("it has no name")
    if not isinstance(scale, int | float) or isinstance(scale, bool) or not 0 < scale < math.inf:
        raise UnusableError("`scale` is no positive number")
    if not isinstance(call.get("reason", ""), str):
        raise UnusableError("`reason` is no text")
    if versions is not None and not (isinstance(versions, list) and all(type(item) is int for item in versions)):
        raise UnusableError("`versions` is no list of numbers")
    if not call.get("outputs"):
        raise UnusableError("it has no `outputs`: what is stored says what is right")
    if "call" in call:
        truth, random = call.get("truth"), call.get("random", False)
        if not isinstance(truth, list) and truth not in (None, "outputs"):
            raise UnusableError('`truth` is neither a list nor "outputs"')
        if not isinstance(random, bool):
            raise UnusableError("`random` is neither true nor false")
        return StoredVector(
            name,
            {},
            {},
            tuple(result for form in call["outputs"] for result in _results(form, arrays)),
            Place(path),
            float(scale),
            None if versions is None else tuple(versions),
            call=_operator_call(call["call"], arrays),
            exact=tuple(result for form in truth for result in _results(form, arrays))
            if isinstance(truth, list)
            else (),
            random=random,
            reason=call.get("reason", ""),
        )
    return StoredVector(
        name,
        {key: _frozen(value) for key, value in call.get("attributes", {}).items()},
        {key: _given(value, arrays) for key, value in call.get("inputs", {}).items()},
        {key: _given(value, arrays) for key, value in call["outputs"].items()},
        Place(path),
        float(scale),
        None if versions is None else tuple(versions),
        reason=call.get("reason", ""),
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _operator_call(form: Any, arrays: Mapping[str, Array]) -> OperatorCall:
    """A call of an operator of PyTorch."""
    if not isinstance(form, dict) or set(form) - {"args", "kwargs"}:
        raise UnusableError('`call` is {"args": [...], "kwargs": {...}}')
    args, kwargs = form.get("args", []), form.get("kwargs", {})
    return OperatorCall(
        tuple(_argument(item, arrays) for item in args),
        {name: _argument(item, arrays) for name, item in kwargs.items()},
    )


def _argument(form: Any, arrays: Mapping[str, Array]) -> Any:
    """A tensor, a number, a text, an element type, or a list of them. Places and layouts are their names."""
    if isinstance(form, list):
        return [_argument(item, arrays) for item in form]
    if not isinstance(form, dict):
        return form
    if "array" in form:
        _require_keys(form, "array", "type", "complex")
        array = _typed(form["array"], _element(form), arrays)
        return _pairs(array) if form.get("complex") is True else array
    (key, value), *others = form.items()
    if others or not isinstance(value, str):
        raise UnusableError(f"`{key}` is no argument of a call")
    if key == "float":
        return float(value)
    if key == "dtype":
        return _element({"type": value})
    if key in ("layout", "device", "memory_format"):
        return value
    raise UnusableError(f"`{str(key)[:40]}` is no argument of a call")


def _pairs(array: Array) -> Array:
    """A complex tensor, which is stored as its real and imaginary parts."""
    if array.shape[-1:] != (2,):
        raise UnusableError("a complex tensor has no last dimension of size 2")
    return array.view(Pairs)


def _results(form: Any, arrays: Mapping[str, Array]) -> tuple[Value | None, ...]:
    """What a call gives; the tensors of a list are results of their own."""
    if isinstance(form, dict) and set(form) == {"list"}:
        return tuple(result for item in form["list"] for result in _results(item, arrays))
    if form is None:
        return (None,)
    if isinstance(form, int):
        return (np.array(form, np.bool_ if isinstance(form, bool) else np.int64),)
    if not isinstance(form, dict):
        raise UnusableError(f"{str(form)[:40]} is no result of a call")
    if set(form) == {"float"}:
        return (np.array(float(form["float"])),)
    if "shape" in form:  # of a random output
        _require_keys(form, "shape", "type")
        shape = form["shape"]
        if not isinstance(shape, list) or not all(type(size) is int and 0 <= size < 1 << 20 for size in shape):
            raise UnusableError("the shape of an output is no list of sizes")
        if math.prod(shape) > MOST_UNPACKED:
            raise UnusableError("the shape of an output is that of a tensor which is too large")
        return (np.zeros(shape, DTYPES[_element(form)]),)
    _require_keys(form, "array", "type", "complex")
    return (_typed(form.get("array"), _element(form), arrays),)


def _require_keys(form: Mapping[str, Any], *known: str) -> None:
    """What no key of a value stands for is no remark: it would be ignored."""
    unknown = sorted(set(form) - set(known))
    if unknown:
        raise UnusableError(f"the key `{unknown[0][:40]}` of a value is not known")


def _element(form: Mapping[str, Any]) -> ElementType:
    kind = BY_NAME.get(form["type"]) if isinstance(form.get("type"), str) else None
    if kind is None:
        raise UnusableError(f"there is no element type {str(form.get('type'))[:40]}")
    return kind


def _given(form: Any, arrays: Mapping[str, Array]) -> tuple[Value | None, ...]:
    """One value, or those of a variadic input or output."""
    if isinstance(form, dict) and set(form) == {"variadic"}:
        return tuple(None if item is None else _value(item, arrays) for item in form["variadic"])
    return (None,) if form is None else (_value(form, arrays),)


def _value(form: Any, arrays: Mapping[str, Array]) -> Value:
    if not isinstance(form, dict) or "type" not in form or set(form) - {"array", "sequence", "type"} or len(form) != 2:
        raise UnusableError('a value is {"array": NAME, "type": TYPE} or {"sequence": [NAME, ...], "type": TYPE}')
    kind = BY_NAME.get(form["type"]) if isinstance(form["type"], str) else None
    if kind is None:
        raise UnusableError(f"there is no element type {str(form['type'])[:40]}")
    if "sequence" in form:
        return Items(kind.name, tuple(_typed(item, kind, arrays) for item in form["sequence"]))
    return _typed(form["array"], kind, arrays)


def _typed(name: Any, kind: ElementType, arrays: Mapping[str, Array]) -> Array:
    """The array as one of the element type: its own dtype, or raw bytes of a type that numpy lacks."""
    if not isinstance(name, str) or name not in arrays:
        raise UnusableError(f"the archive has no array {str(name)[:80]}")
    array, dtype = arrays[name], DTYPES[kind]
    if kind.kind == "string":
        if array.dtype.kind != "U":
            raise UnusableError(f"the array {name} holds {array.dtype}, not text")
        return array.astype(object)
    if array.dtype.newbyteorder("=") == dtype:
        return array.astype(dtype)
    raw = _UNSIGNED.get(dtype.itemsize)
    if raw is None or (dtype.kind in _NUMPY_KINDS and dtype.isbuiltin == 1):
        raise UnusableError(f"the array {name} holds {array.dtype}, not {kind.name}")
    if array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize:
        return np.frombuffer(array.tobytes(), dtype).reshape(array.shape)
    if array.dtype.newbyteorder("=") != raw:
        raise UnusableError(f"the array {name} holds {array.dtype}; raw bytes of {kind.name} are {raw}")
    bits: Array = array.astype(raw)
    if kind.bits < 8:
        if bits.size and int(bits.max()) >> kind.bits:
            raise UnusableError(f"the array {name} has bytes beyond the {kind.bits} bits of {kind.name}")
        return _narrow(bits, kind, dtype)
    return np.frombuffer(bits.tobytes(), dtype).reshape(array.shape)


def _narrow(bits: Array, kind: ElementType, dtype: np.dtype[Any]) -> Array:
    """Elements of fewer than 8 bits, each in the low bits of a byte."""
    if kind.kind == "int":
        half = 1 << (kind.bits - 1)
        return ((bits.astype(np.int16) ^ half) - half).astype(dtype)
    if kind.kind == "uint":
        return bits.astype(dtype)
    return np.frombuffer(bits.tobytes(), dtype).reshape(bits.shape)
