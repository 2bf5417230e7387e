"""Arrays and values as Python: what is read again has the same bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import helper
from opwright.elements import BY_NAME, ElementType
from opwright_build.propose.python_text import array_text, needs_ml_dtypes, value_text

FLOATS = [0.0, -0.0, 0.1, 1.5, -3.0, 1e-5, 6e4, np.inf, -np.inf, np.nan, 1e-40, 1 / 3]


def sample(kind: ElementType) -> np.ndarray:
    dtype = helper.tensor_dtype_to_np_dtype(kind.code)
    if kind.name == "string":
        return np.array(["a", 'b"\\', "\n"], dtype=object)
    if kind.kind == "bool":
        return np.array([True, False])
    if kind.kind == "complex":
        return np.array([1 + 2j, complex(0.1, -np.inf)], dtype=dtype)
    if kind.is_integer:
        return np.array([kind.minimum, 0, 1, kind.maximum], dtype=object).astype(
            helper.tensor_dtype_to_np_dtype(kind.code)
        )
    with np.errstate(all="ignore"):
        return np.array(FLOATS).astype(dtype)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_element_type_is_read_back(name: str) -> None:
    array = sample(BY_NAME[name])
    text = array_text(array)
    with np.errstate(all="ignore"):
        again = eval(text, {"np": np, "ml_dtypes": ml_dtypes})
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    if name == "string":
        assert again.tolist() == array.tolist()
    else:
        assert again.tobytes() == array.tobytes() or _same(again, array)
    assert needs_ml_dtypes(array) == ("ml_dtypes" in text)


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    """Equal values, zeros by their sign; nan has many encodings."""
    a, b = one.astype(np.float64), two.astype(np.float64)
    return bool(np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0])))


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1, 2, 3), (40, 3)])
def test_shapes_are_kept(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    again = eval(array_text(array), {"np": np})
    assert again.shape == shape
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize("value", [1, 0.1, 'a"b', "\U0001f680 \u00e4\n\u2028", (1, 2), ("a", "b"), (), float("inf")])
def test_values_of_attributes(value: object) -> None:
    again = eval(value_text(value), {"np": np})
    assert again == (list(value) if isinstance(value, tuple) else value)
