"""`build --dry-run` says what a build would run, and why, and the build then runs that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generated_specs import write_library
from tests.output_lines import validate

Opwright = Callable[..., Any]
FUNCTIONS = 6  # the fourth calls another one


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_library(tmp_path, FUNCTIONS, 5)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "specs" / "com.example"


def planned(opwright: Opwright) -> dict[str, dict[str, Any]]:
    """What is told of each action."""
    before = files()
    ran = opwright("build", "--dry-run", "--json")
    assert (ran.status, ran.summary["dry_run"]) == (0, True)
    for line in ran.lines:
        validate(line, "build")
    assert files() == before, "nothing is written"
    return {line["action"]: line for line in ran.lines if line["event"] == "planned"}


def files() -> dict[str, bytes]:
    found = (path for name in ("dist", "library", ".opwright/cache") for path in Path(name).rglob("*"))
    return {path.as_posix(): path.read_bytes() for path in found if path.is_file()}


def compiled(opwright: Opwright) -> set[str]:
    """What a build compiles."""
    lines = opwright("build", "--json").lines
    return {line["action"] for line in lines if line["event"] == "action" and not line["cached"]} - {"library"}


def called(folder: Path) -> str:
    """The function that the fourth one calls."""
    text = (folder / "Made00003" / "function.py").read_text()
    return text.split("own.")[1].split("(")[0]


def test_at_first_everything(generated: Path, opwright: Opwright) -> None:
    told = planned(opwright)
    assert {name for name in told if name.startswith("compile")} == {
        f"compile com.example::Made0000{number}@1" for number in range(FUNCTIONS)
    }
    assert told["compile com.example::Made00000@1"]["why"] == ["it has not run here before"]


def test_what_changed_and_what_rests_on_it(generated: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    assert planned(opwright) == {}
    name = called(generated)
    source = generated / name / "function.py"
    source.write_text(source.read_text().replace("    v0 = ", "    v0 = 2.0 * "))
    told = planned(opwright)
    changed = f"file:specs/com.example/{name}/function.py changed"
    assert told[f"compile com.example::{name}@1"]["why"] == [changed]
    caller = told["compile com.example::Made00003@1"]
    assert caller["needs"] == f"com.example::{name}@1"
    assert changed in told["library"]["why"]
    assert set(told) == {f"compile com.example::{name}@1", "compile com.example::Made00003@1", "package", "library"}
    assert compiled(opwright) == set(told) - {"library"}


def test_files_that_are_missing_would_be_written(generated: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    bundle = Path("dist/generated-ops-1.0.0.onnxlib")
    bundle.unlink()
    assert set(planned(opwright)) == {f"write {bundle.as_posix()}"}
    assert "1 file to write" in opwright("build", "--dry-run").out


def test_findings_of_specs_are_told(generated: Path, opwright: Opwright) -> None:
    spec = generated / "Made00001" / "spec.yaml"
    spec.write_text(spec.read_text().replace("outputs:", "output:"))
    ran = opwright("build", "--dry-run", "--json")
    assert ran.status == 1
    assert "finding" in {line["event"] for line in ran.lines}


def test_how_long_it_took_is_kept(generated: Path, opwright: Opwright) -> None:
    assert opwright("build", "-j", "2").status == 0
    record = json.loads(Path(".opwright/build-run.json").read_text())
    assert (record["schema"], record["jobs"]) == ("opwright.build-run/1", 2)
    seconds = [item["seconds"] for item in record["actions"]]
    assert len(seconds) == FUNCTIONS + 2
    assert seconds == sorted(seconds, reverse=True)
    assert all(second > 0 for second in seconds)
    assert opwright("build").status == 0
    assert json.loads(Path(".opwright/build-run.json").read_text()) == record, "nothing ran"
    assert re.search(r"\nit took \d+\.\d\d s$", opwright("explain", "com.example::Made00001@1").out.rstrip())
