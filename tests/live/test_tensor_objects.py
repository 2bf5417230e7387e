"""Which objects around a function are tensors of onnx_ir, whose protocol is one of attributes."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper
from opwright import FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op
from opwright.live.tensor_objects import is_tensor_object

from tests.docs.running import define


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


def tensor(value: object, dtype: object = None, name: object = None, doc_string: object = None) -> object:
    """That of onnx_ir. Its text would not compile: the compiler knows what it makes."""
    raise AssertionError(value)


HALF = Held()


@script()
def scaled(x: FLOAT[...]):
    return x * op.Constant(value=HALF) * Held.SCALE


@pytest.fixture(autouse=True)
def onnx_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx_ir", SimpleNamespace(TensorProtocol=TensorProtocol, tensor=tensor))


def test_a_class_of_tensors_is_none_itself() -> None:
    assert is_tensor_object(HALF)
    assert not is_tensor_object(Held)


@pytest.mark.parametrize(
    ("expression", "dtype", "wanted"),
    [
        ("tensor(2)", "int64", 2),
        ("tensor([1, 2])", "int64", [1, 2]),
        ("tensor(1.5)", "float32", 1.5),
        ("tensor([1.5, 2.5], name='w')", "float32", [1.5, 2.5]),
        ("tensor([[1.5], [2.5]])", "float64", [[1.5], [2.5]]),
        ("tensor([1, 2.5])", "float64", [1, 2.5]),
        ("tensor(True)", "bool", True),
        ("tensor([], dtype=7)", "int64", []),
        ("tensor([1, 2], TensorProto.FLOAT16)", "float16", [1, 2]),
        ("tensor(np.array([1.5]).reshape(1, 1))", "float64", [[1.5]]),
        ("tensor(['a', 'b'])", "object", ["a", "b"]),
    ],
)
def test_tensors_made_inside_are_those_of_onnx_ir(expression: str, dtype: str, wanted: object) -> None:
    function = _defined(f"op.Constant(value={expression})")
    [node] = function.to_function_proto(18).node
    found = numpy_helper.to_array(node.attribute[0].t)
    assert found.dtype == dtype
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("tensor([])", "OW312"),
        ("tensor([1], dtype=99)", "OW312"),
        ("tensor(np.array([1]), dtype=1)", "OW304"),
        ("tensor('a', dtype=1)", "OW304"),
        ("tensor([1.5], dtype=7)", "OW313"),
        ("tensor(x)", "OW304"),
        ("tensor([1, 2, [3]])", "OW312"),
    ],
)
def test_what_onnx_ir_would_not_make_is_refused(expression: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        _defined(f"op.Constant(value={expression})").to_function_proto(18)
    assert [item.code for item in caught.value.diagnostics] == [code]


def _defined(expression: str) -> OnnxFunction:
    header = "import numpy as np\nfrom onnx import TensorProto\nfrom onnx_ir import tensor\n"
    header += "from opwright import FLOAT, script\nfrom opwright import opset18 as op\n"
    return define(header, f"@script()\ndef F(x: FLOAT['N']):\n    return {expression}\n", f"<{expression}>")


def test_attributes_of_such_a_class_are_read() -> None:
    constants = [node for node in scaled.to_function_proto().node if node.op_type == "Constant"]
    assert len(constants) == 2
