"""A tuple of one value is a tuple: what calls of functions under `@script`, and of operators that give as many results
as are asked of them, give in models, in builders and as Python."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import onnxruntime
import pytest
from opwright import FLOAT, DiagnosticError, GraphBuilder, OnnxFunction, opset11, opset13, script
from opwright import opset22 as op
from opwright.eager import strict, whole_functions

from tests.functions.everywhere import same_everywhere

X = np.arange(6, dtype=np.float32).reshape(3, 2)
Matrix = FLOAT["M", "N"]


@script()
def doubled(*ys):
    return tuple(y * 2 for y in ys)


@script()
def same(*ys):
    return ys


@script()
def one(x):
    return (x * 2,)


@script()
def declared(x: Matrix) -> tuple[FLOAT["M", "N"]]:
    return (x * 2,)


@script()
def built(x):
    parts = [x * 2]
    return tuple(parts)


@script()
def columns(x, n: Literal[1, 2] = 1):
    return tuple(x[:, i] for i in range(n))


@script()
def listed(x):
    return [len(x)]


@script()
def sizes(x):
    return x.shape


@script()
def on_both_paths(x):
    if op.ReduceSum(x, keepdims=0) > 0:
        return (x * 2,)
    return (x * 3,)


@script()
def item(x: Matrix):
    return doubled(x)[0], same(x)[-1], one(x)[0], declared(x)[0], built(x)[0], columns(x)[0], on_both_paths(x)[0]


@script()
def length(x: Matrix):
    return x * len(doubled(x)) + len(one(x))


@script()
def run_over(x: Matrix):
    total = x * 0
    for y in doubled(x):
        total = total + y
    return total + sum(one(x))


@script()
def unpacked(x: Matrix):
    (y,) = one(x)
    (z,) = doubled(y)
    first, *rest = same(z)
    return first * (1 + len(rest))


@script()
def starred(x: Matrix):
    return op.Sum(*doubled(x), *one(x))


@script()
def list_of_one(x: Matrix):
    return op.Reshape(x, [*listed(x), -1])


@script()
def shape_of_a_vector(x: FLOAT["N"]):
    return op.Reshape(x, sizes(x))


@script()
def split(x: Matrix):
    (last,) = op.Split(x, num_outputs=1)
    total = x * 0
    for part in op.Split(x, [3]):
        total = total + part
    return (
        op.Split(x, num_outputs=1)[0],
        op.Split(x, [3])[0],
        last,
        op.Concat(*op.Split(x, [2], axis=1), x, axis=0),
        total,
    )


@script()
def split_of_sizes_that_are_an_attribute(x: Matrix):
    return opset11.Split(x, split=[3])[0]


@script()
def split_at_an_older_opset(x: Matrix):
    whole = opset13.Split(x)  # the number of results is not said
    (y,) = opset13.Split(x)
    return whole[0] + y


def plain(function: OnnxFunction, x: np.ndarray) -> list[Any]:
    """What the model of a function gives on onnxruntime."""
    session = onnxruntime.InferenceSession(function.to_model_proto(opset=22).SerializeToString())
    return list(session.run(None, {"x": x}))


FUNCTIONS = (item, length, run_over, unpacked, starred, list_of_one)


@pytest.mark.parametrize(
    ("function", "x"),
    [(split, X), *((function, x) for function in FUNCTIONS for x in (X, X[:1], X[:, :1]))],
    ids=lambda part: part.name if isinstance(part, OnnxFunction) else str(part.shape),
)
def test_python_and_the_model_agree(function: OnnxFunction, x: np.ndarray) -> None:
    for setting in (whole_functions(False), whole_functions(True), whole_functions(True), whole_functions(True)):
        with setting:
            found = function(x)
        for eager, compiled in zip(found if isinstance(found, tuple) else (found,), plain(function, x), strict=True):
            np.testing.assert_array_equal(eager, compiled)


def test_values() -> None:
    first, *others = item(X)
    np.testing.assert_array_equal(first, X * 2)
    np.testing.assert_array_equal(others[4], X[:, 0])
    np.testing.assert_array_equal(length(X), X + 1)
    np.testing.assert_array_equal(run_over(X), X * 4)
    np.testing.assert_array_equal(split(X)[0], X)


def test_other_forms() -> None:
    same_everywhere(shape_of_a_vector, X[0])
    for function in (split_of_sizes_that_are_an_attribute, split_at_an_older_opset):
        np.testing.assert_array_equal(plain(function, X)[0], function(X))
    np.testing.assert_array_equal(split_at_an_older_opset(X), X[0] + X)


def test_the_builder_gives_tuples() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", Matrix)
    for index, found in enumerate((one(x), doubled(x), b.call(one, x, inline=True), op.Split(x, num_outputs=1))):
        assert isinstance(found, tuple) and len(found) == 1
        b.output(f"y{index}", found[0])
    np.testing.assert_array_equal(b.run(one(x)[0], x=X), X * 2)


def test_calls_from_python_give_tuples() -> None:
    for _ in range(4):
        for function in (one, doubled):
            (found,) = function(X)
            np.testing.assert_array_equal(found, X * 2)
    with strict():
        assert isinstance(one(X), tuple)


def test_variants_may_give_other_numbers() -> None:
    @script()
    def first(x: Matrix, n: Literal[1, 2] = 1):
        return columns(x, n=n)[0]

    for n in (1, 2):
        session = onnxruntime.InferenceSession(first.to_model_proto(opset=22, n=n).SerializeToString())
        np.testing.assert_array_equal(session.run(None, {"x": X})[0], X[:, 0])
        np.testing.assert_array_equal(first(X, n=n), X[:, 0])


def test_a_tuple_of_one_is_no_tensor() -> None:
    @script()
    def operand(x: Matrix):
        y = op.Split(x, num_outputs=1)
        return op.Relu(y)

    for attempt in (operand.to_model_proto, lambda: operand(X)):
        with pytest.raises(DiagnosticError, match=r"OW325[\s\S]*take its one item"):
            attempt()


def test_if_loop_and_scan_give_their_one_result_itself() -> None:
    @script()
    def chosen(x: Matrix):
        return op.If(op.Size(x) > 0, then_branch=lambda: (x,), else_branch=lambda: (-x,))[0]

    same_everywhere(chosen, X)
    np.testing.assert_array_equal(chosen(X), X[0])
