"""Calls of operators on arrays of numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes  # noqa: F401  (numpy then casts between its types and others)
import numpy as np

from opwright.aten.call import Facts, Input, JoinedInput, NumberInput, TensorInput
from opwright.graphs.ndarrays import DTYPES, Array, element_of


def facts_of_array(value: Any) -> Facts | None:
    """What is known of an array; None of what is none."""
    if not isinstance(value, np.ndarray):
        return None
    element = element_of(value)
    return None if element is None else Facts(element, value.shape)


def input_array(item: Input) -> Array:
    """The array that a function is given."""
    if isinstance(item, NumberInput):
        return _number(item)
    if isinstance(item, JoinedInput):
        return np.array([int(part) for part in item.parts], np.int64)
    assert isinstance(item, TensorInput)
    array: Array = np.asarray(item.value)
    if item.cast is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            array = array.astype(DTYPES[item.cast])
    return array.reshape(1) if item.lifted else array


def _number(item: NumberInput) -> Array:
    """Numbers round to the element type once, as PyTorch has them."""
    dtype = DTYPES[item.element]
    if item.element.is_integer or item.element.kind == "bool":
        return (
            np.array(item.value).astype(np.int64).astype(dtype)
            if item.element.name != "uint64"
            else np.array(item.value, dtype)
        )
    with np.errstate(over="ignore"):
        return np.asarray(item.value, np.float64).astype(dtype)
