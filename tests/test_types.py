"""Tensor types as annotations, as dtype attributes and as constructors of scalars."""

from __future__ import annotations

import collections.abc
import pickle
import typing
from pathlib import Path
from typing import Any

import numpy as np
import opwright
import pytest
from opwright import FLOAT, FLOAT16, INT4, INT64, Tensor, types
from opwright.elements import BY_NAME


def test_there_is_a_class_for_every_element_type() -> None:
    for name, element in BY_NAME.items():
        found = getattr(types, name.upper())
        assert issubclass(found, Tensor)
        assert found.dtype is element
        assert found.shape == ()
        assert getattr(opwright, name.upper()) is found
        assert pickle.loads(pickle.dumps(found)) is found


def test_the_stub_has_the_same_names() -> None:
    stub = Path(types.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    listed = {line.strip(' ",') for line in stub.split("__all__ = [")[1].split("]")[0].splitlines() if line.strip()}
    assert listed == {
        *(name.upper() for name in BY_NAME),
        "Dimension",
        "Graph",
        "Map",
        "Optional",
        "OptionalValue",
        "Sequence",
        "Tensor",
    }
    assert all(hasattr(types, name) for name in listed)


def test_shapes() -> None:
    assert FLOAT["N", 3].shape == ("N", 3)
    assert INT64[2].shape == (2,)
    assert FLOAT[...].shape is None
    assert INT4[None, "M"].shape == (None, "M")
    assert FLOAT[()].shape == ()
    assert FLOAT["N", 3].dtype is FLOAT.dtype
    assert FLOAT["N", 3].__name__ == "FLOAT['N', 3]"
    assert FLOAT["N", 3]["M"].__name__ == "FLOAT['M']"
    assert FLOAT[np.int64(3), np.uint8(2)] is FLOAT[3, 2]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("type_", [FLOAT["N", 3], FLOAT[...], INT4[()], Tensor[None, "M"], FLOAT["N"]["M"]], ids=repr)
def test_types_with_shapes_are_pickled(type_: Any, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(type_, protocol)) is type_


def test_the_same_shape_is_the_same_type() -> None:
    assert FLOAT["N", 3] is FLOAT["N", 3]
    assert FLOAT["N"] is not FLOAT["M"]
    assert FLOAT["N"] is not FLOAT16["N"]
    assert typing.get_args(FLOAT["N"] | None) == (FLOAT["N"], type(None))


@pytest.mark.parametrize("dims", [True, 1.5, (..., 3), [1], ("N", (2,)), -1, (2, 1 << 63)])
def test_what_is_no_dimension(dims: Any) -> None:
    with pytest.raises(TypeError, match="a dimension is a size from 0 to "):
        FLOAT[dims]
    assert FLOAT[0, (1 << 63) - 1].shape == (0, (1 << 63) - 1)


def test_scalars() -> None:
    half = FLOAT16(0.5)
    assert half.dtype == FLOAT16
    assert half.shape == ()
    np.testing.assert_array_equal(half.numpy(), np.float16(0.5))
    assert Tensor(np.zeros((2, 3), np.int64)).shape == (2, 3)


def test_the_annotations_of_python_are_its_own() -> None:
    assert types.Sequence is collections.abc.Sequence
    assert opwright.Optional is typing.Optional
    assert typing.get_args(opwright.Sequence[FLOAT["N"]]) == (FLOAT["N"],)
    with pytest.raises(AttributeError, match="has no attribute 'Mapping'"):
        types.Mapping  # noqa: B018 - the look-up is what fails
