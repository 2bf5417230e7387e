"""Static questions: presence, element type, opset; one variant per answer, in declared order."""

from __future__ import annotations

import numpy as np
from conftest_lang import Compiler, run_everywhere
from opwright.lang.emit import emit_function
from opwright.lang.family import admitted

CLIP = """\
def F(x, low=None, high=None):
    if low is not None:
        x = op.Max(x, low)
    if high is not None:
        x = op.Min(x, high)
    return x
"""


def test_presence(compiler: Compiler) -> None:
    family = compiler.family(CLIP, {"x": "float", "low": "float", "high": "float"}, {"y": "float"})
    assert [dict(variant.key) for variant in family.variants] == [
        {"low": low, "high": high} for low in ("absent", "present") for high in ("absent", "present")
    ]
    x, low, high = np.array([-2, 0, 5], np.float32), np.float32(-1), np.float32(3)
    expected = [x, np.minimum(x, high), np.maximum(x, low), np.clip(x, low, high)]
    for variant, wanted in zip(family.variants, expected, strict=True):
        function = variant.lowered.function
        assert function is not None
        names = [value.name for value in function.inputs]
        arrays = {name: array for name, array in (("x", x), ("low", low), ("high", high)) if name in names}
        for (got,) in run_everywhere(function, {name: np.asarray(array) for name, array in arrays.items()}).values():
            np.testing.assert_array_equal(got, wanted)


def test_a_forwarded_optional_input_needs_no_variant(compiler: Compiler) -> None:
    text = "def F(x, axes=None):\n    return op.ReduceSum(x, axes)\n"
    function = compiler.function(text, {"x": "float", "axes": "int64"}, {"y": "float"})
    x = np.ones((2, 3), np.float32)
    for (got,) in run_everywhere(function, {"x": x}).values():
        assert got.item() == 6
    for (got,) in run_everywhere(function, {"x": x, "axes": np.array([1])}).values():
        assert got.tolist() == [[3], [3]]


def test_element_types(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.dtype == FLOAT:\n        return op.Sigmoid(x)\n    return op.Abs(x)\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["int32", "float"]})
    keys = [dict(variant.key) for variant in family.variants]
    assert keys == [{"T": "float"}, {"T": "int32"}]
    functions = [variant.lowered.function for variant in family.variants]
    operators = [emit_function(function, "d").node[0].op_type for function in functions if function is not None]
    assert operators == ["Sigmoid", "Abs"]


def test_a_variant_whose_type_an_operator_refuses_does_not_exist(compiler: Compiler) -> None:
    text = "def F(x):\n    if x.dtype == DOUBLE:\n        return op.Abs(x)\n    return op.Sigmoid(x)\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["double", "int32", "float"]})
    assert [dict(variant.key)["T"] for variant in family.variants] == ["float", "double"]
    assert [dict(variant.key)["T"] for variant in family.refused] == ["int32"]
    assert not family.diagnostics


def test_op_version_is_static(compiler: Compiler) -> None:
    text = "def F(x):\n    if op.version < 20:\n        return op.Exp(x)\n    return op.Gelu(x)\n"
    for opset, name in ((18, "Exp"), (20, "Gelu")):
        family = compiler.family(text, {"x": "float"}, {"y": "float"}, opset=opset)
        function = family.variants[0].lowered.function
        assert function is not None
        assert emit_function(function, "d").node[0].op_type == name


def test_admitted_types_follow_from_the_operators(compiler: Compiler) -> None:
    text = "def F(x):\n    return op.Relu(x)\n"
    types = {"T": ["float", "int32", "bool", "string"]}
    old = compiler.function(text, {"x": "T"}, {"y": "T"}, types, opset=13)
    new = compiler.function(text, {"x": "T"}, {"y": "T"}, types, opset=14)
    assert admitted(old) == (("T", ("float",)),)
    assert admitted(new) == (("T", ("float", "int32")),)


def test_a_type_that_an_attribute_decides(compiler: Compiler) -> None:
    text = "def F(x, to: int = 1):\n    return op.Cast(x, to=to)\n"
    function = compiler.function(text, {"x": "float"}, {"y": "U"}, {"U": ["float", "int64"]})
    for code, dtype in ((1, np.float32), (7, np.int64)):
        for (got,) in run_everywhere(function, {"x": np.array([1.5], np.float32)}, {"to": code}).values():
            assert got.dtype == dtype
