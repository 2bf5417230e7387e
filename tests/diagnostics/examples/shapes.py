"""OW142 and OW143: vectors and calls that contradict the shapes which a function declares."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: {type: T, shape: [N, 3]}}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""
_ROWS = """\
schema: 1
rows:
  - name: ones
    inputs: {X: [[1.0, -1.0, 1.0]]}
"""
_TWICE = """\
schema: 1
domain: com.acme
name: Twice
summary: Swish of Swish.
since_version: 1
opset: ">=18"
inputs: {X: {type: T, rank: 2}}
outputs: {Y: T}
types: {T: [float, double]}
"""
_FUNCTION = """\
from base import opset1 as acme


def Twice(X):
    return acme.Swish(acme.Swish(X))
"""


def _test(rows: str = _ROWS) -> Example:
    folder = "specs/com.acme/Swish"
    return Example("test", {f"{folder}/spec.yaml": _SPEC, f"{folder}/vectors.yaml": rows})


def _build(spec: str = _TWICE) -> Example:
    files = {**_test().files, "specs/com.acme/Twice/spec.yaml": spec, "specs/com.acme/Twice/function.py": _FUNCTION}
    return Example("build", files)


PAIRS: tuple[Pair, ...] = (
    Pair("OW142", bad=_test(_ROWS.replace("[[1.0, -1.0, 1.0]]", "[[1.0, -1.0]]")), good=_test()),
    Pair("OW143", bad=_build(_TWICE.replace("rank: 2", "rank: 1")), good=_build()),
)
