"""A library in an empty folder that has everything that pages tell of, and the command line in process."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from opwright_build.cli.entry import main

BASE = Path(__file__).parents[1] / "diagnostics" / "base_library"

FUNCTION = '''\
from typing import Literal

from opwright import opset13 as op


def Bound(X, low=None, kind: Literal["plain", "erf"] = "plain", scale: float = 0.1):
    """With a fence in it: ```."""
    if low is not None:
        X = op.Max(X, low)
    if kind == "erf":
        X = op.Erf(X)
    return X * scale
'''
CHANGED = """\
from opwright import opset20 as op


def Bound(X, low):
    return op.Gelu(op.Max(X, low))
"""
SPEC = """\
schema: 1
domain: com.acme
name: Bound
summary: Keeps | what is above a bound.
doc: |
  As long as there is one.
inputs:
  X: {type: T, doc: "What is bounded | or not."}
  low: {type: T, rank: 0}
outputs: {Y: T}
vectors: [vectors.yaml]
reference: reference.py
versions:
  - since_version: 1
    opset: ">=18,<=20"
    attributes: {scale: Times this.}
    types: {T: [float, float16]}
  - since_version: 2
    opset: "==20"
    deprecated: true
    function: changed.py:Bound
    types: {T: [float, double]}
"""
VECTORS = """\
schema: 1
rows:
  - {name: below, inputs: {X: [-1.0, 2.0], low: 0.0}, outputs: {Y: [0.0, 2.0]}, doc: One is raised.}
  - {name: erf, versions: [1], attributes: {kind: erf}, inputs: {X: [1.0]}}
"""
GAPS = """\
schema: 1
gaps:
  - runtime: onnxruntime
    operator: "com.acme::Bound@1"
    types: {T: float16}
    opsets: [20]
    outcome: no-kernel
    reason: no kernel for Erf-13 with these types
  - {runtime: onnxruntime/full, operator: "com.acme::Bound@1", opsets: [20], outcome: unsupported, reason: "too old"}
"""
NUMERICS = """\
schema: 1
measured_with: {onnx: "1"}
rows:
  - function: "com.acme::Bound@1"
    type: float
    runtimes: [reference]
    opsets: [20]
    calls: 3
    refused: 0
    elements: 1000
    ours: {abs: 1.0e-7, ulp: 0.5, lost: 0, nodes: 3}
    standard: {abs: 2.0e-7, ulp: 1.0, lost: 4, nodes: 2}
notes:
  - {function: "com.acme::Bound@2", text: "nothing is computed"}
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is its root."""
    root = Path(shutil.copytree(BASE, tmp_path / "library"))
    files = {
        "com.acme/domain.yaml": "schema: 1\ndomain: com.acme\nversion: 2\n",
        "com.acme/Bound/function.py": FUNCTION,
        "com.acme/Bound/changed.py": CHANGED,
        "com.acme/Bound/reference.py": "",
        "com.acme/Bound/spec.yaml": SPEC,
        "com.acme/Bound/vectors.yaml": VECTORS,
        "runtime-gaps.yaml": GAPS,
        "numerics.yaml": NUMERICS,
    }
    for name, text in files.items():
        path = root / "specs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def docs() -> Callable[..., tuple[int, str]]:
    """`opwright docs` with more words: its exit status, and what it told."""

    def run(*words: str) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main(["docs", *words])
        return status, out.getvalue()

    return run
