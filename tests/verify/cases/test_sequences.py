"""Functions of sequences, from rows to outcomes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opwright_build.cli.entry import main

_SPEC = """\
schema: 1
domain: com.acme
name: Ends
summary: The first item, and all of them with another at the end.
since_version: 1
opset: ">=17"
inputs: {xs: seq(T), x: T}
outputs: {first: T, more: seq(T)}
types: {T: [float, string]}
vectors: [vectors.yaml]
"""
_FUNCTION = """\
from opwright import opset17 as op


def Ends(xs, x):
    return xs[0], op.SequenceInsert(xs, x)
"""
_VECTORS = """\
schema: 1
rows:
  - name: numbers
    types: {T: [float]}
    inputs: {xs: {sequence: [[1, 2], 3]}, x: [4]}
    outputs: {first: [1, 2], more: {sequence: [[1, 2], 3, [4]]}}
  - name: text
    types: {T: [string]}
    inputs: {xs: {sequence: [a]}, x: b}
    outputs: {first: a, more: {sequence: [a, b]}}
"""
_REFERENCE = """\
def Ends(xs, x):
    return xs[0], [*xs, x]
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {
        "library.yaml": 'schema: 1\nlibrary: acme\nversion: 1.0.0\npackage: acme\nopsets: ">=17,<=20"\n',
        "com.acme/domain.yaml": "schema: 1\ndomain: com.acme\nversion: 1\n",
        "com.acme/Ends/spec.yaml": _SPEC,
        "com.acme/Ends/function.py": _FUNCTION,
        "com.acme/Ends/vectors.yaml": _VECTORS,
    }
    for name, text in files.items():
        path = tmp_path / "specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_they_are_judged_on_every_runtime(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(library), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {runtime: set(counts) for runtime, counts in summary["runtimes"].items()} == {
        "onnxruntime/off": {"pass"},
        "onnxruntime/full": {"pass"},
        "reference": {"pass"},
    }


def test_a_wrong_item_is_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = library / "specs/com.acme/Ends/vectors.yaml"
    file.write_text(file.read_text().replace("3, [4]", "5, [4]"))
    assert main(["test", str(library)]) == 1
    told = capsys.readouterr().out
    assert "the vector numbers fails with T=float" in told
    assert "more [1] differs in 1 of 1 elements: at [] 3.0, expected 5.0" in told


def test_a_reference_is_not_asked_about_sequences(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = library / "specs/com.acme/Ends"
    (folder / "reference.py").write_text(_REFERENCE)
    (folder / "spec.yaml").write_text(f"{_SPEC}reference: reference.py\n")
    assert main(["test", str(library)]) == 0, "the rows state their outputs"
    capsys.readouterr()
    (folder / "vectors.yaml").write_text(_VECTORS.replace("    outputs: {first: a, more: {sequence: [a, b]}}\n", ""))
    assert main(["test", str(library)]) == 1
    told = capsys.readouterr().out
    assert "OW410" in told
    assert "a reference cannot be given a sequence" in told
