"""Inputs for which ONNX wants a list: a number there is a list of one, and a tensor of rank 0 is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, DiagnosticError, GraphBuilder, OnnxFunction, script
from opwright import opset21 as op
from opwright.opsets.signatures import signature

X = np.array([2.0], np.float32)
TEMPLATE = """\
from opwright import FLOAT, opset21 as op, script


@script()
def once(x: FLOAT["N"]):
    return {call}


@script()
def in_a_loop(x: FLOAT["N"]):
    y = x
    for i in range(2):
        y = op.Identity({call})
    return y
"""
CALLS: dict[str, tuple[str, Any]] = {
    "Reshape": ("op.Reshape(x, {})", X),
    "Expand": ("op.Expand(x, {})", X),
    "Tile": ("op.Tile(op.Reshape(x, [-1]), {})", X),
    "Pad axes": ("op.Pad(op.Unsqueeze(x, [0]), [0, 1], None, {})", [[2, 0]]),
    "Slice starts": ("op.Slice(x, {}, [9])", []),
    "Slice ends": ("op.Slice(x, [0], {})", X),
    "Slice axes": ("op.Slice(op.Unsqueeze(x, [1]), [0], [9], {})", [[2]]),
    "Slice steps": ("op.Slice(x, 0, 1, 0, {})", X),
    "Squeeze": ("op.Squeeze(op.Unsqueeze(x, [1]), {})", X),
    "ReduceSum": ("op.ReduceSum(op.Unsqueeze(x, [1]), {})", [[2]]),
    "ReduceMax": ("op.ReduceMax(op.Unsqueeze(x, [1]), {})", [[2]]),
    "Split": ("op.Split(op.Unsqueeze(x, [0]), {})[0]", [[2]]),
    "ConstantOfShape": ("op.ConstantOfShape({})", [0]),
    "TopK": ("op.TopK(x, {})[0]", X),
}
NUMBERS_ALONE: dict[str, tuple[str, Any]] = {
    "Resize": ("op.Resize(x, None, {})", X),  # of floats
    # of these two, onnxruntime takes a tensor of rank 0
    "Unsqueeze": ("op.Unsqueeze(x, {})", [[2]]),
    "CenterCropPad": ("op.CenterCropPad(x, {}, axes=[0])", X),
}


@pytest.fixture
def functions(tmp_path: Path) -> Any:
    """The functions of the template that call an operator like this."""

    def made(call: str) -> list[OnnxFunction]:
        path = tmp_path / "calls.py"
        path.write_text(TEMPLATE.format(call=call))
        names: dict[str, Any] = {"__name__": "calls", "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), names)
        return [names["once"], names["in_a_loop"]]

    return made


@pytest.mark.parametrize("number", ["1", "x.shape[0]"], ids=["literal", "size"])
@pytest.mark.parametrize("name", [*CALLS, *NUMBERS_ALONE])
def test_a_number_is_a_list_of_one(functions: Any, name: str, number: str) -> None:
    call, expected = {**CALLS, **NUMBERS_ALONE}[name]
    for function in functions(call.format(number)):
        model = function.to_model_proto()
        session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        for found in (session.run(None, {"x": X})[0], ReferenceEvaluator(model).run(None, {"x": X})[0], function(X)):
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected, np.float32))


@pytest.mark.parametrize("name", CALLS)
def test_a_tensor_of_rank_0_is_refused(functions: Any, name: str) -> None:
    scalar = "op.Squeeze(op.Shape(x), [0])"
    for function in functions(CALLS[name][0].format(scalar)):
        for step in (function.to_model_proto, lambda: function(X)):
            with pytest.raises(DiagnosticError) as caught:
                step()
            (found,) = caught.value.diagnostics
            assert (found.code, "one of rank 0: put it in brackets" in found.reason) == ("OW314", True)


def test_a_builder_takes_a_number_as_a_list_too() -> None:
    builder = GraphBuilder(opset=21)
    x = builder.input("x", FLOAT["N", 1])
    builder.output("flat", op.Squeeze(x, 1))
    builder.output("same", op.Reshape(op.Squeeze(x, 1), x.shape[0]))
    with pytest.raises(DiagnosticError) as caught:
        op.Reshape(x, op.Size(x))
    assert [item.code for item in caught.value.diagnostics] == ["OW314"]
    model = builder.to_model_proto()
    found = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert [item.shape for item in found.run(None, {"x": np.ones((3, 1), np.float32)})] == [(3,), (3,)]


def test_an_attribute_is_a_list_of_one() -> None:
    @script()
    def grown(x: FLOAT["N"], axis: int):
        return op.Unsqueeze(x, axis)

    for axis in (0, 1):
        model = grown.to_model_proto(axis=axis)
        (found,) = ReferenceEvaluator(model).run(None, {"x": X})
        np.testing.assert_array_equal(found, np.expand_dims(X, axis))
        np.testing.assert_array_equal(grown(X, axis=axis), np.expand_dims(X, axis))
    assert list(grown.to_function_proto().attribute) == ["axis"]


def test_each_list_of_the_standard_is_known() -> None:
    """By their documentation: integers in one dimension, of which there are as many as axes."""
    described = re.compile(r"1-?D (int64 )?tensor|1D tensor|list of integers", re.IGNORECASE)
    per_row = {("RoiAlign", "batch_indices")}  # one for each of many rows, not a list of sizes
    either = {("SplitToSequence", "split"), ("MaxUnpool", "I")}
    for schema in onnx.defs.get_all_schemas_with_history():
        found = signature("", schema.name, schema.since_version) if not schema.domain else None
        for item in schema.inputs if found is not None else ():
            of_integers = "tensor(int64)" in item.types and "tensor(float16)" not in item.types
            known = (schema.name, item.name) in per_row | either
            if found is not None and of_integers and described.search(item.description) and not known:
                assert found.wants_list(item.name), (schema.name, item.name)


def test_a_list_may_be_an_exponent() -> None:
    @script()
    def raised(x: FLOAT["N"]) -> FLOAT["N"]:
        return x ** [1.0, 2.0]

    (found,) = ReferenceEvaluator(raised.to_model_proto()).run(None, {"x": np.array([3.0, 4.0], np.float32)})
    np.testing.assert_array_equal(found, [3, 16])
