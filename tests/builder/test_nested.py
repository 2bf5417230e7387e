"""Graphs inside of graphs: Python functions as branches and bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from opwright import BOOL, FLOAT, DiagnosticError, GraphBuilder, script
from opwright import opset22 as op
from opwright.lang.lower.state.context import NESTING_LIMIT


def code_of(step: Any) -> str:
    with pytest.raises(DiagnosticError) as caught:
        step()
    return str(caught.value.diagnostics[0].code)


@pytest.fixture
def b() -> GraphBuilder:
    return GraphBuilder(opset=22)


X = np.array([[1, 2], [3, 4]], np.float32)


def test_functions_are_python(b: GraphBuilder) -> None:
    """They may be lambdas and methods, close over values, loop and ask what is known."""
    x = b.input("x", FLOAT[2, 2])
    scale = x * 10

    class Layer:
        def forward(self) -> Any:
            total = x
            for index in range(x.shape[0]):
                total = total + scale[index]
            return total

    y = op.If(op.ReduceMax(x) > 3, then_branch=Layer().forward, else_branch=lambda: x)
    assert b.run(y, x=X).tolist() == (X + np.array([40, 60])).tolist()
    assert b.run(y, x=X * 0).tolist() == (X * 0).tolist()


def test_states_are_settled_as_in_scripts(b: GraphBuilder) -> None:
    """A state that enters as a number and meets tensors becomes one."""
    x = b.input("x", FLOAT["N"])
    total, partial = op.Scan(0.0, x, body=lambda s, item: (s + item, s + item), num_scan_inputs=1)
    assert [item.tolist() for item in b.run([total, partial], x=np.array([1, 2, 3], np.float32))] == [6, [1, 3, 6]]


def test_scripts_are_bodies(b: GraphBuilder) -> None:
    @script()
    def step(i, going, total):
        return going, total * 2

    x = b.input("x", FLOAT[2])
    b.output("y", op.Loop(3, None, x, body=step))
    model = b.to_model_proto()
    assert [function.name for function in model.functions] == ["step"]
    assert b.run(op.Loop(3, None, x, body=step), x=np.ones(2, np.float32)).tolist() == [8, 8]


def test_values_of_a_closed_graph_are_refused(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT[2])
    kept: list[Any] = []

    def branch() -> Any:
        kept.append(x + 1)
        assert kept[-1].rank == 1
        return kept[-1]

    y = op.If(op.ReduceMax(x) > 0, then_branch=branch, else_branch=lambda: x)
    assert code_of(lambda: kept[0] + 1) == "OW380"
    assert code_of(lambda: b.output("z", kept[0])) == "OW380"
    assert code_of(lambda: op.If(op.ReduceMax(x) > 0, then_branch=lambda: kept[0], else_branch=lambda: y)) == "OW380"
    assert b.run(kept[0], x=np.zeros(2, np.float32)).tolist() == [1, 1]  # to look at it is fine


def test_a_failure_inside_leaves_nothing_behind(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT[2])

    def raises() -> Any:
        op.Relu(x)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        op.If(op.ReduceMax(x) > 0, then_branch=raises, else_branch=lambda: x)
    assert code_of(lambda: op.If(op.ReduceMax(x) > 0, then_branch=lambda: x @ x @ 1, else_branch=1)) in (
        "OW207",
        "OW206",
    )
    b.output("y", x + 1)
    assert [node.op_type for node in b.to_model_proto().graph.node] == ["Constant", "Add"]


@pytest.mark.parametrize(
    "make",
    [
        lambda b, x: x + 1,
        lambda b, x: op.Constant(value_float=1.0),
        lambda b, x: b.initializer("w", np.ones(2, np.float32)),
        lambda b, x: b.input("y", FLOAT[2]),
    ],
)
def test_values_that_are_kept_from_what_is_taken_back_are_refused(b: GraphBuilder, make: Any) -> None:
    x = b.input("x", FLOAT[2])
    kept: list[Any] = []

    def step(i: Any, going: Any, total: Any) -> Any:
        if not kept:
            kept.append(make(b, x))
        return going, total + kept[0] * x

    def loop() -> Any:
        with b.scope():
            return op.Loop(3, True, 0.0, body=step)  # run again: the number is to be a tensor

    assert code_of(loop) == "OW380"
    assert code_of(lambda: kept[0] + 1) == "OW380"
    with b.scope():
        kept[:] = [make(b, x)]
    b.output("z", loop())


def test_an_exception_of_the_author_keeps_its_cause(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT[2])

    def fails() -> Any:
        raise KeyError("second") from ValueError("first")

    with pytest.raises(KeyError) as caught:
        op.If(op.ReduceMax(x) > 0, then_branch=fails, else_branch=lambda: x)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("code", "step"),
    [
        ("OW307", lambda x: op.If(x[0] > 0, then_branch=lambda: x, else_branch=lambda: (x, x))),
        ("OW206", lambda x: op.If(x[0] > 0, then_branch=lambda: x)),
        ("OW356", lambda x: op.Loop(3, None, x, body=lambda i: x)),
        ("OW356", lambda x: op.Loop(3, None, x, body=lambda i, c, a: c)),
        ("OW356", lambda x: op.Scan(x, body=lambda item: item)),
        ("OW381", lambda x: op.If(x[0] > 0, then_branch=lambda: x if x[0] else -x, else_branch=lambda: x)),
    ],
)
def test_what_does_not_fit_is_refused(b: GraphBuilder, code: str, step: Any) -> None:
    x = b.input("x", FLOAT[2])
    assert code_of(lambda: step(x)) == code


def nest(b: GraphBuilder, depth: int) -> Any:
    x, condition = b.input("x", FLOAT[2]), b.input("condition", BOOL)

    def level(left: int) -> Any:
        if not left:
            return x + 1
        return op.If(condition, then_branch=lambda: level(left - 1), else_branch=lambda: x)

    return level(depth)


def test_thirty_graphs_inside_one_another(b: GraphBuilder) -> None:
    b.output("y", nest(b, 30))
    model = b.to_model_proto()
    onnx.checker.check_model(model.SerializeToString(), full_check=True)
    assert onnx.ModelProto.FromString(model.SerializeToString()) == model


@pytest.mark.parametrize("operator", ["If", "Loop", "Scan"])
def test_thirty_graphs_are_saved_and_run(b: GraphBuilder, operator: str, tmp_path: Path) -> None:
    x, condition = b.input("x", FLOAT[2]), b.input("condition", BOOL)

    def level(left: int, value: Any) -> Any:
        if not left:
            return value + 1
        if operator == "If":
            return op.If(condition, then_branch=lambda: level(left - 1, value), else_branch=lambda: value)
        if operator == "Loop":
            return op.Loop(1, None, value, body=lambda i, going, state: (going, level(left - 1, state)))
        rows = op.Unsqueeze(value, [0])
        return op.Scan(value, rows, body=lambda state, row: (level(left - 1, state), row), num_scan_inputs=1)[0]

    y = level(30, x)
    b.output("y", y)
    b.save(tmp_path / "deep.onnx")
    onnx.checker.check_model(str(tmp_path / "deep.onnx"), full_check=True)
    given = {"x": np.array([1, 2], np.float32), "condition": np.array(True)}
    assert b.run(y, given).tolist() == [2, 3]
    session = onnxruntime.InferenceSession(str(tmp_path / "deep.onnx"), providers=["CPUExecutionProvider"])
    fed = {item.name: given[item.name] for item in session.get_inputs()}
    assert session.run(None, fed)[0].tolist() == [2, 3]


def test_a_size_that_python_wants(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT["N"])
    with pytest.raises(DiagnosticError, match="an int of Python needs a number that the graph computes"):
        range(x.shape[0])


def test_more_than_protobuf_reads_is_refused(b: GraphBuilder) -> None:
    nest(GraphBuilder(opset=22), NESTING_LIMIT)
    assert code_of(lambda: nest(b, NESTING_LIMIT + 1)) == "OW319"
    assert code_of(lambda: nest(GraphBuilder(opset=22), 33)) == "OW319"


def test_random_nodes_stay(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT[2])
    op.RandomNormalLike(x)
    op.Relu(x)
    b.output("y", x + 1)
    assert [node.op_type for node in b.to_model_proto().graph.node] == ["Constant", "RandomNormalLike", "Add"]


def test_an_operator_that_is_given_no_value_of_the_graph_is_recorded_in_a_scope(b: GraphBuilder) -> None:
    x = b.input("x", FLOAT[2])

    def step(i, going, total):
        return going, total + x

    for call in (
        lambda: op.Loop(3, None, 0.0, body=step),
        lambda: op.If(True, then_branch=lambda: x, else_branch=lambda: -x),
    ):
        with pytest.raises(DiagnosticError, match=r"OW380.*\n(.*\n)*.*with b\.scope\(\):"):
            call()
    with b.scope():
        assert b.run(op.Loop(3, None, 0.0, body=step), x=np.ones(2, np.float32)).tolist() == [3, 3]
