"""Attributes that a call may leave out: asked about, or handed on as they are."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.diagnostics import DiagnosticError

X = np.ones(3, np.float32)


@script()
def unasked(x: FLOAT[None], k: int | None = None):
    return x * k


@script()
def compared(x: FLOAT[None], k: int | None = None):
    if k > 1:
        return x
    return -x


@script()
def asked(x: FLOAT[None], k: int | None = None):
    return x if k is None else x * k


@script()
def handed_on(x: FLOAT[None], k: int | None = None):
    return op.Softmax(x, axis=k)


@pytest.mark.parametrize("function", [unasked, compared], ids=lambda function: function.name)
def test_a_value_that_may_be_absent_is_refused(function) -> None:
    with pytest.raises(DiagnosticError, match="OW326: `k` may be absent"):
        function.to_function_protos()


def test_what_is_asked_about_has_a_variant_for_each_answer(run_model) -> None:
    assert [proto.name for proto in asked.to_function_protos()] == ["asked__k_absent", "asked__k_present"]
    assert run_model(asked.to_model_proto(), X)[0].tolist() == asked(X).tolist() == [1, 1, 1]
    assert run_model(asked.to_model_proto(k=3), X)[0].tolist() == asked(X, k=3).tolist() == [3, 3, 3]


def test_what_is_handed_on_is_left_to_the_operator(run_model) -> None:
    np.testing.assert_allclose(run_model(handed_on.to_model_proto(), X)[0], handed_on(X))
