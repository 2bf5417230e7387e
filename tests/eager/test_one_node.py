"""Functions of a library called on arrays."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright import FLOAT, Tensor, packaged, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import one_node
from opwright.eager.arguments import bind_arguments
from opwright.evaluator import NoKernel, ReferenceEvaluator, default_as
from opwright.packaged import LibraryFunction, LibraryOpset

from tests.package.sample import sample_library

X = np.array([[-4, 0, 8]], np.float32)


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], LibraryFunction]:
    """A function of the sample library by name and version, as its package would offer it."""
    monkeypatch.setattr(packaged, "_BUNDLES", {"acme_ops": (None, sample_library())})
    return lambda name, version: LibraryOpset("acme_ops", "x.onnxlib", "com.acme", version, (name,), None).find(name)


Function = Callable[[str, int], LibraryFunction]


def test_types_versions_and_attributes(function: Function) -> None:
    for array in (X, X.astype(np.float64)):
        result = function("Scale", 1)(array)
        assert result.dtype == array.dtype
        np.testing.assert_array_equal(result, array / 2)
    np.testing.assert_array_equal(function("Scale", 1)(X, alpha=3), X * 3)
    np.testing.assert_allclose(function("Scale", 3)(X), np.abs(X) / 10, rtol=1e-6)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_])
def test_scalars_of_numpy_are_attributes_as_they_are_of_operators(function: Function, kind: type[np.generic]) -> None:
    number: Any = kind(1)
    np.testing.assert_array_equal(function("Scale", 1)(X, alpha=number), X)
    np.testing.assert_array_equal(op.LeakyRelu(X, alpha=number), X)
    assert bind_arguments(function("Scale", 1).entry, (X,), {"alpha": number})[1] == (("alpha", 1.0),)


def test_several_outputs_are_a_tuple(function: Function) -> None:
    low, count = function("Split2", 1)(X)
    np.testing.assert_array_equal(low, -X)
    assert (count, count.dtype) == (3, np.int64)


def test_presence_chooses_the_variant(function: Function) -> None:
    limit = function("Limit", 2)
    most = np.array(1, np.float32)
    np.testing.assert_array_equal(limit(X), X)
    np.testing.assert_array_equal(limit(X, None), X)
    for result in (limit(X, most), limit(X, most=most), limit(x=X, most=most)):
        np.testing.assert_array_equal(result, np.minimum(X, 1))


def test_any_rank_and_empty_arrays(function: Function) -> None:
    scale = function("Scale", 1)
    for array in (np.float32(3), np.zeros((0, 2), np.float32), np.ones((2, 1, 2), np.float32)):
        np.testing.assert_array_equal(scale(array), array / 2)


def test_tensors_give_tensors_and_numbers_take_their_type(function: Function) -> None:
    limit = function("Limit", 2)
    found = limit(Tensor(X), 1)
    assert isinstance(found, Tensor)
    np.testing.assert_array_equal(found.numpy(), np.minimum(X, 1))
    np.testing.assert_array_equal(limit(X, most=0.5), np.minimum(X, 0.5))


def test_a_body_gives_numbers_of_numpy_as_numbers(function: Function) -> None:
    limit, most = function("Limit", 2), np.array([0.5, 8.0])

    @script()
    def F(x: FLOAT[...]):
        return limit(x, most[0])

    np.testing.assert_array_equal(F(X), np.minimum(X, np.float32(0.5)))
    with pytest.raises(DiagnosticError):
        limit(X, most[0])


def test_lists_are_arrays(function: Function) -> None:
    scale, limit = function("Scale", 1), function("Limit", 2)
    for given, made in (([1.0, 2.0], [0.5, 1.0]), ([[1, 2.5]], [[0.5, 1.25]]), (3.0, 1.5)):
        found = scale(given)
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.tolist()) == (np.float32, made)
    doubles = X.astype(np.float64)
    assert limit(doubles, [1, 2, 3]).dtype == limit([1, 2, 3], doubles).dtype == np.float64
    assert limit([1.5, 2], [1, 3]).tolist() == [1, 2], "the first list decides"
    for refused, words in (([1, 2], "int64"), ([X, X], "a list of tensors"), ([[1.0], [2.0, 3.0]], "is not a tensor")):
        with pytest.raises(DiagnosticError, match=words):
            scale(refused)


def test_a_deprecated_function_warns_at_the_call(function: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = function("Scale", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale(X)
    old = replace(scale.entry, deprecated=True)
    monkeypatch.setattr(LibraryFunction, "entry", property(lambda self: old))
    with pytest.warns(DeprecationWarning, match="com.acme::Scale@1 is deprecated") as caught:
        np.testing.assert_array_equal(scale(X), X / 2)
    assert [Path(item.filename).name for item in caught] == [Path(__file__).name]


def test_a_callee_comes_along(function: Function) -> None:
    np.testing.assert_array_equal(function("Twice", 3)(X), X / 4)


def test_sessions_are_kept(function: Function) -> None:
    scale = function("Scale", 1)
    one_node._session.cache_clear()
    scale(X)
    scale(X * 2)
    scale(X[0])
    assert one_node._session.cache_info().misses == 2


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "words"),
    [
        ("Scale", (), {}, "missing the required input 'x'"),
        ("Scale", (X, X), {}, "takes 1 inputs, 2 were given"),
        ("Scale", (X,), {"beta": 1}, "unexpected keyword argument 'beta'$"),
        ("Scale", (X,), {"alhpa": 1}, "unexpected keyword argument 'alhpa'. Did you mean: 'alpha'"),
        ("Scale", (X,), {"x": X}, "multiple values for argument 'x'"),
        (
            "Scale",
            ({1.0},),
            {},
            "the input x is of the type set; give an array, a tensor, a number or a list of numbers",
        ),
        ("Scale", (np.ma.array([1.0]),), {}, "x is a masked array"),
        ("Scale", (X,), {"alpha": "1"}, "the attribute alpha is of type FLOAT"),
        ("Scale", (X,), {"alpha": np.array([1.0])}, "the attribute alpha is of type FLOAT"),
        ("Scale", (X,), {"alpha": np.ma.array(1.0)}, "the attribute alpha is of type FLOAT"),
        ("Scale", (X,), {"alpha": np.complex64(1)}, "the attribute alpha is of type FLOAT"),
        ("Scale", (X,), {"alpha": Tensor(np.float32(1))}, "the attribute alpha is of type FLOAT"),
        ("Scale", (X,), {"mode": "sideways"}, "the attribute mode is one of 'up', 'down'"),
        ("Scale", (X.astype("datetime64[s]"),), {}, "ONNX has no tensors of datetime64"),
    ],
)
def test_wrong_arguments(
    function: Function, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        function(name, 3)(*args, **kwargs)


def test_a_type_that_the_function_does_not_take(function: Function) -> None:
    with pytest.raises(DiagnosticError) as caught:
        function("Scale", 3)(X.astype(np.int32))
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == ("OW560", "convert the array: `x.astype(np.float32)`")
    assert found.place is not None
    first = test_a_type_that_the_function_does_not_take.__code__.co_firstlineno
    assert (found.place.file.rpartition("/")[2], found.place.line) == ("test_one_node.py", first + 2)


def test_the_evaluator_in_force(function: Function) -> None:
    class Refuses:
        def load(self, task: Any) -> Any:
            raise NoKernel(f"not {task.name}")

    scale = function("Scale", 3)
    expected = scale(X)
    with default_as(Refuses(), ReferenceEvaluator()):
        np.testing.assert_allclose(scale(X), expected, rtol=1e-6)
    with default_as(Refuses()), pytest.raises(DiagnosticError, match="not Scale") as caught:
        scale(X)
    assert [item.code for item in caught.value.diagnostics] == ["OW371"]
    assert caught.value.diagnostics[0].place is not None


def test_types_that_numpy_lacks(standard_package: None) -> None:
    opset = importlib.import_module("opwright_std.opset22")
    half = np.array([-1, 1], ml_dtypes.bfloat16)
    found = opset.Elu(half)
    assert (found.dtype, found.tolist()) == (half.dtype, [-0.6328125, 1])
    window = importlib.import_module("opwright_std.opset17").HannWindow(np.int64(2), output_datatype=16)
    assert (window.dtype, window.tolist()) == (half.dtype, [0, 1])


def test_outputs_whose_type_an_attribute_decides(standard_package: None) -> None:
    opset = importlib.import_module("opwright_std.opset17")
    rows, scale = np.array([[1, 3]], np.float32), np.ones(2, np.float32)
    y, mean, inverse = opset.LayerNormalization(rows, scale, epsilon=0.0)
    assert (y.tolist(), mean.tolist(), inverse.tolist()) == ([[-1, 1]], [[2]], [[1]])
    _, mean, _ = opset.LayerNormalization(rows, scale, stash_type=11)
    assert mean.dtype == np.float64
    with pytest.raises(DiagnosticError, match="OW370: LayerNormalization fails"):
        opset.LayerNormalization(rows, np.ones(3, np.float32))


def test_the_protos_of_a_function(function: Function) -> None:
    protos = function("Twice", 3).to_function_protos(opset=18)
    assert [(proto.domain, proto.name) for proto in protos] == [
        ("acme.mirror", "Scale__since_1"),
        ("acme.mirror", "Twice"),
    ]
    assert {item.version for item in protos[0].opset_import} == {18}
    [newest] = function("Split2", 1).to_function_protos()
    assert newest.opset_import[0].version == 24


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("Limit", {}, "several variants; say which most is meant"),
        ("Limit", {"variant": {"most": "maybe"}}, "no such variant; it has most=present; most=absent"),
        ("Limit", {"variant": {"rank": "2"}}, "has no axis rank"),
        ("Limit", {"opset": 12}, "has no body for opset 12; it has bodies for the opsets 13 to 13"),
    ],
)
def test_protos_that_are_not_there(function: Function, name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        function(name, 2).to_function_protos(**arguments)


def test_a_variant_by_its_axis(function: Function) -> None:
    [proto] = function("Limit", 2).to_function_protos(opset=18, variant={"most": "absent", "T": "float"})
    assert list(proto.input) == ["x"]


def test_a_function_that_the_bundle_does_not_have(function: Function) -> None:
    with pytest.raises(LookupError, match=r"does not hold com.acme::Gone@1"):
        function("Gone", 1)(X)
