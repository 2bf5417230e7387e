"""Parameters that may be None and have no default: a call must say so, as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, OnnxFunction, compile_source, script
from opwright import opset18 as op

RunModel = Callable[..., list[Any]]
X = np.array([1, -2], np.float32)


@script(default_opset=op)
def shifted(x: FLOAT["N"], by: FLOAT["N"] | None):
    if by is None:
        return -x
    return x + by


@script(default_opset=op)
def between(x: FLOAT["N"], low: Optional[FLOAT["N"]], high: FLOAT["N"]):  # noqa: UP045
    if low is not None:
        x = op.Max(x, low)
    return op.Min(x, high)


@script(default_opset=op)
def scaled(x: FLOAT["N"], factor: float | None):
    if factor is None:
        return x
    return x * factor


def codes(step: Callable[[], object]) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        step()
    return [item.code for item in raised.value.diagnostics]


def caller(call: str) -> OnnxFunction:
    """A function of one line, whose names are found late."""
    function = compile_source(f'from opwright import FLOAT\ndef f(x: FLOAT["N"]):\n    return {call}\n', "f")
    function.__wrapped__.__globals__.update(shifted=shifted, between=between, scaled=scaled)
    return function


@pytest.mark.parametrize(
    ("call", "variant", "expected"),
    [
        ("shifted(x, None)", "by_absent", -X),
        ("shifted(x, by=None)", "by_absent", -X),
        ("shifted(x, x)", "by_present", X + X),
        ("shifted(by=x, x=x)", "by_present", X + X),
        ("between(x, None, -x)", "low_absent", np.minimum(X, -X)),
        ("between(x, high=-x, low=None)", "low_absent", np.minimum(X, -X)),
        ("between(x, x, -x)", "low_present", np.minimum(X, -X)),
        ("scaled(x, None)", "factor_absent", X),
        ("scaled(x, 3.0)", "factor_present", X * 3),
    ],
)
def test_none_is_an_argument(call: str, variant: str, expected: np.ndarray, run_model: RunModel) -> None:
    function = caller(call)
    model = function.to_model_proto(opset=18)
    assert [item.name for item in model.functions] == [f"{call.partition('(')[0]}__{variant}"]
    np.testing.assert_array_equal(run_model(model, X)[0], expected)
    np.testing.assert_array_equal(function(X), expected)


@pytest.mark.parametrize("call", ["shifted(x)", "between(x, high=x)", "between(x, x)", "scaled(x)"])
def test_leaving_it_out_is_refused_in_both_modes(call: str) -> None:
    function = caller(call)
    assert codes(function.to_model_proto) == ["OW204"]
    assert codes(lambda: function(X)) == ["OW204"]


def test_the_variants_are_those_of_an_optional_input() -> None:
    assert [(proto.name, list(proto.input)) for proto in shifted.to_function_protos()] == [
        ("shifted__by_absent", ["x"]),
        ("shifted__by_present", ["x", "by"]),
    ]


def test_a_model_must_say_it_too(run_model: RunModel) -> None:
    assert codes(shifted.to_model_proto) == ["OW354"]
    assert codes(lambda: shifted.to_model_proto(input_types=[FLOAT["N"]])) == ["OW354"]
    np.testing.assert_array_equal(run_model(shifted.to_model_proto(input_types={"by": None}), X)[0], -X)
    np.testing.assert_array_equal(run_model(shifted.to_model_proto(input_types={"by": FLOAT["N"]}), X, X)[0], X + X)
    assert codes(scaled.to_model_proto) == ["OW354"]
    np.testing.assert_array_equal(run_model(scaled.to_model_proto(factor=None), X)[0], X)


def test_a_value_that_nobody_asked_about_is_refused() -> None:
    @script()
    def unasked(x: FLOAT["N"], y: FLOAT["N"] | None):
        return x + y

    assert len(codes(unasked.to_function_protos)) == 1
