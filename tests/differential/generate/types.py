"""What the generator knows of a value: enough to write programs that mean something on every input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

FLOATS = ("float", "double")
INTEGERS = ("int32", "int64")
ELEMENTS = (*FLOATS, *INTEGERS, "bool")
TYPE_NAMES = {"float": "FLOAT", "double": "DOUBLE", "int32": "INT32", "int64": "INT64", "bool": "BOOL"}

# Shapes that broadcast with each other in any mix: rank 0, [1], [B], [A, B], and any of these (or with ones in them).
SCALAR, ONE, ROW, FULL, ANY = "scalar", "one", "row", "full", "any"
_RANK = {SCALAR: 0, ONE: 1, ROW: 2, FULL: 3, ANY: 4}


def broadcast(*shapes: str) -> str:
    """The shape of an elementwise result."""
    return max(shapes, key=_RANK.__getitem__)


def joined_shape(first: str, second: str) -> str:
    return first if first == second else ANY


@dataclass(frozen=True, slots=True)
class Tensor:
    """`element` is an element type or one of the function's type variables."""

    element: str
    shape: str


@dataclass(frozen=True, slots=True)
class Number:
    """A Python number: `kind` int, float or bool; `value` where it is the same in every run.

    `attribute`: it is the function's own attribute, which may be passed on as an operator's.
    """

    kind: str
    value: Any = None
    attribute: bool = False


@dataclass(frozen=True, slots=True)
class Weak:
    """A number on some paths, a tensor of the element type on others: it may be read where a tensor is beside it."""

    element: str
    shape: str


@dataclass(frozen=True, slots=True)
class Loose:
    """A tensor of a shape that broadcasts with nothing but single elements: what subscripts make."""

    element: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string of a few: an attribute that is declared with its values."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of tensors; `filled`: it has an item at least."""

    element: str
    filled: bool


@dataclass(frozen=True, slots=True)
class Axes:
    """An attribute that is a list of axes, 0 first."""


@dataclass(frozen=True, slots=True)
class Items:
    """A static tuple."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """An optional input, which may be None."""

    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Function:
    """A lambda by name: it takes a tensor of the element type, or of any where there is none, and keeps its shape."""

    element: str


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary, or a namedtuple (`fields`): the texts that are its keys, and what they lead to."""

    entries: tuple[tuple[str, Tensor | Number], ...]
    fields: bool


Type = Axes | Tensor | Loose | Listed | Number | Text | Weak | Items | Maybe | Function | Table


def join(first: Type, second: Type, may_meet: Callable[[Number, str], bool]) -> Type | None:
    """What a name is after two paths that give it these types; None where nobody should read it."""
    if first == second:
        return first
    match first, second:
        case Number(), Number():
            return Number(first.kind) if first.kind == second.kind else None
        case Tensor(), Tensor():
            same = first.element == second.element
            return Tensor(first.element, joined_shape(first.shape, second.shape)) if same else None
        case Loose() | Tensor(), Loose() | Tensor():
            return Loose(first.element) if first.element == second.element else None
        case Items(), Items() if len(first.items) == len(second.items):
            items = [join(one, other, may_meet) for one, other in zip(first.items, second.items, strict=True)]
            return None if None in items else Items(tuple(item for item in items if item is not None))
        case (Number() | Weak(), Tensor() | Weak()) | (Tensor(), Number() | Weak()) | (Weak(), Number()):
            return _weak(first, second, may_meet)
    return None


def _weak(first: Type, second: Type, may_meet: Callable[[Number, str], bool]) -> Weak | None:
    numbers = [item for item in (first, second) if isinstance(item, Number)]
    others = [item for item in (first, second) if isinstance(item, (Tensor, Weak))]
    if len({item.element for item in others}) != 1:
        return None
    element = others[0].element
    if any(not may_meet(number, element) for number in numbers):
        return None
    shape = others[0].shape
    for item in others[1:]:
        shape = joined_shape(shape, item.shape)
    return Weak(element, joined_shape(shape, SCALAR) if numbers else shape)


def meets(number: Number, element: str) -> bool:
    """Whether the number may meet tensors of one element type (type variables: see Scope.meets)."""
    if element == "bool":
        return number.kind == "bool" and number.value is not None
    if element in INTEGERS:
        return number.kind == "int"
    return element in FLOATS and number.kind in ("int", "float")
