"""A library in a folder that this user cannot write to: what only reads works, and keeps nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, run_command

READING = (
    "lint",
    "lint --fix --dry-run",
    "lock --check",
    "diff",
    "diff --against git:HEAD",
    "ls -s since:HEAD",
    "show Swish",
    "opsets",
    "graph",
    "vectors",
    "build --dry-run",
    "stubs --check",
    "test",
    "docs -o {elsewhere}/docs",
    "export --opset 20 -o {elsewhere}/base.onnx",
    "lint --cache {elsewhere}/cache",
)
WRITING = (
    "build --cache {elsewhere}/cache",
    "release 1.1.0 --unverified",
    "docs",
    "lock --all --reason x",
    "publish",
    "lint --fix",
)


# A process of its own runs all commands: privileges do not come back, and a fork would share our workers.
DRIVER = """\
import json, sys
from dataclasses import astuple
from tests.cli.conftest import run_command
from tests.faults.runs import without_privileges

without_privileges()
print(json.dumps([astuple(run_command(*command.split())) for command in sys.argv[1:]]))
"""


def run_without_privileges(root: Path, commands: Iterable[str]) -> dict[str, Ran]:
    """What the commands come to, one after the other, where even root is refused what the modes of files forbid."""
    listed = list(commands)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", DRIVER, *listed]
    done = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return {command: Ran(*item) for command, item in zip(listed, json.loads(done.stdout), strict=True)}


@contextmanager
def closed(root: Path) -> Iterator[None]:
    """Nothing below the folder can be written to, nor the folder."""
    modes = {path: path.stat().st_mode for path in (root, *root.rglob("*"))}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.fixture
def released(library: Path) -> Path:
    assert run_command("release", "1.0.0", "--unverified").status == 0
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    Path(".gitignore").write_text(".opwright/\ndist/\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "1.0.0")):
        subprocess.run(["git", *identity, *words], check=True)
    return library


def test_what_only_reads_needs_no_folder_to_write_to(released: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = {path: path.stat().st_mtime_ns for path in released.rglob("*")}
    reading = [command.format(elsewhere=elsewhere) for command in READING]
    writing = [command.format(elsewhere=elsewhere) for command in WRITING]
    with closed(released):
        found = run_without_privileges(released, [*reading, "lint --json", *writing])
    for command in reading:
        assert found[command].status == 0, (command, found[command])
    assert '"code": "OW925"' in found["lint --json"].out
    for command in writing:
        ran = found[command]
        assert (ran.status, "OW905: .opwright cannot be written" in ran.out) == (3, True), (command, ran)
    assert {path: path.stat().st_mtime_ns for path in released.rglob("*")} == before
    assert sorted(path.name for path in elsewhere.iterdir()) == ["base.onnx", "cache", "docs"]


def test_a_release_that_is_not_finished_is_not_read(released: Path) -> None:
    (released / ".opwright" / "release.json").write_text("{}")
    with closed(released):
        ran = run_without_privileges(released, ["lint"])["lint"]
    assert (ran.status, "OW905" in ran.out) == (3, True), ran


def test_another_fault_of_the_folder_is_told(library: Path) -> None:
    Path(".opwright").write_text("a file")
    assert run_command("lint").status == 3
