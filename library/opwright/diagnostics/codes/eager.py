"""OW370 to OW372: functions that run as Python."""

from __future__ import annotations

from opwright.diagnostics.codes import Entry, Example

_TOP = """\
import numpy as np
from opwright import DOUBLE, FLOAT, opset18 as op, script


"""
_SWISH = """\
@script()
def swish(x: FLOAT["N"]):
    return x * op.Sigmoid(x)


"""
_EVALUATORS = "from opwright.evaluator import OnnxRuntime, ReferenceEvaluator, default_as\n\n"


def _run(text: str) -> Example:
    return Example("python run.py", {"run.py": _TOP + text})


ENTRIES = (
    Entry(
        "OW370",
        "An operator fails",
        "The types are right, but the runtime cannot compute this operator on these values: shapes that do not fit, an"
        " index that is out of range, an integer divided by zero. A compiled model would fail at the same place.",
        _run("x = np.ones((2, 3), np.float32)\nop.MatMul(x, x)\n"),
        _run("x = np.ones((2, 3), np.float32)\nop.MatMul(x, op.Transpose(x))\n"),
    ),
    Entry(
        "OW371",
        "No evaluator runs an operator",
        "Eager mode runs each operator on onnxruntime, and what that lacks on onnx's reference evaluator. An operator,"
        " or a type, that neither knows can be compiled but not run here.",
        _run(_EVALUATORS + "with default_as(OnnxRuntime()):\n    op.Erf(np.ones(4))\n"),
        _run(_EVALUATORS + "with default_as(OnnxRuntime(), ReferenceEvaluator()):\n    op.Erf(np.ones(4))\n"),
    ),
    Entry(
        "OW372",
        "An argument has another shape than declared",
        "An annotation such as `FLOAT[2, 3]` promises a shape. What is written for that shape may compute something"
        " else, silently, on another one.",
        _run(_SWISH + "swish(np.ones((2, 3), np.float32))\n"),
        _run(_SWISH + "swish(np.ones(3, np.float32))\n"),
    ),
)
