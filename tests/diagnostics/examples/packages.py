"""OW141: calls from one package of a repository into another."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_LIBRARY = """\
schema: 1
version: 1.0.0
opsets: ">=18,<=22"
packages:
  - {library: base, package: base, domains: [com.acme]}
  - {library: more, package: more, domains: [com.acme.more]}
"""
_FILES = {
    "specs/com.acme.more/domain.yaml": "schema: 1\nversion: 1\n",
    "specs/com.acme.more/Twice/spec.yaml": """\
schema: 1
domain: com.acme.more
name: Twice
summary: Swish of Swish.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
""",
    "specs/com.acme.more/Twice/function.py": """\
from base import opset1 as acme


def Twice(X):
    return acme.Swish(acme.Swish(X))
""",
}


def _library(old: str = "", new: str = "") -> Example:
    return Example("build", {"specs/library.yaml": _LIBRARY.replace(old, new, 1), **_FILES})


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW141",
        bad=_library(),
        good=_library("domains: [com.acme.more]", "domains: [com.acme.more], dependencies: [base]"),
    ),
)
