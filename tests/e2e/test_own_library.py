"""The standard's functions through the command line: what it lists and builds, what a second build costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import onnx.defs
import pytest
from opwright.bundle.read import read_bundle_file

from tests.own_specs import CACHE, ROOT, STANDARD, build_specs
from tests.sealed import as_this_user

COUNT = 100
# Operators that the standard defines by no function: theirs are for opsets that lack them.
PRIMITIVES = {
    "DFT",
    "DequantizeLinear",
    "GridSample",
    "MelWeightMatrix",
    "QuantizeLinear",
    "STFT",
    "ScatterElements",
    "ScatterND",
    "Trilu",
}


def standard_versions() -> set[tuple[str, str, int]]:
    """The versions of the standard's function-ops, as the installed onnx has them."""
    return {
        (schema.domain or "ai.onnx", schema.name, schema.since_version)
        for schema in onnx.defs.get_all_schemas_with_history()
        if schema.has_function or schema.has_context_dependent_function
    }


def _run(root: Path, *words: str) -> list[dict[str, Any]]:
    path = os.pathsep.join([str(ROOT / "library"), str(ROOT / "buildtool"), *sys.path])
    with as_this_user():
        done = subprocess.run(
            [sys.executable, "-m", "opwright_build", *words],
            cwd=root,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the specs, built."""
    root = tmp_path_factory.mktemp("own")
    build_specs(root)
    return root


def test_it_has_the_functions_of_the_standard(library: Path) -> None:
    listed = _run(library, "ls", "-p", STANDARD, "--json")
    versions = {(line["domain"], line["name"], line["since_version"]) for line in listed}
    assert standard_versions() <= versions
    assert {name for _, name, _ in versions - standard_versions()} == PRIMITIVES
    assert len(listed) == len(versions) == COUNT
    assert sum(len(line["pairs"]) for line in listed) == 735


def test_every_opset_has_a_body_or_a_reason(library: Path) -> None:
    rows = _run(library, "opsets", "-p", STANDARD, "--json", "--cache", str(CACHE))
    opsets: dict[tuple[str, int], set[int]] = {}
    for row in rows:
        opsets.setdefault((row["name"], row["since_version"]), set()).add(row["opset"])
        if row["body"] is None:
            file, line, _ = row["place"].split(":")
            assert row["reason"]
            assert row["operator"].rpartition("::")[2].partition(" ")[0] in (library / file).read_text()
            assert int(line) > 0
        else:
            assert (row["operator"], row["reason"], row["place"]) == (None, None, None)
    assert len(opsets) == COUNT
    for (name, since_version), found in opsets.items():
        end = since_version if name in PRIMITIVES else 29  # from there on the operator itself is to be had
        assert found == set(range(min(found), end))
    late = sorted({name for (name, _), found in opsets.items() if min(found) > 13})
    assert late == ["FlexAttention", "ReduceLogSumExp"]  # their specs say so


def test_its_figures_are_those_of_the_bundle(library: Path) -> None:
    (path,) = (library / "dist").glob("*.onnxlib")
    bundle = read_bundle_file(path)
    bodies = [body for function in bundle.index.functions for body in function.bodies]
    uses = Counter(dict.fromkeys(bundle.bodies, 0))
    for body in bodies:
        uses[body.body] += body.last_opset - body.first_opset + 1
    told = _run(library, "build", "-p", STANDARD, "--json", "--cache", str(CACHE))[-1]
    assert told["versions"] == len(bundle.index.functions) == COUNT
    assert told["opset_bodies"] == uses.total()
    assert told["stored_bodies"] == len(bundle.bodies) == len(uses)
    assert told["bytes_saved"] == sum((count - 1) * len(bundle.bodies[body]) for body, count in uses.items())
    assert 0 < told["stored_bodies"] < told["opset_bodies"]


def test_a_second_build_does_nothing(library: Path) -> None:
    told = _run(library, "build", "-p", STANDARD, "--json", "--cache", str(CACHE))
    assert told[-1]["actions_run"] == 0
    assert {output["status"] for output in told[-1]["outputs"]} == {"unchanged"}
