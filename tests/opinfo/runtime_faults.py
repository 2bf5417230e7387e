"""`runtime_faults.txt`: what runtimes compute wrongly by themselves, whatever body has the operator.

A row names functions, runtimes and calls, and says what the runtime does. It holds for a call alone which the same body
answers rightly on another runtime, or for which this one gives an error and no value. Where the runtime is `all`, none
at hand gives what PyTorch gives: what ONNX leaves open, or where PyTorch itself is far from the exact value. A row that
no call needs is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from tests.opinfo.archive import Tensor, Value, Vector

ALL = "all"
_PLACES = ("indices ", "place ")  # results that say where an element was
FILE = Path(__file__).with_name("runtime_faults.txt")


@dataclass(frozen=True, slots=True)
class Fault:
    """Texts of `fnmatch`. `calls` are `nan` or `inf` where an argument has such elements, `empty` where it has none,
    `ties` where it has equal ones and places are wrong alone, or the names of calls, which begin with their element
    types."""

    functions: tuple[str, ...]
    runtime: str
    calls: tuple[str, ...]
    reason: str

    def covers(self, function: str, runtime: str, vector: Vector, message: str) -> bool:
        return (
            any(fnmatchcase(function, item) for item in self.functions)
            and (self.runtime == ALL or fnmatchcase(runtime, self.runtime))
            and any(_is_one(item, vector, message) for item in self.calls)
        )


def read_faults() -> list[Fault]:
    rows = (line.split("|") for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return [
        Fault(tuple(functions.split()), runtime.strip(), tuple(calls.split()), reason.strip())
        for functions, runtime, calls, reason in rows
    ]


def _is_one(text: str, vector: Vector, message: str) -> bool:
    arrays = [item.array for item in _tensors((*vector.args, *vector.kwargs.values()))]
    floats = [_as_floats(item) for item in _tensors((*vector.args, *vector.kwargs.values()))]
    if text == "nan":
        return any(bool(np.isnan(array).any()) for array in floats)
    if text == "inf":
        return any(bool(np.isinf(array).any()) for array in floats)
    if text == "ties":
        return message.startswith(_PLACES) and any(np.unique(array).size < array.size for array in floats)
    if text == "empty":
        return any(array.size == 0 for array in arrays)
    return fnmatchcase(vector.name, text)


def _as_floats(item: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if item.type == "bfloat16":
        return (item.array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return item.array.astype(np.float64)


def _tensors(values: Iterable[Value]) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list):
            yield from _tensors(value)
