"""docs/publishing.md: its console blocks run one behind the other in a library; `nox -s publish` runs the others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS

PAGE = DOCS / "publishing.md"
BASE = Path(__file__).parents[1] / "diagnostics" / "base_library"
CALL = """#!/bin/sh
exec "$PYTHON" -m opwright_build "$@"
"""


def blocks(kind: str) -> list[str]:
    """The blocks of the page of a kind, in their order."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def surroundings(folder: Path) -> dict[str, str]:
    """An environment in which `opwright` is that of this checkout."""
    (folder / "bin").mkdir()
    (folder / "bin" / "opwright").write_text(CALL)
    (folder / "bin" / "opwright").chmod(0o755)
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(folder / "bin"), os.environ["PATH"]]),
        "PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }


def type_blocks(folder: Path, environment: dict[str, str]) -> Path:
    """Types the console blocks in a library of its own below `folder`; gives its root. AssertionError where a command
    fails."""
    root = Path(shutil.copytree(BASE, folder / "base"))
    place = root
    for line in "".join(blocks("console")).splitlines():
        command = line.removeprefix("$ ")
        if command.startswith("cd "):
            place = (place / command.removeprefix("cd ")).resolve()
            continue
        done = subprocess.run(["sh", "-c", command], cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return root


@pytest.mark.long
def test_every_command_runs(tmp_path: Path) -> None:
    root = type_blocks(tmp_path, surroundings(tmp_path))
    text = PAGE.read_text(encoding="utf-8")
    for path in sorted((root / "dist" / "base-1.0.0").iterdir()):
        assert f"`{path.name}`" in text or re.fullmatch(r"base-1\.0\.0-opset\d+\.onnx", path.name), path.name
