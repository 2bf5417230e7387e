"""Calls of operators on arrays of numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401  (numpy then casts between its types and others)
import numpy as np

from opwright.aten.call import Input, JoinedInput, NumberInput, TensorInput
from opwright.aten.tensor_facts import Facts
from opwright.graphs.ndarrays import DTYPES, Array, element_of


class Pairs(np.ndarray[Any, np.dtype[Any]]):
    """A complex tensor: an array of real numbers whose last dimension holds the real and the imaginary part."""


def facts_of_array(value: Any) -> Facts | None:
    """What is known of an array; None of what is none."""
    if not isinstance(value, np.ndarray):
        return None
    element = element_of(value)
    if element is None:
        return None
    is_complex = isinstance(value, Pairs)
    return Facts(element, value.shape[:-1] if is_complex else value.shape, is_complex)


def input_array(item: Input) -> Array:
    """The array that a function is given."""
    if isinstance(item, NumberInput):
        return number_array(item)
    if isinstance(item, JoinedInput):
        return np.array([int(part) for part in item.parts], np.int64)
    assert isinstance(item, TensorInput)
    array: Array = np.asarray(item.value)
    if item.cast is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            array = array.astype(DTYPES[item.cast])
    return array.reshape(1) if item.lifted else array


def number_array(item: NumberInput) -> Array:
    """The constant: numbers round to the element type once, as PyTorch has them."""
    if item.element.name == "uint64":
        return np.array(item.value, np.uint64)
    if item.element.is_integer or item.element.kind == "bool":
        return np.array(item.value, np.int64).astype(DTYPES[item.element])
    with np.errstate(over="ignore"):
        return np.asarray(item.value, np.float64).astype(DTYPES[item.element])
