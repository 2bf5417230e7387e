"""Values whose element type an attribute of the function decides, on paths that return or leave a loop early."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from opwright import FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op

from tests.functions.conftest import RunModel


@script()
def nested(x: FLOAT["N"], to: int = 1):  # type: ignore[no-untyped-def]
    if op.ReduceSum(x, keepdims=0) > 10:
        if op.ReduceSum(x, keepdims=0) > 100:
            return op.Cast(x, to=to)
        x = x + 1
    return op.Cast(-x, to=to)


@script()
def from_a_loop(x: FLOAT["N"], to: int = 1):  # type: ignore[no-untyped-def]
    for _ in range(3):
        if op.ReduceSum(x, keepdims=0) > 100:
            return op.Cast(x, to=to)
        x = x * 2
    return op.Cast(-x, to=to)


@script()
def found(x: FLOAT["N"], to: int = 1):  # type: ignore[no-untyped-def]
    for i in range(3):
        if op.ReduceSum(x, keepdims=0) > 10 * i + 20:
            y = op.Cast(x, to=to)
            break
    else:
        y = op.Cast(-x, to=to)
    return y


@script()
def listed(x: FLOAT["N"], to: int = 1):  # type: ignore[no-untyped-def]
    if op.ReduceSum(x, keepdims=0) > 10:
        if op.ReduceSum(x, keepdims=0) > 100:
            return [op.Cast(x, to=to)]
        x = x + 1
    return [op.Cast(-x, to=to), op.Cast(x, to=to)]


def _called(function: OnnxFunction, opset: int, to: int) -> onnx.ModelProto:
    body = function.to_function_proto(opset=opset)
    tensor = helper.make_tensor_type_proto(to, ["M"])
    result = helper.make_sequence_type_proto(tensor) if function is listed else tensor
    graph = helper.make_graph(
        [helper.make_node(body.name, ["x"], ["y"], domain=body.domain, to=to)],
        "g",
        [helper.make_tensor_value_info("x", 1, ["N"])],
        [helper.make_value_info("y", result)],
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid(body.domain, 1)]
    return helper.make_model(graph, functions=[body], opset_imports=imports, ir_version=10)


@pytest.mark.parametrize("opset", [13, 18, 24])
@pytest.mark.parametrize("to", ["float", "int64", "bool", "float16"])
@pytest.mark.parametrize("function", [nested, from_a_loop, found, listed], ids=lambda item: str(item.name))
def test_the_path_that_does_not_return(run_model: RunModel, function: OnnxFunction, to: str, opset: int) -> None:
    code = onnx.TensorProto.DataType.Value(to.upper())
    model = _called(function, opset, code)
    for values in ([1, 2], [20, 30], [200, 3]):
        x = np.array(values, np.float32)
        got: Any = run_model(model, x)[0]
        wanted: Any = function(x, to=code)
        for one, other in zip(*((got, wanted) if function is listed else ([got], [wanted])), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_no_default_of_an_optional() -> None:
    @script()
    def wrapped(x: FLOAT["N"]):  # type: ignore[no-untyped-def]
        if op.ReduceSum(x, keepdims=0) > 10:
            if op.ReduceSum(x, keepdims=0) > 100:
                return op.Optional(x)
            x = x + 1
        return op.Optional(x)

    with pytest.raises(DiagnosticError) as caught:
        wrapped.to_function_proto()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "OW308"
    assert diagnostic.reason == "there is no default for a value of type optional(float[N])"
