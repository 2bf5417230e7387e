"""noxfile.py starts itself where there is neither nox nor ensurepip. `nox -s fresh` checks it on a bare system."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_NOX = """
import runpy, sys
sys.modules["nox"] = None  # "import nox" raises ImportError
sys.argv[:] = ["noxfile.py", *sys.argv[1:]]
runpy.run_path("noxfile.py", run_name="__main__")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("noxfile.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    masked = tmp_path / "masked" / "ensurepip"
    masked.mkdir(parents=True)
    (masked / "__init__.py").write_text("raise ImportError('ensurepip is masked')\n")
    return tmp_path


def run(project: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(project / "masked"), **variables}
    command = [sys.executable, "-c", WITHOUT_NOX, *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.long
def test_starts_itself_without_nox_and_without_ensurepip(project: Path) -> None:
    first = run(project, "--list")
    assert first.returncode == 0, first.stderr
    assert "putting it into" in first.stderr
    assert "* build -> " in first.stdout
    assert "* test -> " in first.stdout
    assert "- lint -> " in first.stdout
    bootstrap = project / ".nox" / "bootstrap"
    assert not list(bootstrap.glob("**/site-packages/pip")), "the bootstrap needs no pip of its own"

    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
    second = run(project, "-s", "build", "no-such-session", **offline)
    assert "putting it into" not in second.stderr, "the second start must reuse the first one's environment"
    assert second.returncode == 3, second.stderr
    assert "no-such-session" in second.stderr, "several sessions must reach nox as they were given"


@pytest.mark.long
def test_says_what_to_do_when_nox_cannot_be_had(project: Path) -> None:
    refused = run(project, "--list", PIP_NO_INDEX="1", PIP_FIND_LINKS="", PIP_EXTRA_INDEX_URL="")
    assert refused.returncode == 1
    assert "Install nox yourself" in refused.stderr
    assert not (project / ".nox" / "bootstrap" / "finished").exists()


def test_pins_name_everything_that_a_session_installs() -> None:
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + ["nox", "hatchling"]
    for group in (project["project"]["optional-dependencies"], project["dependency-groups"]):
        wanted += [entry for entries in group.values() for entry in entries]
    names = {re.split("[>=[]", entry)[0] for entry in wanted}
    assert names <= pinned
