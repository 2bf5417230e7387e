"""A cluster whose workers are threads of this process: batches go through the same bytes as to a real one."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from opwright_build.cluster import remote_work
from opwright_build.cluster.likeness import machine_here, parts_here
from opwright_build.cluster.remote_work import Terms, serve
from opwright_build.sandbox.levels import Claim
from opwright_build.verify.run import worker_sandbox


class ThreadCluster:
    """`loses` says of a batch that all workers that ran it were lost, `spoils` changes an answer on its way."""

    def __init__(
        self,
        width: int = 2,
        loses: Callable[[bytes], bool] = lambda data: False,
        spoils: Callable[[bytes], object] = lambda data: data,
    ) -> None:
        self.width = width
        self.terms = Terms(parts_here(("numpy",)), ("numpy",), frozenset((machine_here(),)))
        self.machine = machine_here()
        self.claim = worker_sandbox.claim()
        self.seen: list[Claim] = []
        self.submitted: list[bytes] = []
        self.most_at_once = 0
        self._open = 0
        self._loses = loses
        self._spoils = spoils
        self._answers: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(width)

    def submit(self, data: bytes) -> int:
        number = len(self.submitted)
        self.submitted.append(data)
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        if self._loses(data):
            self._answers.put((number, None))
        else:
            self._threads.submit(lambda: self._answers.put((number, self._spoils(serve(data)))))
        return number

    def answer(self) -> tuple[int, object]:
        found = self._answers.get(timeout=120)
        self._open -= 1
        return found

    def saw(self, claim: Claim) -> None:
        self.seen.append(claim)

    def require(self, level: int) -> None:
        self.terms = Terms(self.terms.parts, self.terms.distributions, self.terms.machines, level)

    def forget(self) -> None:
        self._open = 0

    def close(self) -> None:
        self._threads.shutdown()


@contextmanager
def own_processes() -> Iterator[None]:
    """The processes that serve actions begin and end within it: they import from where this process does now."""
    _end_processes()
    try:
        yield
    finally:
        _end_processes()


def _end_processes() -> None:
    """Ends those that wait for work, which other tests may have started."""
    while remote_work._idle:
        remote_work._idle.pop().stop()
    remote_work._surroundings.cache_clear()
