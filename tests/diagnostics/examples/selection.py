"""OW532 to OW534: which functions a command works on."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_TWICE = {
    "specs/com.acme/Twice/spec.yaml": """\
schema: 1
domain: com.acme
name: Twice
summary: Swish of Swish.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
""",
    "specs/com.acme/Twice/function.py": """\
from base import opset1 as acme


def Twice(X):
    return acme.Swish(acme.Swish(X))
""",
}

PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW532",
        bad=Example("ls -s domian:com.acme"),
        good=Example("ls -s domain:com.acme"),
    ),
    Pair(
        "OW533",
        bad=Example("ls --changed-since v1.0"),
        good=Example("ls -s state:modified"),
    ),
    Pair(
        "OW534",
        bad=Example("why Swish Twice", _TWICE),
        good=Example("why Twice Swish", _TWICE),
    ),
)
