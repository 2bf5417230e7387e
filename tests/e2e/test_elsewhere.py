"""Builds and tests where names of POSIX are missing and nothing can be forked, with line ends of other systems."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from opwright_build.import_path import clean_path

from tests.cli.conftest import BASE, run_command
from tests.like_windows import write_interpreter

ROOT = Path(__file__).parents[2]
FOLDERS = [str(ROOT / "buildtool"), str(ROOT / "library")]
OF_LINUX = ("attack_targets", "attacks", "fork_server", "kernel", "landlock", "namespaces", "seccomp", "oracle_child")
TEMPLATE = '''\
"""A text with a line end,
and another one.
"""

from opwright import opset18 as op


def Longest(X):
    """Its documentation

    has lines too.
    """
    total = op.Constant(value_floats=[0.0])
    for i in range(3):
        # a comment
        total = total + X * float(i)
    return total
'''
SPEC = """\
schema: 1
domain: com.acme
name: Longest
summary: Adds multiples.
doc: |
  A text
  of lines.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float]}
vectors: [vectors.yaml]
reference: reference.py
"""
REFERENCE = '''\
"""A reference."""

import numpy as np


def Longest(X):
    return (X * 0.0 + X + X * 2.0).astype(np.float32)
'''
ROWS = """\
schema: 1
rows:
  - {name: one, inputs: {X: [1.0, 2.0]}}
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = Path(shutil.copytree(BASE, tmp_path / "library"))
    home = root / "specs" / "com.acme" / "Longest"
    home.mkdir()
    for name, text in (
        ("function.py", TEMPLATE),
        ("spec.yaml", SPEC),
        ("reference.py", REFERENCE),
        ("vectors.yaml", ROWS),
    ):
        (home / name).write_text(text)
    (root / "README.md").write_text("# Acme\n\nA text.\n")
    return root


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """One that is like that of Windows, as are the workers that it starts."""
    return write_interpreter(tmp_path / "python", [*FOLDERS, *clean_path()])


def program(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(f"import sys\nsys.path[:] = {[*FOLDERS, *clean_path()]!r}\n{textwrap.dedent(text)}")
    return str(path)


def ran(command: list[str], root: Path) -> list[dict[str, Any]]:
    environment = {**os.environ, "APPDATA": str(root.parent / "settings"), "XDG_CONFIG_HOME": str(root.parent / "here")}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def told(*words: str) -> list[dict[str, Any]]:
    """What a command says that runs here, in the current folder."""
    done = run_command(*words, "--json")
    assert done.status == 0, done.out + done.err
    return done.lines


def written(root: Path) -> dict[str, bytes]:
    found = [path for name in ("dist", "library") for path in sorted((root / name).rglob("*")) if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def outcomes(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "outcome"]


COMMAND = "from opwright_build.cli.entry import main\nsys.exit(main(sys.argv[1:]))\n"


@pytest.mark.long
def test_all_modules_are_imported_where_posix_is_missing(tmp_path: Path, python: Path) -> None:
    """But those that run in the processes of a sandbox alone, which Linux has."""
    text = """
        import importlib, pkgutil, opwright, opwright_build

        found = []  # without those that need what is not installed with the tool
        of_others = ("__main__", "dask_cluster", "mypy", "onnxscript", "sklearn", "sphinx_run", "spox", "torch")
        for package in (opwright, opwright_build):
            for item in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                last = item.name.rpartition(".")[2]
                if last not in sys.argv[1:] and last not in of_others:
                    importlib.import_module(item.name)
                    found.append(item.name)
        assert sys.platform == "win32"
        print(len(found))
        """
    command = [str(python), program(tmp_path, text), *OF_LINUX]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 400


@pytest.mark.long
def test_builds_and_tests_are_the_same_where_posix_is_missing(
    library: Path, tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers are such processes too: nothing is forked, and no process group is ended."""
    script = program(tmp_path, COMMAND)
    monkeypatch.chdir(library)
    told("build", "-j", "2")
    bundle, expected = written(library), outcomes(told("test", "-j", "2"))
    assert len(expected) > 10
    for name in (".opwright", "dist", "library"):
        shutil.rmtree(library / name)
    there = [str(python), script]
    assert ran([*there, "build", "--json", "-j", "2"], library)[-1]["actions_run"] > 0
    assert written(library) == bundle
    lines = ran([*there, "test", "--json", "-j", "2"], library)
    assert outcomes(lines) == expected
    assert (lines[-1]["sandbox"]["level"], lines[-1]["workers"]["level"]) == (0, 0)
    assert ran([*there, "build", "--json"], library)[-1]["actions_run"] == 0
    assert ran([*there, "test", "--json"], library)[-1]["kept"] == len(expected)


def test_line_ends_of_other_systems(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout with CRLF gives the same bytes, and vectors the same verdicts."""
    monkeypatch.chdir(library)
    told("build")
    bundle, expected = written(library), outcomes(told("test"))
    for name in (".opwright", "dist", "library"):
        shutil.rmtree(library / name)
    changed = 0
    for path in library.rglob("*"):
        if path.suffix in (".py", ".yaml", ".md"):
            data = path.read_bytes()
            path.write_bytes(data.replace(b"\n", b"\r\n"))
            changed += 1
    assert changed > 8
    told("build")
    assert {name: data for name, data in written(library).items() if data != bundle.get(name)} == {}
    assert outcomes(told("test")) == expected
