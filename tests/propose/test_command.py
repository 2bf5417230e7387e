"""`opwright propose`: which version, which folder, what is told."""

from __future__ import annotations

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from opwright_build.cli.entry import main

from tests.claimed import claim_a_sandbox


@pytest.fixture
def library(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the built library, with what it has in its cache; the current folder."""
    root = Path(shutil.copytree(built, tmp_path / "library"))
    monkeypatch.chdir(root)
    claim_a_sandbox(monkeypatch)
    return root


def command(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["propose", *words])
    return status, out.getvalue(), err.getvalue()


def test_the_newest_version_is_proposed_and_the_files_are_listed(library: Path) -> None:
    status, out, _ = command("ai.onnx/Softplus", "-o", "out")
    assert status == 0
    assert out.startswith("ai.onnx::Softplus@22: 7 node tests")
    manifest = json.loads(Path("out/proposal.json").read_text())
    written = {path.relative_to("out").as_posix() for path in Path("out").rglob("*") if path.is_file()}
    assert written == {"proposal.json", *manifest["files"]}
    assert (manifest["schema"], manifest["identity"]) == ("opwright.proposal/1", "ai.onnx::Softplus@22")


def test_another_proposal_replaces_an_earlier_one(library: Path) -> None:
    assert command("Clip", "-o", "out")[0] == 0
    status, out, _ = command("com.acme/Twice", "-o", "out")
    assert status == 0
    assert "com.acme::Twice@1" in out
    assert "OW650" in out
    assert not (Path("out") / "insert" / "schema.cc").exists()
    assert Path("out/schema.cc").exists()


def test_what_is_not_a_proposals_is_not_touched(library: Path) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("mine")
    status, out, _ = command("Clip", "-o", "out")
    assert status == 2
    assert "OW907" in out
    assert [path.name for path in Path("out").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    "manifest", ["{", "[]", '{"schema": "opwright.proposal/1"}', '{"schema": "other", "files": {}}']
)
def test_a_damaged_list_is_none(manifest: str, library: Path) -> None:
    Path("out").mkdir()
    Path("out/proposal.json").write_text(manifest)
    assert command("Clip", "-o", "out")[0] == 2


def test_a_list_cannot_name_files_outside(library: Path) -> None:
    Path("out").mkdir()
    Path("out/proposal.json").write_text('{"schema": "opwright.proposal/1", "files": {"../specs/library.yaml": ""}}')
    assert command("Halve", "-o", "out")[0] == 0
    assert Path("specs/library.yaml").exists()


def test_a_function_that_is_not_there(library: Path) -> None:
    status, out, _ = command("Clop", "-o", "out")
    assert status == 2
    assert "did you mean Clip" in out
    assert not Path("out").exists()
