"""Tasks of verification on the workers of a cluster, in place of processes of this machine."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opwright_build.cluster.cluster import Cluster, lost_with_workers, replies_of
from opwright_build.cluster.remote_work import TaskBatch
from opwright_build.verify.run.isolation import CHUNK, Progress, Task

_MOST_BYTES = 4 << 20  # of tasks in one message


@dataclass(slots=True)
class _Chunk:
    """Tasks that go out together, and where their results go: to a place, or to one of the pieces of a task."""

    tasks: list[Task]
    place: Callable[[int, Any, float], None]


class RemoteTasks:
    """Runs tasks on a cluster, which `connect` gives when there are some. Each crash or hang costs a vector there as it
    does here; a task that is lost with several workers is cut in pieces, and a piece that is, failed."""

    def __init__(self, connect: Callable[[], Cluster]) -> None:
        self._connect = connect

    def run_tasks(self, tasks: Sequence[Task], timeout: float, report: Progress) -> list[Any]:
        """The results, in the order of the tasks."""
        if not tasks:
            return []
        cluster = self._connect()
        results: list[Any] = [None] * len(tasks)
        size = max(1, min(CHUNK, -(-len(tasks) // (4 * cluster.width))))

        def chunk_from(start: int) -> _Chunk:
            def place(position: int, result: Any, seconds: float) -> None:
                results[start + position] = result
                report(start + position, result, seconds)

            return _Chunk(list(tasks[start : start + size]), place)

        waiting = deque(chunk_from(start) for start in range(0, len(tasks), size))
        running: dict[int, _Chunk] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * cluster.width:
                    chunk = waiting.popleft()
                    data = pickle.dumps(chunk.tasks, protocol=pickle.HIGHEST_PROTOCOL)
                    if len(data) > _MOST_BYTES and len(chunk.tasks) > 1:
                        waiting.extendleft(reversed(_parts(chunk, -(-len(chunk.tasks) // 2))))
                        continue
                    batch = TaskBatch(cluster.terms, timeout, data)
                    running[cluster.submit(pickle.dumps(batch, protocol=pickle.HIGHEST_PROTOCOL))] = chunk
                number, answer = cluster.answer()
                chunk = running.pop(number)
                if answer is None:
                    waiting.extendleft(reversed(_after_loss(chunk)))
                    continue
                replies = replies_of(cluster, answer, len(chunk.tasks)).replies
                for position, (header, _) in enumerate(replies):
                    chunk.place(position, header["result"], float(header["seconds"]))
        finally:
            if running:
                cluster.forget()
        return results


def _parts(chunk: _Chunk, size: int) -> list[_Chunk]:
    def part(start: int) -> _Chunk:
        def place(position: int, result: Any, seconds: float) -> None:
            chunk.place(start + position, result, seconds)

        return _Chunk(chunk.tasks[start : start + size], place)

    return [part(start) for start in range(0, len(chunk.tasks), size)]


def _after_loss(chunk: _Chunk) -> list[_Chunk]:
    """What is run again of tasks that were lost with their workers."""
    if len(chunk.tasks) > 1:
        return _parts(chunk, 1)
    (task,) = chunk.tasks
    pieces = list(task.pieces())
    if len(pieces) <= 1:
        chunk.place(0, task.lost(lost_with_workers()), 0.0)
        return []
    results: list[Any] = [None] * len(pieces)
    took: list[float] = []

    def place(position: int, result: Any, seconds: float) -> None:
        results[position] = result
        took.append(seconds)
        if len(took) == len(pieces):
            chunk.place(0, task.join(results), sum(took))

    return _parts(_Chunk(pieces, place), 1)
