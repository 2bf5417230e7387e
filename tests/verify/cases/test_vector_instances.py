"""Instances of templates that vectors need: made by the build, judged like any body."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opwright.bundle.format import FunctionEntry
from opwright.bundle.read import find_bundle
from opwright.lang.families.instances import TemplateInstance
from opwright.lang.meaning.function_unit import Unit
from opwright.link import template_bodies
from opwright.link.template_bodies import CallFacts, Instances, MadeInstance
from opwright_build.cli.entry import main
from opwright_build.verify.cases import vector_instances

_SPEC = """\
schema: 1
domain: com.acme
name: Masked
summary: A graph, and a softmax over the last axis.
since_version: 1
opset: ">=13"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
"""
_FUNCTION = """\
from opwright import Graph, opset13 as op


def Masked(X, body: Graph, shift: float = 0.0):
    return op.Softmax(body(X + shift), axis=X.rank - 1)
"""
_VECTORS = """\
schema: 1
rows:
  - name: plain
    types: {T: [float]}
    attributes: {body: "g (float[] x) => (float[] y) { y = Identity(x) }"}
    inputs: {X: [0.0, 0.0]}
    outputs: {Y: [0.5, 0.5]}
  - name: shifted
    types: {T: [float]}
    attributes: {body: "g (float[] x) => (float[] y) { y = Identity(x) }", shift: 3.0}
    inputs: {X: [1.0, 1.0]}
    outputs: {Y: [0.5, 0.5]}
  - name: matrix
    types: {T: [double]}
    attributes: {body: "g (double[] x) => (double[] y) { y = CastLike(x, x) }"}
    inputs: {X: [[2.0, 2.0], [-1.0, -1.0]]}
    outputs: {Y: [[0.5, 0.5], [0.5, 0.5]]}
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    files = {
        "library.yaml": 'schema: 1\nlibrary: acme\nversion: 1.0.0\npackage: acme\nopsets: ">=13,<=22"\n',
        "com.acme/domain.yaml": "schema: 1\ndomain: com.acme\nversion: 1\n",
        "com.acme/Masked/spec.yaml": _SPEC,
        "com.acme/Masked/function.py": _FUNCTION,
        "com.acme/Masked/vectors.yaml": _VECTORS,
    }
    for name, text in files.items():
        path = tmp_path / "specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def built(library: Path) -> FunctionEntry:
    assert main(["build", str(library)]) == 0
    (entry,) = find_bundle(library / "dist" / "acme-1.0.0.onnxlib").index.functions
    return entry


def test_one_for_each_call_and_class_of_opsets(library: Path) -> None:
    entry = built(library)
    plain = [body for body in entry.bodies if dict(body.variant)["X.rank"] == "1"]
    matrix = [body for body in entry.bodies if dict(body.variant)["X.rank"] == "2"]
    assert len(plain) + len(matrix) == len(entry.bodies)
    assert plain[0].first_opset == 13
    assert [body.attributes for body in plain] == [("shift",)] * len(plain), "both rows need the same instances"
    ranges = [(body.first_opset, body.last_opset) for body in plain]
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(ranges))
    assert matrix[0].first_opset == 15, "its graph has an operator that came with opset 15"
    assert {axis for body in entry.bodies for axis, _ in body.variant} == {"T", "X.rank", "body"}


