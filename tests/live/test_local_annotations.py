"""Annotations of local names under `@script`, in the names around the function."""

from __future__ import annotations

import typing
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import opwright as ow
import pytest
from opwright import DOUBLE, FLOAT, DiagnosticError, script
from opwright import FLOAT as F32
from opwright import opset18 as op

V = FLOAT[2, 3]
E = ow.FLOAT
T = TypeVar("T", FLOAT[2, 3], FLOAT[2, 3])
Maybe = V | None
Shared: Any = None


@script()
def renamed(x: FLOAT[...]) -> Any:
    y: F32[2, 3] = op.Neg(x)
    return y


@script()
def bound(x: FLOAT[...]) -> Any:
    y: V = op.Neg(x)
    return y


@script()
def described(x: FLOAT[...]) -> Any:
    y: typing.Annotated[Maybe, "of a batch"] = op.Neg(x)
    return y


@script()
def array(x: FLOAT[...]) -> Any:
    y: npt.NDArray[np.float32] = op.Reshape(x, [2, 3])
    return y


@script()
def of_module(x: FLOAT[...]) -> Any:
    y: E[2, 3] = op.Neg(x)  # type: ignore[name-defined]
    return y


@script()
def variable(x: FLOAT[...]) -> Any:
    y: T = op.Neg(x)  # type: ignore[valid-type]
    return y


@pytest.mark.parametrize("function", [renamed, bound, described, array, of_module, variable])
def test_a_local_name_is_what_its_annotation_stands_for(function: Any) -> None:
    (output,) = function.to_model_proto().graph.output
    assert [size.dim_value for size in output.type.tensor_type.shape.dim] == [2, 3]


def test_what_it_stands_for_is_read_again() -> None:
    global Shared
    Shared = FLOAT[3]

    @script()
    def reads(x: FLOAT[...]) -> Any:
        y: Shared = op.Neg(x)  # type: ignore[valid-type]
        return y

    assert len(reads.to_model_proto().graph.output[0].type.tensor_type.shape.dim) == 1
    Shared = DOUBLE[3]
    with pytest.raises(DiagnosticError, match="the annotation says double"):
        reads.to_model_proto()
