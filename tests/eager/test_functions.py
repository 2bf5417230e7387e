"""Functions under `@script` called on arrays and tensors."""

from __future__ import annotations

import math
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import DOUBLE, FLOAT, INT64, OptionalValue, Tensor, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset, run_body, strict

X = np.array([[-1.0, 2.0], [3.0, -4.0]], np.float32)
N = "N"  # a symbol of a shape
M_SQRT1_2 = math.sqrt(0.5)


def codes(step: Callable[[], Any]) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        step()
    return [item.code for item in caught.value.diagnostics]


@script()
def gelu(x: FLOAT[...]):
    phi = 0.5 * (op.Erf(M_SQRT1_2 * x) + 1.0)
    return x * phi


@script()
def leaky(x: FLOAT[...], alpha: float = 0.1, mode: Literal["up", "down"] = "up", twice: bool = False):
    y = op.Where(x < 0, alpha * x, x)
    if mode == "down":
        y = -y
    return y + y if twice else y


@script()
def clip(x: FLOAT[...], low=None, high=None):
    if low is not None:
        x = op.Max(x, low)
    if high is not None:
        x = op.Min(x, high)
    return x


@script()
def chunk(x: FLOAT[...], chunks: int, dim: int = 0):
    size = op.Shape(x)[dim]
    each = size / chunks + op.Cast(size % chunks > 0, to=INT64.dtype)
    sizes = op.Expand(each, op.Reshape(size / each, [-1]))
    rest = size % each
    if rest > 0:
        sizes = op.Concat(sizes, op.Reshape(rest, [-1]), axis=0)
    return op.SplitToSequence(x, sizes, axis=dim)


@script()
def both(a: FLOAT[N], b: FLOAT[N]) -> tuple[FLOAT[N], INT64]:
    total = 0
    for i in range(3):
        total = total + i
    return gelu(a) + leaky(b, alpha=0.5), total


def test_arrays_give_arrays_and_tensors_tensors() -> None:
    wanted = [x * 0.5 * (1 + math.erf(x * M_SQRT1_2)) for x in X.ravel().tolist()]
    for given in (X, Tensor(X)):
        found = gelu(given)
        assert type(found) is type(Tensor(X) if isinstance(given, Tensor) else X)
        np.testing.assert_allclose(np.asarray(found).ravel(), wanted, rtol=1e-3)


def test_results_are_never_the_callers_arrays() -> None:
    found = clip(X)
    assert found is not X
    assert not np.may_share_memory(found, X)
    assert found.flags.writeable


def test_attributes_are_converted_as_the_compiler_does() -> None:
    seen: list[Any] = []

    @script()
    def record(x, scale: float, sizes: Sequence[int] = (1, 2), flag: bool = True, name: str | None = None):
        seen[:] = [scale, sizes, flag, name]
        return x

    record(X, 0.1, [3], 0)
    assert seen == [float(np.float32(0.1)), (3,), False, None]
    assert seen[2] is False
    record(X, scale=1)
    assert seen == [1.0, (1, 2), True, None]
    assert type(seen[0]) is float
    for wrong in ({"scale": "1"}, {"scale": 1.0, "sizes": [0.5]}, {"scale": 1.0, "name": 3}):
        assert codes(lambda wrong=wrong: record(X, **wrong)) == ["OW207"]
    assert codes(lambda: leaky(X, mode="sideways")) == ["OW207"]
    assert codes(lambda: leaky(X, alpha=Tensor(X))) == ["OW324"]
    assert codes(lambda: record(X)) == ["OW204"]


def test_the_default_of_a_float_attribute_is_rounded_too() -> None:
    found = leaky(np.array([-1.0], np.float32))
    assert found.tolist() == [-float(np.float32(0.1))]
    x = np.array([-1.0])

    @script()
    def scale(x: DOUBLE[...], alpha: float = 0.1):
        return x * alpha

    assert scale(x).tolist() == [-float(np.float32(0.1))]


def test_presence_and_positions() -> None:
    one, two = np.float32(1), np.float32(2)
    np.testing.assert_array_equal(clip(X, one, two), np.clip(X, 1, 2))
    np.testing.assert_array_equal(clip(X, high=two), np.minimum(X, 2))
    np.testing.assert_array_equal(clip(X, None, 0), np.minimum(X, 0))
    np.testing.assert_array_equal(clip(low=0.5, x=X), np.maximum(X, 0.5))


