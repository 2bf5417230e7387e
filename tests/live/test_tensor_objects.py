"""Which objects around a function are tensors of onnx_ir, whose protocol is one of attributes."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest
from onnx import TensorProto
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.live.tensor_objects import is_tensor_object


@runtime_checkable
class TensorProtocol(Protocol):
    dtype: Any
    shape: Any

    def tobytes(self) -> bytes: ...


class Held:
    """A tensor as onnx_ir has them; the class itself has all that its protocol names."""

    SCALE = 2.0

    @property
    def dtype(self) -> int:
        return TensorProto.FLOAT

    @property
    def shape(self) -> tuple[int, ...]:
        return (1,)

    def tobytes(self) -> bytes:
        return np.array([0.5], np.float32).tobytes()


HALF = Held()


@script()
def scaled(x: FLOAT[...]):
    return x * op.Constant(value=HALF) * Held.SCALE


@pytest.fixture(autouse=True)
def onnx_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx_ir", SimpleNamespace(TensorProtocol=TensorProtocol))


def test_a_class_of_tensors_is_none_itself() -> None:
    assert is_tensor_object(HALF)
    assert not is_tensor_object(Held)


def test_attributes_of_such_a_class_are_read() -> None:
    constants = [node for node in scaled.to_function_proto().node if node.op_type == "Constant"]
    assert len(constants) == 2
