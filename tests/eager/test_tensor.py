"""Tensors as Python sees them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import opwright
import opwright.eager
import pytest
from opwright import BOOL, DOUBLE, FLOAT, INT64, STRING, Tensor, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def codes(step: Callable[[], Any]) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        step()
    return [item.code for item in caught.value.diagnostics]


def test_what_can_be_asked() -> None:
    assert isinstance(X, opwright.Tensor)
    assert isinstance(X, opwright.eager.Tensor)
    assert opwright.eager.Tensor([1.5]).dtype == DOUBLE
    assert Tensor(X) is X
    assert X.shape == (2, 3)
    assert (X.rank, len(X)) == (2, 2)
    assert repr(Tensor(np.array([1, 2]))) == "Tensor(int64[2], [1, 2])"
    assert repr(Tensor(np.array(0.5, np.float32))) == "Tensor(float[], 0.5)"
    assert isinstance(hash(X), int)
    np.testing.assert_array_equal(np.asarray(X), X.numpy())
    assert pickle.loads(pickle.dumps(X)).numpy().tolist() == X.numpy().tolist()


def test_the_dtype_is_equal_to_what_stands_for_it() -> None:
    assert X.dtype == FLOAT
    assert X.dtype == FLOAT.dtype == FLOAT["N"]
    assert X.dtype == np.float32 == X.dtype
    assert X.dtype == np.dtype(np.float32)
    assert X.dtype != DOUBLE
    assert X.dtype in (INT64, FLOAT)
    assert X.dtype != "float"


def test_arrays_are_neither_shared_nor_writable() -> None:
    array = np.array([1.0], np.float32)
    x = Tensor(array)
    array[0] = 2
    assert x.numpy().tolist() == [1.0]
    assert not x.numpy().flags.writeable


def test_typed_scalars() -> None:
    for made, kind in ((FLOAT(0.5), np.float32), (DOUBLE(0.5), np.float64), (INT64(3), np.int64), (BOOL(True), bool)):
        assert made.shape == ()
        assert made.numpy().dtype == kind
    assert codes(lambda: INT64(0.5)) == ["OW313"]
    assert codes(lambda: BOOL(1)) == ["OW313"]
    assert codes(lambda: FLOAT(X)) == ["OW314"]


def test_strings() -> None:
    x = Tensor(np.array(["a", "bc"]))
    assert x.dtype == STRING
    assert (x == "a").numpy().tolist() == [True, False]
    assert (x + "!").numpy().tolist() == ["a!", "bc!"]


def test_truth_is_that_of_one_element() -> None:
    for value, wanted in ((0, False), (2, True), (-0.0, False), (np.nan, True), (True, True)):
        assert bool(Tensor(np.array([[value]]))) is wanted
    assert codes(lambda: bool(X)) == ["OW320"]
    assert codes(lambda: bool(Tensor(np.zeros(0)))) == ["OW320"]
    assert codes(lambda: bool(Tensor(np.array("x")))) == ["OW320"]


def test_one_integer_is_an_index() -> None:
    n = Tensor(np.array(3, np.int32))
    assert list(range(n)) == [0, 1, 2]
    assert (int(n), float(n)) == (3, 3.0)
    assert codes(lambda: range(FLOAT(3.0))) == ["OW314"]
    assert codes(lambda: range(Tensor(np.array([1, 2])))) == ["OW314"]
    assert codes(lambda: int(X)) == ["OW314"]


def test_control_flow_is_pythons() -> None:
    x, total = Tensor(np.array(5, np.int64)), 0
    while x > 0 and x != 2:
        total += x
        x -= 1
    assert int(total) == 5 + 4 + 3
    assert 1 < x < 3
    assert (x if x else total) is x


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (lambda: X + Tensor(np.ones(3)), "OW315"),
        (lambda: X + "a", "OW313"),
        (lambda: X + None, "OW314"),
        (lambda: X == None, "OW314"),  # noqa: E711
        (lambda: X + {}, "OW325"),
        (lambda: X & 1, "OW314"),
        (lambda: Tensor(np.array([1])) + 0.5, "OW313"),
        (lambda: Tensor(np.array([1], np.uint8)) + 256, "OW313"),
        (lambda: Tensor(np.array([True])) + 1, "OW313"),
        (lambda: 1.0 in X, "OW304"),
        (lambda: X.__setitem__(0, 1), "OW303"),
        (lambda: len(FLOAT(0.0)), "OW314"),
        (lambda: X + np.ones((2, 2), np.float32), "OW370"),
        (lambda: X + np.zeros(3, "datetime64[s]"), "OW325"),
    ],
)
def test_refusals(step: Callable[[], Any], code: str) -> None:
    assert codes(step) == [code]


def test_a_finding_stands_at_the_callers_line() -> None:
    with pytest.raises(DiagnosticError) as caught:
        X @ Tensor(np.ones(3))
    place = caught.value.diagnostics[0].place
    assert place is not None
    with open(__file__, encoding="utf-8") as file:
        line = file.read().splitlines()[place.line - 1]
    assert line[place.column - 1 : place.end_column - 1] == "X @ Tensor(np.ones(3))"


def test_what_onnx_has_no_tensors_of() -> None:
    for array in (np.array([b"a"]), np.array(["a", 1], object), np.array([None])):
        with pytest.raises(TypeError, match="ONNX has no tensors of"):
            Tensor(array)
    with pytest.raises(TypeError, match="ONNX has no tensors of datetime64"):
        Tensor(np.zeros(1, "datetime64[s]"))


@pytest.mark.parametrize("array", [np.zeros((0, 3), np.float32), np.zeros((2, 0), np.int64), np.float64(2.5)])
def test_empty_tensors_and_rank_0(array: Any) -> None:
    x = Tensor(array)
    for found, wanted in ((x + 1, array + 1), (-x, -array), (x * x, array * array), (x > 0, array > 0)):
        np.testing.assert_array_equal(found.numpy(), wanted)
        assert found.numpy().dtype == np.asarray(wanted).dtype


def test_subscripts_are_numpys() -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = Tensor(array)
    i = Tensor(np.array(1))
    for found, wanted in (
        (x[0], array[0]),
        (x[-1, ..., 1], array[-1, ..., 1]),
        (x[:, ::-1, None], array[:, ::-1, None]),
        (x[i], array[1]),
        (x[[0, 1, 1]], array[[0, 1, 1]]),
        (x[x > 5], array[array > 5]),
        (x[:, i:3], array[:, 1:3]),
    ):
        assert found.shape == wanted.shape
        np.testing.assert_array_equal(found.numpy(), wanted)
    assert codes(lambda: x[0.5]) == ["OW340"]
    assert codes(lambda: x[5]) == ["OW342"]
    assert codes(lambda: x[Tensor(np.array(5))]) == ["OW370"]


@pytest.mark.parametrize("opset", [15, 18])
def test_optional_values(opset: int) -> None:
    with at_opset(opset):
        optional = op.Optional(X)
        assert bool(op.OptionalHasElement(optional))
        assert op.OptionalGetElement(optional).numpy().tolist() == X.numpy().tolist()
        assert codes(lambda: optional + 1) == ["OW314"]
    assert not op.OptionalHasElement(None)


def test_sequences_are_lists_of_tensors() -> None:
    items = op.SplitToSequence(X, [1, 2], axis=1)
    assert isinstance(items, list)
    assert [item.shape for item in items] == [(2, 1), (2, 2)]
    items.append(X)
    assert op.ConcatFromSequence(items, axis=1).shape == (2, 6)
    assert int(op.SequenceLength([])) == 0
    empty = op.SequenceEmpty(dtype=INT64)
    assert empty == []
    assert op.SequenceInsert(empty, INT64(1))[0].dtype == INT64
    assert codes(lambda: op.SequenceInsert(empty, X)) == ["OW370"]
    assert codes(lambda: op.SequenceLength([X, INT64(1)])) == ["OW315"]
    assert op.SequenceAt([X, X + 1], -1)[0, 0].numpy() == 1


def test_sequences_without_items_keep_their_type() -> None:
    empty = op.SequenceEmpty(dtype=INT64)
    for found in (empty[0:], op.Identity(empty), items_behind(2)[9:], op.Identity(items_behind(2)[2:])):
        assert isinstance(found, list)
        assert found == []
        assert codes(lambda found=found: op.SequenceInsert(found, Tensor(np.array(["text"])))) == ["OW370"]
    assert behind([X], 1) == behind([], 0) == []
    assert [item.shape for item in behind([X, X, X], 1)] == [(2, 3), (2, 3)]


def items_behind(count: int) -> Any:
    return op.SplitToSequence(Tensor(np.arange(count, dtype=np.float32)))


@script()
def behind(xs: Sequence[FLOAT[2, 3]], first: INT64):
    return xs[first:]


def test_arrays_are_values_of_tensor_attributes() -> None:
    assert op.Constant(value=np.array([1.5])).dtype == DOUBLE
    assert op.ConstantOfShape([2], value=np.array([7], np.int8)).numpy().tolist() == [7, 7]
    assert op.Constant(value=np.array(["a"])).numpy().tolist() == ["a"]
    assert codes(lambda: op.Constant(value=np.zeros(1, "datetime64[s]"))) == ["OW325"]
    assert codes(lambda: op.Constant(value=X)) == ["OW324"]
