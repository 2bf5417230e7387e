"""Tasks in processes of their own: what crashes or hangs there costs one task, and in it one vector.

Runtimes are native code of other projects, and mutated bodies loop for ever. So tasks run in a child process
(`worker.py`), which imports nothing from a library's folder: it starts isolated, by the path of its script, with the
import path that it is told, an environment of a few names and a scratch folder as its current one; and where the
machine allows it, it is in a cage of level 1 (`worker_sandbox.py`). When it
dies or stays silent, the task at hand is run again in its smallest pieces, in a fresh process: the piece over which
that one dies too gets the blame, all others get their results. (Halving instead would wait out a hang at every step.)

A process takes half a second to import the runtimes. So those that are well serve the next run of tasks too, as long as
the caller is within `kept_workers()`.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Protocol

from opwright_build.import_path import clean_path, package_folders
from opwright_build.verify import worker_sandbox

# What native libraries may need: where the system's loader looks, how many threads there are.
_KEPT = (
    "DYLD_LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "SYSTEMROOT",
)
_TEMPORARY = ("TEMP", "TMP", "TMPDIR")  # names of the scratch folder, the only one that may be written to
CHUNK = 64  # tasks sent in one message: they share what they have in common


class Task(Protocol):
    """Plain data that can be pickled; results are JSON values."""

    def run(self) -> Any: ...

    def pieces(self) -> Sequence[Task]:
        """The task in its smallest pieces; at most one when it cannot be cut."""
        ...

    def join(self, results: Sequence[Any]) -> Any:
        """The result from those of the pieces."""

    def lost(self, how: str) -> Any:
        """The result of a single piece over which the process died; `how` continues "the runtime ..."."""


class _Shelf:
    """The processes that wait for work, within one `kept_workers()`."""

    def __init__(self) -> None:
        self.children: list[_Child] = []


_shelf: _Shelf | None = None


@contextmanager
def kept_workers() -> Iterator[None]:
    """Within it the processes of one run of tasks serve the next ones; they end with the outermost of several."""
    global _shelf
    if _shelf is not None:
        yield
        return
    shelf = _shelf = _Shelf()
    try:
        yield
    finally:
        _shelf = None
        for child in shelf.children:
            child.stop()


def run_tasks(
    tasks: Sequence[Task], *, workers: int, timeout: float = 60.0, progress: Callable[[int], None] | None = None
) -> list[Any]:
    """The results, in the order of the tasks.

    `workers` is the number of processes; 0 runs the tasks here, where a crash is a crash. `timeout` is in seconds and
    for each task; `progress` is called with the number of tasks done since the last call.
    """
    report = progress or (lambda done: None)
    if workers == 0 or not tasks:
        results = []
        for task in tasks:
            results.append(task.run())
            report(1)
        return results
    return _Pool(tasks, timeout, report).run(min(workers, -(-len(tasks) // CHUNK)))


class _Died(Exception):
    """The child is gone; the text continues "the runtime ..."."""


class _Pool:
    """A thread for each child; the threads share a list of chunks."""

    def __init__(self, tasks: Sequence[Task], timeout: float, report: Callable[[int], None]) -> None:
        self._shelf = _shelf
        self._surroundings = _Surroundings.here()
        self._tasks = tasks
        self._timeout = timeout
        self._report = report
        self._results: list[Any] = [None] * len(tasks)
        self._chunks = iter([range(start, min(start + CHUNK, len(tasks))) for start in range(0, len(tasks), CHUNK)])
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []

    def run(self, workers: int) -> list[Any]:
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]
        return self._results

    def _serve(self) -> None:
        child = self._take()
        try:
            while not self._errors:
                with self._lock:
                    chunk = next(self._chunks, None)
                if chunk is None:
                    self._give_back(child)
                    return
                self._run_chunk(child, chunk)
        except BaseException as error:  # handed to the caller's thread, which raises it
            self._errors.append(error)
        child.stop()

    def _take(self) -> _Child:
        """A process that waits and was started as one would be now, else a new one."""
        with self._lock:
            waiting = self._shelf.children if self._shelf is not None else []
            for position, child in enumerate(waiting):
                if child.surroundings == self._surroundings:
                    del waiting[position]
                    child.timeout = self._timeout
                    return child
        return _Child(self._surroundings, self._timeout)

    def _give_back(self, child: _Child) -> None:
        """Keeps a process that has answered all that it was asked, where there is a place for it."""
        if self._shelf is None:
            child.stop()
            return
        with self._lock:
            self._shelf.children.append(child)

    def _run_chunk(self, child: _Child, chunk: range) -> None:
        tasks = [self._tasks[index] for index in chunk]
        for index, result in zip(chunk, self._run_all(child, tasks), strict=True):
            self._results[index] = result
            with self._lock:
                self._report(1)

    def _run_all(self, child: _Child, tasks: Sequence[Task]) -> Iterator[Any]:
        """The results in order. A task over which the process dies is run again in pieces."""
        position = 0
        while position < len(tasks):
            try:
                child.send(tasks[position:])
                while position < len(tasks):
                    result = child.receive()
                    position += 1
                    yield result
            except _Died as death:
                task = tasks[position]
                pieces = task.pieces()
                position += 1
                yield task.join(list(self._run_all(child, pieces))) if len(pieces) > 1 else task.lost(str(death))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What a process is told when it starts: its flags, its environment, and where it imports from."""

    flags: tuple[str, ...]
    environment: Mapping[str, str]
    path: Sequence[str]
    packages: Mapping[str, str]
    cage: str  # its name; empty for none
    readable: Sequence[str]  # in that cage

    @staticmethod
    def here() -> _Surroundings:
        # Without `site` (-S), since .pth files may put a library's folder on the path, with a sitecustomize.py in it.
        flags = ("-I", "-S", *(("-B",) if sys.dont_write_bytecode else ()))
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        claimed = worker_sandbox.claim().cage
        cage, readable = (claimed.name, worker_sandbox.readable()) if claimed.level else ("", ())
        return _Surroundings(flags, environment, clean_path(), package_folders(), cage, readable)


