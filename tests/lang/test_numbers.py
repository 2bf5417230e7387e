"""Constants and attributes take the type of what they meet, rounded once."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang import ir

ADD = "def F(x):\n    return x + {}\n"


@pytest.mark.parametrize(
    ("name", "dtype"), [("float16", np.float16), ("float", np.float32), ("double", np.float64), ("int64", np.int64)]
)
def test_a_constant_takes_the_type_of_the_tensor(compiler: Compiler, name: str, dtype: type) -> None:
    constant = "2" if name == "int64" else "0.1"
    function = compiler.function(ADD.format(constant), {"x": name}, {"y": name})
    x = np.array([1, 2], dtype)
    for (got,) in run_everywhere(function, {"x": x}).values():
        np.testing.assert_array_equal(got, x + dtype(eval(constant)))


def test_a_type_variable_gets_one_cast_where_that_rounds_once(compiler: Compiler) -> None:
    family = compiler.family(ADD.format("0.5"), {"x": "T"}, {"y": "T"}, {"T": ["float16", "float", "double"]})
    assert [variant.key for variant in family.variants] == [()]


def test_a_constant_that_a_cast_would_round_twice_makes_variants(compiler: Compiler) -> None:
    """1 + 2**-11 + 2**-40 is just above the middle of two float16 values; through float32 it falls on it."""
    constant = repr(1 + 2**-11 + 2**-40)
    types = {"T": ["float16", "double"]}
    family = compiler.family(ADD.format(constant), {"x": "T"}, {"y": "T"}, types)
    assert [variant.key for variant in family.variants] == [(("T", "float16"),), (("T", "double"),)]
    function = family.variants[0].lowered.function
    assert function is not None
    for (got,) in run_everywhere(function, {"x": np.zeros(1, np.float16)}).values():
        assert got[0] == np.float16(1 + 2**-10)


def test_below_opset_15_there_is_no_cast_like(compiler: Compiler) -> None:
    family = compiler.family(ADD.format("0.5"), {"x": "T"}, {"y": "T"}, {"T": ["float", "double"]}, opset=14)
    assert [variant.key for variant in family.variants] == [(("T", "float"),), (("T", "double"),)]
    assert [variant.lowered.function.opset for variant in family.variants if variant.lowered.function] == [14, 14]


@pytest.mark.parametrize(
    ("constant", "types"), [("0.5", ["float", "int64"]), ("300", ["uint8"]), ("-1", ["uint64"]), ("1", ["bool"])]
)
def test_a_constant_that_does_not_fit_is_refused(compiler: Compiler, constant: str, types: list[str]) -> None:
    codes = compiler.codes(
        f"def F(x):\n    return op.Where(op.Equal(x, x), x, {constant})\n", {"x": "T"}, {"y": "T"}, {"T": types}
    )
    assert codes == ["OW313"]


def test_an_operator_that_narrows_the_types_makes_the_constant_fit(compiler: Compiler) -> None:
    """Sigmoid takes floats alone, so that x cannot be an integer after all."""
    function = compiler.function(
        "def F(x):\n    return op.Sigmoid(x) + 0.5\n", {"x": "T"}, {"y": "T"}, {"T": ["float", "int64"]}
    )
    assert ir.element_mask(function.variables["T"]) == 1 << 1


def test_float_attributes_are_float32_numbers(compiler: Compiler) -> None:
    function = compiler.function(
        "def F(x, alpha: float = 0.1):\n    return x * (alpha * 2 + 1)\n", {"x": "double"}, {"y": "double"}
    )
    x = np.array([1.0, 3.0])
    for (got,) in run_everywhere(function, {"x": x}).values():
        np.testing.assert_array_equal(got, x * (float(np.float32(0.1)) * 2 + 1))
    for (got,) in run_everywhere(function, {"x": x}, {"alpha": 0.25}).values():
        np.testing.assert_array_equal(got, x * 1.5)


def test_python_divides_numbers_truly_and_onnx_tensors_by_type(compiler: Compiler) -> None:
    function = compiler.function(
        "def F(x, n: int = 7):\n    return x * (n / 2), op.Cast(x, to=INT64) / 2\n",
        {"x": "double"},
        {"y": "double", "z": "int64"},
    )
    for y, z in run_everywhere(function, {"x": np.array([3.0])}).values():
        assert y == [10.5] and z == [1]


def test_int_attributes_join_any_numeric_type(compiler: Compiler) -> None:
    function = compiler.function(
        "def F(x, n: int = 3):\n    return x + n\n", {"x": "T"}, {"y": "T"}, {"T": ["float", "int32"]}
    )
    for dtype in (np.float32, np.int32):
        for (got,) in run_everywhere(function, {"x": np.array([1, 2], dtype)}).values():
            np.testing.assert_array_equal(got, np.array([4, 5], dtype))


def test_a_float_attribute_never_meets_integers(compiler: Compiler) -> None:
    assert compiler.codes("def F(x, a: float = 1.0):\n    return x + a\n", {"x": "int32"}, {"y": "int32"}) == ["OW313"]


def test_typed_scalars(compiler: Compiler) -> None:
    function = compiler.function(
        "def F(x):\n    return op.Cast(x, to=DOUBLE) + DOUBLE(0.1)\n", {"x": "float"}, {"y": "double"}
    )
    for (got,) in run_everywhere(function, {"x": np.zeros(1, np.float32)}).values():
        assert got[0] == 0.1


def test_bfloat16_constants_are_rounded_by_the_compiler(compiler: Compiler) -> None:
    function = compiler.function(ADD.format("0.1"), {"x": "bfloat16"}, {"y": "bfloat16"})
    constants = [node.data for node in function.body.nodes if isinstance(node, ir.Const)]
    assert constants[0].data == np.array(0.1, np.float64).astype(ml_dtypes.bfloat16).tobytes()


def test_equal_constants_are_made_once(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    return (x + 1) * (x - 1) + 1\n", {"x": "float"}, {"y": "float"})
    assert sum(isinstance(node, ir.Const) for node in function.body.nodes) == 1


def test_a_list_of_objects_is_described_without_saying_where_they_lie(compiler: Compiler) -> None:
    family = compiler.family("def F(x):\n    return op.Add(x, [op, len, 1])\n", {"x": "float"}, {"y": "float"})
    assert [item.message for item in family.diagnostics] == ["a list of 3 items is not a tensor"]
