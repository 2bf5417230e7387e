"""The element type in which PyTorch computes: that of its operands, each of one of three kinds.

Tensors of rank 1 and more decide first; one of rank 0, and after it a number of Python, only where its category (bool,
integer, floating point) is above theirs. https://docs.pytorch.org/docs/stable/tensor_attributes.html
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from opwright.elements import BY_NAME, ElementType

FLOAT, DOUBLE, INT64, BOOL = (BY_NAME[name] for name in ("float", "double", "int64", "bool"))
_INTEGERS = [BY_NAME[name] for name in ("int8", "int16", "int32", "int64")]
_FLOATS = [BY_NAME[name] for name in ("float16", "bfloat16", "float", "double")]


@dataclass(frozen=True, slots=True)
class Operand:
    """What counts of an operand: its element type, whether it has a rank of 1 or more, whether it is of Python."""

    element: ElementType
    dimensioned: bool = False
    is_number: bool = False


def type_of_number(value: float) -> ElementType:
    """The element type of a number of Python, that of a float being PyTorch's default."""
    return BOOL if isinstance(value, bool) else INT64 if isinstance(value, int) else FLOAT


def result_type(operands: Iterable[Operand]) -> ElementType:
    """The element type for operands, at least one."""
    dimensioned: ElementType | None = None
    rank_0: ElementType | None = None
    number: ElementType | None = None
    for operand in operands:
        if operand.is_number:
            number = _joined(number, operand.element)
        elif operand.dimensioned:
            dimensioned = _joined(dimensioned, operand.element)
        else:
            rank_0 = _joined(rank_0, operand.element)
    found = _outranked(dimensioned, _outranked(rank_0, number))
    assert found is not None, "there are no operands"
    return found


def promoted(first: ElementType, second: ElementType) -> ElementType:
    """The least element type that holds both, as PyTorch sees it."""
    if first is second:
        return first
    if first.kind == "bool" or second.kind == "bool":
        return second if first.kind == "bool" else first
    if first.is_float and second.is_float:
        higher, lower = (first, second) if first.bits >= second.bits else (second, first)
        return FLOAT if higher.bits == lower.bits else higher
    if first.is_float or second.is_float:
        return first if first.is_float else second
    if first.kind == second.kind:
        return first if first.bits >= second.bits else second
    signed, unsigned = (first, second) if first.kind == "int" else (second, first)
    if signed.bits > unsigned.bits:
        return signed
    return next((item for item in _INTEGERS if item.bits > unsigned.bits), FLOAT)


def admitted_type(wanted: ElementType, admitted: Collection[str]) -> ElementType | None:
    """The element type that stands for `wanted` where a function takes those alone: the least that holds all its values
    among the integers, and above them PyTorch's default, then what is wider. None where there is none."""
    if wanted.name in admitted:
        return wanted
    if wanted.is_float:
        wider = (item for item in (FLOAT, DOUBLE) if item.bits > wanted.bits)
        return next((item for item in wider if item.name in admitted), None)
    if wanted.kind in ("bool", "int", "uint"):
        candidates = [item for item in _INTEGERS if _holds(item, wanted)]
        return next((item for item in (*candidates, FLOAT, DOUBLE) if item.name in admitted), None)
    return None


def as_number_of(value: float, element: ElementType) -> float | None:
    """A number of Python as PyTorch converts it where the element type does not follow from it: truth values are what
    is not 0, of integers the fraction is cut off. None where an integer type has none."""
    if element.kind == "bool":
        return value != 0
    if not element.is_integer:
        return value
    return int(value) if math.isfinite(value) else None


def is_normal(value: float, element: ElementType) -> bool:
    """Whether a finite number rounds to a value of that float type which has all its digits, or is 0."""
    most = (1 << (element.bits - element.precision - 1)) - 1
    return value == 0 or 2.0 ** (1 - most) <= abs(value) < 2.0**most * (2 - 2.0**-element.precision)


def is_represented(value: float, element: ElementType) -> bool:
    """Whether a finite number is a value of that float type which has all its digits, or is 0."""
    return is_normal(value, element) and (math.frexp(value)[0] * (1 << element.precision)).is_integer()


def greatest_not_above(value: float, element: ElementType) -> float:
    """The greatest value of that float type that is not above a number, which may be infinite."""
    if not math.isfinite(value):
        return value
    most = (1 << (element.bits - element.precision - 1)) - 1
    greatest = 2.0**most * (2 - 2.0 ** (1 - element.precision))
    if abs(value) > greatest:
        return greatest if value > 0 else -math.inf
    step = 2.0 ** (max(math.frexp(value)[1], 2 - most) - element.precision)
    return math.floor(value / step) * step


def is_exact(value: float, element: ElementType) -> bool:
    """Whether a number of Python is one of the element type's values, or rounds to one as numbers of PyTorch do."""
    if element.is_integer:
        return (
            (isinstance(value, int) or math.isfinite(value))
            and value == int(value)
            and element.minimum <= value <= element.maximum
        )
    if element.kind == "bool":
        return value in (0, 1)
    return element in _FLOATS and (isinstance(value, float) or abs(value) <= sys.float_info.max)


def _holds(item: ElementType, wanted: ElementType) -> bool:
    return wanted.kind == "bool" or item.bits > wanted.bits or (wanted.kind == "int" and item.bits == wanted.bits)


def _joined(first: ElementType | None, second: ElementType) -> ElementType:
    return second if first is None else promoted(first, second)


def _outranked(higher: ElementType | None, lower: ElementType | None) -> ElementType | None:
    """What the operands of a higher kind come to beside others: those count where their category is above."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.is_float:
        return higher
    if higher.kind == "bool" or lower.is_float:
        return promoted(higher, lower)
    return higher
