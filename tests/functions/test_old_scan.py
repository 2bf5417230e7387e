"""Scan of opset 8, which runs over several batches at once; and states of a Loop that begin as optional values."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto
from opwright import BOOL, FLOAT, INT64, DiagnosticError, OptionalValue, Sequence, opset8, opset16, script


@script()
def sums(lengths: INT64[2], start: FLOAT[2, 3], x: FLOAT[2, 4, 3]) -> tuple[FLOAT[2, 3], FLOAT[2, 4, 3]]:
    def step(total, item):
        total = total + item
        return total, total * 2

    return opset8.Scan(lengths, start, x, num_scan_inputs=1, body=step)


@script()
def whole(start: FLOAT[2, 3], x: FLOAT[2, 4, 3]) -> FLOAT[2, 3]:
    def step(total, item):
        return total + item

    return opset8.Scan(None, start, x, num_scan_inputs=1, body=step)


def run(model: ModelProto, *given: Any) -> list[Any]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(zip([item.name for item in model.graph.input], given, strict=True))))


X = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
START = np.ones((2, 3), np.float32)


def test_batches_of_their_own_lengths() -> None:
    model = sums.to_model_proto(opset_imports={"": 8}, ir_version=3)
    total, collected = run(model, np.array([4, 2]), START, X)
    expected = np.stack([1 + X[0].sum(0), 1 + X[1, :2].sum(0)])
    assert (total == expected).all()
    assert collected.shape == (2, 4, 3)
    assert (collected[0] == 2 * (1 + X[0].cumsum(0))).all()


def test_batches_of_one_length() -> None:
    (total,) = run(whole.to_model_proto(opset_imports={"": 8}, ir_version=3), START, X)
    assert (total == 1 + X.sum(1)).all()


def test_a_state_keeps_its_rank() -> None:
    @script()
    def wrong(start: FLOAT[2, 3], x: FLOAT[2, 4, 3]) -> FLOAT[2, 3]:
        def step(total, item):
            return opset8.ReduceSum(total, keepdims=0)

        return opset8.Scan(None, start, x, num_scan_inputs=1, body=step)

    with pytest.raises(DiagnosticError, match="OW321"):
        wrong.to_model_proto(opset_imports={"": 8})


@script()
def grown(n: INT64, maybe: OptionalValue[Sequence[FLOAT[...]]]) -> Sequence[FLOAT[...]]:
    def trip(i: INT64, going: BOOL, held):
        if opset16.OptionalHasElement(held):
            items = opset16.OptionalGetElement(held)
        else:
            items = opset16.SequenceConstruct(FLOAT(0.5))
        return going, opset16.SequenceInsert(items, FLOAT(1.5))

    return opset16.Loop(n, True, maybe, body=trip)


def test_a_state_that_begins_as_an_optional_value() -> None:
    model = grown.to_model_proto(opset_imports={"": 16}, ir_version=8, exact_types=True)
    assert run(model, np.array(2), None)[0] == [0.5, 1.5, 1.5]
    assert run(model, np.array(1), [np.array(3, np.float32)])[0] == [3, 1.5]