def test_control_flow_sequences_and_nested_calls() -> None:
    parts = chunk(np.arange(48, dtype=np.float32), chunks=10)
    assert [len(part) for part in parts] == [5] * 9 + [3]
    x = np.array([1.0, -2.0], np.float32)
    found, total = both(x, x)
    np.testing.assert_allclose(found, gelu(x) + np.where(x < 0, x / 2, x), rtol=1e-6)
    assert (total.dtype, int(total)) == (np.int64, 3)


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (lambda: gelu(), "OW204"),
        (lambda: gelu(None), "OW204"),
        (lambda: gelu(X, X), "OW203"),
        (lambda: gelu(X, y=X), "OW203"),
        (lambda: gelu(X, x=X), "OW203"),
        (lambda: gelu(X.astype(np.float64)), "OW208"),
        (lambda: gelu({}), "OW325"),
        (lambda: gelu([X, X]), "OW325"),
        (lambda: gelu("a"), "OW313"),
        (lambda: both(X[0], X), "OW372"),
        (lambda: both(X[0], np.ones(3, np.float32)), "OW372"),
    ],
)
def test_arguments_that_are_refused(step: Callable[[], Any], code: str) -> None:
    assert codes(step) == [code]


def test_results_that_are_refused() -> None:
    @script()
    def nothing(x):
        if x is None:
            return x
        return None

    @script()
    def other_type(x) -> FLOAT[...]:
        return op.Cast(x, to=DOUBLE)

    @script()
    def too_many(x) -> FLOAT[...]:
        return x, x

    assert codes(lambda: nothing(X)) == ["OW306"]

    @script()
    def shape(x):
        return x.shape

    scalar = np.array(1.0, np.float32)
    for _ in range(3):  # as a whole too
        assert codes(lambda: shape(scalar)) == ["OW306"]
    assert codes(lambda: other_type(X)) == ["OW210"]
    assert codes(lambda: too_many(X)) == ["OW215"]


def test_numbers_that_are_returned_are_tensors() -> None:
    @script()
    def size(x):
        return x.shape[0], 0.5, [1, 2], True

    found = size(X)
    assert [item.dtype.name for item in found] == ["int64", "float32", "int64", "bool"]


def test_no_source_text_is_needed() -> None:
    names: dict[str, Any] = {"op": op}
    exec("def f(x):\n    return op.Relu(x) + 1", names)
    np.testing.assert_array_equal(script()(names["f"])(X), np.maximum(X, 0) + 1)


def test_the_traceback_is_the_authors() -> None:
    @script()
    def wrong(x):
        y = x + 1
        return y & 1

    with pytest.raises(DiagnosticError) as caught:
        wrong(X)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "return y & 1" in lines
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert __file__.endswith(place.file)


def test_the_opset_is_the_functions_own() -> None:
    @script()
    def flags(x):
        return x & 1

    assert flags(np.array([3])).tolist() == [1]  # opset 18, where it is defined
    with at_opset(17):
        assert codes(lambda: flags(np.array([3]))) == ["OW202"]

    @script(default_opset=op)
    def sums(x):
        return op.ReduceSum(x, [0], keepdims=0)

    with at_opset(13):
        assert sums(X).tolist() == X.sum(0).tolist()


def test_run_body_takes_plain_functions() -> None:
    def body(x, n, scale):
        total = 0
        for i in range(n):
            total = total + x * scale + i
        return total, n

    total, n = run_body(body, {"x": X, "n": 3}, {"scale": 0.5}, 18)
    np.testing.assert_array_equal(total.numpy(), X * 1.5 + 3)
    assert n.numpy().tolist() == 3
    (half,) = run_body(lambda: 0.1, {}, {}, 18, ["double"])
    assert half.numpy() == 0.1


def test_strict_mode_refuses_what_the_compiler_refuses() -> None:
    @script()
    def lenient(x: FLOAT[...]):
        try:
            return x + 1
        finally:
            pass

    np.testing.assert_array_equal(lenient(X), X + 1)
    with strict():
        assert codes(lambda: lenient(X)) == ["OW303"]
        np.testing.assert_allclose(gelu(X), gelu(X))
        assert codes(lambda: leaky(X, mode="sideways")) == ["OW207"]


def test_the_version_is_that_of_the_opset_in_force() -> None:
    @script(default_opset=op)
    def version(x):
        return op.Gelu(x) if op.version >= 20 else op.Identity(x * op.version)

    assert version(np.array([1.0])).tolist() == [18.0]
    with at_opset(13):
        assert version(np.array([1.0])).tolist() == [13.0]
    with at_opset(20):
        assert version(np.array([0.0])).tolist() == [0.0]  # which the opset that the source names does not have
    assert op.version == 18
    assert not hasattr(op, "Gelu")


@script()
def stacked(x: FLOAT[N], n: INT64):
    ys = []
    for i in range(n):
        ys.append(x * op.CastLike(i, x))
    return ys


@script()
def of_stacked(x: FLOAT[N], n: INT64) -> tuple[INT64, Sequence[FLOAT[N]]]:
    return op.SequenceLength(stacked(x, n)), stacked(x, n)


