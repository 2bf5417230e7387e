"""A `while` whose condition holds when it is met makes a trip: what its body binds has a value behind it."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere

X = np.array([1.0, 2.0], np.float32)


def test_a_tensor() -> None:
    @script()
    def f(x: FLOAT["N"]):
        while True:
            y = x * 2
            if y[0] > 100:
                break
            x = y
        return y

    assert same_everywhere(f, X).tolist() == [128, 256]


def test_a_number_and_a_tensor_of_a_condition_that_is_known_at_first() -> None:
    @script()
    def f(x: FLOAT["N"]):
        n = 0
        while n < 3:
            y = x * 2
            k = n * 2
            x = y
            n += 1
        return y + k

    assert same_everywhere(f, X).tolist() == [12, 20]


def test_a_shape_that_changes() -> None:
    @script()
    def f(x: FLOAT["N"]):
        while True:
            y = op.Concat(x, x, axis=0)
            x = y[1:]
            if op.Size(y) > 9:
                break
        return y

    assert len(same_everywhere(f, X)) == 10


def test_loops_in_loops() -> None:
    @script()
    def f(x: FLOAT["N"]):
        while True:
            while True:
                y = x * 2
                z = y.shape[0]
                if y[0] > 10:
                    break
                x = y
            if y[0] > 50:
                break
            x = y + 1
        return y * z

    assert same_everywhere(f, X).tolist() == [140, 268]


def test_a_choice() -> None:
    @script()
    def f(x: FLOAT["N"]):
        up = x[0] > 0
        while True:
            y = x + 1 if up else x - 1
            x = y
            if op.Abs(x)[0] > 4:
                break
        return y

    assert same_everywhere(f, X).tolist() == [5, 6]
    assert same_everywhere(f, -X).tolist() == [-5, -6]


def test_a_condition_that_is_not_known_makes_no_trip_perhaps() -> None:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        while n < 3:
            y = x * 2
            n += 1
        return y

    with pytest.raises(DiagnosticError, match="OW308"):
        f.to_model_proto(opset=18)


def test_a_name_of_one_branch_may_have_no_value() -> None:
    @script()
    def f(x: FLOAT["N"]):
        while True:
            if x[0] > 100:
                y = x
            x = x * 2
            if x[0] > 50:
                break
        return y

    with pytest.raises(DiagnosticError, match="OW308"):
        f.to_model_proto(opset=18)