def test_vectors_that_differ_in_numbers_alone_have_one(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Counted(Instances):
        def make(self, opset: int, call: CallFacts, before: MadeInstance | None = None) -> MadeInstance:
            made.append(opset)
            return super().make(opset, call, before)

    monkeypatch.setattr(vector_instances, "Instances", Counted)
    before = built(library)
    assert sorted(made) == sorted(3 * [*range(13, 23)])  # three calls: of other ranks, or other attributes
    row = _VECTORS[_VECTORS.index("  - name: plain") : _VECTORS.index("  - name: shifted")]
    file = library / "specs" / "com.acme" / "Masked" / "vectors.yaml"
    file.write_text(_VECTORS + row.replace("plain", "another").replace("[0.0, 0.0]", "[1.0, 1.0]"))
    del made[:]
    assert built(library) == before and len(made) == 30


GRAPHS = (
    "g (float[] x) => (float[] y) { y = Identity(x) }",
    "g (float[] x) => (float[] y) { z = Relu(x) y = Clip(z) }",
    "g (float[] x) => (float[] y) { z = Cast<to = 11>(x) y = CastLike(z, x) }",
    "g (float[] x) => (float[] y) { z = Cast<to = 17>(x) y = Cast<to = 1>(z) }",
    "g (float[] x) => (float[] y) { z = Shape(x) w = Reshape(x, z) y = Sigmoid(w) }",
)


def test_one_is_carried_on_to_opsets_that_answer_alike(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a call whose graph has operators of other versions there is made anew."""
    rows = "".join(
        f'  - name: row{number}\n    types: {{T: [float]}}\n    attributes: {{body: "{graph}"}}\n'
        "    inputs: {X: [0.0, 0.0]}\n    outputs: {Y: [0.5, 0.5]}\n"
        for number, graph in enumerate(GRAPHS)
    )
    (library / "specs/com.acme/Masked/vectors.yaml").write_text(f"schema: 1\nrows:\n{rows}")
    specialised: list[int] = []
    specialise = template_bodies.specialise

    def counted(unit: Unit, opset: int, *rest: Any) -> TemplateInstance:
        specialised.append(opset)
        return specialise(unit, opset, *rest)

    monkeypatch.setattr(template_bodies, "specialise", counted)
    entry = built(library)
    archive = (library / "dist" / "acme-1.0.0.onnxlib").read_bytes()
    assert len(specialised) < 6 * len(GRAPHS), specialised
    del specialised[:]
    shutil.rmtree(library / ".opwright")
    monkeypatch.setattr(template_bodies, "carried_instance", lambda made, opset: None)
    assert built(library) == entry
    assert (library / "dist" / "acme-1.0.0.onnxlib").read_bytes() == archive
    assert len(specialised) == 10 * len(GRAPHS)


def test_they_are_judged(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built(library)
    capsys.readouterr()
    assert main(["test", str(library), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    counts = summary["runtimes"]["reference"]
    assert set(counts) == {"pass"}
    assert counts["pass"] >= 15, "three vectors, each at several classes of opsets"


def test_a_wrong_one_is_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = library / "specs/com.acme/Masked/vectors.yaml"
    file.write_text(file.read_text().replace("[0.5, 0.5]}\n  - name: shifted", "[0.4, 0.6]}\n  - name: shifted"))
    assert main(["test", str(library)]) == 1
    assert "the vector plain fails with T=float" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("graph", "code", "text"),
    [
        ("g (float[] x) => (float[] y) { y = Nothing(x) }", "OW577", "ai.onnx has no operator Nothing"),
        ("g (float[] x) =>", "OW407", "is a graph"),
    ],
)
def test_a_graph_that_no_instance_can_hold(
    library: Path, capsys: pytest.CaptureFixture[str], graph: str, code: str, text: str
) -> None:
    file = library / "specs/com.acme/Masked/vectors.yaml"
    file.write_text(file.read_text().replace("g (float[] x) => (float[] y) { y = Identity(x) }", graph))
    assert main(["test", str(library)]) == 1
    told = capsys.readouterr().out
    assert code in told
    assert text in told
    if code == "OW577":
        assert "specs/com.acme/Masked/function.py:" in told.split(": error OW577")[0].split("\n")[-1]
        assert "note: for this vector" in told


def test_an_opset_at_which_none_can_be_made_is_an_error(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The axis of DFT is an input since opset 20, and the file is written for opset 17."""
    folder = library / "specs/com.acme/Masked"
    spec = _SPEC.replace('">=13"', '">=17"').replace("A graph, and a softmax over the last axis.", "A transform.")
    (folder / "spec.yaml").write_text(spec)
    (folder / "function.py").write_text(
        "from collections.abc import Sequence\n\nfrom opwright import opset17 as op\n\n\n"
        "def Masked(X, dims: Sequence[int]):\n"
        "    for axis in dims:\n        X = op.DFT(X, axis=axis)\n    return X\n"
    )
    rows = [
        f"  - name: {name}\n    types: {{T: [float]}}\n    attributes: {{dims: [1]}}\n"
        f"    inputs: {{X: [[[{value}], [{value}]]]}}\n    outputs: {{Y: [[[{2 * value}, 0.0], [0.0, 0.0]]]}}\n"
        for name, value in (("one", 1.0), ("two", 2.0))
    ]
    (folder / "vectors.yaml").write_text("schema: 1\nrows:\n" + "".join(rows))
    assert main(["test", str(library)]) == 1
    told = capsys.readouterr().out
    assert "com.acme::Masked@1 cannot be made for the vector one[T=float] and 1 more at opset 20 to " in told
    assert "its axis is an input since" in told
    assert told.count("error OW577") == 1


def test_a_graph_may_be_one_of_newer_opsets(library: Path) -> None:
    file = library / "specs/com.acme/Masked/vectors.yaml"
    file.write_text(file.read_text().replace("Identity(x)", "HardSwish(x)"))  # which is of opset 14
    assert main(["test", str(library)]) == 0


def test_a_changed_vector_makes_other_instances(library: Path) -> None:
    before = {body.body for body in built(library).bodies}
    file = library / "specs/com.acme/Masked/vectors.yaml"
    file.write_text(file.read_text().replace("Identity", "Neg"))
    assert {body.body for body in built(library).bodies} != before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{X: [1.0, 1.0]}", "{X: &two [1.0, 1.0]}", "OW103"),
        ("  - name: shifted", "  - name: [", "OW101"),
        ("{X: [1.0, 1.0]}", "{Z: [1.0, 1.0]}", "OW405"),
        ("shift: 3.0", "shift: text", "OW407"),
    ],
)
def test_vectors_that_cannot_be_used_fail_the_build(
    library: Path, old: str, new: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their instances were missing without a word, in a library built anew and in one whose vectors were edited."""
    file = library / "specs/com.acme/Masked/vectors.yaml"
    before = built(library)
    assert _VECTORS.count(old) == 1
    file.write_text(_VECTORS.replace(old, new))
    for _ in range(2):
        capsys.readouterr()
        assert main(["build", str(library)]) == 1
        printed = capsys.readouterr().out
        assert "specs/com.acme/Masked/vectors.yaml:" in printed and f"error {told}" in printed
        shutil.rmtree(library / ".opwright")
    file.write_text(_VECTORS)
    assert built(library) == before


def test_a_stored_vector_that_is_no_call_of_the_function_lacks_no_body(library: Path) -> None:
    before = built(library)
    folder = library / "specs/com.acme/Masked"
    value = {"array": "x", "type": "float"}
    calls = [{"name": "other", "inputs": {"Z": value}, "outputs": {"Y": value}}]
    np.savez(folder / "kept.npz", calls=np.array(json.dumps({"schema": 1, "calls": calls})), x=np.float32([1]))
    spec = folder / "spec.yaml"
    spec.write_text(spec.read_text().replace("[vectors.yaml]", "[vectors.yaml, kept.npz]"))
    assert built(library) == before
