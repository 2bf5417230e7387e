"""Judging in a process of its own: a wrong model may crash a runtime or never end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType

from opwright.diagnostics.diagnostic import DiagnosticWarning

from tests.differential.judge import AFTER_DEATH, RUNTIMES, Outcome, Verdict, judge
from tests.differential.planted import BUGS, planted
from tests.differential.program import Program

_DIED = "the process died"
PATIENCE = 60.0  # seconds of CPU time for one program; the usual one takes a hundredth of a second
_AT_MOST = 10  # times as many seconds are waited for it on a machine that is busy with other things


class Judge:
    """One child process, started again after it died. Use as a context manager, or call `close`."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def __call__(
        self, program: Program, runtimes: tuple[str, ...] = RUNTIMES, bug: str | None = None
    ) -> tuple[Verdict, float]:
        """The verdict, and the CPU seconds that it took. A death and a hang are differences.

        onnxruntime 1.31 dies on an `If` of a constant condition inside another that holds a subgraph, which is what
        two nested questions about attributes or constants make: after such a death we ask again in a way that it
        survives. What kills the compiler, or a kernel, kills again.
        """
        verdict, seconds = self._ask(program, runtimes, bug)
        if verdict.detail == f"{_DIED} with exit code {-signal.SIGSEGV}" and bug is None:
            again, seconds = self._ask(program, AFTER_DEATH, bug)
            verdict = replace(again, reasons=(*again.reasons, "onnxruntime dies of nested constant conditions"))
        return verdict, seconds

    def _ask(self, program: Program, runtimes: tuple[str, ...], bug: str | None) -> tuple[Verdict, float]:
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        assert self._process is not None
        try:
            self._pipe.send((program, runtimes, bug))
            if self._answered():
                verdict, seconds = self._pipe.recv()
                if isinstance(verdict, BaseException):
                    raise verdict
                return verdict, seconds
            detail = f"no answer within {self._patience:.0f} s of CPU time"
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join()
            detail = f"{_DIED} with exit code {self._process.exitcode}"
        self.close()
        return Verdict(Outcome.DIFFERENT, detail, 0, ()), 0.0

    def _answered(self) -> bool:
        """Whether an answer is there before the child has used up the CPU time that it has for it."""
        assert self._pipe is not None
        assert self._process is not None and self._process.pid is not None
        started, used = time.monotonic(), _cpu_seconds(self._process.pid)
        left = self._patience
        while left > 0 and time.monotonic() - started < self._patience * _AT_MOST:
            if self._pipe.poll(max(left, 0.1)):
                return True
            left = self._patience - (_cpu_seconds(self._process.pid) - used)
        return False

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()


def _cpu_seconds(pid: int) -> float:
    """What a process has used so far; the time of day where the system does not tell as Linux does."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _serve(pipe: Connection) -> None:
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - programs print, and nobody reads it
    # That a generated program declares no ranks is what it is for.
    warnings.filterwarnings("ignore", message="OW388:", category=DiagnosticWarning)
    warnings.filterwarnings("ignore", message="OW337:", category=DiagnosticWarning)  # that it prints, neither
    bugs = {bug.name: bug for bug in BUGS}
    while True:
        program, runtimes, name = pipe.recv()
        started = time.process_time()
        try:
            if name is None:
                verdict: object = judge(program, runtimes)
            else:
                with planted(bugs[name]):
                    verdict = judge(program, runtimes)
        except Exception as error:
            error.add_note(traceback.format_exc())
            verdict = error
        pipe.send((verdict, time.process_time() - started))
