"""A call may not contradict the shape that the callee's annotation promises; what is not known may fit."""

import pytest
from opwright import FLOAT, DiagnosticError, Opset, script
from opwright import opset18 as op


@script(Opset("com.acme", 1))
def Pair(x: FLOAT[2]):
    return x + x


@script()
def of_another_rank(x: FLOAT["M", "N"]):
    return Pair(x)


@script()
def of_another_size(x: FLOAT[3]):
    return Pair(x)


@script()
def of_a_number(x: FLOAT["N"]):
    return Pair(0.5) + x


@script()
def of_a_size_that_may_fit(x: FLOAT["N"]):
    return Pair(x)


@script()
def of_no_known_rank(x: FLOAT["N"], shape):
    return Pair(op.Reshape(x, op.Cast(shape, to=7)))


@pytest.mark.parametrize("caller", [of_another_rank, of_another_size, of_a_number], ids=lambda item: item.name)
def test_a_contradiction_is_refused(caller: object) -> None:
    with pytest.raises(DiagnosticError) as caught:
        caller.to_function_proto()  # type: ignore[attr-defined]
    assert [item.code for item in caught.value.diagnostics] == ["OW208"]


def test_what_may_fit_is_called() -> None:
    assert of_a_size_that_may_fit.to_function_proto().node[0].op_type == "Pair"
    assert any(node.op_type == "Pair" for node in of_no_known_rank.to_function_proto().node)
