"""OW380 to OW387: graphs that are built call by call, and protos that are called as functions."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_TOP = """\
import numpy as np
from opwright import FLOAT, GraphBuilder, opset22 as op

b = GraphBuilder(opset=22)
x = b.input("x", FLOAT["N", 4])
"""


def _build(*lines: str) -> Example:
    return Example("python build.py", {"build.py": _TOP + "".join(f"{line}\n" for line in lines)})


_SUM = (
    "from opwright import opset12, script",
    "",
    "@script()",
    'def older(y: FLOAT["N", 4]):',
    "    return opset12.Softmax(y)",
    "",
)

PAIRS = (
    Pair(
        "OW380",
        _build(
            "made = []",
            "op.If(op.ReduceMax(x) > 0, then_branch=lambda: made.append(x + 1) or x, else_branch=lambda: x)",
            "made[0] + 1",
        ),
        _build("y = op.If(op.ReduceMax(x) > 0, then_branch=lambda: x + 1, else_branch=lambda: x)", "y + 1"),
    ),
    Pair(
        "OW381",
        _build("if op.ReduceMax(x) > 0:", "    x = -x"),
        _build("x = op.If(op.ReduceMax(x) > 0, then_branch=lambda: -x, else_branch=lambda: x)"),
    ),
    Pair(
        "OW382",
        _build("y = op.Reshape(x, op.Shape(x)[: op.Size(x)])", "y.rank"),
        _build("y = op.Reshape(x, [-1, 2])", "y.rank"),
    ),
    Pair(
        "OW383",
        _build('b.output("x", x + 1)'),
        _build('b.output("y", x + 1)'),
    ),
    Pair(
        "OW384",
        _build(
            "from numpy.lib.stride_tricks import as_strided",
            "row = np.zeros(1, np.float32)",
            'w = b.initializer("w", as_strided(row, (1 << 20, 1 << 10), (0, 0)))',
            'b.output("y", op.Add(w, op.ReduceMax(x)))',
            "b.to_model_proto()",
        ),
        _build(
            'w = b.initializer("w", FLOAT[1 << 20, 1 << 10], location="w.bin")',
            'b.output("y", op.Add(w, op.ReduceMax(x)))',
            "b.to_model_proto()",
        ),
    ),
    Pair(
        "OW385",
        _build("b.run(x + 1)"),
        _build("b.run(x + 1, x=np.ones((2, 4), np.float32))"),
    ),
    Pair(
        "OW386",
        _build(*_SUM, "b.call(older.to_model_proto(opset=12), x)"),
        _build(*_SUM, "b.call(older.to_model_proto(opset=22), x)"),
    ),
    Pair(
        "OW387",
        _build(
            "large = np.ones((1024, 512), np.float32)",
            'b.output("y", op.MatMul(x, b.initializer("w", large)[:4]))',
            "large[:] = 2",
            "b.to_model_proto()",
        ),
        _build(
            "large = np.ones((1024, 512), np.float32)",
            'b.output("y", op.MatMul(x, b.initializer("w", large.copy())[:4]))',
            "large[:] = 2",
            "b.to_model_proto()",
        ),
    ),
)
