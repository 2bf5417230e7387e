"""OW650 and OW651: what a proposal to the standard departs in, or fails in."""

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


def _example(spec: str, rows: str) -> Example:
    files = {"specs/com.acme/Swish/spec.yaml": spec, "specs/com.acme/Swish/vectors.yaml": rows}
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
)
