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

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from opwright_build.verify.run.task_messages import Sender
from opwright_build.verify.run.worker_process import Answer, Surroundings, WorkerProcess

CHUNK = 64  # tasks sent in one message: they share what they have in common
_START_LIMIT = 60.0  # seconds that a process has to start, before the time of its first task begins


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


Progress = Callable[[int, Any, float], None]  # the number of a task, its result, and the seconds that it took


class _Shelf:
    """The processes that wait for work, within one `kept_workers()`."""

    def __init__(self) -> None:
        self.children: list[_Child] = []
        self.lock = threading.Lock()  # several runs may share it


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


def workers_kept_for_good() -> None:
    """From now on processes serve one run of tasks after the other, until this process ends."""
    global _shelf
    _shelf = _shelf or _Shelf()


class TaskRunner(Protocol):
    """Runs tasks elsewhere, as `run_tasks` does in processes of this machine."""

    def run_tasks(self, tasks: Sequence[Task], timeout: float, report: Progress) -> list[Any]: ...


Workers = int | TaskRunner


def run_tasks(
    tasks: Sequence[Task], *, workers: Workers, timeout: float = 60.0, progress: Progress | None = None
) -> list[Any]:
    """The results, in the order of the tasks.

    `workers` is the number of processes, or who runs the tasks elsewhere; 0 runs them here, where a crash is a crash.
    `timeout` is in seconds and for each task, from when its process has started; `progress` is told of each task that
    is done, of one at a time.
    """
    report = progress or (lambda number, result, seconds: None)
    if not isinstance(workers, int):
        return workers.run_tasks(tasks, timeout, report)
    if workers == 0 or not tasks:
        results = []
        for number, task in enumerate(tasks):
            begun = time.perf_counter()
            results.append(task.run())
            report(number, results[-1], time.perf_counter() - begun)
        return results
    return _Pool(tasks, timeout, report).run(min(workers, -(-len(tasks) // CHUNK)))


class _Died(Exception):
    """The child is gone; the text continues "the runtime ..."."""


class _Pool:
    """A thread for each child; the threads share a list of chunks."""

    def __init__(self, tasks: Sequence[Task], timeout: float, report: Progress) -> None:
        self._shelf = _shelf
        self._surroundings = Surroundings.here()
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
        if self._shelf is not None:
            with self._shelf.lock:
                waiting = self._shelf.children
                for position, child in enumerate(waiting):
                    if child.surroundings == self._surroundings:
                        del waiting[position]
                        child.begin(self._timeout)
                        return child
        return _Child(self._surroundings, self._timeout)

    def _give_back(self, child: _Child) -> None:
        """Keeps a process that has answered all that it was asked, where there is a place for it."""
        if self._shelf is None:
            child.stop()
            return
        with self._shelf.lock:
            self._shelf.children.append(child)

    def _run_chunk(self, child: _Child, chunk: range) -> None:
        tasks = [self._tasks[index] for index in chunk]
        for index, (result, seconds) in zip(chunk, self._run_all(child, tasks), strict=True):
            self._results[index] = result
            with self._lock:
                self._report(index, result, seconds)

    def _run_all(self, child: _Child, tasks: Sequence[Task]) -> Iterator[tuple[Any, float]]:
        """The results in order, and the seconds that each took. A task over which the process dies is run again in
        pieces."""
        position = 0
        while position < len(tasks):
            try:
                child.send(tasks[position:])
                while position < len(tasks):
                    answer = child.receive()
                    position += 1
                    yield answer
            except _Died as death:
                task = tasks[position]
                pieces = task.pieces()
                position += 1
                if len(pieces) > 1:
                    answers = list(self._run_all(child, pieces))
                    yield task.join([result for result, _ in answers]), sum(seconds for _, seconds in answers)
                else:
                    yield task.lost(str(death)), 0.0


class _Child:
    """One process after the other: `send` starts one where there is none."""

    def __init__(self, surroundings: Surroundings, timeout: float) -> None:
        self.surroundings = surroundings
        self.timeout = timeout  # in seconds, for each answer
        self._process: WorkerProcess | None = None
        self._sender = Sender()
        self._is_ready = False
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()

    def begin(self, timeout: float) -> None:
        """Serves another run of tasks: the process forgets what it was sent for the last one."""
        self.timeout = timeout
        self._sender = Sender()

    def send(self, tasks: Sequence[Task]) -> None:
        if self._process is None:
            self._answers = queue.SimpleQueue()
            self._is_ready = False
            self._process = WorkerProcess(self.surroundings, self._answers.put)
            self._sender = Sender()
        try:
            self._process.send(self._sender.message(tasks))
        except OSError:
            raise _Died(self._ended()) from None

    def receive(self) -> tuple[Any, float]:
        """The next task's result, and the seconds that it took. Raises _Died, after which the process is gone."""
        if not self._is_ready:
            self._wait(_START_LIMIT)
            self._is_ready = True
        header = self._wait(self.timeout)
        return header["result"], header["seconds"]

    def _wait(self, limit: float) -> Mapping[str, Any]:
        try:
            answer = self._answers.get(timeout=limit)
        except queue.Empty:
            self.stop()
            raise _Died(f"gave no answer within {limit:g} s") from None
        if answer is None:
            raise _Died(self._ended())
        if "error" in answer.header:
            self.stop()
            raise RuntimeError(f"a verification worker failed:\n{answer.header['error']}")
        return answer.header

    def stop(self) -> None:
        """Ends the process, whatever it is doing."""
        if self._process is not None:
            self._ended()

    def _ended(self) -> str:
        process = self._process
        assert process is not None
        self._process = None
        return process.stop()
