"""Python's operators on tensors, on every runtime, against numpy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from onnx import helper
from opwright.elements import BY_NAME
from opwright.lang.operators import BINARY, UNARY, ElementClass, Form, class_of
from opwright.opsets.signatures import signature

FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 7.0, -7.0, 0.1, -0.1, np.inf, -np.inf, np.nan, 1e30, 3.0], np.float32
)
SIGNED = np.array([0, 1, -1, 2, -2, 7, -7, 100, -100, np.iinfo(np.int32).max, np.iinfo(np.int32).min, 3], np.int32)
UNSIGNED = np.array([0, 1, 2, 3, 7, 8, 100, 2**32 - 1], np.uint32)
BOOLS = np.array([True, False])

BINARY_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": np.floor_divide,
    "%": np.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.meshgrid(values, values)
    return left.ravel().copy(), right.ravel().copy()


def check(
    compiler: Compiler, symbol: str, left: np.ndarray, right: np.ndarray, expected: np.ndarray, name: str
) -> None:
    result = "bool" if expected.dtype == np.bool_ else name
    function = compiler.function(f"def F(a, b):\n    return a {symbol} b\n", {"a": name, "b": name}, {"y": result})
    for runtime, (got,) in run_everywhere(function, {"a": left, "b": right}).items():
        assert got.dtype == expected.dtype, runtime
        np.testing.assert_array_equal(got, expected, err_msg=f"{symbol} on {runtime}")
        if expected.dtype == np.float32:
            zero = expected == 0
            np.testing.assert_array_equal(
                np.signbit(got[zero]), np.signbit(expected[zero]), err_msg=f"{symbol}: {runtime}"
            )


@pytest.mark.parametrize("symbol", ["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">="])
def test_floats(compiler: Compiler, symbol: str) -> None:
    left, right = pairs(FLOATS)
    if symbol in ("//", "%"):  # a divisor of zero is tested by itself: runtimes differ in the sign of nan only
        left, right = left[(right != 0) & np.isfinite(left)], right[(right != 0) & np.isfinite(left)]
    with np.errstate(all="ignore"):
        check(compiler, symbol, left, right, BINARY_FUNCTIONS[symbol](left, right), "float")


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_the_quotient_of_halves_is_that_of_floats_rounded(compiler: Compiler, name: str) -> None:
    """As numpy has it: in halves a large quotient is not the floor."""
    dtype = helper.tensor_dtype_to_np_dtype(BY_NAME[name].code)
    halves = np.array([1, -3, 7, 11, 0.1, 2999, -6000, 10000, 20000], np.float32).astype(dtype).astype(np.float32)
    left, right = pairs(halves)
    text = f"from opwright import {name.upper()} as HALF\ndef F(a, b):\n"
    text += "    return op.Cast(op.Cast(a, to=HALF) // op.Cast(b, to=HALF), to=FLOAT)\n"
    function = compiler.function(text, {"a": "float", "b": "float"}, {"y": "float"})
    with np.errstate(over="ignore"):
        expected = np.floor_divide(left, right).astype(dtype).astype(np.float32)
    for runtime, (got,) in run_everywhere(function, {"a": left, "b": right}).items():
        np.testing.assert_array_equal(got, expected, err_msg=runtime)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">="])
def test_signed_integers(compiler: Compiler, symbol: str) -> None:
    left, right = pairs(SIGNED)
    if symbol in ("//", "%"):
        keep = (right != 0) & ~((left == np.iinfo(np.int32).min) & (right == -1))  # undefined for machines, too
        left, right = left[keep], right[keep]
    with np.errstate(all="ignore"):
        check(compiler, symbol, left, right, BINARY_FUNCTIONS[symbol](left, right), "int32")


@pytest.mark.parametrize("symbol", ["&", "|", "^", "//", "%"])
def test_unsigned_integers(compiler: Compiler, symbol: str) -> None:
    left, right = pairs(UNSIGNED)
    left, right = (left[right != 0], right[right != 0]) if symbol in ("//", "%") else (left, right)
    check(compiler, symbol, left, right, BINARY_FUNCTIONS[symbol](left, right), "uint32")


@pytest.mark.parametrize("symbol", ["&", "|", "^", "==", "!="])
def test_bools(compiler: Compiler, symbol: str) -> None:
    left, right = pairs(BOOLS)
    check(compiler, symbol, left, right, BINARY_FUNCTIONS[symbol](left, right), "bool")


def test_division_of_integers_is_onnx_div(compiler: Compiler) -> None:
    left, right = np.array([7, -7, 7, -7], np.int64), np.array([2, 2, -2, -2], np.int64)
    check(compiler, "/", left, right, np.array([3, -3, -3, 3], np.int64), "int64")


def test_unary_operators(compiler: Compiler) -> None:
    for symbol, name, values, expected in (
        ("-", "float", FLOATS, -FLOATS),
        ("+", "float", FLOATS, FLOATS),
        ("~", "bool", BOOLS, ~BOOLS),
        ("~", "int32", SIGNED, ~SIGNED),
    ):
        function = compiler.function(f"def F(a):\n    return {symbol}a\n", {"a": name}, {"y": name})
        for got in run_everywhere(function, {"a": values}).values():
            np.testing.assert_array_equal(got[0], expected)


@pytest.mark.parametrize("table", [BINARY, UNARY])
def test_every_form_of_the_table_names_an_operator_that_takes_its_class(table: dict[str, Any]) -> None:
    for symbol, row in table.items():
        for element_class, entry in row.items():
            if not isinstance(entry, Form) or entry.expansion or element_class is ElementClass.COMPLEX:
                continue
            found = signature("", entry.operator, 28)
            assert found is not None, symbol
            masks = found.masks[found.inputs[0].type]
            members = [element for element in BY_NAME.values() if class_of(element) is element_class]
            assert any(masks >> element.code & 1 for element in members), (symbol, element_class)


@pytest.mark.parametrize(
    ("expression", "types"),
    [("a & a", "float"), ("a + a", "bool"), ("a << a", "int32"), ("-a", "uint8"), ("~a", "float"), ("a @ a", "bool")],
)
def test_what_has_no_meaning_is_refused(compiler: Compiler, expression: str, types: str) -> None:
    assert compiler.codes(f"def F(a):\n    return {expression}\n", {"a": types}, {"y": types}) == ["OW314"]


def test_an_operand_that_stands_twice_counts_at_each_place(compiler: Compiler) -> None:
    """A condition is no value: the types of those are compared with each other."""
    assert compiler.codes(
        "def F(a, b):\n    return op.Where(a, a, b)\n", {"a": "bool", "b": "int64"}, {"y": "int64"}
    ) == ["OW315"]


@pytest.mark.parametrize("name", ["Opset.dtype", "script.rank", "Sequence.shape"])
def test_names_of_annotations_have_no_attributes(compiler: Compiler, name: str) -> None:
    imports = "from typing import Sequence\n\nfrom opwright import INT64, Opset, script\n\n\n"
    text = f"{imports}def F(a):\n    if {name} == INT64:\n        a = a + 1\n    return a\n"
    assert "OW304" in compiler.codes(text, {"a": "float"}, {"y": "float"})
