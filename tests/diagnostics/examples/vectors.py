"""OW400 to OW422: the vectors that a function is judged by: the standard's suite and its lock, rows, the oracle."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FOLDER = "specs/com.acme/Swish"
_LOCK = "specs/vectors.lock"

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""

_REFERENCE = """\
import numpy as np


def Swish(X, alpha=1.0):
    return X / (1 + np.exp(-alpha * X))
"""

_ROWS = """\
schema: 1
rows:
  - name: ones
    inputs: {X: [1.0, -1.0]}
"""

_AI_ONNX = """\
schema: 1
version: 28
mirror: opwright.ai.onnx
"""

_SOFTPLUS = """\
schema: 1
domain: ai.onnx
name: Softplus
summary: log(1 + exp(X)), for each element.
since_version: 22
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float]}
vectors: [onnx]
reference: reference.py
"""

_SOFTPLUS_FUNCTION = """\
from opwright import opset18 as op


def Softplus(X):
    return op.Relu(X) + op.Log(op.Exp(-op.Abs(X)) + 1)
"""

_SOFTPLUS_REFERENCE = """\
import numpy as np


def Softplus(X):
    return np.logaddexp(0.0, X)
"""


def _swish(spec: str = "", reference: str = "", rows: str = "") -> Example:
    """The base library's Swish, some of its files replaced."""
    texts = {"spec.yaml": spec, "reference.py": reference, "vectors.yaml": rows}
    return Example("test", {f"{_FOLDER}/{name}": text for name, text in texts.items() if text})


def _row(text: str) -> Example:
    """Swish with one row more."""
    return _swish(rows=f"{_ROWS}  - {text}\n")


def _standard(command: str, lock: str = "", spec: str = _SOFTPLUS, reference: str = _SOFTPLUS_REFERENCE) -> Example:
    """The base library and, beside Swish, a function of the standard, judged by the standard's suite."""
    files = {
        "specs/ai.onnx/domain.yaml": _AI_ONNX,
        "specs/ai.onnx/Softplus/spec.yaml": spec,
        "specs/ai.onnx/Softplus/function.py": _SOFTPLUS_FUNCTION,
        "specs/ai.onnx/Softplus/reference.py": reference,
    }
    if lock:
        files[_LOCK] = lock
    return Example(command, files)


_UPDATED = "vectors --update && test"
_ALTERED_LOCK = "".join(f"{name} {'0' * 64}\n" for name in ("test_softplus", "test_softplus_example"))

PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW400",
        _standard("test"),
        _standard(_UPDATED),
    ),
    Pair(
        "OW401",
        _standard("test", lock=_ALTERED_LOCK),
        _standard(_UPDATED, lock=_ALTERED_LOCK),
    ),
    Pair(
        "OW402",
        Example("test", {_LOCK: "<<<<<<< ours\n"}),
        Example("test", {_LOCK: "# nothing is locked\n"}),
    ),
    Pair(
        "OW403",
        Example("test", {_LOCK: f"test_relu {'0' * 64}\n"}),
        Example(_UPDATED, {_LOCK: f"test_relu {'0' * 64}\n"}),
    ),
    Pair(
        "OW404",
        _row("{name: text, types: {T: [float]}, inputs: {X: [one]}}"),
        _row("{name: number, types: {T: [float]}, inputs: {X: [1]}}"),
    ),
    Pair(
        "OW405",
        _row("{name: more, inputs: {X: [2.0]}, attributes: {beta: 1.0}}"),
        _row("{name: more, inputs: {X: [2.0]}, attributes: {alpha: 1.0}}"),
    ),
    Pair(
        "OW406",
        _row("{name: more, attributes: {alpha: 2.0}}"),
        _row("{name: more, attributes: {alpha: 2.0}, inputs: {X: [2.0]}}"),
    ),
    Pair(
        "OW407",
        _row("{name: more, attributes: {alpha: fast}, inputs: {X: [2.0]}}"),
        _row("{name: more, attributes: {alpha: 2.0}, inputs: {X: [2.0]}}"),
    ),
    Pair(
        "OW408",
        _row("{name: more, types: {T: [float16]}, inputs: {X: [2.0]}}"),
        _row("{name: more, types: {T: [double]}, inputs: {X: [2.0]}}"),
    ),
    Pair(
        "OW409",
        _swish(spec=_SPEC.replace("[vectors.yaml]", "[onnx, vectors.yaml]")),
        _swish(),
    ),
    Pair(
        "OW410",
        _swish(spec=_SPEC.replace("reference: reference.py\n", "")),
        _swish(
            spec=_SPEC.replace("reference: reference.py\n", ""),
            rows="schema: 1\nrows:\n  - name: zero\n    inputs: {X: [0.0]}\n    outputs: {Y: [0.0]}\n",
        ),
    ),
    Pair(
        "OW411",
        _swish(rows=_ROWS.replace("inputs", "types: {T: [float]}\n    inputs")),
        _swish(),
    ),
    Pair(
        "OW412",
        _swish(spec=_SPEC.replace("vectors: [vectors.yaml]\n", "")),
        _swish(),
    ),
    Pair(
        "OW413",
        _standard(_UPDATED, spec=_SOFTPLUS.replace("[float]", "[double]")),
        _standard(_UPDATED),
    ),
    Pair(
        "OW414",
        _row("{name: text, inputs: {X: [one, two]}}"),
        _row("{name: numbers, inputs: {X: [1, 2]}}"),
    ),
    Pair(
        "OW415",
        _swish(reference=_REFERENCE.replace("alpha=1.0):", "alpha=1.0:")),
        _swish(),
    ),
    Pair(
        "OW416",
        _swish(reference=_REFERENCE.replace("Swish", "swish")),
        _swish(),
    ),
    Pair(
        "OW417",
        _swish(reference="import onnxruntime\n" + _REFERENCE),
        _swish(),
    ),
    Pair(
        "OW418",
        _swish(reference=_REFERENCE.replace("return X", "return X[0, 0]")),
        _swish(),
    ),
    Pair(
        "OW419",
        _swish(reference=_REFERENCE.replace("    return", "    __import__('os').abort()\n    return")),
        _swish(),
    ),
    Pair(
        "OW420",
        _swish(reference=_REFERENCE.replace("return X", "return X, X")),
        _swish(),
    ),
    Pair(
        "OW421",
        _standard(_UPDATED, reference=_SOFTPLUS_REFERENCE.replace("0.0, X)", "0.0, X) + 0.5")),
        _standard(_UPDATED),
    ),
    Pair(
        "OW422",
        _row("{name: large, inputs: {X: {shape: [3000, 3000]}}}"),
        _row("{name: small, inputs: {X: {shape: [30, 30]}}}"),
    ),
    Pair(
        "OW425",
        _row("{name: more, versions: [2], inputs: {X: [2.0]}}"),
        _row("{name: more, versions: [1], inputs: {X: [2.0]}}"),
    ),
)
