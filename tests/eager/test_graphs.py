"""Functions given to operators as graphs, in eager mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT64, Graph, Tensor, graph, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import strict
from opwright.evaluator import ReferenceEvaluator, default_as

X = np.array([1, 2, 3], np.float32)


@script()
def double(x):
    return op.Mul(x, 2.0)


@script()
def cumulative_sum(x):
    @graph()
    def add(total, item):
        total = total + item
        return total, op.Identity(total)

    _, sums = op.Scan(0, x, body=add, num_scan_inputs=1)
    return sums


@script()
def captures(x, factor: float = 3.0):
    bias = x[0]

    def step(total, item):
        y = double(item) + bias * factor
        return total + y, y

    total, ys = op.Scan(0, x, body=step, num_scan_inputs=1)
    return total, ys


@script()
def branches(x):
    def up():
        return x + 1

    def down():
        return x - 1

    return op.If(op.ReduceSum(x, keepdims=0) > 0, then_branch=up, else_branch=down)


@script()
def loop(x):
    def body(i, go_on, total):
        total = total + x
        return i < 2, total, total * 2.0

    total, doubled = op.Loop(10, True, op.CastLike(0, x), body=body)
    return total, doubled


@script()
def mapped(x):
    def body(item):
        return item + 1

    return op.SequenceMap([x, x], body=body)


def test_scan() -> None:
    assert cumulative_sum(X).tolist() == [1, 3, 6]
    assert cumulative_sum(X.astype(np.int64)).tolist() == [1, 3, 6]
    total, ys = captures(X)
    assert (float(total), ys.tolist()) == (21.0, [5, 7, 9])
    assert captures(X, factor=0.0)[1].tolist() == [2, 4, 6]


def test_if_loop_and_sequence_map() -> None:
    assert branches(X).tolist() == [2, 3, 4]
    assert branches(-X).tolist() == [-2, -3, -4]
    total, doubled = loop(X)
    assert total.tolist() == [3, 6, 9]
    assert doubled.tolist() == [[2, 4, 6], [4, 8, 12], [6, 12, 18]]
    assert [item.tolist() for item in mapped(X)] == [[2, 3, 4]] * 2


def test_the_sizes_of_what_is_captured_are_known() -> None:
    x = Tensor(np.ones((2, 3), np.float32))

    def up():
        return x * sum(x.shape) + min(x.shape)

    def down():
        return x - len(x.shape)

    assert op.If(True, then_branch=up, else_branch=down).numpy().tolist() == [[7, 7, 7]] * 2


def test_what_a_graph_computes_in_vain_is_left_out() -> None:
    x = Tensor(X)

    def up():
        unused = x * 2 if op.ReduceSum(x, keepdims=0) > 0 else x
        del unused
        return x + 1

    assert op.If(True, then_branch=up, else_branch=up).numpy().tolist() == [2, 3, 4]


def test_the_reference_evaluator_runs_them_too() -> None:
    with default_as(ReferenceEvaluator()):
        assert branches(X).tolist() == [2, 3, 4]
        assert loop(X)[0].tolist() == [3, 6, 9]


def test_names_are_read_when_the_operator_runs() -> None:
    offset = Tensor(np.float32(1))

    def add(total, item):
        return total + item + offset

    found = [op.Scan(0, X, body=add, num_scan_inputs=1)]
    offset = Tensor(np.float32(10))
    found.append(op.Scan(0, X, body=add, num_scan_inputs=1))
    assert [float(item) for item in found] == [9.0, 36.0]


def _wrong_operator(total, item):
    return total, item & 1


def _too_few() -> Any:
    return X


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (lambda: op.Scan(0, X, body=_wrong_operator, num_scan_inputs=1), "OW314"),
        (lambda: op.Scan(0, X, body=_too_few, num_scan_inputs=1), "OW356"),
        (lambda: op.Scan(0, X, body=_wrong_operator), "OW356"),
        (lambda: op.Scan(0, X, num_scan_inputs=1), "OW206"),
    ],
)
def test_refusals(step: Callable[[], Any], code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        step()
    assert [item.code for item in caught.value.diagnostics] == [code]
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.file.endswith("test_graphs.py")
    assert place.line > 0


@script()
def twice(x: FLOAT[...], body: Graph):
    return body(body(x))


@script()
def outputs(x: FLOAT[...], body: Graph):
    return x * len(body.outputs)


@script()
def folded(x: FLOAT[...], body: Graph):
    return op.Scan(0, x, body=body, num_scan_inputs=1)


@script()
def calls_twice(x: FLOAT[...]):
    first = x[0]

    def add(value):
        return value + first

    return twice(x, body=add)


@script()
def total(*xs: FLOAT[...]):
    return op.Sum(*xs)


def _pair(value):
    return value, value


def _sum(total, item):
    return total + item


@pytest.mark.parametrize("enabled", [False, True])
def test_functions_that_are_given_functions(enabled: bool) -> None:
    with strict(enabled):
        assert calls_twice(X).tolist() == [3, 4, 5]
        assert outputs(X, body=_pair).tolist() == [2, 4, 6]
        assert total(X, X, 1).tolist() == [3, 5, 7]
    assert float(folded(X, _sum)) == 6
    with pytest.raises(DiagnosticError) as caught:
        folded(X, 3)
    assert caught.value.diagnostics[0].code == "OW207"


def test_a_failure_in_a_graph_has_its_line() -> None:
    @script()
    def picked(table: FLOAT[...], indices):
        def step(total, index):
            total = total + op.Gather(table, index)
            return total, op.Identity(total)

        _, sums = op.Scan(0, indices, body=step, num_scan_inputs=1)
        return sums

    with pytest.raises(DiagnosticError) as caught:
        picked(np.ones(3, np.float32), np.array([0, 7]))
    (found,) = caught.value.diagnostics
    first = picked.__wrapped__.__code__.co_firstlineno
    assert found.code == "OW370"
    assert found.place is not None
    assert found.place.line == first + 6
    assert [item.place.line for item in found.related] == [first + 3]
    assert found.reason.startswith("Scan: Gather: indices element out of data bounds, idx=7")


@script()
def collects(x):
    def step(i, going, doubles, shapes):
        y = x[i] * 2
        item, shape = [y], [op.Shape(y)]
        return going, doubles + item, shapes + shape

    return op.Loop(3, None, [], [], body=step)


def test_empty_lists_enter_a_loop_as_sequences() -> None:
    doubles, shapes = collects(X)
    assert [item.tolist() for item in doubles] == [2, 4, 6]
    assert [item.tolist() for item in shapes] == [[], [], []]
    with strict():
        assert [item.tolist() for item in collects(X)[0]] == [2, 4, 6]


def test_a_sequence_of_nothing_is_one_all_the_same() -> None:
    empty = op.SequenceEmpty(dtype=INT64)

    @script()
    def grown(xs):
        return op.SequenceInsert(xs, INT64(1))

    @script()
    def same(xs):
        return xs

    assert same(empty).item == empty.item
    assert [repr(item.type) for item in grown(empty)] == ["int64[]"]
    assert isinstance(grown([np.array(0)])[1], np.ndarray)
