"""docs/tutorial.md is run as it stands, but for what is slow: `nox -s journey` runs that too, in a fresh environment.

Here commands run in this process, wheels are unpacked in place of being installed, and nothing is verified.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from importlib import invalidate_caches
from pathlib import Path

import pytest

from tests.cli.conftest import run_command
from tests.docs.tutorial_steps import PAGE, Command, File, steps

STEPS = steps(PAGE.read_text(encoding="utf-8"))
_ELSEWHERE = ("python3 -m venv .venv", ". .venv/bin/activate", 'pip install --quiet "opwright[build,run]"')


def run(command: Command, site: Path) -> None:
    words = shlex.split(command.line)
    match words:
        case ["cd", folder]:
            os.chdir(folder)
        case ["pip", "install", "--quiet", wheel] if wheel.endswith(".whl"):
            shutil.rmtree(site)  # the release before it
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(site)
            invalidate_caches()
        case ["python", file]:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])}
            done = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=100)
            assert done.returncode == command.status, done.stderr
            assert command.missing(done.stdout) == []
        case ["opwright", "test"]:
            pass  # `nox -s journey` runs it
        case ["opwright", *rest]:
            ran = run_command(*rest)
            assert ran.status == command.status, ran.out + ran.err
            assert command.missing(ran.err + ran.out) == [], ran.err + ran.out
        case _:
            assert command.line in _ELSEWHERE, f"nothing here runs: {command.line}"


def test_the_page_from_its_first_block_to_its_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    site.mkdir()
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NO_COLOR", "1")
    for step in STEPS:
        if isinstance(step, File):
            Path(step.path).write_text(step.text, encoding="utf-8")
        else:
            run(step, site)
    assert (folder / "acme-nn/dist/acme-nn-0.1.0.onnxlib").is_file()
    assert (folder / "acme-ops/dist/acme-ops-0.2.0.onnxlib").is_file()


def test_a_line_that_is_not_printed_is_missed() -> None:
    command = Command("x", ("one", "...", "took 1.00 s"), 0)
    assert command.missing("one\ntwo\ntook 2.50 s\n") == []
    assert command.missing("took 2.50 s\none\n") == ["took 1.00 s"]


@pytest.mark.parametrize("page", ["```python\nx = 1\n```\n", "```console\noutput\n```\n"])
def test_blocks_that_nothing_would_test_are_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r"neither commands nor a file|without a command"):
        steps(page)
