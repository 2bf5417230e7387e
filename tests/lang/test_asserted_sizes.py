"""`assert` on sizes: what declared shapes prove leaves no trace, what they do not prove is refused."""

from __future__ import annotations

import pytest
from opwright import DiagnosticError

from tests.docs.running import define

HEADER = "from opwright import FLOAT, INT64, Opset, script\nfrom opwright import opset18 as op\n"
PROVED = [
    "x.shape[1] == 3",
    "x.shape[1] == 3 and x.shape[0] == y.shape[0]",
    "x.shape[0] == y.shape[0] == len(y)",
    "x.shape == (y.shape[0], 3)",
    "y.size == len(x)",
    "x.T.shape[1] <= y.shape[0]",
    "x.rank == 2 and y.shape[0] >= len(x)",
    "x.shape[:1] == y.shape",
    "(-y).shape[0] == x.shape[0]",
]
NOT_PROVED = [
    "x.shape[0] == 3",
    "x.shape[0] == z.shape[0]",
    "x.shape[0] != y.shape[0] + 1",
    "x.shape[0] == y.shape[0] or x.shape[0] == z.shape[0]",
    "y[y > 0].shape[0] == y.shape[0]",
    "op.Concat(y, y, axis=0).shape[0] == y.shape[0]",
    "op.Size(y) == op.Size(y)",
    "Twice(z).shape[0] == y.shape[0]",
    "grown.shape[0] == y.shape[0]",
    "chosen.shape[0] == y.shape[0]",
    "named(z).shape[0] == y.shape[0]",
]
TEXT = """
@script(Opset("test.sizes", 1))
def Twice(y: FLOAT["N"]) -> FLOAT["N"]:
    return y + y

def named(value):
    size: FLOAT["N"] = op.Identity(value)
    return size

@script()
def F(x: FLOAT["N", 3], y: FLOAT["N"], z: FLOAT["M"], n: INT64):
    chosen = y if n > 0 else z
    grown = y
    for i in range(n):
        grown = op.Concat(grown, y, axis=0)
    assert {}
    return -x
"""


@pytest.mark.parametrize("condition", PROVED)
def test_what_declared_shapes_prove_leaves_no_trace(condition: str) -> None:
    function = define(HEADER, TEXT.format(condition), f"<{condition}>")
    assert [node.op_type for node in function.to_function_proto(18).node] == ["Neg"]


@pytest.mark.parametrize("condition", NOT_PROVED)
def test_what_they_do_not_prove_is_refused(condition: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        define(HEADER, TEXT.format(condition), f"<{condition}>").to_function_protos(18)
    assert [item.code for item in raised.value.diagnostics] == ["OW303"]


def test_what_declared_shapes_contradict_has_no_variant() -> None:
    with pytest.raises(DiagnosticError) as raised:
        define(HEADER, TEXT.format("x.shape[1] == 4"), "<4>").to_function_protos(18)
    assert [item.code for item in raised.value.diagnostics] == ["OW312"]


def test_in_a_loop_it_must_hold_in_each_trip() -> None:
    """The first round of lowering takes the carried value for what enters."""
    text = TEXT.replace("axis=0)\n    assert {}", "axis=0)\n        assert grown.shape[0] == y.shape[0]")
    with pytest.raises(DiagnosticError) as raised:
        define(HEADER, text, "<loop>").to_function_protos(18)
    assert [item.code for item in raised.value.diagnostics] == ["OW303"]
