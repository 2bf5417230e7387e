"""Numbers for inputs that have one element type, with no tensor to say which: they take the one that holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from opwright import DOUBLE, FLOAT, INT64, DiagnosticError, GraphBuilder, OnnxFunction, script
from opwright import opset18 as op

from tests.docs.running import run_model
from tests.functions.everywhere import same_everywhere

X = np.ones(7, np.float32)
Row = FLOAT["N"]


@script()
def divide(x, y):
    return x / y


@script()
def mean(a, b):
    return (a + b) / 2


@script()
def percent(part, whole):
    return part * 100 / whole


@script()
def constants(x: Row):
    return divide(7, 2.0) * x


@script()
def in_the_other_order(x: Row):
    return divide(7.0, 2) * x


@script()
def of_the_run_time(x: Row):
    return percent(len(x), 8.0) * x


@script()
def lists(x: Row):
    return divide([7, 9], [2.0, 2.0])


@script()
def list_and_number(x: Row):
    return divide([len(x), 9], 2.0)


@script()
def shape_and_list(x: Row):
    return divide(x.shape, [2.0])


@script()
def mean_of_two(x: Row):
    return mean(1, 2.0) * x


@script()
def by_an_operator(x: Row):
    return op.Where(x > 0, 1, 2.5)


VALUES = {
    constants: 3.5,
    in_the_other_order: 3.5,
    of_the_run_time: 87.5,
    lists: (3.5, 4.5),
    list_and_number: (3.5, 4.5),
    shape_and_list: 3.5,
    mean_of_two: 1.5,
    by_an_operator: 1.0,
}


@pytest.mark.parametrize("function", VALUES, ids=lambda item: item.__name__)
def test_an_int_and_a_float_are_floats(function: OnnxFunction) -> None:
    found = same_everywhere(function, X)
    assert found.dtype == np.float32
    assert set(found.tolist()) == set(np.ravel(VALUES[function]).tolist())


def test_attributes() -> None:
    @script()
    def attributes(x: Row, f: float = 2.0, k: int = 7):
        return divide(7, f) * x, divide(k, 2.0) * x

    for f in (2.0, 2.5):
        for found in run_model(attributes.to_model_proto(opset=18, f=f), {"x": X}).values():
            for compiled, eager in zip(found, attributes(X, f=f), strict=True):
                np.testing.assert_array_equal(compiled, eager)
    assert attributes(X)[0].tolist() == [3.5] * 7


def test_numbers_of_one_kind_are_as_before() -> None:
    @script()
    def ints(x: Row):
        return divide(7, len(x))

    assert same_everywhere(ints, X).dtype == np.int64


@pytest.mark.parametrize("given", [(7, 2.0), (7.0, 2), (True, 2.0), ([7, 9], [2.0, 2.0])], ids=str)
def test_in_calls_from_python_and_in_builders(given: tuple[object, object]) -> None:
    b = GraphBuilder(opset=18)
    with b.scope():
        found = b.run(divide(*given))
    wanted = np.asarray(given[0], np.float32) / np.asarray(given[1], np.float32)
    for value in (found, divide(*given)):
        assert value.dtype == np.float32
        np.testing.assert_array_equal(value, wanted)


def test_an_int_that_float32_does_not_hold_is_refused() -> None:
    @script()
    def wide(x: Row):
        return divide(2**24 + 1, 2.0) * x

    for _ in range(4):
        assert divide(2**24, 2.0) == 2**23  # in the end as one graph
    for attempt in (wide.to_model_proto, lambda: wide(X), lambda: divide([1, 2**24 + 1], 2.0)):
        with pytest.raises(DiagnosticError, match=r"OW313.*16777217 does not fit float"):
            attempt()


# ------------------------------------------------------------------------------------------------ sequences


@script()
def joined_doubles(xs: Sequence[DOUBLE]):
    return op.ConcatFromSequence(xs, axis=0, new_axis=1)


@script()
def second(xs: Sequence[FLOAT[...]]):
    return op.SequenceAt(xs, 1)


@script()
def ints(x: Row):
    return op.ConcatFromSequence([2**24 + 1, 3], axis=0, new_axis=1)


@script()
def bools(x: Row):
    return op.ConcatFromSequence([True, False], axis=0, new_axis=1)


@script()
def ints_and_floats(x: Row):
    return op.ConcatFromSequence([1, 2.5], axis=0, new_axis=1)


@script()
def ints_of_the_run_time(x: Row):
    return op.ConcatFromSequence([2**24 + 1, len(x)], axis=0, new_axis=1)


@script()
def with_a_tensor(x: Row):
    return op.ConcatFromSequence([1, x[0], 3], axis=0, new_axis=1)


@script()
def lists_of_ints(x: Row):
    return op.SequenceAt([[1, 2], [2**24 + 1]], 1)


@script()
def inserted(x: Row):
    return op.ConcatFromSequence(op.SequenceInsert([4, 5], 2**24 + 1), axis=0, new_axis=1)


@script()
def of_a_declared_type(x: Row):
    return joined_doubles([1, 2])


@script()
def tuple_of_tensors(x: Row):
    return second((x, x + 1)) + op.SequenceAt((x, x * 2), 1)


SEQUENCES = {
    ints: np.array([2**24 + 1, 3]),
    bools: np.array([True, False]),
    ints_and_floats: np.array([1, 2.5], np.float32),
    ints_of_the_run_time: np.array([2**24 + 1, 7]),
    with_a_tensor: np.array([1, 1, 3], np.float32),
    lists_of_ints: np.array([2**24 + 1]),
    inserted: np.array([4, 5, 2**24 + 1]),
    of_a_declared_type: np.array([1.0, 2.0]),
    tuple_of_tensors: X * 4,
}


@pytest.mark.parametrize("function", SEQUENCES, ids=lambda item: item.__name__)
def test_numbers_in_a_sequence(function: OnnxFunction) -> None:
    found = same_everywhere(function, X)
    assert found.dtype == SEQUENCES[function].dtype
    np.testing.assert_array_equal(found, SEQUENCES[function])


def test_texts_in_a_sequence() -> None:
    assert op.ConcatFromSequence(["a", "b"], axis=0, new_axis=1).numpy().tolist() == ["a", "b"]


def test_a_list_that_grew_as_python_keeps_its_digits() -> None:
    @script()
    def grown(n: INT64):
        out = []
        for i in range(n):
            out.append(2**24 + i)
        return op.ConcatFromSequence(out, axis=0, new_axis=1)

    found = grown(np.array(3))
    assert found.dtype == np.int64
    assert found.tolist() == [2**24, 2**24 + 1, 2**24 + 2]
    with pytest.raises(DiagnosticError, match="OW346"):
        grown.to_model_proto()
