"""OW650, OW651, OW656 and OW657: what a proposal to the standard departs in, or fails in."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

SPEC = """\
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
"""

ROWS = """\
schema: 1
rows:
  - name: zeros
    inputs: {X: [0.0, -0.0]}
    outputs: {Y: [0.0, 0.0]}
"""


ONES = """\
schema: 1
rows:
  - name: ones
    inputs: {X: [1.0]}
    outputs: {Y: [0.7310585786300049]}
"""

SIMPLE = """\
from opwright import opset18 as op


def Swish(X, alpha: float = 1.0):
    return X * op.Sigmoid(alpha * X)


def Simple(X, alpha: float = 1.0):
    return X / (1 + op.Exp(-alpha * X))
"""


def _example(spec: str, rows: str, function: str = "") -> Example:
    files = {"specs/com.acme/Swish/spec.yaml": spec, "specs/com.acme/Swish/vectors.yaml": rows}
    if function:
        files["specs/com.acme/Swish/spec.yaml"] += "proposal: function.py:Simple\n"
        files["specs/com.acme/Swish/function.py"] = function
    return Example("propose com.acme/Swish -o proposal", files)


PAIRS = (
    Pair(
        "OW650",
        bad=_example(SPEC.replace("T}", "t}").replace("T:", "t:"), ROWS),
        good=_example(SPEC, ROWS),
    ),
    Pair(
        "OW651",
        bad=_example(SPEC, ROWS.replace("[0.0, 0.0]", "[0.0, 1.0]")),
        good=_example(SPEC, ROWS),
    ),
    Pair(
        "OW656",
        bad=_example(SPEC, ONES, SIMPLE.replace("Simple(X, alpha: float = 1.0)", "Simple(X, alpha: float = 2.0)")),
        good=_example(SPEC, ONES, SIMPLE),
    ),
    Pair(
        "OW657",
        bad=_example(SPEC, ONES, SIMPLE.replace("-alpha * X", "alpha * X")),
        good=_example(SPEC, ONES, SIMPLE),
    ),
)
