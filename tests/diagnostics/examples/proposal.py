"""OW650 and OW651: what a proposal to the standard departs in, or fails in."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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
"""

_ROWS = """\
schema: 1
rows:
  - name: zeros
    inputs: {X: [0.0, -0.0]}
    outputs: {Y: [0.0, 0.0]}
"""


def _example(spec: str, rows: str) -> Example:
    files = {"specs/com.acme/Swish/spec.yaml": spec, "specs/com.acme/Swish/vectors.yaml": rows}
    return Example("propose com.acme/Swish -o proposal", files)


ENTRIES = (
    Entry(
        "OW650",
        "A name does not follow the standard's naming conventions",
        "A proposal is read by people who know some two hundred operators: what is called as it is called there needs "
        "no explanation, and names cannot be changed once an operator is part of the standard.",
        bad=_example(_SPEC.replace("T}", "t}").replace("T:", "t:"), _ROWS),
        good=_example(_SPEC, _ROWS),
    ),
    Entry(
        "OW651",
        "A node test of the proposal fails",
        "The standard runs every node test of a function-op a second time, with the nodes of its body in the place of "
        "the operator. A test that fails there cannot be merged.",
        bad=_example(_SPEC, _ROWS.replace("[0.0, 0.0]", "[0.0, 1.0]")),
        good=_example(_SPEC, _ROWS),
    ),
)
