"""OW535: specs that `opwright new` cannot copy or add to."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
versions: [{since_version: 1}]
"""


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW535",
        bad=Example(
            "new version com.acme/Swish",
            {"specs/com.acme/Swish/spec.yaml": _SPEC},
        ),
        good=Example("new version com.acme/Swish"),
    ),
)
