"""OW370 to OW373: functions that run as Python, and models that fail."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

_TOP = """\
import numpy as np
from opwright import DOUBLE, FLOAT, opset18 as op, script


"""
_SWISH = """\
@script()
def swish(x: FLOAT["N"]):
    return x * op.Sigmoid(x)


"""
_JOINED = """\
import onnxruntime as ort
from opwright import explain_failures


@script()
def joined(x: FLOAT["N"], y: FLOAT["M"]):
    return op.Relu(x) + y


model = joined.to_model_proto(places=True)


def run(inputs):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(model.SerializeToString(), options)
    with explain_failures(model):
        session.run(None, inputs)


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
    Entry(
        "OW373",
        "A compiled model fails",
        "A runtime fails at a node of a model that was compiled with the places of its nodes. The line is that of the"
        " function from which the node was made.",
        _run(_JOINED + 'run({"x": np.ones(3, np.float32), "y": np.ones(2, np.float32)})\n'),
        _run(_JOINED + 'run({"x": np.ones(3, np.float32), "y": np.ones(3, np.float32)})\n'),
    ),
)