class _Child:
    """One process after the other: `send` starts one where there is none."""

    def __init__(self, surroundings: _Surroundings, timeout: float) -> None:
        self.surroundings = surroundings
        self.timeout = timeout  # in seconds, for each answer
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._reader: threading.Thread | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def send(self, tasks: Sequence[Task]) -> None:
        if self._process is None:
            self._start()
        self._write(pickle.dumps(list(tasks), protocol=pickle.HIGHEST_PROTOCOL))

    def receive(self) -> Any:
        """The next task's result. Raises _Died, after which the process is gone."""
        try:
            line = self._answers.get(timeout=self.timeout)
        except queue.Empty:
            self.stop()
            raise _Died(f"gave no answer within {self.timeout:g} s") from None
        if not line.endswith(b"\n"):
            raise self._dead()
        answer = json.loads(line)
        if "error" in answer:
            self.stop()
            raise RuntimeError(f"a verification worker failed:\n{answer['error']}")
        return answer["result"]

    def stop(self) -> None:
        """Ends the process, whatever it is doing."""
        process, reader = self._process, self._reader
        self._process = self._reader = None
        if process is None or reader is None:
            return
        process.kill()
        process.wait()
        reader.join()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what could not be written is of no use to the dead
                    stream.close()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _dead(self) -> _Died:
        process = self._process
        assert process is not None
        self.stop()
        code = process.returncode
        return _Died(f"crashed (signal {-code})" if code < 0 else f"ended the process (exit code {code})")

    def _start(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="opwright-worker-", ignore_cleanup_errors=True)
        told = self.surroundings
        self._process = subprocess.Popen(
            [sys.executable, *told.flags, str(worker_sandbox.WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._scratch.name,
            env={**told.environment, **dict.fromkeys(_TEMPORARY, self._scratch.name)},
        )
        assert self._process.stdout is not None
        self._answers = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read_lines, args=(self._process.stdout, self._answers), daemon=True)
        self._reader.start()
        self._write(json.dumps(_first_message(told)).encode())

    def _write(self, message: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(struct.pack("<Q", len(message)) + message)
            self._process.stdin.flush()
        except OSError:
            raise self._dead() from None


def _first_message(told: _Surroundings) -> dict[str, Any]:
    return {"path": told.path, "packages": told.packages, "cage": told.cage, "readable": told.readable}


def _read_lines(stream: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Puts every line into the queue, and at the end of the stream what is left of one: never a whole line."""
    while True:
        line = stream.readline()
        answers.put(line)
        if not line.endswith(b"\n"):
            return
