"""The process in which hostile input is judged: it does what it is told line by line, and says what went wrong.

Each line names a kind of input, a file and tasks; the answer is a line with the outcomes and the findings. A finding
is an exception that is no Diagnostic, work beyond the limit, or a file written where none belongs. The process itself
has a limit of memory; where it dies, the judge that started it says so.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType

from tests.hostile.defects import DEFECTS
from tests.hostile.tasks import TASKS

SECONDS = 20  # of processor time, for one task on one input
MEMORY = 2 << 30
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Endless(BaseException):
    """A task that goes on beyond the limit; no handler of exceptions takes it."""


class Watch:
    """Keeps the files and processes that are touched outside the folder in which a task may write."""

    def __init__(self, folder: Path) -> None:
        self.allowed = tuple(os.path.realpath(item) + os.sep for item in (folder, tempfile.gettempdir()))
        self.folder = os.path.realpath(folder)
        self.found: list[str] = []
        self.on = False
        sys.addaudithook(self.seen)

    def seen(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        match event, arguments:
            case ("open", (path, mode, flags)) if isinstance(flags, int) and (flags & _WRITING or mode in ("w", "a")):
                self._written(event, path)
            case ("os.rename" | "os.link" | "os.symlink", (source, target, *_)):
                self._written(event, target)
                if event == "os.rename":
                    self._written(event, source)
            case ("os.remove" | "os.mkdir" | "os.rmdir" | "os.truncate" | "os.chmod", (path, *_)):
                self._written(event, path)
            case ("subprocess.Popen", (_, [program, *words], *_)) if program == sys.executable and _ours(words):
                pass
            case ("os.system" | "subprocess.Popen" | "os.exec" | "os.posix_spawn" | "socket.connect", _):
                self.found.append(f"{event} {arguments!r:.200}")

    def _written(self, event: str, path: object) -> None:
        if isinstance(path, int) or path is None:
            return
        real = os.path.abspath(os.fsdecode(path))  # type: ignore[arg-type]
        if not real.startswith(self.allowed) and "__pycache__" not in real and real != os.devnull:
            self.found.append(f"{event} {real}")


def _ours(words: list[object]) -> bool:
    """Whether the arguments of an interpreter name a worker of the build tool."""
    return any(isinstance(word, str) and "opwright_build" in word for word in words)


@contextmanager
def limited() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judged(task: Callable[[Path], str], path: Path, watch: Watch) -> tuple[str, str]:
    """What a task said of an input, and what is wrong with that; empty where nothing is."""
    watch.found.clear()
    out, said = StringIO(), StringIO()
    try:
        with limited(), redirect_stdout(out), redirect_stderr(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            watch.on = True
            outcome = task(path)
    except Endless:
        return "", f"endless: {_where()}"
    except BaseException as error:
        return "", f"traceback: {type(error).__name__}: {str(error)[:200]} at {_where()}"
    finally:
        watch.on = False
    if "Traceback (most recent" in said.getvalue():
        return outcome, f"traceback on stderr: {said.getvalue()[-300:]}"
    return outcome, f"stray write: {'; '.join(watch.found[:3])}" if watch.found else ""


def _where() -> str:
    """The places of the exception, innermost last, those of this project first of all."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    ours = [item for item in frames if "opwright" in item.filename]
    chosen = (ours or list(frames))[-4:]
    return " < ".join(f"{Path(item.filename).name}:{item.lineno} {item.name}" for item in reversed(chosen))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(folder: Path, defect: str = "") -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what C code prints is no answer
    os.chdir(folder)
    tasks: Mapping[str, Mapping[str, Callable[[Path], str]]] = {kind: make(folder) for kind, make in TASKS.items()}
    if defect:
        DEFECTS[defect].plant()
    _limit_memory()
    watch = Watch(folder)
    for line in sys.stdin:
        kind, name, wanted = json.loads(line)
        outcomes: dict[str, str] = {}
        findings: dict[str, str] = {}
        for what in wanted or tasks[kind]:
            outcome, finding = judged(tasks[kind][what], folder / name, watch)
            outcomes[what] = outcome
            if finding:
                findings[what] = finding
        answers.write(json.dumps([outcomes, findings]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
