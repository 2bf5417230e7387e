"""What a callee's annotation says of ranks and sizes has answered questions in its body: a call must be sure of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, Opset, script
from opwright import opset18 as op

RunModel = Callable[..., list[Any]]


@script(Opset("com.acme", 1), default_opset=op)
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


REFUSED = [of_another_rank, of_another_size, of_a_number, of_no_known_rank]


@pytest.mark.parametrize("caller", REFUSED, ids=lambda item: item.name)
def test_what_is_not_sure_is_refused(caller: OnnxFunction) -> None:
    with pytest.raises(DiagnosticError) as caught:
        caller.to_function_proto()
    (found,) = caught.value.diagnostics
    assert found.code == "OW208"
    assert ("value: FLOAT[2] = ..." in found.help) is (caller is of_no_known_rank)


@script(default_opset=op)
def asks_rank(x: FLOAT["N"]):
    return x if x.rank == 1 else -x


@script(default_opset=op)
def asks_size(x: FLOAT["N", 3]):
    return x * len(x[0])


@script(default_opset=op)
def takes_last(x: FLOAT["N", "M"]):
    return x[..., -1]


@pytest.mark.parametrize("callee", [asks_rank, asks_size, takes_last], ids=lambda item: item.name)
def test_answers_from_an_annotation_need_proof(callee: OnnxFunction) -> None:
    """In eager mode such a call fails where the shape is another one; a graph would have gone on."""

    @script()
    def caller(x: FLOAT["A", "B"], shape: INT64["R"]):
        return callee(op.Reshape(x, shape))

    with pytest.raises(DiagnosticError) as compiled:
        caller.to_function_proto()
    with pytest.raises(DiagnosticError) as run:
        caller(np.ones((4, 2), np.float32), np.array([2, 2, 2]))
    codes = [[item.code for item in error.value.diagnostics] for error in (compiled, run)]
    assert codes == [["OW208"], ["OW372"]]


@script(default_opset=op)
def doubled(x: FLOAT[4, 3]):
    return x + x


def test_sizes_that_the_body_does_not_use_need_none(run_model: RunModel) -> None:
    """Nor do they say anything of the result."""

    @script()
    def caller(x: FLOAT["A", 3]):
        y = doubled(op.Relu(doubled(x)))
        return y * len(y)

    x = np.ones((4, 3), np.float32)
    model = caller.to_model_proto()
    assert [item.name for item in model.functions] == ["doubled"]
    np.testing.assert_array_equal(run_model(model, x)[0], x * 16)
    np.testing.assert_array_equal(caller(x), x * 16)
    assert run_model(model, np.ones((2, 3), np.float32))[0][0, 0] == 8
    assert of_a_size_that_may_fit.to_function_proto().node[0].op_type == "Pair"


def test_sizes_are_proof_through_calls() -> None:
    @script(default_opset=op)
    def twice(x: FLOAT[4]):
        return doubled_vector(doubled_vector(x))

    @script(default_opset=op)
    def doubled_vector(x: FLOAT[4]):
        return x * x.shape[0]

    @script()
    def caller(x: FLOAT["N"]):
        return twice(x)

    assert [node.op_type for node in twice.to_function_proto().node] == ["doubled_vector", "doubled_vector"]
    with pytest.raises(DiagnosticError):
        caller.to_function_proto()


def test_an_annotated_name_is_proof() -> None:
    @script()
    def caller(x: FLOAT["A", "B"], shape: INT64["R"]):
        table: FLOAT[None, 3] = op.Reshape(x, shape)
        return asks_size(table)

    assert [node.op_type for node in caller.to_function_proto().node] == ["Reshape", "asks_size"]


def test_what_is_inferred_is_proof_and_symbols_need_none(run_model: RunModel) -> None:
    @script(default_opset=op)
    def added(x: FLOAT["N"], y: FLOAT["N"]):
        return x + y

    @script()
    def caller(x: FLOAT["A"], y: FLOAT[3], z: FLOAT["B", 3]):
        return added(asks_rank(x), y), asks_size(op.Relu(z))

    arrays = (np.ones(3, np.float32), np.arange(3, dtype=np.float32), np.ones((2, 3), np.float32))
    for found, expected in zip(run_model(caller.to_model_proto(), *arrays), caller(*arrays), strict=True):
        np.testing.assert_array_equal(found, expected)
