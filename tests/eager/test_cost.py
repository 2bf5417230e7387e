"""A call that has been made before costs as many calls as it did, whatever it is made on: counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.eager.settings import whole_functions

from tests.work import calls_of

# Calls, those of C included. Pythons that have `sys.monitoring` are asked for two tools by it.
OPERATOR, FUNCTION = 18, 24 if hasattr(sys, "monitoring") else 22


@script(default_opset=op)
def gate(x: FLOAT[...], y: FLOAT[...], alpha: float = 0.5):
    return op.Sigmoid(op.Elu(x, alpha=alpha)) * y


def arrays(size: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    x = np.linspace(0.5, 1.5, size, dtype=np.float32)
    return x, x.copy()


def counts(called: Callable[..., object]) -> set[int]:
    """How many calls a warm call takes, on arrays of several sizes."""
    for _ in range(4):
        called(*arrays(4))
    return {calls_of(partial(called, *arrays(size))) for size in (4, 1000, 100_000)}


def test_an_operator() -> None:
    (found,) = counts(op.Add)
    assert found <= OPERATOR


def test_a_function() -> None:
    (found,) = counts(gate)
    assert found <= FUNCTION


def test_a_function_as_one_graph_costs_less_than_its_operators() -> None:
    (whole,) = counts(gate)
    with whole_functions(False):
        (plain,) = counts(gate)
    assert whole < plain / 5
