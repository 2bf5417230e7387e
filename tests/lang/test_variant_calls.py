"""Calls of functions that have variants: the one that fits, or the question passed on to one's own caller."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnxruntime as ort
import pytest
from opwright import DOUBLE, FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@script()
def by_rank(x: Any) -> Any:
    if x.rank == 3:
        return op.Transpose(x, perm=[2, 1, 0])
    return -x if x.rank < 2 else x


@script()
def by_mode(x: Any, mode: Literal["relu", "neg"] = "relu") -> Any:
    return op.Relu(x) if mode == "relu" else op.Neg(x)


@script()
def by_presence(x: Any, y: Any = None) -> Any:
    return x if y is None else x * y


@script()
def by_type(x: FLOAT[...] | DOUBLE[...]) -> Any:
    return op.Neg(x) if x.dtype == DOUBLE else op.Relu(x)


@script()
def by_given(x: Any, alpha: float | None = None) -> Any:
    return x if alpha is None else x * alpha


def names(function: OnnxFunction[..., Any]) -> list[str]:
    return [proto.name for proto in function.to_function_protos()]


def called(function: OnnxFunction[..., Any], **keywords: Any) -> list[str]:
    return [node.op_type for node in function.to_model_proto(**keywords).graph.node if node.domain]


def run(function: OnnxFunction[..., Any], *arrays: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(function.to_model_proto().SerializeToString(), providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_inputs()]
    return np.asarray(session.run(None, dict(zip(names, arrays, strict=True)))[0])


def test_the_facts_of_a_call_choose() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        a = by_rank(op.Unsqueeze(x, [0])) + by_rank(op.ReduceSum(x, keepdims=0))
        return a, by_mode(x, mode="neg"), by_mode(x), by_presence(x), by_presence(x, x), by_type(x)

    assert called(main) == [
        "by_rank__x_rank_3",
        "by_rank__x_rank_0",
        "by_mode__mode_neg",
        "by_mode__mode_relu",
        "by_presence__y_absent",
        "by_presence__y_present",
        "by_type__T_x_float",
    ]
    np.testing.assert_array_equal(run(main, X), X.T[..., None] - X.sum())
    np.testing.assert_array_equal(main(X)[0], run(main, X))


def test_missing_facts_become_questions_of_the_caller() -> None:
    @script()
    def rank(x: Any) -> Any:
        return by_rank(op.Relu(x))

    @script()
    def mode(x: Any, how: Literal["relu", "neg"] = "neg") -> Any:
        return by_mode(x, mode=how)

    @script()
    def presence(x: Any, z: Any = None) -> Any:
        return by_presence(x, z)

    assert names(rank) == ["rank__x_rank_0", "rank__x_rank_3", "rank__x_rank_other"]  # ranks 0 and 1 are equal
    assert names(mode) == ["mode__how_relu", "mode__how_neg"]
    assert names(presence) == ["presence__z_absent", "presence__z_present"]


def test_a_fact_that_no_parameter_decides_is_an_error() -> None:
    @script()
    def main(x: Any) -> Any:
        return by_rank(op.Reshape(x, op.Shape(x)[1:]))

    with pytest.raises(DiagnosticError) as error:
        main.to_function_protos()
    assert [item.code for item in error.value.diagnostics] == ["OW360"]


def test_an_open_attribute_cannot_choose() -> None:
    @script()
    def main(x: Any, how: str = "neg") -> Any:
        return by_mode(x, mode=how)

    with pytest.raises(DiagnosticError) as error:
        main.to_function_protos()
    assert [item.code for item in error.value.diagnostics] == ["OW361"]


def test_a_value_that_is_none_of_those_declared() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        return by_mode(x, mode="abs")

    with pytest.raises(DiagnosticError) as error:
        main.to_model_proto()
    assert [item.code for item in error.value.diagnostics] == ["OW218"]


def test_calls_in_unrolled_loops_have_facts_of_their_own() -> None:
    @script()
    def main(x: FLOAT[2, 3]) -> Any:
        for how in ("neg", "relu"):
            x = by_mode(x + 1, mode=how)
        return x

    np.testing.assert_array_equal(run(main, X), np.maximum(-(X + 1) + 1, 0))


def test_an_attribute_that_is_handed_on_is_asked_for_its_presence_alone() -> None:
    @script()
    def main(x: FLOAT[...], alpha: float | None = None, beta: float = 2.0) -> Any:
        return by_given(x, alpha=alpha) + by_given(x, alpha=beta) + by_given(x)

    assert names(main) == ["main__alpha_absent", "main__alpha_present"]
    x = np.array([1.0, 2.0], np.float32)
    for given, wanted in (({}, [4, 8]), ({"alpha": 5.0}, [8, 16])):
        model = main.to_model_proto(input_types={"x": FLOAT[2]}, **given, beta=2.0)
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        assert session.run(None, {"x": x})[0].tolist() == wanted
        assert main(x, **given).tolist() == wanted
