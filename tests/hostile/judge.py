"""Starts the process that judges, and says what it found; a process that dies or hangs costs its own input alone."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opwright_build.engine.user_secret import VARIABLE

ROOT = Path(__file__).parents[2]
SECRET = "with which nothing but a campaign is sealed"
PATIENCE = 150  # seconds on the clock that one input may take with all tasks


@dataclass(frozen=True, slots=True)
class Verdict:
    """What each task said of an input, and what is wrong with it."""

    outcomes: dict[str, str]
    findings: dict[str, str]


class Judge:
    """Judges input after input. `folder` is where everything is written."""

    def __init__(self, folder: Path, defect: str = "") -> None:
        self.folder = folder
        self.defect = defect
        self._process: subprocess.Popen[str] | None = None
        self._count = 0

    def judge(self, kind: str, data: bytes, tasks: Sequence[str] = ()) -> Verdict:
        """With the tasks named, or with all."""
        self._count += 1
        name = f"hostile-input.{'onnx' if kind == 'model' else kind}"
        (self.folder / name).write_bytes(data)
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([kind, name, list(tasks)]) + "\n")
            process.stdin.flush()
            answer = self._answer(process)
        except BrokenPipeError:
            answer = ""
        if not answer:
            return self._died(process)
        outcomes, findings = json.loads(answer)
        return Verdict(outcomes, findings)

    def _answer(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            return process.stdout.readline() if selector.select(PATIENCE) else ""

    def _died(self, process: subprocess.Popen[str]) -> Verdict:
        try:
            process.wait(1)
            alive = False
        except subprocess.TimeoutExpired:
            alive = True
        process.kill()
        status = process.wait()
        self._process = None
        what = f"no answer after {PATIENCE} seconds" if alive else f"the process died with status {status}"
        return Verdict({}, {"": what})

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "tests.hostile.worker", str(self.folder)]
            path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
            environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self.folder), VARIABLE: SECRET}
            self._process = subprocess.Popen(
                [*command, self.defect] if self.defect else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
        return self._process

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def judging(folder: Path, defect: str = "") -> Iterator[Judge]:
    judge = Judge(folder, defect)
    try:
        yield judge
    finally:
        judge.close()
