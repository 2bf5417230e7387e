"""`:=`: names that are bound inside expressions, wherever every path evaluates them."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, INT64, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.lang.static_text import compile_text

X = np.array([1.0, 2.0], np.float32)


def test_names_are_bound() -> None:
    @script()
    def F(x: FLOAT["N"], n: INT64):
        y = (z := x * 2) + z
        if (total := op.ReduceSum(y, keepdims=0)) > 3:
            y = y + total
        elif (less := total - 1) < 0:
            y = y + less
        for i in range(n):
            y = y + (z := z + i)
        return y + z

    for values in (X, -X, X * 0):
        same_everywhere(F, values, np.array(3))
    same_everywhere(F, X, np.array(0))


def test_a_name_of_the_function_hides_those_around_it() -> None:
    text = "k = 3\ndef F(x):\n    y = k\n    if (k := 1) == 1:\n        x = x + k\n    return x\n"
    (found,) = compile_text(text, ("float",))
    assert found.code == "OW308"


def test_a_name_of_a_module_is_no_builtin() -> None:
    (found,) = compile_text("print(len := 3)\ndef F(x):\n    return x + len\n", ("float",))
    assert found.code == "OW309"


@pytest.mark.parametrize(
    "line",
    [
        "y = op.Size(x) > 1 and (z := op.Size(x)) > 2",
        "y = (z := x) if op.Size(x) > 1 else x",
        "y = 1 < op.Size(x) < (z := op.Size(x))",
        "y = [(z := i) for i in (1, 2)]",
        "y = (lambda v: (z := v))(x)",
        "y = x\n    while (z := op.Size(y)) > 9:\n        y = y + 1",
    ],
)
def test_where_one_path_alone_binds_a_name_it_is_refused(line: str) -> None:
    found = compile_text(f"from opwright import opset18 as op\ndef F(x):\n    {line}\n    return x\n", ("float",))
    assert {item.code for item in found} == {"OW304"}


def test_a_static_condition_chooses_what_is_bound() -> None:
    text = "def F(x):\n    y = (z := 2) if 1 else 3\n    assert z == 2 and (w := z) == 2\n    return x * z * w\n"
    assert compile_text(text, ("float",)) == ()
