"""Operators that run graphs: what a graph reads is found on each runtime, constants above all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import BOOL, FLOAT, INT64, GraphBuilder, OnnxFunction, graph, script
from opwright import opset18 as op

X = np.arange(4, dtype=np.float32)


@script()
def mapped(xs: Sequence[FLOAT["N"]]) -> Sequence[FLOAT["N"]]:
    @graph()
    def body(x: FLOAT["N"]):
        return op.Reshape(x * 2.5 + 1, [-1])

    return op.SequenceMap(xs, body=body)


@script()
def mapped_with_graphs_inside(xs: Sequence[FLOAT["N"]]) -> Sequence[FLOAT["N"]]:
    @graph()
    def body(x: FLOAT["N"]):
        if op.ReduceSum(x, keepdims=0) > 6.5:
            x = x * 2.5
            x = x + 0.25
        else:
            x = x - 0.5
        for i in range(3):
            x = x + 0.5 * i
        return x

    return op.SequenceMap(xs, body=body)


@script()
def mapped_with_a_written_constant(xs: Sequence[FLOAT["N"]]) -> Sequence[FLOAT["N"]]:
    half = op.Constant(value_float=0.5)

    @graph()
    def body(x: FLOAT["N"]):
        return x * half

    return op.SequenceMap(xs, body=body)


@script()
def scale_each(xs: Sequence[FLOAT["N"]]):
    @graph()
    def body(x: FLOAT["N"]):
        return x * 2.5

    return op.SequenceMap(xs, body=body)


@script()
def mapped_in_a_function(xs: Sequence[FLOAT["N"]]) -> Sequence[FLOAT["N"]]:
    return scale_each(xs)


@script()
def mapped_in_a_loop(x: FLOAT["N"]) -> FLOAT["N"]:
    for _ in range(2):

        @graph()
        def body(y: FLOAT["N"]):
            return y + 2.5

        x = op.ConcatFromSequence(op.SequenceMap(op.SplitToSequence(x, [2, 2]), body=body), axis=0)
    return x


@script()
def scanned(x: FLOAT["N", "M"]) -> FLOAT["N", "M"]:
    @graph()
    def body(total: FLOAT["M"], item: FLOAT["M"]):
        total = total + item * 2.5
        return total, op.Reshape(total + 1, [-1])

    _, each = op.Scan(op.ReduceSum(x, [0], keepdims=0), x, body=body, num_scan_inputs=1)
    return each


@script()
def looped(x: FLOAT["N"]) -> FLOAT["N"]:
    @graph()
    def body(i: INT64, goes_on: BOOL, total: FLOAT["N"]):
        return goes_on, op.Reshape(total * 2.5 + 1, [-1])

    return op.Loop(3, True, x, body=body)


@script()
def chosen(x: FLOAT["N"], first: BOOL) -> FLOAT["N"]:
    @graph()
    def one():
        return op.Reshape(x * 2.5 + 1, [-1])

    @graph()
    def other():
        return op.Reshape(x * 2.5 - 1, [-1])

    return op.If(first, then_branch=one, else_branch=other)


@script()
def scanned_with_defaults(x: FLOAT["M", "N"], y: FLOAT["N"]):
    factor = 2.0

    def add(total, row, by=y, *, scale=3.0):
        total = total + row * by * scale
        return total, total

    scaled = op.Scan(x, body=lambda row, by=factor, more=y: row * by + more, num_scan_inputs=1)
    factor = 5.0
    _, sums = op.Scan(y * 0.0, x, body=add, num_scan_inputs=1)
    return scaled + sums * factor


@script()
def chosen_with_defaults(x: FLOAT["N"], positive: BOOL):
    return op.If(positive, then_branch=lambda v=x * 2.5: v + 1.0, else_branch=lambda by=3.0: x * by)


def rows(*starts: float) -> list[np.ndarray]:
    return [X + np.float32(start) for start in starts]


CASES: list[tuple[OnnxFunction, tuple[Any, ...], Any]] = [
    (mapped, (rows(0, 1),), [row * 2.5 + 1 for row in rows(0, 1)]),
    (mapped_with_graphs_inside, (rows(0, 1),), [X - 0.5 + 1.5, (X + 1) * 2.5 + 1.75]),
    (mapped_with_a_written_constant, (rows(0, 1),), [row * 0.5 for row in rows(0, 1)]),
    (mapped_in_a_function, (rows(0, 1),), [row * 2.5 for row in rows(0, 1)]),
    (mapped_in_a_loop, (X,), X + 5),
    (scanned, (np.stack(rows(0, 1)),), np.stack([X * 2 + 1 + X * 2.5 + 1, X * 2 + 1 + X * 2.5 + (X + 1) * 2.5 + 1])),
    (looped, (X,), ((X * 2.5 + 1) * 2.5 + 1) * 2.5 + 1),
    (chosen, (X, np.array(True)), X * 2.5 + 1),
    (chosen, (X, np.array(False)), X * 2.5 - 1),
    (
        scanned_with_defaults,
        (np.stack(rows(0, 1)), X),
        np.stack(rows(0, 1)) * 2 + X + 15 * X * np.cumsum(rows(0, 1), axis=0),
    ),
    (chosen_with_defaults, (X, np.array(True)), X * 2.5 + 1),
    (chosen_with_defaults, (X, np.array(False)), X * 3),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), CASES, ids=lambda item: getattr(item, "name", ""))
def test_every_runtime_finds_what_a_graph_reads(function: OnnxFunction, arguments: Any, expected: Any) -> None:
    model = function.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    feeds = dict(zip((item.name for item in model.graph.input), arguments, strict=True))
    for found in (*results(model, feeds), function(*arguments)):
        np.testing.assert_allclose(np.stack(found), np.stack(expected), rtol=1e-6)


def results(model: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [session.run(None, feeds)[0], ReferenceEvaluator(model).run(None, feeds)[0]]


def test_a_builder_makes_constants_in_the_graph_of_a_map() -> None:
    builder = GraphBuilder(opset=18)
    xs = builder.input("xs", Sequence[FLOAT["N"]])
    doubled = op.SequenceMap(xs, body=lambda x: op.Reshape(x * 2.5 + 1, [-1]))
    builder.output("doubled", doubled)
    for _ in range(2):  # what is recorded stays as it is
        for found in results(builder.to_model_proto(), {"xs": rows(0, 1)}):
            np.testing.assert_array_equal(np.stack(found), np.stack(rows(0, 1)) * np.float32(2.5) + 1)
    np.testing.assert_array_equal(builder.run(doubled, xs=rows(0, 1))[1], (X + 1) * 2.5 + 1)
