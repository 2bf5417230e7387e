"""A worker's side of a cluster: work in, answers out, both as bytes.

The cluster's own process unpacks and supervises. What is done is done in child processes of it, in a cage where the
machine has one, as on the machine of the command: a crash or a hang costs one action or one vector. Work brings the
bytes of all that it needs, and nothing of it names a path of the command's machine.
"""

from __future__ import annotations

import json
import pickle
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

from opwright_build.cluster.likeness import differences, machine_here, parts_here
from opwright_build.engine.action_server import Told, Work
from opwright_build.sandbox.levels import CAGES, Claim
from opwright_build.verify.run import worker_sandbox
from opwright_build.verify.run.isolation import run_tasks, workers_kept_for_good
from opwright_build.verify.run.worker_process import Answer, Surroundings, WorkerProcess

SERVE = "opwright_build.engine.action_server:serve_actions"
_START_LIMIT = 120.0  # seconds until a process has started, on a busy machine
_LOOK = 0.5  # seconds until it is seen that nobody waits for an answer any more

Reply = tuple[Mapping[str, Any], bytes]  # for one action: what became of it, and the bytes of that
Unwanted = Callable[[], bool]  # whether nobody waits for the answer any more


@dataclass(frozen=True, slots=True)
class Terms:
    """What a worker has to be like: parts by name, digests of machines, and the level of its sandbox."""

    parts: Mapping[str, str]
    distributions: tuple[str, ...]
    machines: frozenset[str]
    level: int = 0


class Batch(Protocol):
    """What is sent to a worker, pickled."""

    @property
    def terms(self) -> Terms: ...

    def perform(self, unwanted: Unwanted) -> list[Reply]: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """What a worker says of itself: what it has in common with others, its machine, its sandbox."""

    parts: Mapping[str, str]
    machine: str
    claim: Claim


def identify(distributions: tuple[str, ...]) -> str:
    """The identity of this process, as JSON."""
    told = {"parts": dict(parts_here(distributions)), "machine": machine_here()}
    return json.dumps(told | _told_claim(worker_sandbox.claim()))


def read_identity(text: str) -> Identity:
    """What `identify` told. ValueError for another text."""
    try:
        told = json.loads(text)
        parts = {str(name): str(value) for name, value in told["parts"].items()}
        return Identity(parts, str(told["machine"]), _read_claim(told))
    except (KeyError, TypeError, AttributeError, StopIteration) as error:
        raise ValueError("not the identity of a worker") from error


def _told_claim(claim: Claim) -> dict[str, Any]:
    return {"cage": claim.cage.name, "declined": [list(item) for item in claim.declined]}


def _read_claim(told: Mapping[str, Any]) -> Claim:
    cage = next(item for item in CAGES if item.name == told["cage"])
    return Claim(cage, tuple((str(name), str(reason)) for name, reason in told["declined"]))


# ------------------------------------------------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Replies:
    """The answer to a batch. With `unlike` nothing was done: what differs. `broken` is a traceback of ours."""

    claim: Claim
    replies: Sequence[Reply] = ()
    unlike: tuple[str, ...] = ()
    broken: str = ""


def encode_replies(replies: Replies) -> bytes:
    headers = [{**header, "size": len(payload)} for header, payload in replies.replies]
    told = {"replies": headers, "unlike": list(replies.unlike), "broken": replies.broken}
    line = json.dumps(told | _told_claim(replies.claim)).encode()
    return b"\n".join((line, b"".join(payload for _, payload in replies.replies)))


def decode_replies(data: object) -> Replies | None:
    """What `encode_replies` wrote; None for other bytes."""
    if not isinstance(data, bytes):
        return None
    line, _, rest = data.partition(b"\n")
    found: list[Reply] = []
    place = 0
    try:
        told = json.loads(line)
        for header in told["replies"]:
            size = header["size"]
            if not isinstance(size, int) or size < 0:
                return None
            found.append((header, rest[place : place + size]))
            place += size
        replies = Replies(_read_claim(told), tuple(found), tuple(map(str, told["unlike"])), str(told["broken"]))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        return None
    return replies if place == len(rest) else None


# ---------------------------------------------------------------------------------------------------------- work


def serve(data: bytes, unwanted: Unwanted = lambda: False) -> bytes:
    """The answer to a batch. Our own errors are answers too: they are bugs to report."""
    claim = worker_sandbox.claim()
    try:
        batch: Batch = pickle.loads(data)
        unlike = _unlike(batch.terms, claim)
        if unlike:
            return encode_replies(Replies(claim, unlike=tuple(unlike)))
        return encode_replies(Replies(claim, tuple(batch.perform(unwanted))))
    except Exception:
        return encode_replies(Replies(claim, broken=traceback.format_exc()))


