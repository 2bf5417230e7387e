"""OW370 to OW373: functions that run as Python, and models that fail."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

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


PAIRS = (
    Pair(
        "OW370",
        _run("x = np.ones((2, 3), np.float32)\nop.MatMul(x, x)\n"),
        _run("x = np.ones((2, 3), np.float32)\nop.MatMul(x, op.Transpose(x))\n"),
    ),
    Pair(
        "OW371",
        _run(_EVALUATORS + "with default_as(OnnxRuntime()):\n    op.Erf(np.ones(4))\n"),
        _run(_EVALUATORS + "with default_as(OnnxRuntime(), ReferenceEvaluator()):\n    op.Erf(np.ones(4))\n"),
    ),
    Pair(
        "OW372",
        _run(_SWISH + "swish(np.ones((2, 3), np.float32))\n"),
        _run(_SWISH + "swish(np.ones(3, np.float32))\n"),
    ),
    Pair(
        "OW373",
        _run(_JOINED + 'run({"x": np.ones(3, np.float32), "y": np.ones(2, np.float32)})\n'),
        _run(_JOINED + 'run({"x": np.ones(3, np.float32), "y": np.ones(3, np.float32)})\n'),
    ),
)
