"""A library in an empty folder, and the command line in process."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opwright_build.cli.entry import main
from opwright_build.spec import load
from opwright_build.workflow.built import loaded_packages

BASE = Path(__file__).parents[1] / "diagnostics" / "base_library"


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def summary(self) -> dict[str, Any]:
        return self.lines[-1]


def run_command(*words: str) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    return Ran(status, out.getvalue(), err.getvalue())


@pytest.fixture
def opwright() -> Callable[..., Ran]:
    return run_command


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The base library of the diagnostics; the current folder is its root."""
    root = Path(shutil.copytree(BASE, tmp_path / "library"))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Grows when a whole library is read."""
    found: list[Path] = []
    original = load.load_library

    def watched(start: Path, **options: Any) -> Any:
        found.append(start)
        return original(start, **options)

    for module in (load, loaded_packages):
        monkeypatch.setattr(module, "load_library", watched)
    return found
