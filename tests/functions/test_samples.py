"""The functions with which ONNX Script has been introduced, with the results that were published."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from opwright import BOOL, FLOAT, INT64, Opset, graph, script
from opwright import opset18 as op

HALF_ROOT = math.sqrt(0.5)
RunModel = Callable[..., list[Any]]


@script()
def gelu(X: FLOAT[...]):
    phi = 0.5 * (op.Erf(HALF_ROOT * X) + 1.0)
    return X * phi


@script(Opset("com.example", 1), default_opset=op)
def hardmax(X, axis: int):
    """One at the greatest element of each row, zero elsewhere."""
    argmax = op.ArgMax(X, axis=axis, keepdims=False)
    sizes = op.Shape(X, start=axis)
    zero = op.Constant(value_ints=[0])
    depth = op.Reshape(op.GatherElements(sizes, zero), zero)
    values = op.CastLike(op.Constant(value_ints=[0, 1]), X)
    return op.OneHot(argmax, depth, values, axis=axis)


@script()
def linear_then_hardmax(X: FLOAT[64, 128], W: FLOAT[128, 10], Bias: FLOAT[10]) -> FLOAT[64, 10]:
    return hardmax(op.MatMul(X, W) + Bias, axis=1)


@script()
def chunk(tensor: FLOAT[...], chunks: int, dim: int = 0) -> Sequence[FLOAT[...]]:
    minus_one = op.Constant(value_ints=[-1])
    size = op.Shape(tensor)[dim]
    per_chunk = size / chunks + op.Cast(size % chunks > 0, to=INT64.dtype)
    count = size / per_chunk
    split = op.Expand(per_chunk, op.Reshape(count, minus_one))
    rest = size % per_chunk
    if rest > 0:
        split = op.Concat(split, op.Reshape(rest, minus_one), axis=0)
    return op.SplitToSequence(tensor, split, axis=dim)


@script()
def ten_chunks(x: FLOAT["N"]) -> Sequence[FLOAT[...]]:
    return chunk(x, chunks=10)


@script()
def running_sum(X):
    @graph()
    def add(total, item):
        total = total + item
        return total, op.Identity(total)

    last, each = op.Scan(0, X, body=add, num_scan_inputs=1)
    return each


@script()
def dropout(data, ratio, training_mode: BOOL, seed: float):
    if training_mode:
        random = op.RandomUniformLike(data, seed=seed, dtype=FLOAT)
        mask = random >= ratio
        output = op.Where(mask, data, 0) / (1.0 - ratio)
    else:
        mask = op.Expand(True, op.Shape(data))
        output = data
    return (output, mask)


@script()
def gemm_gelu(A: FLOAT[2048, 16], W: FLOAT[16, 8], Bias: FLOAT[8]) -> FLOAT[2048, 8]:
    scale = op.Constant(value_float=0.044715)
    product = op.Add(op.MatMul(A, W), Bias)
    inner = product + scale * product * product * product
    return product * (op.Tanh(inner * math.sqrt(2 / math.pi)) + 1) * 0.5


def test_gelu(run_model: RunModel) -> None:
    x = np.array([-2, -1, 0, 0.5, 3], np.float32)
    (found,) = run_model(gelu.to_model_proto(input_types=[FLOAT["N"]]), x)
    expected = x * 0.5 * (1 + np.array([math.erf(value * HALF_ROOT) for value in x.tolist()]))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    proto = gelu.to_function_proto()
    assert (list(proto.input), list(proto.output)) == (["X"], ["result"])
    onnx.checker.check_function(proto)


def test_a_function_in_a_domain_called_by_a_model(run_model: RunModel) -> None:
    model = linear_then_hardmax.to_model_proto()
    assert [(item.domain, item.name) for item in model.functions] == [("com.example", "hardmax")]
    assert {item.domain: item.version for item in model.opset_import} == {"": 18, "com.example": 1}
    random = np.random.default_rng(0)
    x, w, bias = (random.standard_normal(shape, np.float32) for shape in ((64, 128), (128, 10), (10,)))
    (found,) = run_model(model, x, w, bias, reference=False)  # its OneHot wants a depth of rank 0
    expected = np.eye(10, dtype=np.float32)[np.argmax(x @ w + bias, axis=1)]
    np.testing.assert_array_equal(found, expected)


def test_ten_chunks_of_48_numbers(run_model: RunModel) -> None:
    (found,) = run_model(ten_chunks.to_model_proto(), np.arange(48, dtype=np.float32))
    assert [len(part) for part in found] == [5] * 9 + [3]
    np.testing.assert_array_equal(np.concatenate(found), np.arange(48))


def test_running_sum(run_model: RunModel) -> None:
    (found,) = run_model(running_sum.to_model_proto(input_types=[FLOAT["N"]]), np.arange(5, dtype=np.float32))
    np.testing.assert_array_equal(found, [0, 1, 3, 6, 10])
    (whole,) = run_model(running_sum.to_model_proto(input_types=[INT64["N"]]), np.arange(5))
    np.testing.assert_array_equal(whole, [0, 1, 3, 6, 10])


@pytest.mark.parametrize("training", [False, True])
def test_dropout_chooses_its_branch(run_model: RunModel, training: bool) -> None:
    model = dropout.to_model_proto(input_types=[FLOAT["N"], FLOAT, BOOL], seed=2.0)
    x = np.arange(1, 101, dtype=np.float32)
    output, mask = run_model(model, x, np.float32(0.25), training, reference=not training)
    np.testing.assert_allclose(output, np.where(mask, x, 0) / (0.75 if training else 1), rtol=1e-6)
    assert mask.dtype == bool and mask.all() == (not training)


def test_gemm_with_gelu(run_model: RunModel) -> None:
    random = np.random.default_rng(1)
    a, w, bias = (random.standard_normal(shape, np.float32) for shape in ((2048, 16), (16, 8), (8,)))
    (found,) = run_model(gemm_gelu.to_model_proto(), a, w, bias)
    x = (a.astype(np.float64) @ w + bias).astype(np.float64)
    expected = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
