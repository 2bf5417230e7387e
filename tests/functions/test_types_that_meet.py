"""Types that nothing declares: they are those for which the body holds, wherever a value meets one of another type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from opwright import BOOL, UINT8, OnnxFunction, script
from opwright import opset14 as op
from opwright.diagnostics import DiagnosticError


@script()
def operator(c, z):
    if c:
        unused = op.Xor(z, True)  # noqa: F841
        kept = z
    else:
        kept = BOOL(False)
    return kept


@script()
def sign(c, z):
    if c:
        unused = True & z ^ False  # noqa: F841
        kept = z
    else:
        kept = BOOL(False)
    return kept


@script()
def of_four_types(c, z):
    if c:
        unused = op.BitShift(z, 3, direction="LEFT")  # noqa: F841
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
        unused = op.Xor(z, True)  # noqa: F841
        kept = z
    else:
        kept = UINT8(3)
    return kept


def test_where_none_holds_it_is_refused() -> None:
    with pytest.raises(DiagnosticError) as caught:
        never.to_function_proto()
    assert "OW308" in {item.code for item in caught.value.diagnostics}
