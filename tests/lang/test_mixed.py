"""What is a number on one path and a tensor on another: the same for either, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import BOOL, FLOAT, INT64, UINT8, script
from opwright import opset18 as op
from opwright.diagnostics import DiagnosticError
from opwright.functions import OnnxFunction


@script()
def quotient(x: INT64[None]):
    s = 1
    if op.ReduceMax(x, keepdims=0) > 0:
        s = s + x
    return s / 2


@script()
def quotient_in_a_loop(x: INT64[None], n: INT64):
    s = 1
    t = x
    for _ in range(n):
        t = t * (s / 2)
        s = s + x
    return t


@script()
def quotient_of_what_the_last_trip_left(x: INT64[None], n: INT64):
    s = x
    t = x
    for _ in range(n):
        t = t * (s / 2)
        s = 3
    return t


@script()
def quotient_of_a_sum(x: INT64[None]):
    s = 1 if op.ReduceMax(x, keepdims=0) > 0 else x
    return (s + 1) / 2


@script()
def power(x: INT64[None], n: int):
    return (2 if op.ReduceMax(x, keepdims=0) > 0 else x) ** n


@script()
def difference(x: UINT8[None]):
    return (1 if op.ReduceMax(x, keepdims=0) > 3 else x) - 2


@script()
def inverse(x: BOOL[None]):
    return ~(True if op.ReduceMax(op.Cast(x, to=INT64), keepdims=0) > 0 else x)


REFUSED = [
    quotient,
    quotient_in_a_loop,
    quotient_of_what_the_last_trip_left,
    quotient_of_a_sum,
    power,
    difference,
    inverse,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.name)
def test_what_a_number_would_give_otherwise_is_refused(function: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError) as raised:
        function.to_function_proto()
    assert {item.code for item in raised.value.diagnostics} == {"OW314"}


@script()
def mean(x: FLOAT[None], n: INT64):
    s = 0
    for _ in range(n):
        s = s + x
    return s / 4 + op.ReduceSum(x * s, keepdims=0)


@script()
def floored(x: INT64[None]) -> INT64[None]:
    s = 7
    if op.ReduceMax(x, keepdims=0) > 0:
        s = x + s
    return x * (s // 2 - s % 3 + s**2)


@script()
def meets_a_tensor(x: INT64[None]) -> INT64[None]:
    s = 7
    if op.ReduceMax(x, keepdims=0) > 0:
        s = x + s
    return s / x


@pytest.mark.parametrize("function", [mean, floored, meets_a_tensor], ids=lambda function: function.name)
@pytest.mark.parametrize("items", [[-4, -3, -2], [1, 5, 9]])
def test_what_is_the_same_is_kept(function: OnnxFunction, items: list[int]) -> None:
    from onnxruntime import InferenceSession

    x = np.array(items, np.float32 if function is mean else np.int64)
    arrays = [x, np.array(max(items[0], 0))][: len(function.to_function_proto().input)]
    session = InferenceSession(function.to_model_proto().SerializeToString())
    feeds = {value.name: array for value, array in zip(session.get_inputs(), arrays, strict=True)}
    (result,) = session.run(None, feeds)
    np.testing.assert_allclose(result, function(*arrays), rtol=1e-6)


@script()
def of_any_type(x):
    s = 1
    if op.ReduceMax(x, keepdims=0) > 0:
        s = s + x
    return s / 2


def test_a_type_that_nobody_declared_is_one_for_which_both_are_the_same() -> None:
    assert of_any_type.to_model_proto(input_types=[FLOAT[None]], output_types=[FLOAT[None]]).graph.node
    with pytest.raises(DiagnosticError):
        of_any_type.to_model_proto(input_types=[INT64[None]])


@script()
def shape(x: FLOAT[None]):
    s = 1 if op.ReduceMax(x, keepdims=0) > 0 else x
    return s.shape[0]


@script()
def length(x: FLOAT[None]):
    return len(1 if op.ReduceMax(x, keepdims=0) > 0 else x)


@script()
def item(x: FLOAT[None]):
    s = 1 if op.ReduceMax(x, keepdims=0) > 0 else x
    return s[0]


@pytest.mark.parametrize("function", [shape, length, item], ids=lambda function: function.name)
def test_what_a_number_lacks_is_refused(function: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError, match="OW304: a value that is a number on some path has no"):
        function.to_function_proto()


@script()
def root(x: FLOAT[None], n: INT64):
    s = 4
    for _ in range(n):
        s = s + x
    return op.Sqrt(s)


@script()
def half(x: FLOAT[None], n: INT64):
    s = 1
    for _ in range(n):
        s = s + x
    return op.Div(s, 2)


@script()
def two_by(x: FLOAT[None]):
    s = 1.0 if op.ReduceMax(x, keepdims=0) > 0 else x
    return op.Div(2, s)


@script()
def left_by_a_trip(x: FLOAT[None], n: INT64):
    s, t = x, x
    for _ in range(n):
        t = op.Sqrt(s) + t
        s = 4
    return t


@pytest.mark.parametrize("function", [root, half, two_by, left_by_a_trip], ids=lambda function: function.name)
def test_an_operator_whose_type_would_be_the_numbers_is_refused(function: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError, match="takes a number on one path, and a tensor of float"):
        function.to_function_proto()


@script()
def root_of_floats(x: FLOAT[None], n: INT64):
    s = 4.0
    for _ in range(n):
        s = s + x
    return op.Sqrt(s), op.Div(s, x), op.Max(s, 1.5)


@pytest.mark.parametrize("trips", [0, 2])
def test_numbers_that_become_what_the_tensor_is_are_taken(trips: int) -> None:
    from onnxruntime import InferenceSession

    arrays = {"x": np.array([1.0, 2.0], np.float32), "n": np.array(trips)}
    model = root_of_floats.to_model_proto()
    results = InferenceSession(model.SerializeToString()).run(None, arrays)
    for one, other in zip(results, root_of_floats(*arrays.values()), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)
