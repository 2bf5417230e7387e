"""The element type in which PyTorch computes: what torch says, and what stands for it in a function."""

from __future__ import annotations

import json
import math
from itertools import permutations

import pytest
from opwright.aten.promotion import (
    Operand,
    admitted_type,
    greatest_not_above,
    is_exact,
    is_normal,
    is_represented,
    promoted,
    result_type,
    type_of_number,
)
from opwright.elements import BY_NAME

from tests.aten.promotion_table import DIMENSIONED, NUMBER, RANK_0, TABLE, TRIPLES, TYPES, operands, triples

ROWS = json.loads(TABLE.read_text(encoding="utf-8"))


def _operand(kind: str, name: str) -> Operand:
    return Operand(BY_NAME[name], kind == DIMENSIONED, kind == NUMBER)


def test_the_table_is_whole() -> None:
    pairs = [tuple(map(tuple, row[:-1])) for row in ROWS if len(row) == 3]
    assert len(pairs) == len({*pairs}) == len(operands()) ** 2
    assert [tuple(map(tuple, row[:-1])) for row in ROWS if len(row) == 4] == [*triples()]
    assert len(ROWS) == len(operands()) ** 2 + TRIPLES


def test_results_are_those_of_torch() -> None:
    wrong = [row for row in ROWS if result_type(_operand(*item) for item in row[:-1]).name != row[-1]]
    assert wrong == []


def test_the_order_of_operands_does_not_matter() -> None:
    for row in ROWS[::7]:
        found = [_operand(*item) for item in row[:-1]]
        assert len({result_type(order) for order in permutations(found)}) == 1


def test_rank_0_counts_as_a_kind_of_its_own() -> None:
    assert result_type([_operand(DIMENSIONED, "float16"), _operand(RANK_0, "double")]).name == "float16"
    assert result_type([_operand(RANK_0, "float16"), _operand(RANK_0, "double")]).name == "double"
    assert result_type([_operand(RANK_0, "int8"), _operand(NUMBER, "int64")]).name == "int8"
    assert result_type([_operand(DIMENSIONED, "int8"), _operand(NUMBER, "float")]).name == "float"


def test_pairs_that_no_type_of_pytorch_holds() -> None:
    """PyTorch computes no arithmetic on uint16 to uint64; where they are promoted, that loses least."""
    assert promoted(BY_NAME["uint16"], BY_NAME["int16"]).name == "int32"
    assert promoted(BY_NAME["uint64"], BY_NAME["int64"]).name == "float"


def test_numbers() -> None:
    assert [type_of_number(item).name for item in (True, 1, 1.0, float("nan"))] == ["bool", "int64", "float", "float"]


@pytest.mark.parametrize(
    ("wanted", "admitted", "found"),
    [
        ("int64", "float double int64", "int64"),
        ("int64", "float16 float double", "float"),
        ("int64", "double", "double"),
        ("int64", "float16", None),
        ("int64", "int32", None),
        ("int32", "int64 float", "int64"),
        ("int8", "int64 int16", "int16"),
        ("uint8", "int8 int16", "int16"),
        ("uint8", "int8 float", "float"),
        ("bool", "int8 float", "int8"),
        ("bool", "float16 float", "float"),
        ("bool", "uint8", None),
        ("float16", "float double", "float"),
        ("bfloat16", "double float16", "double"),
        ("float", "double", "double"),
        ("float", "float16 int64", None),
        ("double", "float", None),
        ("string", "float", None),
    ],
)
def test_the_least_type_that_a_function_admits(wanted: str, admitted: str, found: str | None) -> None:
    chosen = admitted_type(BY_NAME[wanted], admitted.split())
    assert (None if chosen is None else chosen.name) == found


@pytest.mark.parametrize(
    ("value", "name", "exact"),
    [
        (3, "int8", True),
        (128, "int8", False),
        (-128, "int8", True),
        (-1, "uint8", False),
        (2.0, "int64", True),
        (2.5, "int64", False),
        (float("inf"), "int64", False),
        (float("nan"), "int64", False),
        (2**63 - 1, "int64", True),
        (-(2**63), "int64", True),
        (2**63, "int64", False),
        (10**400, "int64", False),
        (10**400, "float", False),
        (True, "bool", True),
        (2, "bool", False),
        (0.1, "float16", True),
        (1e300, "float16", True),
        (1, "string", False),
    ],
)
def test_numbers_that_a_type_holds(value: float, name: str, exact: bool) -> None:
    """Floats round, as PyTorch rounds them; nothing else does."""
    assert is_exact(value, BY_NAME[name]) is exact


def test_every_type_of_the_table_is_one_of_onnx() -> None:
    assert {*TYPES} <= {*BY_NAME}


@pytest.mark.parametrize(
    ("number", "float16", "bfloat16"),
    [
        (0, True, True),
        (-65519, True, True),
        (65520, False, True),
        (-1e9, False, True),
        (2.0**-14, True, True),
        (-6e-5, False, True),
        (1e-38, False, False),
        (3.39e38, False, True),
        (3.4e38, False, False),
    ],
)
def test_numbers_that_16_bits_have_all_digits_of(number: float, float16: bool, bfloat16: bool) -> None:
    assert [is_normal(number, BY_NAME[name]) for name in ("float16", "bfloat16")] == [float16, bfloat16]


@pytest.mark.parametrize(
    ("number", "float16", "bfloat16"),
    [
        (0, True, True),
        (-0.375, True, True),
        (0.1, False, False),
        (2048, True, True),
        (2049, False, False),
        (1.0625, True, True),
        (1 + 2.0**-10, True, False),
        (1 + 2.0**-11, False, False),
        (65504, True, False),
        (65536.0, False, True),
        (2.0**-14, True, True),
        (2.0**-24, False, True),
        (10**400, False, False),
    ],
)
def test_numbers_that_16_bits_represent(number: float, float16: bool, bfloat16: bool) -> None:
    assert [is_represented(number, BY_NAME[name]) for name in ("float16", "bfloat16")] == [float16, bfloat16]


@pytest.mark.parametrize(
    ("number", "float16", "bfloat16"),
    [
        (0.0, 0.0, 0.0),
        (0.5, 0.5, 0.5),
        (0.3, 0.2998046875, 0.298828125),
        (-0.3, -0.300048828125, -0.30078125),
        (1e9, 65504.0, 998244352.0),
        (-1e9, -math.inf, -1002438656.0),
        (-(2.0**-25), -(2.0**-24), -(2.0**-25)),
        (2.0**-25, 0.0, 2.0**-25),
        (math.inf, math.inf, math.inf),
    ],
)
def test_the_greatest_value_of_16_bits_that_is_not_above(number: float, float16: float, bfloat16: float) -> None:
    found = [greatest_not_above(number, BY_NAME[name]) for name in ("float16", "bfloat16")]
    assert found == [float16, bfloat16]
