"""A function whose types are inferred has the element types with which its calls of others compile: a type that lacks
in some variants of a called function alone lacks in the caller where it calls one of these."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from opwright import FLOAT, OnnxFunction, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError

from tests.functions.everywhere import same_everywhere

X = np.array([1.5, -2.0], np.float32)


@script()
def by_mode(x, mode: Literal["p", "q"] = "q"):
    if mode == "p":
        return x
    return x if x.dtype == FLOAT else -x


@script()
def by_presence(x, y=None):
    if y is None:
        return x
    return x if x.dtype == FLOAT else -x


@script()
def by_rank(x):
    if x.rank == 1:
        return x
    return x * 0.5 if x.dtype == FLOAT else x // 2


@script()
def by_rank_in_time(x):
    if x.rank == 1:
        return x
    for i in range(2):
        x = (x * 0.5 if x.dtype == FLOAT else x // 2) + i
    return x


@script()
def asked_again(x):
    if x.rank == 1:
        return -x
    z = x // 2 if x.dtype != FLOAT else x
    if x.rank == 2:
        return z - 1
    return z


@script()
def of_mode(x):
    return by_mode(x)


@script()
def of_presence(x):
    return by_presence(x, x)


@script()
def of_rank(x):
    if x.rank == 2:
        return by_rank(x)
    return x


@script()
def of_rank_in_time(x):
    if x.rank == 2:
        return by_rank_in_time(x)
    return x


CALLED: dict[str, OnnxFunction] = {
    item.name: item
    for item in (of_mode, of_presence, of_rank, of_rank_in_time, by_rank_in_time, asked_again)
    if isinstance(item, OnnxFunction)
}


@pytest.mark.parametrize("name", list(CALLED))
def test_the_types_that_a_call_admits(name: str) -> None:
    called = CALLED[name]

    @script()
    def of_vector(x: FLOAT["N"]):
        return op.ReduceSum(called(x), keepdims=0)

    @script()
    def of_matrix(x: FLOAT["N", "M"]):
        return op.ReduceSum(called(x), keepdims=0)

    same_everywhere(of_vector, X)
    same_everywhere(of_matrix, X[:, None])


def test_a_type_that_the_caller_has_written_is_refused() -> None:
    @script()
    def f(x: FLOAT["N"]):
        return by_mode(op.Cast(x, to=8))

    with pytest.raises(DiagnosticError) as refused:
        f.to_model_proto(opset=18)
    assert {item.code for item in refused.value.diagnostics} == {"OW218"}


def test_a_call_that_is_wrong_for_each_type_is_refused() -> None:
    @script()
    def always(x):
        if x.rank == 2:
            return by_mode(op.Cast(x, to=8))
        return x

    @script()
    def f(x: FLOAT["N"]):
        return always(x)

    with pytest.raises(DiagnosticError) as refused:
        f.to_model_proto(opset=18)
    assert {item.code for item in refused.value.diagnostics} == {"OW218", "OW350"}
