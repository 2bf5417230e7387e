"""Commands of the build tool in processes of their own, forked from one that has imported everything.

So a build of a small library takes a fraction of a second, and hundreds of them can be killed, starved and deceived.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from opwright_build.cli.entry import main
from opwright_build.sandbox import kernel
from opwright_build.sandbox.privileges import drop_capabilities

PATIENCE = 120  # seconds on the clock that a command on a small library may take
_HOMES = ("opwright", "onnx", "numpy", "google", "pydantic", "yaml", "jinja2", "mpmath")
_SET_SECURE_BITS, _NO_ROOT = 28, 1


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command came to; a negative status is the signal that ended it."""

    status: int
    out: str
    err: str

    @property
    def flaw(self) -> str:
        """What no fault of the machine excuses; empty where there is nothing."""
        if self.status == -signal.SIGALRM:
            return f"it hangs: {self.err[-300:]}"
        if self.status not in (0, 1, 2, 3) or "Traceback" in self.err or "a bug of ours" in self.err:
            return f"status {self.status}: {self.err[-1500:]}"
        if self.status and not self.err.strip() and "OW" not in self.out:
            return f"status {self.status} without a word"
        return ""

    @property
    def told(self) -> str:
        return f"status {self.status}: {self.err[-600:]}{self.out[-600:]}"


@dataclass(frozen=True, slots=True)
class Running:
    """A command that is at work, in a process group of its own."""

    process: int
    out: int
    err: int

    def kill(self) -> None:
        """Ends it and all that it has started, at once."""
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:  # it has not begun yet, or is over
            os.kill(self.process, signal.SIGKILL)

    def wait(self) -> Ran:
        """What it came to; one that hangs is ended, and has the status of an alarm."""
        until, late = time.monotonic() + PATIENCE, False
        said: dict[int, bytes] = {self.out: b"", self.err: b""}
        while True:
            process, status = os.waitpid(self.process, os.WNOHANG)
            for descriptor in said:
                said[descriptor] += _available(descriptor)
            if process:
                break
            if time.monotonic() > until:
                self.kill()
                late = True
                until = float("inf")
            time.sleep(0.002)
        for descriptor in said:
            os.close(descriptor)
        out, err = (data.decode("utf-8", "replace") for data in said.values())
        return Ran(-signal.SIGALRM if late else os.waitstatus_to_exitcode(status), out, err)


def _available(descriptor: int) -> bytes:
    """What a pipe holds now; its end may be held open by what the command has started."""
    found = b""
    try:
        while data := os.read(descriptor, 1 << 16):
            found += data
    except BlockingIOError:
        pass
    return found


def start(
    words: Sequence[str],
    root: Path,
    prepare: Callable[[], object] = lambda: None,
    environment: Mapping[str, str] | None = None,
) -> Running:
    """Starts `opwright WORDS` in a folder; `prepare` is called in its process before."""
    (out, to_out), (err, to_err) = os.pipe(), os.pipe()
    sys.stdout.flush()
    process = os.fork()
    if process:
        os.close(to_out)
        os.close(to_err)
        os.set_blocking(out, False)
        os.set_blocking(err, False)
        return Running(process, out, err)
    status = 70
    try:
        os.setsid()
        os.dup2(to_out, 1)
        os.dup2(to_err, 2)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lives
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.environ.update(environment or {})
        os.chdir(root)
        prepare()
        status = main(words)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def run(
    words: Sequence[str],
    root: Path,
    prepare: Callable[[], object] = lambda: None,
    environment: Mapping[str, str] | None = None,
) -> Ran:
    return start(words, root, prepare, environment).wait()


def import_what_a_build_needs(root: Path) -> None:
    """In this process, which has run nothing itself: so no memory of one build reaches another."""
    listing = root / "modules.txt"

    def write_listing() -> None:
        leave = os._exit

        def write_and_leave(status: int) -> None:
            listing.write_text("\n".join(sorted(sys.modules)), encoding="utf-8")
            leave(status)

        os._exit = write_and_leave  # type: ignore[assignment]

    ran = run(["build"], root, write_listing)
    assert ran.status == 0, ran.told
    for name in listing.read_text(encoding="utf-8").split():
        if name.partition(".")[0].startswith(_HOMES):
            import_module(name)


# ------------------------------------------------------------------------ what a process may be prepared with


def without_privileges() -> None:
    """Even root is refused what the modes of files forbid, from now on, and so is what this process starts."""
    if os.geteuid() == 0:
        kernel.prctl(_SET_SECURE_BITS, _NO_ROOT)
        drop_capabilities()


def with_files_of_at_most(size: int) -> Callable[[], None]:
    def prepare() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def with_clock_moved(seconds: float) -> Callable[[], None]:
    """The clock of the process differs from that of the file system."""

    def prepare() -> None:
        real, real_ns = time.time, time.time_ns
        time.time = lambda: real() + seconds
        time.time_ns = lambda: real_ns() + int(seconds * 1e9)

    return prepare


def with_refusals(number: int, first: int, count: int, folder: Path, reading: bool) -> Callable[[], None]:
    """From the `first` operation on files below the folder on, `count` are refused with an error number: those that
    read, or those that write."""

    def refuse(seen: int, path: str) -> None:
        if first <= seen < first + count:
            raise OSError(number, os.strerror(number), path)

    return _at_each_operation(refuse, folder, reading)


def with_end_at(operation: int, folder: Path) -> Callable[[], None]:
    """The process and all that it has started end before that operation that writes below the folder."""

    def end(seen: int, path: str) -> None:
        if seen == operation:
            os.killpg(0, signal.SIGKILL)

    return _at_each_operation(end, folder, reading=False)


def with_operations_counted(note: Path, folder: Path) -> Callable[[], None]:
    """The file `note`, which lies elsewhere, holds how many operations have written below the folder."""

    def count(seen: int, path: str) -> None:
        note.write_text(str(seen + 1), encoding="utf-8")

    return _at_each_operation(count, folder, reading=False)


def _at_each_operation(act: Callable[[int, str], None], folder: Path, reading: bool) -> Callable[[], None]:
    """Calls `act` with the number of an operation below the folder and its path, before it happens."""
    below = os.fspath(folder) + os.sep
    seen = 0

    def concerned(event: str, arguments: tuple[object, ...]) -> str:
        match event, arguments:
            case "open", (str() as path, _, int() as flags) if reading != bool(flags & (os.O_WRONLY | os.O_RDWR)):
                return os.path.abspath(path)
            case "os.mkdir" | "os.rename" | "os.remove" | "os.rmdir", (str() | os.PathLike() as path, *_) if (
                not reading
            ):
                return os.path.abspath(os.fsdecode(path))
            case "os.scandir" | "os.listdir", (str() | os.PathLike() as path,) if reading:
                return os.path.abspath(os.fsdecode(path))
        return ""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        path = concerned(event, arguments)
        if path.startswith(below):
            seen += 1
            act(seen - 1, path)

    return lambda: sys.addaudithook(hook)


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES)
