"""Functions inside functions: helpers that see the names around them late, and graphs of operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import BOOL, FLOAT, INT64, DiagnosticError, OnnxFunction, graph, script
from opwright import opset18 as op

RunModel = Callable[..., list[Any]]
X = np.array([1, 2, 3], np.float32)


def run(run_model: RunModel, function: OnnxFunction, *arrays: Any, **keywords: Any) -> list[np.ndarray]:
    """What the model gives, which is what the function gives as plain Python."""
    found = run_model(function.to_model_proto(opset=18), *arrays, **keywords)
    called = function(*(np.asarray(array) for array in arrays))
    for one, other in zip(found, called if isinstance(called, tuple) else (called,), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)
    return found


def codes(function: OnnxFunction) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        function.to_function_proto(18)
    return [item.code for item in raised.value.diagnostics]


def test_a_helper_sees_names_as_they_are_at_the_call(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"]):
        k = 2.0

        def scaled(y, by=k):
            return y * k + by

        first = scaled(x)
        k = 3.0
        return first, scaled(x), scaled(x, by=10.0)

    first, second, third = run(run_model, f, X)
    np.testing.assert_array_equal(first, X * 2 + 2)
    np.testing.assert_array_equal(second, X * 3 + 2)
    np.testing.assert_array_equal(third, X * 3 + 10)


def test_a_name_bound_in_one_branch_alone(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], flag: BOOL):
        y = x

        def shifted():
            return y + 1.0

        if flag:
            y = x * 2.0
        return shifted()

    np.testing.assert_array_equal(run(run_model, f, X, True)[0], X * 2 + 1)
    np.testing.assert_array_equal(run(run_model, f, X, False)[0], X + 1)

    @script()
    def g(x: FLOAT["N"], flag: BOOL):
        def shifted():
            return y + 1.0

        if flag:
            y = x * 2.0
        return shifted()

    assert codes(g) == ["OW308"]


def test_a_helper_in_a_loop_sees_the_trip(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        y = x
        for i in range(n):

            def step(z):
                return z + y * i

            y = step(x)
        return y

    expected = X
    for i in range(4):
        expected = X + expected * i
    np.testing.assert_array_equal(run(run_model, f, X, np.int64(4))[0], expected)
    np.testing.assert_array_equal(run(run_model, f, X, np.int64(0))[0], X)


def test_helpers_call_each_other_and_shadow(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"]):
        y = x

        def inner(z):
            y = z * 2.0
            return y

        def outer(z):
            return inner(z) + y

        return outer(x) + y

    np.testing.assert_array_equal(run(run_model, f, X)[0], X * 4)


def test_if_with_two_functions(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], flag: BOOL):
        k = 2.0

        @graph()
        def yes():
            return x * k, x

        @graph()
        def no():
            return x - k, 0.0 * x

        k = 3.0
        return op.If(flag, then_branch=yes, else_branch=no)

    for flag in (True, False):
        found = run(run_model, f, X, flag)
        np.testing.assert_array_equal(found[0], X * 3 if flag else X - 3)
        np.testing.assert_array_equal(found[1], X if flag else X * 0)


def test_loop_with_states_and_what_is_collected(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N"], n: INT64):
        def body(i, condition, total, count):
            total = total + x
            return i < n - 2, total, count + 1, total * 2.0

        return op.Loop(n, True, 0, 0, body=body)

    model = f.to_model_proto(opset=18, output_types=[FLOAT["N"], INT64, FLOAT["M", "N"]])
    total, count, each = run_model(model, X, np.int64(5))
    np.testing.assert_array_equal(total, X * 4)
    assert (count, count.dtype) == (4, np.int64)
    np.testing.assert_array_equal(each, np.stack([X * 2 * k for k in range(1, 5)]))


def test_scan_of_two_tensors_with_a_module_level_body(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N", 2], y: FLOAT["N", 2]):
        return op.Scan(op.Constant(value_floats=[0.0, 0.0]), x, y, body=multiply_and_add, num_scan_inputs=2)

    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((3, 2), np.float32) * 2
    total, each = run(run_model, f, x, y)
    np.testing.assert_array_equal(total, (x * y).sum(0))
    np.testing.assert_array_equal(each, np.cumsum(x * y, 0))


def multiply_and_add(total, x, y):
    total = total + x * y
    return total, op.Identity(total)


def test_a_sequence_mapped(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N", 2]):
        def twice(row, plus):
            return row * plus + plus

        rows = op.SplitToSequence(x, axis=0, keepdims=0)
        return op.ConcatFromSequence(op.SequenceMap(rows, 2.0, body=twice), axis=0, new_axis=1)

    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    # The reference evaluator's SequenceMap does not see the constants around its graph.
    np.testing.assert_array_equal(run(run_model, f, x, reference=False)[0], x * 2 + 2)


def test_graphs_inside_graphs(run_model: RunModel) -> None:
    @script()
    def f(x: FLOAT["N", 2]):
        def rows(total, row):
            def columns(inner, item):
                return inner + item, inner + item

            inner_total, each = op.Scan(0, row, body=columns, num_scan_inputs=1)
            if inner_total > 4.0:
                total = total + inner_total
            return total, each

        return op.Scan(0, x, body=rows, num_scan_inputs=1)

    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    total, each = run(run_model, f, x)
    assert total == 14
    np.testing.assert_array_equal(each, np.cumsum(x, 1))


def test_a_state_that_changes_its_type() -> None:
    @script()
    def f(x: FLOAT["N"]):
        def body(total, item):
            return op.Cast(item, to=INT64), item

        return op.Scan(op.ReduceSum(x, keepdims=0), x, body=body, num_scan_inputs=1)

    assert codes(f) == ["OW321"]


def test_what_is_refused() -> None:
    @script()
    def too_few(x: FLOAT["N"]):
        def body(total):
            return total

        return op.Scan(0, x, body=body, num_scan_inputs=1)

    @script()
    def returns_too_little(x: FLOAT["N"]):
        def body(i, condition, total):
            return condition

        return op.Loop(3, True, x, body=body)

    @script()
    def escapes(x: FLOAT["N"]):
        def make():
            def inner():
                return x

            return inner

        return make()()

    @script()
    def calls_itself(x: FLOAT["N"]):
        def inner(y):
            return inner(y)

        return inner(x)

    @script()
    def decorated(x: FLOAT["N"]):
        @script()
        def inner(y):
            return y

        return inner(x)

    @script()
    def missing(x: FLOAT["N"], flag: BOOL):
        def yes():
            return x

        return op.If(flag, then_branch=yes)

    @script()
    def disagreeing(x: FLOAT["N"], flag: BOOL):
        def yes():
            return x

        def no():
            return x, x

        return op.If(flag, then_branch=yes, else_branch=no)

    assert codes(too_few) == ["OW356"]
    assert codes(returns_too_little) == ["OW356"]
    assert codes(escapes) == ["OW303"]
    assert codes(calls_itself) == ["OW323"]
    assert codes(decorated) == ["OW303"]
    assert codes(missing) == ["OW206"]
    assert codes(disagreeing) == ["OW307"]


def test_inputs_and_attributes_beside_graphs_are_checked() -> None:
    @script()
    def no_sequence(x: FLOAT["N"]):
        def same(row):
            return row

        return op.SequenceMap(x, body=same)

    @script()
    def unknown_graph(x: FLOAT["N"]):
        def body(i, condition, total):
            return condition, total

        return op.Loop(3, True, x, body=body, other=body)

    @script()
    def no_graph(x: FLOAT["N"]):
        def body(y):
            return y

        return op.Softmax(x, axis=body)

    assert codes(no_sequence) == ["OW208"]
    assert codes(unknown_graph) == ["OW205"]
    assert codes(no_graph) == ["OW356"]


def test_a_state_of_scan_keeps_its_rank() -> None:
    @script()
    def f(x: FLOAT["N", 3]):
        def add(total, row):
            total = total + row
            return total, op.Identity(total)

        return op.Scan(0, x, body=add, num_scan_inputs=1)

    @script()
    def g(x: FLOAT["N", 3]):
        def add(total, row):
            total = total + row
            return total, op.Identity(total)

        return op.Scan(op.Expand(0.0, [3]), x, body=add, num_scan_inputs=1)

    assert codes(f) == ["OW321"]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(g(x)[1], np.cumsum(x, 0))
