"""Loops over the rows of a tensor, `enumerate` of them and unpacking: numpy's meaning wherever the function runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, OnnxFunction, Tensor

from tests.docs.running import define, run_model

HEADER = "from opwright import BOOL, FLOAT, INT64, script\nfrom opwright import opset13 as op\n"
OPSETS = (13, 16, 18, 25)

BODIES = {
    "sum": "y = x[0] * 0\nfor row in x:\n    y = y + row\nreturn y",
    "break": "y = FLOAT(0)\nfor row in x:\n    if row[0] > 3:\n        break\n    y = y + row[0]\nreturn y",
    "else": "y = FLOAT(0)\nfor row in x:\n    if row[0] > 30:\n        break\n"
    "    y = y + row[0]\nelse:\n    y = -y\nreturn y",
    "continue": "y = FLOAT(0)\nfor row in x:\n    if row[0] < 2:\n        continue\n    y = y + row[1]\nreturn y",
    "return": "for row in x:\n    if row[0] > 3:\n        return row[1]\nreturn x[0, 0]",
    "enumerate": "y = FLOAT(0)\nfor i, row in enumerate(x):\n    y = y + row[0] * i\nreturn y",
    "enumerate from": "y = FLOAT(0)\nfor i, row in enumerate(x, start=2):\n    y = y + row[0] * i\nreturn y",
    "nested": "y = FLOAT(0)\nfor row in x:\n    for item in row:\n        y = y * 2 + item\nreturn y",
    "bound again": "y = FLOAT(0)\nfor row in x:\n    row = row * 2\n    y = y + row[0]\nreturn y",
    "tensor bound again": "y = FLOAT(0)\nfor row in x:\n    x = x + 1\n    y = y + row[0] + x[0, 0]\nreturn y",
    "list": "ys = []\nfor row in x:\n    ys.append(row * 2)\nz = op.ConcatFromSequence(ys, axis=0)\n"
    "return op.Reshape(z, [-1])",
    "name from before": "row = x[0]\nfor row in x[1:]:\n    pass\nreturn row",
    "index from before": "i = 7\nfor i, row in enumerate(x):\n    pass\nreturn x * i",
    "of a sequence": "ys = op.SplitToSequence(x, axis=0, keepdims=0)\ny = FLOAT(0)\nfor i, item in enumerate(ys, 1):\n"
    "    y = y + op.Reshape(item, [-1])[0] * i\nreturn y",
}
KNOWN = {
    "after": "for row in x:\n    pass\nreturn row",
    "after a break": "for i, row in enumerate(x):\n    if row[0] > 2:\n        break\nreturn row * i",
    "as an attribute": "for axis, row in enumerate(x[:2]):\n    x = op.Softmax(x, axis=axis) + row\nreturn x",
    "unpacked": "a, b, c = x\nreturn a * b + c",
    "starred": "a, *b = x\nreturn a + b[1]",
    "comprehension": "a, b, c = [row * i for i, row in enumerate(x)]\nreturn a + b + c",
    "arguments": "return op.Concat(*x, axis=0)",
    "unpacked rows": "y = FLOAT(0)\nfor a, b in x:\n    y = y * 2 + a - b\nreturn y",
    "numbered rows unpacked": "y = FLOAT(0)\nfor i, (a, b) in enumerate(x):\n    y = y * 2 + a - b * i\nreturn y",
    "zip": "y = FLOAT(0)\nfor a, b in zip(x, x[1:]):\n    y = y + a[0] * b[1]\nreturn y",
}
ARRAYS = [np.array([[1, 2], [2.5, 1], [4, 3]], np.float32), np.array([[5, 1]], np.float32)]


def _define(body: str, annotation: str) -> OnnxFunction:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return define(HEADER, f"@script()\ndef F(x: {annotation}):\n{lines}", f"<{body}>")


def _wanted(body: str) -> Callable[[np.ndarray], np.ndarray]:
    """The same as plain Python over numpy, where the operators stand for functions of it."""
    names = {"op": _Numpy(), "FLOAT": np.float32}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    exec(f"def F(x):\n{lines}", names)
    found: Callable[[np.ndarray], np.ndarray] = names["F"]
    return found


class _Numpy:
    def ConcatFromSequence(self, items: list[np.ndarray], axis: int) -> np.ndarray:
        return np.concatenate(items, axis)

    def Concat(self, *items: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate(items, axis)

    def Reshape(self, x: np.ndarray, shape: list[int]) -> np.ndarray:
        return x.reshape(shape)

    def SplitToSequence(self, x: np.ndarray, axis: int, keepdims: int) -> list[np.ndarray]:
        return list(x)

    def Softmax(self, x: np.ndarray, axis: int) -> np.ndarray:
        powers = np.exp(x)
        return powers / powers.sum(axis=axis, keepdims=True)


def _check(body: str, annotation: str, array: np.ndarray, opset: int) -> None:
    function, wanted = _define(body, annotation), _wanted(body)(array)
    type_ = FLOAT[3, 2] if "3" in annotation else FLOAT[None, None]
    found = run_model(function.to_model_proto(input_types=[type_], opset=opset), {"x": array})
    for name, outputs in {**found, "eager": [function(array)]}.items():
        assert outputs[0].dtype == np.float32, name
        assert outputs[0].shape == wanted.shape, name
        np.testing.assert_allclose(outputs[0], wanted, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_of_unknown_length(name: str, opset: int) -> None:
    arrays = ARRAYS if name != "name from before" else [*ARRAYS, ARRAYS[0][:2]]
    for array in arrays:
        _check(BODIES[name], "FLOAT[None, None]", array, opset)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", [*BODIES, *KNOWN])
def test_a_loop_of_known_length(name: str, opset: int) -> None:
    _check((BODIES | KNOWN)[name], "FLOAT[3, 2]", ARRAYS[0], opset)


@pytest.mark.parametrize("name", ["break", "else", "continue", "enumerate", "nested"])
def test_no_rows(name: str) -> None:
    _check(BODIES[name], "FLOAT[None, None]", np.zeros((0, 2), np.float32), 18)


def test_a_vector_gives_scalars_and_texts_are_rows_too() -> None:
    function = define(
        "from opwright import INT64, STRING, script\nfrom opwright import opset18 as op\n",
        "@script()\ndef F(x: INT64[None], t: STRING[None]):\n    s = op.Constant(value_int=1)\n    found = s\n"
        "    for n in x:\n        s = s * n\n    for i, text in enumerate(t):\n        found = found + i\n"
        "    return s, found\n",
        "<vector>",
    )
    feeds = {"x": np.array([2, 3, 4]), "t": np.array(["a", "b", "c"], object)}
    for outputs in run_model(function.to_model_proto(opset=18), feeds).values():
        assert [item.tolist() for item in outputs] == [24, 4]
    assert [item.tolist() for item in function(**feeds)] == [24, 4]


REFUSED = {
    "rank 0": ("FLOAT", "for row in x:\n    pass\nreturn x", "OW312"),
    "after no trip": ("FLOAT[None]", "for row in x:\n    pass\nreturn row", "OW308"),
    "rows of unknown length unpacked": ("FLOAT[None, None]", "for a, b in x:\n    x = x + a * b\nreturn x", "OW328"),
    "unpacked": ("FLOAT[None]", "a, b = x\nreturn a + b", "OW328"),
    "too many": ("FLOAT[3]", "a, b = x\nreturn a + b", "OW328"),
    "comprehension": ("FLOAT[None]", "return op.Max(*[row for row in x])", "OW362"),
    "start that is no int": ("FLOAT[None]", "for i, row in enumerate(x, 0.5):\n    x = x + i\nreturn x", "OW362"),
    "several at once": ("FLOAT[None]", "for a, b in zip(x, x, strict=True):\n    x = x + a\nreturn x", "OW362"),
    "a number on some path": (
        "FLOAT[None]",
        "s = 0\nfor i in range(op.Size(x)):\n    s = s + x\nfor row in s:\n    x = x + row\nreturn x",
        "OW304",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rows_that_are_known_is_refused(name: str) -> None:
    annotation, body, code = REFUSED[name]
    with pytest.raises(DiagnosticError) as raised:
        _define(body, annotation).to_function_protos(18)
    assert [item.code for item in raised.value.diagnostics] == [code]


def test_eager_tensors_are_run_over() -> None:
    x = Tensor(ARRAYS[0])
    assert [row.numpy().tolist() for row in x] == ARRAYS[0].tolist()
    a, *rest = x
    assert (a.numpy().tolist(), len(rest)) == ([1, 2], 2)
    assert list(Tensor(np.zeros((0, 2)))) == []
    with pytest.raises(DiagnosticError, match="0-d"):
        iter(Tensor(np.array(1.0)))