@pytest.mark.parametrize("count", [0, 2])
def test_a_list_without_items_is_a_sequence_as_in_the_model(count: int) -> None:
    x, n = np.float32([1, 2]), np.array(count)
    length, items = of_stacked(x, n)
    (session_length, session_items) = ReferenceEvaluator(of_stacked.to_model_proto()).run(None, {"x": x, "n": n})
    assert length == session_length == count
    assert [item.tolist() for item in items] == [item.tolist() for item in session_items]
    assert isinstance(stacked(x, n), list)


def test_a_list_takes_the_element_type_that_its_annotation_says() -> None:
    @script()
    def listed(xs: Sequence[DOUBLE[...]]) -> Sequence[DOUBLE[...]]:
        return xs

    @script()
    def joined(xs: Sequence[DOUBLE[...]]) -> tuple[Sequence[DOUBLE[...]], INT64]:
        return listed(xs), op.SequenceLength(xs)

    assert [item.dtype for item in listed([1.0, 2.0])] == [np.float64, np.float64]
    items, length = joined([])
    assert (items, length) == ([], 0)


def test_a_list_with_a_number_in_it_is_a_tensor_as_in_the_model() -> None:
    @script()
    def listed(x: FLOAT[N], n: INT64):
        return [n, 1], [x[0], 1.5], [x[0], x[1]]

    x, n = np.float32([1, 2]), np.array(3)
    numbers, floats, tensors = listed(x, n)
    wanted = ReferenceEvaluator(listed.to_model_proto()).run(None, {"x": x, "n": n})
    assert numbers.tolist() == wanted[0].tolist() == [3, 1]
    assert floats.tolist() == wanted[1].tolist() == [1, 1.5]
    assert isinstance(tensors, list)
    assert [item.tolist() for item in tensors] == [item.tolist() for item in wanted[2]]


def test_an_optional_sequence_may_be_empty() -> None:
    @script()
    def joined(x: FLOAT[N], more: OptionalValue[Sequence[FLOAT[N]]]):
        ys = [x]
        if op.OptionalHasElement(more):
            ys += op.OptionalGetElement(more)
        return ys

    x = np.float32([1, 2])
    assert [len(joined(x, given)) for given in ([x, x], [], None)] == [3, 1, 1]


def test_an_optional_that_holds_nothing_is_none() -> None:
    @script()
    def held(x: OptionalValue[FLOAT[N]], y: FLOAT[N]):
        return op.OptionalGetElement(x) + y if op.OptionalHasElement(x) else y * 2

    y = np.float32([1, 2])
    assert held(y, y).tolist() == [2, 4]
    assert held(None, y).tolist() == [2, 4]
    assert held(y * 3, y).tolist() == [4, 8]


def test_a_list_without_items_is_a_tensor_where_the_model_has_one() -> None:
    @script()
    def doubled(x: FLOAT[N], numbers: Sequence[int] = ()) -> INT64[None]:
        return [number * 2 for number in numbers]

    @script()
    def undeclared(x: FLOAT[N], numbers: Sequence[int] = ()):
        return [number * 2 for number in numbers], x

    x = np.float32([1, 2])
    assert doubled(x).dtype == np.int64
    assert doubled(x).shape == (0,)
    numbers, _ = undeclared(x)
    assert isinstance(numbers, np.ndarray)


def _calling(called: Callable[..., Any]) -> Callable[..., Any]:
    @script()
    def calling(x):
        return op.Neg(called(x))

    return calling


def test_calls_that_follow_each_other_further_than_the_stack() -> None:
    function: Callable[..., Any] = gelu
    for _ in range(200):
        function = _calling(function)
    with pytest.raises(DiagnosticError) as caught:
        function(X)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("OW327", "Python's stack ends in a call of `calling`")
    assert found.place is not None and found.place.file.endswith("test_functions.py")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10 * limit)
    try:
        assert np.array_equal(function(X), gelu(X))
    finally:
        sys.setrecursionlimit(limit)


@script()
def ping(x):
    return op.Neg(pong(op.Identity(x)))


@script()
def pong(x):
    return op.Abs(ping(x))


@script()
def again(x):
    return again(x) + 1


def plain(x):
    return plain(x) + 1


@script()
def by_a_helper(x):
    return plain(x)


@pytest.mark.parametrize(
    ("function", "code", "message"),
    [
        (again, "OW323", "`again` calls itself"),
        (ping, "OW323", "is called by itself"),
        (by_a_helper, "OW327", "Python's stack ends in a call of `by_a_helper`"),
    ],
    ids=["itself", "each other", "a helper"],
)
def test_calls_without_an_end(function: Callable[..., Any], code: str, message: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        function(X)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message
    assert found.place is not None and found.place.file.endswith("test_functions.py")
