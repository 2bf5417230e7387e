"""OW380 to OW387: graphs that are built call by call, and protos that are called as functions."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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

ENTRIES = (
    Entry(
        "OW380",
        "A value does not belong here",
        "A value is a part of one graph. One of another GraphBuilder, or one that was made in a nested graph which is"
        " closed, has no meaning in this one; neither does an output of the model that is given inside a nested graph.",
        _build(
            "made = []",
            "op.If(op.ReduceMax(x) > 0, then_branch=lambda: made.append(x + 1) or x, else_branch=lambda: x)",
            "made[0] + 1",
        ),
        _build("y = op.If(op.ReduceMax(x) > 0, then_branch=lambda: x + 1, else_branch=lambda: x)", "y + 1"),
    ),
    Entry(
        "OW381",
        "Python needs a value that the graph has not computed",
        "While a graph is built its values are not known: `if`, `while`, `int(...)` and numpy cannot look at them.",
        _build("if op.ReduceMax(x) > 0:", "    x = -x"),
        _build("x = op.If(op.ReduceMax(x) > 0, then_branch=lambda: -x, else_branch=lambda: x)"),
    ),
    Entry(
        "OW382",
        "An element type or a rank is not known",
        "Python may ask what is known of a value. What the compiler's rules do not find is not guessed.",
        _build("y = op.Reshape(x, op.Shape(x)[: op.Size(x)])", "y.rank"),
        _build("y = op.Reshape(x, [-1, 2])", "y.rank"),
    ),
    Entry(
        "OW383",
        "A name of the model is taken",
        "Inputs, initializers and outputs are told apart by their names, which others rely on.",
        _build('b.output("x", x + 1)'),
        _build('b.output("y", x + 1)'),
    ),
    Entry(
        "OW384",
        "Protobuf cannot hold the model",
        "A protobuf message holds two gigabytes, and its parsers stop at about a hundred messages inside one another."
        " A model beyond that could be written, and never be read.",
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
    Entry(
        "OW385",
        "What is to be run lacks an input",
        "To look at a value is to run what it is computed from, and that needs the inputs which it reads, each of its"
        " type.",
        _build("b.run(x + 1)"),
        _build("b.run(x + 1, x=np.ones((2, 4), np.float32))"),
    ),
    Entry(
        "OW386",
        "A function that exists as a proto cannot be called here",
        "A function is part of a model of one opset. Where one of its operators means another thing at that opset the"
        " function would compute something else, silently; and a function cannot keep its tensors in another file.",
        _build(*_SUM, "b.call(older.to_model_proto(opset=12), x)"),
        _build(*_SUM, "b.call(older.to_model_proto(opset=22), x)"),
    ),
    Entry(
        "OW387",
        "An initializer has been changed since it was given",
        "Arrays of more than a megabyte are not copied: the model takes their elements when it is made. Those that are"
        " written in between would silently be others than were given.",
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
