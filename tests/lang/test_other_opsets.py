"""Functions compiled for another opset than the one they are written for: the same meaning, a rewrite, or refused."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import (
    FLOAT,
    INT64,
    DiagnosticError,
    OnnxFunction,
    Opset,
    opset7,
    opset12,
    opset13,
    opset18,
    opset20,
    script,
)
from opwright import opset18 as op
from opwright.eager import at_opset
from opwright.live.function_source import shown_name

X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]], np.float32)
AXES = np.array([1], np.int64)


def run(function: OnnxFunction, opset: int, *arrays: np.ndarray) -> np.ndarray:
    model = function.to_model_proto(opset=opset)
    onnx.checker.check_model(model, full_check=True)
    names = [item.name for item in model.graph.input]
    return ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))[0]


def codes(function: OnnxFunction, opset: int) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        function.to_function_proto(opset)
    return [item.code for item in caught.value.diagnostics]


@script()
def over_first(x: FLOAT[2, 3]):
    return op.Softmax(x, axis=0)


@script()
def over_last(x: FLOAT[2, 3]):
    return op.Softmax(x, axis=1)


@script()
def over_last_of_any(x: FLOAT[...]):
    return op.LogSoftmax(x)


@script()
def from_older(x: FLOAT[2, 3]):
    return opset12.Hardmax(x)


@script()
def from_older_of_any(x: FLOAT[...]):
    return opset12.Hardmax(x)


def test_another_meaning_is_refused_with_both_versions() -> None:
    with pytest.raises(DiagnosticError) as caught:
        over_first.to_function_proto(12)
    (found,) = caught.value.diagnostics
    assert found.code == "OW212"
    assert "ai.onnx::Softmax@13" in found.reason
    assert "ai.onnx::Softmax@11" in found.reason
    assert "op.version < 13" in found.help
    assert found.place is not None
    assert "op.Softmax(x, axis=0)" in str(caught.value)


@pytest.mark.parametrize("opset", [9, 11, 12, 13, 18, 23])
def test_the_last_axis_means_the_same(opset: int) -> None:
    wanted = np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(run(over_last, opset, X), wanted, rtol=1e-5)


def test_an_axis_from_the_end_needs_no_rank_where_it_is_allowed() -> None:
    assert over_last_of_any.to_function_proto(11).node[0].attribute[0].i == -1
    assert codes(over_last_of_any, 9) == ["OW212"]


def test_an_older_source_at_a_newer_opset() -> None:
    assert run(from_older, 18, X).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert codes(from_older_of_any, 18) == ["OW212"]


@script()
def by_input(x: FLOAT[2, 3]):
    return op.ReduceMean(x, [1], keepdims=0)


@script()
def by_attribute(x: FLOAT[2, 3]):
    return opset13.ReduceMean(x, axes=[1], keepdims=0)


@script()
def computed(x: FLOAT[2, 3], axes: INT64[1]):
    return op.ReduceMean(x, axes, keepdims=0)


@pytest.mark.parametrize("opset", [13, 17, 18, 23])
@pytest.mark.parametrize("function", [by_input, by_attribute])
def test_axes_are_an_input_or_an_attribute(function: OnnxFunction, opset: int) -> None:
    np.testing.assert_allclose(run(function, opset, X), X.mean(axis=1), rtol=1e-6)


def test_what_the_older_version_cannot_do_is_refused() -> None:
    assert codes(computed, 17) == ["OW222"]
    np.testing.assert_allclose(run(computed, 20, X, AXES), X.mean(axis=1), rtol=1e-6)


@script()
def split(x: FLOAT[2, 4]):
    a, b = opset13.Split(x, axis=1)
    return a - b


def test_parts_are_counted_where_they_must_be() -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for opset in (13, 18, 21):
        assert run(split, opset, x).tolist() == [[-2, -2], [-2, -2]]


@script()
def asked(x: FLOAT[2, 3], axes: INT64[1]):
    if opset13.version < 18:
        return opset13.ReduceMean(x, axes=[1], keepdims=0)
    return opset13.ReduceMean(x, axes, keepdims=0)


@script()
def asked_in_part(x: FLOAT[2, 3], axes: INT64[1]):
    y = x
    if opset13.version >= 18:
        y = opset13.ReduceMean(x, axes, keepdims=1)
    return opset13.ReduceMean(y, axes, keepdims=0)


@script()
def asked_loosely(x: FLOAT[2, 3], axes: INT64[1], keep: bool):
    if opset13.version >= 18 and 1 < 0:
        return x
    return opset13.ReduceMean(x, axes, keepdims=0)


@script()
def asserted(x: FLOAT[2, 3], axes: INT64[1]):
    assert opset13.version > 17
    return opset13.ReduceMean(x, axes, keepdims=0) if not opset13.version < 18 else x


def mean(x, axes):
    return opset13.ReduceMean(x, axes, keepdims=0)


@script()
def asks_for_a_helper(x: FLOAT[2, 3], axes: INT64[1]):
    if opset20.version >= 18:
        return mean(x, axes)
    return x


def test_a_question_says_for_which_opsets_code_is_written() -> None:
    for function in (asked, asserted, asks_for_a_helper):
        np.testing.assert_allclose(run(function, 20, X, AXES), X.mean(axis=1), rtol=1e-6)
    np.testing.assert_allclose(run(asked, 13, X, AXES), X.mean(axis=1), rtol=1e-6)


def test_a_question_says_nothing_of_code_that_does_not_hang_on_it() -> None:
    assert codes(asked_in_part, 18) == ["OW203"]
    assert codes(asked_loosely, 18) == ["OW203"]


def test_callees_helpers_and_graphs_are_judged_too() -> None:
    def soft(x):
        return op.Softmax(x, axis=0)

    @script()
    def by_helper(x: FLOAT[2, 3]):
        return soft(x)

    @script()
    def by_callee(x: FLOAT[2, 3]):
        return over_first(x)

    @script()
    def in_a_branch(x: FLOAT[2, 3]):
        if op.ReduceSum(x) > 0:
            x = op.Softmax(x, axis=0)
        return x

    for function in (by_helper, by_callee, in_a_branch):
        assert codes(function, 12)[0] == "OW212"
        assert function.to_function_proto(18) is not None


def test_two_opsets_in_one_function_are_refused() -> None:
    @script()
    def two(x: FLOAT[2, 3]):
        return opset13.Relu(opset18.Neg(x))

    def helper(x):
        return opset13.Relu(x)

    @script()
    def one_each(x: FLOAT[2, 3]):
        return helper(opset18.Neg(x))

    assert codes(two, 18) == ["OW213"]
    assert one_each.to_function_proto(18) is not None


def test_a_default_opset_of_another_domain_is_refused() -> None:
    @script(default_opset=Opset("com.acme", 1))
    def other(x: FLOAT[2]):
        return -x

    assert codes(other, 18) == ["OW223"]
    with pytest.raises(DiagnosticError, match=rf"^{re.escape(shown_name(__file__))}:\d+:1: error OW223"):
        other(X)


def test_eager_mode_refuses_what_compiling_for_that_opset_does() -> None:
    with at_opset(12):
        with pytest.raises(DiagnosticError, match="OW212"):
            over_first(X)
        with pytest.raises(DiagnosticError, match="OW212"):
            op.Softmax(X, axis=0)
        np.testing.assert_allclose(over_last(X), np.exp(X) / np.exp(X).sum(axis=1, keepdims=True), rtol=1e-5)
    with at_opset(20):
        np.testing.assert_allclose(asked(X, AXES), X.mean(axis=1), rtol=1e-6)


@script()
def scaled(x: FLOAT[2, 3], alpha: float, times: int):
    return x * alpha + op.Cast(times, to=FLOAT)


def test_an_attribute_is_no_value_below_opset_12() -> None:
    assert codes(scaled, 11) == ["OW221"]
    assert len(scaled.to_function_proto(12).attribute) == 2
    assert scaled.to_model_proto(opset=11, alpha=2.0, times=1) is not None


@script()
def added(x: FLOAT[4, 3], y: FLOAT[3]):
    return x + y


@script()
def crossed(x: FLOAT[4, 3], y: FLOAT[4, 1]):
    return x + y


@script()
def greatest(x: FLOAT[4], y: FLOAT[1]):
    return opset7.Max(x, y)


def test_what_does_not_broadcast_is_told_to_or_refused() -> None:
    (node,) = added.to_function_proto(6).node
    assert [(item.name, item.i) for item in node.attribute] == [("broadcast", 1)]
    assert codes(crossed, 6) == ["OW220"]
    assert codes(greatest, 7) == ["OW220"]
    assert codes(greatest, 6) == ["OW220"]
    assert greatest.to_function_proto(8) is not None
