"""Element types that nobody declared are those that the body takes, in whatever order it says so."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, compile_source, script
from opwright import opset18 as op


@script()
def appended_first(y):
    items = [y]
    for _ in range(3):
        items.append(-y)
    return op.ConcatFromSequence(items, axis=0), y % 0.5


@script()
def appended_last(y):
    rest = y % 0.5
    items = [y]
    for _ in range(3):
        items.append(-y)
    return op.ConcatFromSequence(items, axis=0), rest


@pytest.mark.parametrize("callee", [appended_first, appended_last])
def test_a_number_that_does_not_fit_rules_a_type_out(callee, run_model) -> None:
    @script()
    def caller(a: FLOAT["N"]) -> tuple[FLOAT["M"], FLOAT["N"]]:
        return callee(a)

    joined, rest = run_model(caller.to_model_proto(), np.array([0.75, -2.0], np.float32))
    np.testing.assert_array_equal(joined, np.array([0.75, -2.0] + [-0.75, 2.0] * 3, np.float32))
    np.testing.assert_array_equal(rest, np.array([0.25, 0.0], np.float32))


def test_what_is_wrong_whatever_the_type_is_told_without_the_types_that_do_not_exist() -> None:
    """Below opset 15 a constant asks for the element type: of those that no Constant holds there nothing is said."""
    text = "from opwright import opset13 as op\ndef f(x):\n    y = x * 2.5 + 1\n    return y.foo\n"
    with pytest.raises(DiagnosticError) as caught:
        compile_source(text, "f").to_function_protos()
    assert [(item.code, item.message) for item in caught.value.diagnostics] == [
        ("OW304", "`.foo` of a value of type float[...] is not part of the language")
    ]