def _unlike(terms: Terms, claim: Claim) -> list[str]:
    found = list(differences(terms.parts, parts_here(terms.distributions)))
    if not found and terms.machines and machine_here() not in terms.machines:
        found.append("another processor, or other builds of packages, than when the run began")
    if claim.cage.level < terms.level:
        found.append(f"a sandbox of level {claim.cage.level}, not {terms.level}")
    return found


@dataclass(frozen=True, slots=True)
class TaskBatch:
    """Tasks of verification, pickled as a list; `limit` is in seconds, for each."""

    terms: Terms
    limit: float
    tasks: bytes

    def perform(self, unwanted: Unwanted) -> list[Reply]:
        took: dict[int, float] = {}

        def look(number: int, result: Any, seconds: float) -> None:
            took[number] = seconds
            if unwanted():
                raise RuntimeError("nobody waits for the answer any more")

        workers_kept_for_good()
        results = run_tasks(pickle.loads(self.tasks), workers=1, timeout=self.limit, progress=look)
        return [({"result": result, "seconds": took[number]}, b"") for number, result in enumerate(results)]


@dataclass(frozen=True, slots=True)
class ActionBatch:
    """Actions; the bytes of their inputs stand in `inputs`, once for all. `limit` is in seconds, for each."""

    terms: Terms
    limit: float
    inputs: Mapping[str, bytes]
    work: tuple[Work, ...]

    def perform(self, unwanted: Unwanted) -> list[Reply]:
        replies: list[Reply] = []
        while len(replies) < len(self.work) and not unwanted():
            left = self.work[len(replies) :]
            with _process() as process:
                process.send(tuple(replace(item, inputs=self.inputs) for item in left))
                replies += _answers(process, len(left), self.limit, unwanted)
        return replies


def _answers(process: _Process, count: int, limit: float, unwanted: Unwanted) -> Iterator[Reply]:
    """What becomes of as many actions; of fewer, where one was lost with the process."""
    asked = ""
    for _ in range(count):
        while True:
            answer = process.next(limit, unwanted)
            if isinstance(answer, str):
                yield ({"lost" if process.is_ready else "unstarted": answer}, b"")
                return
            if "ready" in answer.header:
                process.is_ready = True
            elif "ask" in answer.header:
                asked = str(answer.header["ask"])
                process.send(Told(needed=asked))  # gives the action up; who sent it knows, and sends it again
            else:
                break
        header = answer.header
        if "error" in header:
            raise RuntimeError(f"a worker process failed:\n{header['error']}")
        yield ({"asks": asked}, b"") if "waits" in header else (header, answer.payload)


@dataclass(slots=True)
class _Process:
    """A child process that serves actions, from one batch to the next."""

    worker: WorkerProcess
    answers: queue.SimpleQueue[Answer | None]
    is_ready: bool = False
    ended: bool = field(default=False)

    def send(self, message: object) -> None:
        try:
            self.worker.send(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
        except OSError:
            return  # the end of its answers comes next

    def next(self, limit: float, unwanted: Unwanted) -> Answer | str:
        """The next answer; or how the process ended, or was ended: then it is gone."""
        until = time.monotonic() + (limit if self.is_ready else _START_LIMIT)
        while not unwanted():
            left = until - time.monotonic()
            if left <= 0:
                self.stop()
                return f"gave no answer within {limit:g} s"
            try:
                answer = self.answers.get(timeout=min(left, _LOOK))
            except queue.Empty:
                continue
            return self.stop() if answer is None else answer
        self.stop()
        return "was not wanted any more"

    def stop(self) -> str:
        self.ended = True
        return self.worker.stop()


_idle: list[_Process] = []
_lock = threading.Lock()


@cache
def _surroundings() -> Surroundings:
    return Surroundings.here()


@contextmanager
def _process() -> Iterator[_Process]:
    """A process that waits, else a new one. It is kept where it has answered all that it was asked."""
    with _lock:
        process = _idle.pop() if _idle else None
    if process is None:
        answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        process = _Process(WorkerProcess(_surroundings(), answers.put, SERVE), answers)
    try:
        yield process
    except BaseException:
        if not process.ended:
            process.stop()
        raise
    if not process.ended:
        with _lock:
            _idle.append(process)
