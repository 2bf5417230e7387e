"""What a program of the language computes with, over plain numpy: tensors that never change, and Python's numbers.

Written from DESIGN section 4 alone; nothing here knows the compiler or eager mode.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

DTYPES = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
}
CODES = {"float": 1, "uint8": 2, "int32": 6, "int64": 7, "bool": 9, "double": 11}  # ONNX's numbers of element types
EXACT_INTEGER = 1 << 53


class OutOfScope(Exception):
    """The program has no result to compare: Python raises, or the runtimes are known to deviate. The text says why."""


class Refused(Exception):
    """The language forbids this, in eager mode as in the compiler: no accepted program may come here."""


class OutOfRange(Refused):
    """A number that its element type cannot hold. The compiler knows of those alone whose values it knows."""


class ElementTypeObject:
    """`FLOAT`, `INT64`, ...: what `x.dtype` is compared with, and what makes typed scalars."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementTypeObject) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def dtype(self) -> np.dtype[Any]:
        return DTYPES[self.name]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function as a value: `kind` is helper, script or graph, `scope` that of the function around it."""

    node: ast.FunctionDef
    scope: dict[str, Any] | None
    kind: str
    defaults: dict[str, Any] = field(default_factory=dict)  # those that were evaluated where it was defined


class Tensor:
    """An array that nobody changes; its element type is exact."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        array = np.asarray(array)
        if array.dtype not in DTYPES.values():
            raise AssertionError(f"the interpreter promoted to {array.dtype}")
        self.array = array.view()
        self.array.flags.writeable = False

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def __repr__(self) -> str:
        return f"{self.array.dtype}{list(self.array.shape)}{self.array.tolist()}"


class Fixed(Tensor):
    """An array of numpy that is known when the function is built: a tensor to tensors. Among each other such arrays
    compute as numpy does, which nobody compares here."""


def of_numpy(value: Any) -> Any:
    """What numpy computed of known values: float64, int64 and bool are Python's numbers, all else is an array."""
    if isinstance(value, np.generic) and value.dtype in (np.float64, np.int64, np.bool_):
        return value.item()
    if np.asarray(value).dtype not in DTYPES.values():
        raise OutOfScope("an array of an element type that the interpreter does not know")
    return Fixed(np.asarray(value))


def is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def name_of(dtype: np.dtype[Any]) -> str:
    return next(name for name, known in DTYPES.items() if known == dtype)


def convert_number(value: bool | int | float, dtype: np.dtype[Any]) -> Tensor:
    """A number that meets a tensor takes its element type; one that does not fit is an error in both modes."""
    if dtype.kind == "f":
        if isinstance(value, int) and abs(value) > EXACT_INTEGER:
            raise OutOfScope("an integer beyond 2**53 meets a float tensor")
        with np.errstate(all="ignore"):
            return Tensor(np.array(value, np.float64).astype(dtype))
    if dtype.kind == "b":
        if not isinstance(value, bool):
            raise Refused(f"{value!r} meets a bool tensor")
        return Tensor(np.array(value))
    if isinstance(value, float):
        if not np.isfinite(value) or not value.is_integer():
            raise Refused(f"{value!r} meets a tensor of {dtype}")
        value = int(value)
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        raise OutOfRange(f"{value!r} is out of range for {dtype}")
    return Tensor(np.array(value, dtype))


def to_tensor(value: object, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Any operand as a tensor: numbers and nested lists of them take `dtype`, else INT64, FLOAT or BOOL."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float)):
        return convert_number(value, dtype if dtype is not None else default_of((value,)))
    if isinstance(value, (tuple, list)):
        leaves = list(_leaves(value))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        chosen = tensors[0].dtype if tensors else dtype if dtype is not None else default_of(leaves)
        flat = [leaf.array if isinstance(leaf, Tensor) else convert_number(leaf, chosen).array for leaf in leaves]
        if any(item.dtype != chosen for item in flat):
            raise Refused("a list of tensors of several element types")
        return Tensor(np.array(flat, chosen).reshape(_dims(value)))
    if isinstance(value, str):
        raise OutOfScope("an element type that the interpreter does not know")
    raise Refused(f"{value!r} is no tensor")


def default_of(items: Sequence[Any]) -> np.dtype[Any]:
    """The element type of numbers that meet no tensor."""
    if any(isinstance(item, float) for item in items):
        return DTYPES["float"]
    if items and all(isinstance(item, bool) for item in items):
        return DTYPES["bool"]
    return DTYPES["int64"]


def _leaves(value: Any) -> Any:
    for item in value:
        if isinstance(item, (tuple, list)):
            yield from _leaves(item)
        elif is_number(item) or (isinstance(item, Tensor) and not item.array.ndim):
            yield item
        elif isinstance(item, str):
            raise OutOfScope("an element type that the interpreter does not know")
        else:
            raise Refused(f"a list with {item!r} is no tensor")


def _dims(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        return ()
    inner = {_dims(item) for item in value}
    if len(inner) > 1:
        raise Refused("the lists have different lengths")
    return (len(value), *(inner.pop() if inner else ()))


def truth(value: object) -> bool:
    """A condition: one element of any numeric type, true where it is not zero."""
    if isinstance(value, Tensor):
        if value.array.size != 1:
            raise OutOfScope("a condition of more or fewer than one element is an error at run time")
        return bool(value.array.reshape(()) != 0)
    return bool(value)
