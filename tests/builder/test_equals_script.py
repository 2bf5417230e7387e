"""What is built call by call is what the compiler makes of the same calls in a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from opwright import FLOAT, INT64, GraphBuilder, compare, script
from opwright import opset22 as op


@script()
def affine(x, scale: float = 2.0):
    return x * scale + 1


def same_as_script(function: Any, inputs: dict[str, Any]) -> ModelProto:
    """The model that the function's body gives under a builder, compared with the compiled one."""
    b = GraphBuilder(opset=22)
    result = function.__wrapped__(*(b.input(name, type_) for name, type_ in inputs.items()))
    for index, value in enumerate(result if isinstance(result, tuple) else (result,)):
        b.output(f"out{index}", value)
    built = b.to_model_proto()
    found = compare(built, function.to_model_proto(opset=22, input_types=inputs))
    assert found, str(found)
    return built


@script()
def arithmetic(x, y):
    z = (x + 1) * y - 0.5 / (x % 3)
    return -z // 2, abs(z) ** 2, z @ y, x < y


@script()
def subscripts(x, y):
    return x[0], x[:, -1], x[1:, None], x[..., ::2], x[y[0] > 1]


@script()
def shapes(x, y):
    n = x.shape[0]
    return op.Reshape(x, x.shape), op.Expand(y, [n, 4, 4]), x * n, op.Reshape(x, [n, -1])


@script()
def calls(x, y):
    return affine(x), affine(affine(y), scale=3.0), affine(x, 0.5)


@script()
def outputs(x, y):
    low, high = op.Split(x, num_outputs=2, axis=1)
    best, where = op.TopK(y, [1])
    return low, high, best, where, op.Dropout(x)


@script()
def sequences(x, y):
    parts = op.SequenceConstruct(x, y)
    return op.ConcatFromSequence([x, y, x], axis=0), parts[1], op.SequenceLength(parts)


@script()
def branches(x, y):
    def positive():
        return x + 1, y

    def negative():
        return x - y, y * 2

    return op.If(op.ReduceMax(x) > 0, then_branch=positive, else_branch=negative)


@script()
def loops(x, y):
    def step(i, going, total):
        return going, total + x, total * 2

    def scan(total, row):
        return total + row, row

    total, collected = op.Loop(3, None, y, body=step)
    last, rows = op.Scan(op.ReduceSum(x, [0], keepdims=0), x, body=scan, num_scan_inputs=1)
    return total, collected, last, rows


@script()
def mapped(x, y):
    def twice(item):
        return item * 2

    return op.ConcatFromSequence(op.SequenceMap(op.SequenceConstruct(x, y), body=twice), axis=0)


PROGRAMS = [arithmetic, subscripts, shapes, calls, outputs, sequences, branches, loops, mapped]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_gives_the_same_model(program: Any) -> None:
    run: Callable[..., Any] = same_as_script
    run(program, {"x": FLOAT["N", 4], "y": FLOAT[4, 4]})


def test_numbers_meet_integers() -> None:
    @script()
    def f(x):
        return x * 2 + x // 3

    same_as_script(f, {"x": INT64["N"]})


def test_arrays_are_constants() -> None:
    table = np.arange(6, dtype=np.float32).reshape(2, 3)

    @script()
    def f(x):
        return op.MatMul(x, table) + table[0]

    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 2])
    b.output("y", op.MatMul(x, table) + op.Constant(value=table)[0])
    assert b.to_model_proto().graph.node[0].op_type == "Constant"


def test_types_of_numpy_are_element_types() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    casts = [op.Cast(x, to=to) for to in (np.longlong, np.dtype(np.longlong), np.dtype("int64"))]
    assert [made.dtype for made in casts] == [np.dtype(np.longlong)] * 3
