"""The values of vector rows as arrays of an element type.

A number is read as the nearest float64 and rounded once to a float type, where one that is too large becomes infinite.
Integer types take numbers without a fraction and in their range alone, booleans `true` and `false`, strings text.
Complex types take numbers, and text that Python reads as a complex number (`1-2j`); each part is rounded as a float is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import assert_never

import numpy as np
from opwright.elements import ElementType
from opwright.graphs.ndarrays import DTYPES

from opwright_build.spec.literals import Nested
from opwright_build.spec.vectors_file import (
    Choice,
    GeneratedTensor,
    GivenSource,
    Integers,
    LiteralTensor,
    Normal,
    SequenceSource,
    TensorSource,
    Uniform,
    ValueSource,
    VariadicSource,
    ZeroTensor,
)
from opwright_build.verify.case_model import Answer, Array, Expected, ExpectedItems, Items, Value
from opwright_build.verify.cases import generated
from opwright_build.verify.cases.exact_rounding import NotRepresentable, integers, round_floats

Scalar = bool | int | float | str


def tensor(source: TensorSource, target: ElementType) -> Array:
    """The source's values in that element type. Raises NotRepresentable where it cannot hold one of them."""
    if math.prod(max(size, 1) for size in source.shape) > generated.LARGEST_SIZE:
        raise NotRepresentable(f"the tensor is too large: at most {generated.LARGEST_SIZE:,} elements")
    match source:
        case LiteralTensor():
            return _convert(list(flatten(source.values)), source.shape, target)
        case ZeroTensor():
            zero = "" if target.kind == "string" else 0
            return np.full(source.shape, zero, dtype=DTYPES[target])
        case GeneratedTensor():
            return _generate(source, target)
        case _:
            assert_never(source)


def exact(source: TensorSource) -> Array | None:
    """The values as float64, before any rounding to an element type; None where they are no numbers."""
    match source:
        case LiteralTensor():
            scalars = list(flatten(source.values))
            if not all(_is_number(value) for value in scalars):
                return None
            return np.array([_float(value) for value in scalars], dtype=np.float64).reshape(source.shape)
        case ZeroTensor():
            return np.zeros(source.shape)
        case GeneratedTensor():
            numbers = _numbers(source)
            return None if numbers is None else numbers.astype(np.float64)
        case _:
            assert_never(source)


def value(source: ValueSource, target: ElementType) -> Value:
    """Likewise of a tensor or a sequence."""
    if isinstance(source, SequenceSource):
        return Items(target.name, tuple(tensor(item, target) for item in source.items))
    return tensor(source, target)


def stated(source: ValueSource, target: ElementType) -> Answer:
    """What a row says an output is, of floats with the values before rounding. Raises NotRepresentable."""
    if isinstance(source, SequenceSource):
        return ExpectedItems(target.name, tuple(_stated_tensor(item, target) for item in source.items))
    return _stated_tensor(source, target)


def _stated_tensor(source: TensorSource, target: ElementType) -> Expected:
    return Expected(tensor(source, target), exact(source) if target.is_float else None)


def size(source: GivenSource | None) -> int:
    """The elements of everything that is given. A tensor of a sequence without elements counts as one."""
    match source:
        case None:
            return 0
        case VariadicSource():
            return sum(size(item) for item in source.values)
        case SequenceSource():
            return sum(max(math.prod(item.shape), 1) for item in source.items)
        case _:
            return math.prod(source.shape)


def flatten(values: Nested) -> Iterator[Scalar]:
    """The scalars of nested tuples, in C order."""
    pending: list[Nested] = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, tuple):
            pending.extend(reversed(value))
        else:
            yield value


def _generate(source: GeneratedTensor, target: ElementType) -> Array:
    if isinstance(source.distribution, Choice):
        among = source.distribution.values
        picked = generated.choice(source.shape, source.seed, len(among))
        return np.asarray(_convert(list(among), (len(among),), target)[picked])
    if target.is_integer and isinstance(source.distribution, Normal | Uniform):
        raise NotRepresentable(f"the distribution makes fractions, which {target.name} does not hold")
    numbers = _numbers(source)
    assert numbers is not None
    if target.is_float:
        return round_floats(numbers.astype(np.float64), target)
    return _convert(numbers.ravel().tolist(), source.shape, target)


def _numbers(source: GeneratedTensor) -> Array | None:
    """What the distribution makes, float64 or integers; None for a choice among values that are no numbers.

    Raises NotRepresentable for a tensor or a range beyond what `generated` makes.
    """
    try:
        match source.distribution:
            case Normal(mean, std):
                return generated.normal(source.shape, source.seed, mean, std)
            case Uniform(low, high):
                return generated.uniform(source.shape, source.seed, low, high)
            case Integers(low, high):
                return generated.integers(source.shape, source.seed, low, high)
            case Choice(values):
                if not all(_is_number(value) for value in values):
                    return None
                picked = generated.choice(source.shape, source.seed, len(values))
                return np.asarray(np.array([_float(value) for value in values], dtype=np.float64)[picked])
    except ValueError as error:
        raise NotRepresentable(str(error)) from None


def _convert(scalars: Sequence[Scalar], shape: tuple[int, ...], target: ElementType) -> Array:
    match target.kind:
        case "string":
            _require(all(isinstance(value, str) for value in scalars), "is no text", scalars, str)
            return np.array(scalars, dtype=object).reshape(shape)
        case "bool":
            _require(all(isinstance(value, bool) for value in scalars), "is neither true nor false", scalars, bool)
            return np.array(scalars, dtype=np.bool_).reshape(shape)
        case "float":
            _require_numbers(scalars)
            return round_floats(np.array([_float(value) for value in scalars], dtype=np.float64).reshape(shape), target)
        case "int" | "uint":
            _require_numbers(scalars)
            return integers([_whole(value, target) for value in scalars], shape, target)
        case "complex":
            with np.errstate(over="ignore", under="ignore"):
                return np.array([_complex(value) for value in scalars], dtype=DTYPES[target]).reshape(shape)
        case _:
            raise AssertionError(target.kind)


def _require(holds: bool, wrong: str, scalars: Sequence[Scalar], wanted: type) -> None:
    if not holds:
        found = next(value for value in scalars if not isinstance(value, wanted))
        raise NotRepresentable(f"{_written(found)} {wrong}")


def _require_numbers(scalars: Sequence[Scalar]) -> None:
    for value in scalars:
        if not _is_number(value):
            raise NotRepresentable(f"{_written(value)} is no number")


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: Scalar) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond float64
        return math.copysign(math.inf, 1 if not isinstance(value, int) or value > 0 else -1)


def _complex(value: Scalar) -> complex:
    if isinstance(value, str):
        try:
            return complex(value)
        except ValueError:
            raise NotRepresentable(f"{_written(value)} is no complex number") from None
    _require_numbers([value])
    return complex(_float(value))


def _whole(value: Scalar, target: ElementType) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise NotRepresentable(f"{value!r} is no {target.name}")
    return int(value)


def _written(value: Scalar) -> str:
    """A value as YAML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value[:40] if isinstance(value, str) else value)
