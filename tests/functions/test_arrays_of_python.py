"""Arrays that Python holds while a function is built: numpy makes of them what the graph does, or it is refused."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import BOOL, DOUBLE, FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op

from tests.docs.running import OPSET, run_model
from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text
from tests.shares import one_in

ARRAYS = {
    "int8": np.array([100, -7], np.int8),
    "int32": np.array([7, -7], np.int32),
    "int64": np.array([7, -7]),
    "uint8": np.array([7, 200], np.uint8),
    "float": np.array([0.5, 3], np.float32),
    "double": np.array([0.5, 3]),
    "scalar of int8": np.int8(100),
    "scalar of float": np.float32(0.1),
}
OTHERS = {
    "int": 3,
    "numpy's int": np.int64(3),
    "sum": np.sum([100]),
    "float32": np.float32(0.5),
    "numpy's float": np.float64(0.1),
    "an exact float": np.float64(0.5),
    "int32": np.int32(5),
    "ints": [2, 3],
    "floats": [0.5, 2.0],
    "tuple": (2, 3),
    **{f"array of {name}": value for name, value in ARRAYS.items() if value.ndim},
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "==": operator.eq,
}


def compiled(function: OnnxFunction, x: np.ndarray) -> np.ndarray | None:
    """What onnxruntime gives; None where the function is refused."""
    try:
        model = function.to_model_proto(opset=OPSET)
    except DiagnosticError:
        return None
    return next(iter(run_model(model, {"x": x}).values()))[0]


@pytest.mark.parametrize(("name", "other"), one_in(4, itertools.product(ARRAYS, OTHERS)))
def test_numpy_promotes_as_the_graph_does_or_it_is_refused(name: str, other: str) -> None:
    array, value = ARRAYS[name], OTHERS[other]
    x = np.zeros(2)

    @script()
    def add(x: DOUBLE["N"]):
        return x + op.Cast(array + value, to=DOUBLE)

    @script()
    def subtract(x: DOUBLE["N"]):
        return x + op.Cast(array - value, to=DOUBLE)

    @script()
    def multiply(x: DOUBLE["N"]):
        return x + op.Cast(array * value, to=DOUBLE)

    @script()
    def divide(x: DOUBLE["N"]):
        return x + op.Cast(array / value, to=DOUBLE)

    @script()
    def raised(x: DOUBLE["N"]):
        return x + op.Cast(array**value, to=DOUBLE)

    @script()
    def less(x: DOUBLE["N"]):
        return x + op.Cast(array < value, to=DOUBLE)

    @script()
    def computed(x: DOUBLE["N"]):
        return x + op.Cast(+array * value, to=DOUBLE)

    pairs = [(add, "+"), (subtract, "-"), (multiply, "*"), (divide, "/"), (raised, "**"), (less, "<"), (computed, "*")]
    for function, symbol in pairs:
        with np.errstate(all="ignore"):
            try:
                wanted = np.asarray(OPERATORS[symbol](array, value), np.float64)
            except (TypeError, ValueError, OverflowError):
                continue  # numpy refuses: that the graph may give something then is another matter
        found = compiled(function, x)
        if found is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=symbol)


@pytest.mark.parametrize("operation", ["t += 1", "t **= 2", "t <<= np.array([1, 2])"])
def test_an_array_of_python_does_not_change_in_place(operation: str) -> None:
    text = f"import numpy as np\n\ndef F(x):\n    t = np.array([1, 2])\n    {operation}\n    return x\n"
    assert [item.code for item in compile_text(text)] == ["OW343"]


@pytest.mark.parametrize("made", ["t * t", "-t", "t[::-1]", "t + 1"])
def test_nor_does_one_that_is_computed(made: str) -> None:
    text = f"import numpy as np\n\ndef F(x):\n    t = np.array([1.0, 2.0])\n    u = {made}\n    u += 1\n    return x\n"
    assert [item.code for item in compile_text(text)] == ["OW343"]


@pytest.mark.parametrize("made", ["t * t", "-t", "t[::-1]", "t + 1", "np.float32(1.5) * 2"])
def test_what_is_computed_of_arrays_is_one_of_their_type(made: str) -> None:
    text = f"import numpy as np\n\ndef F(x):\n    t = np.array([1, 2], np.float32)\n    u = {made}\n"
    text += "    v = u * np.float64(0.1)\n    return x\n"
    assert [item.code for item in compile_text(text)] == ["OW314"]


def test_a_scalar_of_numpy_is_replaced() -> None:
    @script()
    def f(x: FLOAT["N"]):
        t = np.float32(1.5)
        u = t
        t += 1
        return x * t + u

    assert same_everywhere(f, np.ones(2, np.float32)).tolist() == [4, 4]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("array", [np.ones((2, 2)).view(np.matrix), np.ma.masked_array([1.0, 2.0], mask=[0, 1])])
def test_an_array_with_operators_of_its_own_is_refused(array: np.ndarray) -> None:
    @script()
    def f(x: FLOAT["N"]):
        return x + op.Cast(array, to=FLOAT)

    with pytest.raises(DiagnosticError) as raised:
        f.to_model_proto(opset=18)
    assert {item.code for item in raised.value.diagnostics} == {"OW352"}


FACTORS = np.array([1.5, -2.0, 4.0], np.float32)
SEVERAL = (FACTORS, np.float32(2.5))
THREE = np.float32(3.0)


def scaled(x, by=FACTORS, *, and_by=THREE):
    return x * by * and_by


def scaled_by_several(x, by=SEVERAL):
    return x * by[0] + by[1]


def test_defaults_of_functions_may_be_arrays() -> None:
    @script()
    def F(x: FLOAT[3], positive: BOOL):
        def inner(v, by=SEVERAL[0]):
            return v * by

        chosen = op.If(positive, then_branch=lambda: inner(x), else_branch=lambda v=FACTORS: x + v)
        return scaled(x) + scaled_by_several(x) + chosen

    for positive in (True, False):
        same_everywhere(F, np.array([1.0, -2.0, 0.5], np.float32), np.array(positive))
