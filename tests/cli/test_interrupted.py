"""Ctrl-C and SIGTERM at any moment: one line, the exit status, no process left, and a folder as good as before."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generated_specs import write_library
from tests.shares import one_in

Opwright = Callable[..., Any]
SEED = 11
WHOLE: dict[str, float] = {}  # seconds that a command takes here
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted by their environment in /proc")


def heed_interrupts() -> None:
    """In a child: SIGINT is heeded, though the tests themselves may run where a shell ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(mark: str, *words: str) -> subprocess.Popen[str]:
    """A command in a process group of its own, as a shell starts it, once it handles signals."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": mark}
    command = [sys.executable, "-m", "opwright_build", *words]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    while not handles(process.pid, signal.SIGTERM) and process.poll() is None:
        time.sleep(0.002)
    return process


def handles(process: int, number: signal.Signals) -> bool:
    status = Path(f"/proc/{process}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1]
    return bool(int(caught, 16) >> (number - 1) & 1)


def left_over(mark: str) -> list[str]:
    """The commands of processes that work in scratch folders of ours."""
    found: list[str] = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            try:
                if os.readlink(place / "cwd").startswith(mark):
                    found.append((place / "cmdline").read_text())
            except OSError:
                continue
    return found


def gone(mark: str) -> bool:
    """Whether all of them end; a process that is killed takes a moment for that."""
    for _ in range(500):
        if not left_over(mark):
            return True
        time.sleep(0.02)
    return False


def outputs() -> dict[str, bytes]:
    found = [path for name in ("dist", "library") for path in sorted(Path(name).rglob("*"))]
    return {path.as_posix(): path.read_bytes() for path in found if path.is_file()}


@pytest.mark.parametrize(
    ("command", "number", "status", "line"),
    one_in(
        4,
        [
            ("test", signal.SIGTERM, 143, "terminated"),
            ("test", signal.SIGINT, 130, "interrupted"),
            ("build", signal.SIGTERM, 143, "terminated"),
            ("build", signal.SIGINT, 130, "interrupted"),
        ],
    ),
)
@pytest.mark.long
def test_interrupted_at_random_moments(
    command: str,
    number: signal.Signals,
    status: int,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opwright: Opwright,
) -> None:
    scratch, root = tmp_path / "scratch", tmp_path / "root"
    scratch.mkdir()
    write_library(root, 8, SEED)
    monkeypatch.chdir(root)
    assert opwright("build").status == 0
    quiet = outputs()
    words = (command, "-j", "2") if command == "build" else (command, "-j", "2", "-s", "*0001*")
    if command not in WHOLE:
        begun = time.perf_counter()
        shutil.rmtree(".opwright")
        whole = start(str(scratch), *words)
        whole.communicate(timeout=120)
        WHOLE[command] = time.perf_counter() - begun

    moments = random.Random(f"{SEED} {command} {line}")
    stopped = 0
    for _ in range(2):
        for folder in (".opwright", "dist", "library"):
            shutil.rmtree(folder, ignore_errors=True)
        process = start(str(scratch), *words)
        time.sleep(WHOLE[command] * moments.uniform(0.0, 0.9))
        os.killpg(process.pid, number)
        _, told = process.communicate(timeout=60)
        assert "Traceback" not in told
        assert gone(str(scratch)), left_over(str(scratch))
        if process.returncode == 0 or (command == "test" and process.returncode == 1):
            continue  # it was quicker
        stopped += 1
        assert process.returncode == status
        assert told.splitlines()[-1] == line
        assert told.count(line) == 1
        assert quiet.items() >= {path: data for path, data in outputs().items() if path in quiet}.items()
        assert opwright("build").status == 0
        assert outputs() == quiet
    assert stopped


def test_workers_end_when_their_user_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch, root = tmp_path / "scratch", tmp_path / "root"
    scratch.mkdir()
    write_library(root, 8, SEED)
    monkeypatch.chdir(root)
    process = start(str(scratch), "build", "-j", "2")
    for _ in range(3000):
        if left_over(str(scratch)) or process.poll() is not None:
            break
        time.sleep(0.01)
    process.kill()
    process.communicate(timeout=60)
    assert gone(str(scratch)), left_over(str(scratch))
