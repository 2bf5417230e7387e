"""Inputs, initializers, outputs, names: what a model shows to others."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto
from opwright import (
    BOOL,
    FLOAT,
    INT64,
    DiagnosticError,
    GraphBuilder,
    Opset,
    OptionalValue,
    Sequence,
    opset_ai_onnx_ml4,
)
from opwright import opset22 as op


def refused(code: str, step: Any) -> str:
    """The text of the one finding that a step ends with."""
    with pytest.raises(DiagnosticError) as caught:
        step()
    assert [item.code for item in caught.value.diagnostics] == [code]
    (found,) = caught.value.diagnostics
    assert found.place is not None and found.place.file.endswith("test_interface.py")
    assert found.reason
    return str(caught.value)


def run(model: onnx.ModelProto, **inputs: Any) -> list[Any]:
    return list(onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs))


def test_a_model_has_the_names_and_types_that_it_is_given() -> None:
    b = GraphBuilder(opset=18, name="net", doc_string="A net.")
    x = b.input("x", FLOAT["N", 4])
    w = b.initializer("w", np.ones((4, 2), np.float32))
    with b.scope("encoder"), b.scope("layer"):
        h = op.Relu(op.MatMul(x, w) + 1.0)
    b.output("y", h)
    model = b.to_model_proto()
    onnx.checker.check_model(model, full_check=True)
    assert (model.graph.name, model.doc_string) == ("net", "A net.")
    assert [item.version for item in model.opset_import] == [18]
    assert [node.name for node in model.graph.node if node.name] == [
        "encoder/layer/MatMul",
        "encoder/layer/Add",
        "encoder/layer/Relu",
    ]
    assert model.graph.node[-1].output == ["y"]
    assert [dim.dim_param or dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim] == ["N", 2]
    assert [item.name for item in model.graph.initializer] == ["w"]
    assert run(model, x=np.ones((3, 4), np.float32))[0].tolist() == [[5.0, 5.0]] * 3


def test_the_same_program_gives_the_same_bytes() -> None:
    def build() -> bytes:
        b = GraphBuilder(opset=22)
        x = b.input("x", FLOAT[2])
        for _ in range(3):
            with b.scope("block"):
                x = op.Relu(x * 2 + 1)
        b.output("y", x)
        return b.to_model_proto().SerializeToString(deterministic=True)

    assert build() == build()


def test_names_are_unique_and_the_authors_come_first() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    first, second = op.Relu(x), op.Relu(x)
    assert (first.name, second.name) == ("relu", "relu_1")
    relu = b.input("relu", FLOAT[2])
    b.output("relu_1", first + second + relu)
    model = b.to_model_proto()
    names = [name for node in model.graph.node for name in node.output] + [item.name for item in model.graph.input]
    assert len(set(names)) == len(names)
    assert first.name not in ("relu", "relu_1")


def test_one_value_may_be_several_outputs_and_an_input_one() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    y = x + 1
    b.output("a", y)
    b.output("b", y)
    b.output("c", x)
    b.output("d", 2.0)
    model = b.to_model_proto()
    assert [item.name for item in model.graph.output] == ["a", "b", "c", "d"]
    found = run(model, x=np.zeros(2, np.float32))
    assert [np.asarray(item).tolist() for item in found] == [[1, 1], [1, 1], [0, 0], 2]


def test_a_builder_goes_on_after_a_model() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    one, two = op.If(op.ReduceMax(x) > 0, then_branch=lambda: (x, x + 1), else_branch=lambda: (-x, x))
    b.output("one", one)
    assert len(b.to_model_proto().graph.output) == 1
    b.output("two", two * 2)
    assert [item.tolist() for item in run(b.to_model_proto(), x=np.ones(2, np.float32))] == [[1, 1], [4, 4]]


def test_sequences_and_optionals_are_inputs_and_outputs() -> None:
    b = GraphBuilder(opset=22)
    xs = b.input("xs", Sequence[FLOAT["N"]])
    maybe = b.input("maybe", OptionalValue[FLOAT[2]])
    b.output("first", xs[0])
    b.output("both", [xs[0], xs[0] + 1])
    b.output("there", op.OptionalHasElement(maybe))
    model = b.to_model_proto()
    kinds = [item.type.WhichOneof("value") for item in (*model.graph.input, *model.graph.output)]
    assert kinds == ["sequence_type", "optional_type", "tensor_type", "sequence_type", "tensor_type"]


def test_python_sees_what_is_known() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 4])
    assert x.dtype == FLOAT and x.rank == 2 and len(x.shape) == 2
    assert x.shape[1] == 4
    assert b.input("y", INT64[2, 3]).shape == (2, 3)
    assert len(b.input("z", BOOL[5])) == 5
    n = x.shape[0]
    b.output("scaled", x * n)
    b.output("flat", op.Reshape(x, [n * 4]))
    assert b.run(op.Reshape(x, [n * 4]), x=np.ones((3, 4), np.float32)).shape == (12,)


def test_shapes_are_compared_and_joined_as_tuples() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", "M", 3])
    assert x.shape[2:] == (3,) and x.shape[-1:] == x.shape[2:]
    assert x.shape != (2, 3) and x.shape != (2, 3, 4) and x.shape != [2, 3, 3]
    assert x.shape.__eq__((2, 3, 4)) is False
    assert x.shape not in [None, "auto", 3, [2, 3, 4], {}, (3,)]
    assert x.shape != (2, 3, np.int32(4))
    assert x.shape[::-1].index(3) == 0 and x.shape[2:].count(3) == 1
    refused("OW382", lambda: b.input("open", FLOAT[...]).shape == (2, 3))
    with pytest.raises(TypeError, match="unhashable"):
        hash(x.shape)
    first, last = (1,), (-1,)
    made = [
        op.Reshape(x, x.shape[:-2] + last),
        op.Reshape(x, first + x.shape),
        x.shape == (2, 4, 3),
        x.shape != x.shape,
        (np.int64(2), 4, np.uint8(3)) == x.shape,
    ]
    found = b.run(made, x=np.ones((2, 4, 3), np.float32))
    assert [found[0].shape, found[1].shape, *map(bool, found[2:])] == [(2, 12), (1, 2, 4, 3), True, False, True]


def test_for_runs_over_a_tensor_of_known_size() -> None:
    b = GraphBuilder(opset=22)
    first, second = b.input("x", FLOAT[2, "N"])
    assert b.run(second - first, x=np.array([[1, 2], [4, 8]], np.float32)).tolist() == [3, 6]


def test_optional_inputs_are_left_out() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[3])
    b.output("y", op.Clip(x, None, 2.0))
    b.output("z", op.Clip(x, max=1.0))
    model = b.to_model_proto()
    assert [list(node.input)[:2] for node in model.graph.node if node.op_type == "Clip"] == [["x", ""], ["x", ""]]
    assert [item.tolist() for item in run(model, x=np.array([0, 1, 5], np.float32))] == [[0, 1, 2], [0, 1, 1]]


def test_operators_without_inputs_are_recorded_in_a_scope() -> None:
    b = GraphBuilder(opset=18)  # onnxruntime has no newer kernel
    with b.scope():
        b.output("y", op.RandomNormal(shape=[2, 3], seed=1.0) * 0 + op.Constant(value_float=3.0))
    assert run(b.to_model_proto())[0].tolist() == [[3.0] * 3] * 2


def test_a_tensor_proto_is_an_initializer() -> None:
    b = GraphBuilder(opset=22)
    tensor = onnx.helper.make_tensor("any", TensorProto.INT4, [2], [1, -2])
    b.output("y", op.Cast(b.initializer("w", tensor), to=INT64))
    assert b.to_model_proto().graph.initializer[0].data_type == TensorProto.INT4


@pytest.mark.parametrize(
    ("code", "step"),
    [
        ("OW383", lambda b, x: b.input("x", FLOAT[2])),
        ("OW383", lambda b, x: b.output("", x)),
        ("OW354", lambda b, x: b.input("z", "float")),
        ("OW354", lambda b, x: b.input("z", 3)),
        ("OW354", lambda b, x: b.initializer("w", {})),
        ("OW354", lambda b, x: b.to_model_proto()),
        ("OW210", lambda b, x: b.output("y", x, INT64[2])),
        ("OW306", lambda b, x: b.output("y", None)),
        ("OW315", lambda b, x: x + b.input("i", INT64[2])),
        ("OW313", lambda b, x: b.input("i", INT64[2]) + 0.5),
        ("OW203", lambda b, x: op.Relu(x, x)),
        ("OW352", lambda b, x: op.Add(x, {1: 2})),
        ("OW352", lambda b, x: b.call(3, x)),
        ("OW381", lambda b, x: int(x[0])),
        ("OW381", lambda b, x: np.asarray(x)),
        ("OW381", lambda b, x: 1 if x[0] else 2),
        ("OW381", lambda b, x: 1 if b.input("n", FLOAT["N", 3]).shape == (2, 3) else 2),
        ("OW381", lambda b, x: 1 if b.input("n", FLOAT["N", 3]).shape != (2, 3) else 2),
        ("OW381", lambda b, x: (2, 3) in [b.input("n", FLOAT["N", 3]).shape]),
        ("OW381", lambda b, x: b.input("n", FLOAT["N", 3]).shape.index(3)),
        ("OW304", lambda b, x: list(b.input("n", FLOAT["N"]))),
        ("OW380", lambda b, x: x + GraphBuilder(opset=22).input("x", FLOAT[2])),
        ("OW380", lambda b, x: b.run(GraphBuilder(opset=22).input("x", FLOAT[2]))),
    ],
)
def test_mistakes_are_findings_at_the_authors_line(code: str, step: Any) -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    refused(code, lambda: step(b, x))
    b.output("fine", x + 1)  # nothing is left behind
    assert len(b.to_model_proto().graph.node) <= 2


def test_an_output_that_is_refused_changes_nothing() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", "M"])
    y = op.Reshape(x, b.input("s", INT64["K"]))
    for name, declared in (("x", FLOAT[7, 7]), ("y", INT64["N"])):
        with pytest.raises(DiagnosticError):
            b.output(name, y, declared)
    b.output("y", y, FLOAT[2, 3])
    assert y.shape == (2, 3)


def test_operators_of_another_opset_are_those_of_the_builder() -> None:
    b = GraphBuilder(opset=13)
    x = b.input("x", FLOAT[2, 4])
    text = refused("OW202", lambda: op.GroupNormalization(x, x, x, num_groups=1))
    assert "opset 13" in text


def test_what_onnx_refuses_is_a_finding() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 4])
    b.output("y", op.Reshape(x, op.Shape(x)[: op.Size(x)]))
    refused("OW354", lambda: b.to_model_proto(strict=True))


def test_findings_are_sarif(tmp_path: Path) -> None:
    from opwright.diagnostics.sarif import to_sarif

    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    with pytest.raises(DiagnosticError) as caught:
        op.MatMul(x, x, x)
    log = to_sarif(caught.value.diagnostics)
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "OW203"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] > 1


def test_an_opset_that_is_not_known() -> None:
    with pytest.raises(ValueError, match="opsets 1 to"):
        GraphBuilder(opset=1000)


@pytest.mark.parametrize("opset", [opset_ai_onnx_ml4, Opset("com.acme", 1)])
def test_a_graph_is_built_for_an_opset_of_the_standard(opset: Opset) -> None:
    with pytest.raises(ValueError, match=opset.domain):
        GraphBuilder(opset)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_graph_that_is_being_built_is_not_copied(duplicate: Any) -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    for part in (b, x, x.shape):
        with pytest.raises(TypeError, match="being built"):
            duplicate(part)


def test_an_older_ir_version_is_to_be_had_without_places() -> None:
    b = GraphBuilder(opset=18)
    b.output("y", b.input("x", FLOAT[2]) + 1)
    assert "help: leave them out" in refused("OW354", lambda: b.to_model_proto(ir_version=8))
    assert b.to_model_proto(ir_version=8, debug=False).ir_version == 8
    assert "help: ask for an older opset" in refused("OW354", lambda: b.to_model_proto(ir_version=7))
