"""Types that nothing declares: they are those for which the body holds, wherever a value meets one of another type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright import BOOL, FLOAT, INT32, UINT8, OnnxFunction, script
from opwright import opset14 as op
from opwright.diagnostics import DiagnosticError


@script()
def operator(c, z):
    if c:
        _ = op.Xor(z, True)
        kept = z
    else:
        kept = BOOL(False)
    return kept


@script()
def sign(c, z):
    if c:
        _ = True & z ^ False
        kept = z
    else:
        kept = BOOL(False)
    return kept


@script()
def of_four_types(c, z):
    if c:
        _ = op.BitShift(z, 3, direction="LEFT")
        kept = z
    else:
        kept = UINT8(3)
    return kept


@pytest.mark.parametrize(
    ("function", "kept"),
    [(operator, np.array(True)), (sign, np.array(True)), (of_four_types, np.array(7, np.uint8))],
    ids=["operator", "sign", "four types"],
)
def test_a_number_asks_for_no_type_that_does_not_hold(function: OnnxFunction, kept: np.ndarray[Any, Any]) -> None:
    """There is no CastLike at this opset, so the constant is one of each element type."""
    function.to_function_proto()  # of one variant, else it would have to be named
    assert function(np.array(True), kept) == kept
    assert function(np.array(False), kept) == (3 if function is of_four_types else False)


@script()
def never(c, z):
    if c:
        _ = op.Xor(z, True)
        kept = z
    else:
        kept = UINT8(3)
    return kept


def test_where_none_holds_it_is_refused() -> None:
    with pytest.raises(DiagnosticError) as caught:
        never.to_function_proto()
    assert "OW308" in {item.code for item in caught.value.diagnostics}


@script()
def of_two(x, y):
    return x ^ True, op.BitShift(y, 3, direction="LEFT")


def test_types_that_no_operator_takes_are_no_variants() -> None:
    """However many element types are tried, the limit is one of bodies."""
    assert len(of_two.to_function_protos()) == 4


@script()
def divided(x):
    return x / 0


@script()
def of_whole_numbers(x: INT32[3]):
    return divided(x)


@script()
def of_fractions(x: FLOAT[3]):
    return divided(x)


@pytest.mark.parametrize("opset", [13, 14, 17, 18])
def test_integers_are_not_divided_by_zero(opset: int) -> None:
    """Runtimes refuse it, before they run it or then: so no type of theirs is admitted."""
    of_fractions.to_model_proto(opset=opset)
    with pytest.raises(DiagnosticError) as caught:
        of_whole_numbers.to_model_proto(opset=opset)
    assert {item.code for item in caught.value.diagnostics} <= {"OW208", "OW218"}
