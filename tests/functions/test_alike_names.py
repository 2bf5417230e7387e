"""Functions whose local names are the same, or begin alike, and of which one calls another inside of a branch."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, OnnxFunction, Opset, script
from opwright import opset18 as op

X = np.array([2, 1], np.float32)


# ruff: noqa: SIM108 - statements with names of their own are what this is about


@script(Opset("dom.a", 1), default_opset=op)
def F(x):
    if op.ReduceMax(x, keepdims=0) > -1.0:
        s = x * 3.0 + 5.0
    else:
        s = x
    return s


OF_A = F


@script(Opset("dom.b", 1), default_opset=op)
def F(x):
    if op.ReduceMax(x, keepdims=0) > -1.0:
        s = OF_A(x) + 1.0
    else:
        s = x * 0.5 + 4.0
    return s


OF_B = F


@script(Opset("dom.b", 1), default_opset=op)
def F_u(x):
    if op.ReduceMax(x, keepdims=0) > -1.0:
        s = x - 7.0
        t = s * 2.0
    else:
        t = x
    return t


@script(Opset("dom.c", 1), default_opset=op)
def F(x):
    u_s = x * 10.0
    u_t = u_s + 1.0
    if op.ReduceMax(x, keepdims=0) > -1.0:
        u_s = OF_B(F_u(u_t)) + u_s
    return u_s + u_t


OF_C = F


@script()
def one_name(x: FLOAT["N"]):
    return OF_B(x)


@script()
def alike(x: FLOAT["N"]):
    return OF_C(x)


@pytest.mark.parametrize("profile", ["portable", "overload"])
@pytest.mark.parametrize("function", [one_name, alike])
def test_values_of_one_are_not_those_of_the_other(function: OnnxFunction, profile: str) -> None:
    model = function.to_model_proto(profile=profile)
    (expected,) = ReferenceEvaluator(model).run(None, {"x": X})
    assert np.array_equal(function(X), expected)
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        assert np.array_equal(session.run(None, {"x": X})[0], expected)
