"""Looking at values while a graph is built."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright import BFLOAT16, BOOL, FLOAT, INT64, UINT8, DiagnosticError, GraphBuilder, OptionalValue, Sequence, script
from opwright import opset22 as op
from opwright.evaluator import NoKernel, OnnxRuntime, ReferenceEvaluator, default_as

X = np.array([1, -2], np.float32)


def code_of(step: Any) -> str:
    with pytest.raises(DiagnosticError) as caught:
        step()
    assert caught.value.diagnostics[0].place is not None
    return str(caught.value.diagnostics[0].code)


def test_any_value_and_several() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    h = op.Relu(x)
    y = h * 2 + 1
    assert b.run(h, x=X).tolist() == [1, 0]
    assert [item.tolist() for item in b.run([y, x, h], x=X)] == [[3, 1], [1, -2], [1, 0]]


def test_only_what_is_needed_is_run() -> None:
    b = GraphBuilder(opset=22)
    x, z = b.input("x", FLOAT["N"]), b.input("z", FLOAT["N"])
    op.Add(x, z)
    assert b.run(x + 1, x=X).tolist() == [2, -1]


def test_a_part_is_run_from_values_in_the_middle() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    h = op.Exp(x)
    y = h + op.Relu(h)
    assert b.run(y, {h: X}).tolist() == [2, -2]
    assert b.run(y, {"x": np.zeros(1, np.float32)}).tolist() == [2]


def test_what_is_within_a_nested_graph() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    seen: list[Any] = []

    def step(i: Any, going: Any, total: Any) -> Any:
        seen.append(total * 2 + x)
        seen.append(total)
        return going, seen[0]

    op.Loop(3, None, x, body=step)
    inner, total = seen[0], seen[1]
    assert b.run(inner, {total: X * 10}, x=X).tolist() == [21, -42]
    assert code_of(lambda: b.run(inner, x=X)) == "OW385"


def test_functions_and_initializers() -> None:
    @script()
    def twice(x):
        return x + x

    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 2])
    w = b.initializer("w", np.array([[1.0], [2.0]], np.float32))
    y = twice(op.MatMul(x, w))
    assert b.run(y, x=X.reshape(1, 2)).tolist() == [[-6]]
    assert b.run(y, {w: np.ones((2, 1), np.float32)}, x=X.reshape(1, 2)).tolist() == [[-2]]


def test_sequences_and_optionals() -> None:
    b = GraphBuilder(opset=22)
    xs, maybe = b.input("xs", Sequence[FLOAT["N"]]), b.input("maybe", OptionalValue[FLOAT["N"]])
    assert b.run(op.ConcatFromSequence(xs, axis=0), xs=[X, X]).tolist() == [1, -2, 1, -2]
    assert [item.tolist() for item in b.run(op.SequenceInsert(xs, X), xs=[X])] == [X.tolist()] * 2
    assert b.run(op.OptionalHasElement(maybe), maybe=X).tolist() is True


def test_what_onnxruntime_lacks_runs_on_the_reference_evaluator() -> None:
    b = GraphBuilder(opset=22)
    z = b.input("z", BFLOAT16["N"])
    found = b.run(z * 2, z=np.ones(2, ml_dtypes.bfloat16))
    assert found.tolist() == [2, 2] and found.dtype == ml_dtypes.bfloat16


def test_a_failure_is_told_at_the_line_of_its_node() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 2])
    product = op.MatMul(x, x)
    with pytest.raises(DiagnosticError) as caught:
        b.run(product + 1, x=np.ones((3, 2), np.float32))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert "product = op.MatMul" in Path(__file__).read_text(encoding="utf-8").splitlines()[place.line - 1]


def test_what_is_missing_or_wrong_is_a_finding() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 2])
    y = x + 1
    matrix = np.ones((3, 2), np.float32)
    assert code_of(lambda: b.run(y)) == "OW385"
    assert code_of(lambda: b.run(y, z=matrix)) == "OW385"
    assert code_of(lambda: b.run(y, x=matrix.astype(np.float64))) == "OW385"
    assert code_of(lambda: b.run(y, x=matrix[0])) == "OW385"
    assert code_of(lambda: b.run(op.MatMul(x, x), x=matrix)) == "OW373"
    w = b.initializer("w", FLOAT[2], location="w.bin")
    assert code_of(lambda: b.run(x + w, x=matrix)) == "OW385"
    assert b.run(x + w, {w: np.ones(2, np.float32)}, x=matrix).shape == (3, 2)


def test_names_that_the_run_itself_uses() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    h = op.Relu(x)
    y = h * 2
    for name, value in (("i0", h), ("o0", y), ("given_0", h), ("result_0", y)):
        b.output(name, value)
    z = y + 1
    assert [item.tolist() for item in b.run([z, y, h], x=X)] == [[3, 1], [2, 0], [1, 0]]


def test_names_that_a_question_itself_uses() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2, 3])
    h = op.Transpose(x)
    b.output("given_0", h)
    assert op.Reshape(h, op.Shape(op.Transpose(h))).shape == (2, 3)
    assert h.shape == (3, 2)


def test_numbers_have_a_rank() -> None:
    b = GraphBuilder(opset=22)
    x, scale = b.input("x", FLOAT["N"]), b.input("scale", FLOAT)
    assert b.run(x * scale, x=X, scale=2).tolist() == [2, -4]
    assert code_of(lambda: b.run(x * scale, x=1, scale=2)) == "OW385"


class Recording:
    """Runs everything on another evaluator, and keeps the names of what it was given."""

    def __init__(self, evaluator: Any) -> None:
        self.evaluator = evaluator
        self.seen: list[str] = []

    def load(self, task: Any) -> Any:
        self.seen.append(task.name)
        assert {item.name for item in task.signatures()} >= {"Relu", "Add", "Mul"}
        return self.evaluator.load(task)


@script()
def twice(value):
    return value * 2.0


def test_the_evaluator_in_force() -> None:
    b = GraphBuilder(opset=22, name="net")
    x = b.input("x", FLOAT["N"])
    y = twice(op.Relu(x)) + 1
    for evaluator in (OnnxRuntime(), ReferenceEvaluator()):
        recording = Recording(evaluator)
        with default_as(recording):
            assert b.run(y, x=X).tolist() == [3, 1]
        assert recording.seen == ["a part of net"]
        with default_as(evaluator):
            assert b.run(y, x=X).tolist() == [3, 1]

    class Refuses:
        def load(self, task: Any) -> Any:
            raise NoKernel(f"not {task.name}")

    with default_as(Refuses(), ReferenceEvaluator()):
        assert b.run(y, x=X).tolist() == [3, 1]
    with default_as(Refuses()):
        assert code_of(lambda: b.run(y, x=X)) == "OW371"


def test_a_failure_on_an_evaluator_of_one_s_own_has_its_line() -> None:
    class Passes:
        def load(self, task: Any) -> Any:
            return OnnxRuntime().load(task)

    b = GraphBuilder(opset=22)
    x, z = b.input("x", FLOAT["N"]), b.input("z", FLOAT["M"])
    y = op.Relu(x) + z
    with default_as(Passes()), pytest.raises(DiagnosticError) as caught:
        b.run(y, x=X, z=np.ones(3, np.float32))
    (found,) = caught.value.diagnostics
    assert found.code == "OW373"
    assert found.place is not None
    assert "y = op.Relu(x) + z" in linecache.getline(str(Path(found.place.file)), found.place.line)


@pytest.mark.parametrize(
    ("type_", "number"), [(INT64, 1.7), (INT64, 2**63), (UINT8, 300), (UINT8, -1), (BOOL, 2), (FLOAT, 10**400)]
)
def test_numbers_have_to_be_of_the_type(type_: Any, number: Any) -> None:
    b = GraphBuilder()
    y = op.Identity(b.input("n", type_))
    assert code_of(lambda: b.run(y, n=number)) == "OW385"


def test_masks_are_not_dropped() -> None:
    b = GraphBuilder()
    masked = np.ma.masked_array(X, [False, True])
    y = op.Neg(b.input("x", FLOAT["N"]))
    assert code_of(lambda: b.run(y, x=masked)) == "OW325"
    assert code_of(lambda: b.initializer("w", masked)) == "OW325"


def test_an_empty_sequence_keeps_its_element_type() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    b.output("y", op.SequenceAt(op.SequenceInsert(op.SequenceEmpty(dtype=FLOAT), x), 0))
    assert "SequenceEmpty" in [node.op_type for node in b.to_model_proto().graph.node]
