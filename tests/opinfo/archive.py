"""Vectors of one operator as an archive of numpy (`.npz`): arrays `a0`, `a1`, ..., and `calls`, a text of JSON.

    {"schema": 1, "calls": [{"name": "float-3", "call": {"args": [...], "kwargs": {...}}, "outputs": [...],
                             "truth": [...], "random": true, "provenance": "opinfo: add float sample 3"}]}

A tensor is `{"array": "a0", "type": "float"}`; bfloat16 is stored as its bits in uint16, a complex tensor as its real
and imaginary parts in a last axis, with `"complex": true`. Numbers, texts and None are those of JSON, but for a float,
which is `{"float": "0.1"}`; then there are `{"dtype": "float"}`, `{"layout": ...}`, `{"device": "cpu"}` and
`{"memory_format": ...}`. A list of tensors among the outputs is `{"list": [...]}`. Where `random` is true the outputs
are types and shapes: `{"type": "float", "shape": [2]}`. `truth` is what torch gives for the arguments in float64: a
value for each output, or `"outputs"` where the outputs are equal to it; it is absent where torch refuses them, and
where no output is of a float type less exact than that.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

# The name of the element type: the dtype that it is stored as.
STORED: dict[str, type[np.generic]] = {
    "float16": np.float16,
    "bfloat16": np.uint16,
    "float": np.float32,
    "double": np.float64,
    "bool": np.bool_,
    "uint8": np.uint8,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
}
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Tensor:
    """An array as it is stored, and what its elements are."""

    array: np.ndarray[Any, np.dtype[Any]]
    type: str
    complex: bool = False


@dataclass(frozen=True, slots=True)
class Random:
    """What is known of a random output."""

    type: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value that JSON has no form for: `Named("float", "0.1")`, `Named("dtype", "bool")`."""

    kind: str
    text: str


# A Tensor, a Random, a Named, a bool, an int, a str, None, or a list of them.
Value = Any


@dataclass(frozen=True, slots=True)
class Vector:
    """A call with its outputs. `truth`: those of arguments in float64; empty where equal, or None."""

    name: str
    args: Sequence[Value]
    kwargs: Mapping[str, Value]
    outputs: Sequence[Value]
    provenance: str
    truth: Sequence[Value] | None = None
    random: bool = False


@dataclass(slots=True)
class _Arrays:
    """Arrays by name, each distinct one once."""

    by_name: dict[str, np.ndarray[Any, np.dtype[Any]]] = field(default_factory=dict)
    names: dict[tuple[str, tuple[int, ...], bytes], str] = field(default_factory=dict)

    def name(self, array: np.ndarray[Any, np.dtype[Any]]) -> str:
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self.names:
            self.names[key] = f"a{len(self.names)}"
            self.by_name[self.names[key]] = array
        return self.names[key]


def file_name(operator: str) -> str:
    """`aten__add_Tensor.npz` of `aten::add.Tensor`."""
    return operator.replace(":", "_").replace(".", "_") + ".npz"


def write_vectors(path: Path, vectors: Sequence[Vector]) -> None:
    """Writes the archive, in the place of one that is there at once. Equal vectors give equal bytes."""
    arrays = _Arrays()
    calls = [_call(vector, arrays) for vector in vectors]
    text = json.dumps({"schema": 1, "calls": calls}, separators=(",", ":"), allow_nan=False)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in ("calls", np.frombuffer(text.encode(), np.uint8)), *arrays.by_name.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, stream.getvalue())
    beside.replace(path)


def _call(vector: Vector, arrays: _Arrays) -> dict[str, Any]:
    given = {
        "args": [_plain(value, arrays) for value in vector.args],
        "kwargs": {key: _plain(value, arrays) for key, value in vector.kwargs.items()},
    }
    form = {"name": vector.name, "call": given, "outputs": _plain_results(vector.outputs, arrays)}
    if vector.truth is not None:
        form["truth"] = _plain_results(vector.truth, arrays) or "outputs"
    if vector.random:
        form["random"] = True
    return form | {"provenance": vector.provenance}


def _plain_results(values: Sequence[Value], arrays: _Arrays) -> list[Any]:
    return [
        {"list": [_plain(item, arrays) for item in value]} if isinstance(value, list) else _plain(value, arrays)
        for value in values
    ]


def _plain(value: Value, arrays: _Arrays) -> Any:
    if isinstance(value, Tensor):
        form = {"array": arrays.name(value.array), "type": value.type}
        return form | {"complex": True} if value.complex else form
    if isinstance(value, Random):
        return {"type": value.type, "shape": list(value.shape)}
    if isinstance(value, Named):
        return {value.kind: value.text}
    if isinstance(value, list):
        return [_plain(item, arrays) for item in value]
    return value


def read_vectors(path: Path) -> list[Vector]:
    """The vectors of an archive that `write_vectors` has written."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    document = json.loads(arrays.pop("calls").tobytes())
    return [_vector(call, arrays) for call in document["calls"]]


def _vector(form: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, np.dtype[Any]]]) -> Vector:
    truth = form.get("truth")
    return Vector(
        form["name"],
        [_value(value, arrays) for value in form["call"]["args"]],
        {key: _value(value, arrays) for key, value in form["call"]["kwargs"].items()},
        [_value(value, arrays) for value in form["outputs"]],
        form["provenance"],
        [] if truth == "outputs" else truth and [_value(value, arrays) for value in truth],
        form.get("random", False),
    )


def _value(form: Any, arrays: Mapping[str, np.ndarray[Any, np.dtype[Any]]]) -> Value:
    if isinstance(form, list):
        return [_value(item, arrays) for item in form]
    if not isinstance(form, dict):
        return form
    if "array" in form:
        return Tensor(arrays[form["array"]], form["type"], form.get("complex", False))
    if "shape" in form:
        return Random(form["type"], tuple(form["shape"]))
    if "list" in form:
        return [_value(item, arrays) for item in form["list"]]
    ((kind, text),) = form.items()
    return Named(kind, text)
