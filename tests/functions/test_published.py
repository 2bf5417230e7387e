"""The published samples, as printed: compiled without an argument more than was printed, run on onnxruntime and the
reference evaluator, and compared with eager mode and numpy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import published
import pytest
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnx.reference.ops.op_one_hot import OneHot
from opwright import (
    FLOAT,
    INT64,
    DiagnosticError,
    DiagnosticWarning,
    GraphBuilder,
    OnnxFunction,
    graph,
    script,
)
from opwright import opset18 as op


class OneHotOfRankOne(OpRun):
    """OneHot with a `depth` of one element and rank 1, which ONNX allows and the reference evaluator does not take."""

    op_domain = ""
    op_type = "OneHot"

    def _run(self, indices: Any, depth: Any, values: Any, axis: int = -1) -> Any:
        return OneHot._run(self, indices, np.reshape(depth, ()), values, axis)


OneHotOfRankOne.__name__ = "OneHot"


def check_runs(model: onnx.ModelProto, arrays: Sequence[Any], expected: Sequence[Any]) -> None:
    """A model with all ranks passes the full check; any gives the expected results on all runtimes."""
    values = (*model.graph.input, *model.graph.output)
    tensors = [item.type.tensor_type for item in values if item.type.HasField("tensor_type")]
    if all(item.HasField("shape") for item in tensors):
        onnx.checker.check_model(model, full_check=True)
    feeds = {value.name: np.asarray(array) for value, array in zip(model.graph.input, arrays, strict=True)}
    inlined = inline_local_functions(model)  # the evaluator takes operators of ours in the graph alone
    found = [ReferenceEvaluator(inlined, new_ops=[OneHotOfRankOne]).run(None, feeds)]
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = level
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        found.append(session.run(None, feeds))
    for results in found:
        assert_equal(results, expected)


def assert_equal(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
        return
    array = np.asarray(found)
    assert (array.dtype, array.shape) == (np.asarray(expected).dtype, np.shape(expected))
    np.testing.assert_allclose(array, expected, rtol=1e-5, atol=1e-6)


def model_with_warning(function: OnnxFunction, **attributes: Any) -> tuple[onnx.ModelProto, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = function.to_model_proto(**attributes)
    (warning,) = [item.message for item in caught]
    assert isinstance(warning, DiagnosticWarning) and warning.diagnostic.code == "OW388"
    return model, warning.diagnostic.message


@pytest.mark.parametrize("shape", [(), (6,), (2, 3), (2, 1, 3)])
def test_gelu(shape: tuple[int, ...]) -> None:
    model, warned = model_with_warning(published.gelu)
    assert warned == "the model of `gelu` leaves the ranks of the input `X` and the output `result` open"
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    erf = np.vectorize(math.erf)(x.astype(np.float64) * published.M_SQRT1_2)
    expected = np.asarray(x * (0.5 * (erf + 1)), np.float32)
    assert_equal(published.gelu(x), expected)
    check_runs(model, [x], [expected])


def test_aten_chunk() -> None:
    @script()
    def ten_chunks(x: FLOAT["N"]) -> Sequence[FLOAT[...]]:
        return published.aten_chunk(x, chunks=10)

    x = np.arange(48, dtype=np.float32)
    expected = [x[start : start + 5] for start in range(0, 48, 5)]
    assert [len(item) for item in expected] == [5] * 9 + [3]
    assert_equal(published.aten_chunk(x, chunks=10), expected)
    assert_equal(ten_chunks(x), expected)
    check_runs(ten_chunks.to_model_proto(), [x], [expected])
    model, warned = model_with_warning(published.aten_chunk, chunks=10)
    assert warned == "the model of `aten_chunk` leaves the ranks of the input `tensor` open"
    check_runs(model, [x], [expected])


def test_sample_model() -> None:
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape, np.float32) for shape in ((64, 128), (128, 10), (10,))]
    expected = np.eye(10, dtype=np.float32)[np.argmax(arrays[0] @ arrays[1] + arrays[2], axis=1)]
    assert_equal(published.sample_model(*arrays), expected)
    model = published.sample_model.to_model_proto()
    assert [function.name for function in model.functions] == ["onnx_hardmax"]
    check_runs(model, arrays, [expected])


def test_onnx_hardmax() -> None:
    x = np.array([[1, 3, 2], [0, -1, -5]], np.float32)
    expected = np.array([[0, 1, 0], [1, 0, 0]], np.float32)
    assert_equal(published.onnx_hardmax(x, axis=1), expected)
    check_runs(published.onnx_hardmax.to_model_proto(input_types=[FLOAT["N", "M"]], axis=1), [x], [expected])


@pytest.mark.parametrize("type_", [FLOAT["N"], INT64["N"]])
def test_cumulative_sum(type_: Any) -> None:
    x = np.arange(7, dtype=np.float32 if type_ == FLOAT["N"] else np.int64)
    expected = np.cumsum(x, dtype=x.dtype)
    assert_equal(published.CumulativeSum(x), expected)
    check_runs(published.CumulativeSum.to_model_proto(input_types=[type_]), [x], [expected])


def test_dropout() -> None:
    model, warned = model_with_warning(published.Dropout, seed=2.0)
    assert warned == "the model of `Dropout` leaves the ranks of the input `data` and the outputs `output`, `mask` open"
    x = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    ratio = np.float32(0.25)
    expected = [x, np.ones((3, 4), bool)]
    assert_equal(published.Dropout(x, ratio, False, seed=2.0), expected)
    check_runs(model, [x, ratio, np.bool_(False)], expected)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {"data": x, "ratio": np.asarray(ratio), "training_mode": np.asarray(True)}
    for output, mask in (
        published.Dropout(x, ratio, True, seed=2.0),
        session.run(None, feeds),
        ReferenceEvaluator(model).run(None, feeds),
    ):
        assert_equal(np.asarray(output), np.where(mask, x, 0) / np.float32(0.75))


# ------------------------------------------------------------------------------------------- ranks that stay open


def codes(step: Any) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        step()
    return [item.code for item in caught.value.diagnostics]


def test_strict_refuses_open_ranks() -> None:
    assert codes(lambda: published.gelu.to_model_proto(strict=True)) == ["OW354"]
    assert codes(lambda: published.gelu.to_model_proto(strict=True, exact_types=True)) == ["OW354"]
    published.gelu.to_model_proto(input_types=[FLOAT["N"]], strict=True)


def test_exact_types_say_that_ranks_are_meant_to_be_open() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = published.gelu.to_model_proto(exact_types=True)
    assert not model.graph.input[0].type.tensor_type.HasField("shape")


def test_exact_types_that_hide_a_rank_are_refused_when_strict() -> None:
    @script()
    def matrix(x: FLOAT["N", 2]) -> FLOAT[...]:
        return x + 1.0

    assert codes(lambda: matrix.to_model_proto(exact_types=True, strict=True)) == ["OW354"]
    assert matrix.to_model_proto(strict=True).graph.output[0].type.tensor_type.HasField("shape")


def test_an_unknown_element_type_is_refused() -> None:
    assert codes(published.CumulativeSum.to_model_proto) == ["OW354"]


def test_a_scan_needs_ranks() -> None:
    """onnxruntime loads such a model, and fails when it runs."""

    @script()
    def running(x: FLOAT[...]):
        @graph()
        def add(total: FLOAT[...], item: FLOAT[...]):
            total = total + item
            return total, op.Identity(total)

        _, each = op.Scan(0, x, body=add, num_scan_inputs=1)
        return each

    assert codes(running.to_model_proto) == ["OW354"]


@script()
def column_sums(x, start):
    @graph()
    def add(total, item):
        return total + item

    return op.Scan(start, x, body=add, num_scan_inputs=1)


def test_a_scan_needs_the_ranks_of_what_it_reads_alone() -> None:
    @script()
    def apart(x: FLOAT[...], y: FLOAT[...], z: FLOAT["N", 2]):
        @graph()
        def add(total: FLOAT[2], item: FLOAT[2]):
            return total + item

        rows = op.Reshape(x, [-1, 2])
        sums = op.Scan(op.Expand(0.0, [2]), rows, body=add, num_scan_inputs=1)
        return sums, column_sums(z, z[0]), op.Neg(y)

    with pytest.warns(DiagnosticWarning, match="OW388"):
        model = apart.to_model_proto()
    x, z = np.arange(8, dtype=np.float32).reshape(2, 2, 2), np.ones((3, 2), np.float32)
    check_runs(model, [x, x, z], [np.array([12, 16], np.float32), np.full(2, 4, np.float32), -x])


def test_what_a_scan_reads_without_a_rank_is_named() -> None:
    @script()
    def read(x: FLOAT["N", 2], y: FLOAT[...], z: FLOAT[...], w: FLOAT[...]):
        @graph()
        def add(total: FLOAT[...], item: FLOAT[2]):
            return total + item * op.Relu(y)

        sums = op.Scan(op.Neg(z), x, body=add, num_scan_inputs=1)
        return sums, w + 1.0

    with pytest.raises(DiagnosticError) as caught:
        read.to_model_proto()
    named = [item.message for item in caught.value.diagnostics]
    assert named == [f"the rank of the input `{name}` is not known" for name in "yz"]

    @script()
    def called(x: FLOAT[...], y: FLOAT[2], z: FLOAT[...]):
        return column_sums(x, y), op.Neg(z)

    with pytest.raises(DiagnosticError) as caught:
        called.to_model_proto()
    assert [item.message for item in caught.value.diagnostics] == ["the rank of the input `x` is not known"]


@pytest.mark.parametrize("opset", [1, 4, 6, 7, 13, 21, 28])
def test_ranks_may_be_open_at_each_opset(opset: int) -> None:
    @script()
    def negated(x: FLOAT[...]):
        return -x

    with pytest.warns(DiagnosticWarning, match="OW388"):
        model = negated.to_model_proto(opset=opset)
    (found,) = ReferenceEvaluator(model).run(None, {"x": np.ones((2, 3), np.float32)})
    np.testing.assert_array_equal(found, -np.ones((2, 3), np.float32))


def test_a_comment_silences_the_warning() -> None:
    @script()
    def negated(x: FLOAT[...]):  # opwright: ignore[OW388] of any rank
        return -x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        negated.to_model_proto()


def test_a_builder_leaves_ranks_open_with_a_warning() -> None:
    def build() -> GraphBuilder:
        builder = GraphBuilder(opset=18, name="any_rank")
        builder.output("y", op.Relu(builder.input("x", FLOAT[...])) + 1.0)
        return builder

    with pytest.warns(DiagnosticWarning, match="OW388") as caught:
        model = build().to_model_proto()
    (warning,) = caught
    assert warning.filename == __file__
    assert "the ranks of the input `x` and the output `y` open" in str(warning.message)
    check_runs(model, [np.array([[-1, 2]], np.float32)], [np.array([[1, 3]], np.float32)])
    assert codes(lambda: build().to_model_proto(strict=True)) == ["OW354"]


def test_a_builder_refuses_a_scan_without_ranks() -> None:
    def add(total: Any, item: Any) -> Any:
        return total + item, total

    builder = GraphBuilder(opset=18)
    x, start = builder.input("x", FLOAT[...]), builder.input("start", FLOAT)
    _, each = op.Scan(start, x, body=add, num_scan_inputs=1)
    builder.output("each", each)
    assert codes(builder.to_model_proto) == ["OW354"]


def test_a_builder_takes_inputs_without_ranks_beside_a_scan() -> None:
    def add(total: Any, item: Any) -> Any:
        return total + item, total

    builder = GraphBuilder(opset=18)
    x, y, start = builder.input("x", FLOAT["N"]), builder.input("y", FLOAT[...]), builder.input("start", FLOAT)
    _, each = op.Scan(start, x, body=add, num_scan_inputs=1)
    builder.output("each", each)
    builder.output("z", op.Neg(y))
    with pytest.warns(DiagnosticWarning, match="OW388"):
        model = builder.to_model_proto()
    numbers = np.array([1, 2], np.float32)
    check_runs(model, [numbers, numbers, np.array(3, np.float32)], [np.array([3, 4], np.float32), -numbers])


def test_an_annotated_dropout_has_attributes_and_inputs() -> None:
    """What is an attribute of the printed fragment is one of its function."""
    proto = published.Dropout.to_function_proto()
    assert (list(proto.input), list(proto.attribute)) == (["data", "ratio", "training_mode"], ["seed"])
