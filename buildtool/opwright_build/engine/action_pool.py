"""Where actions run: here, one after the other, or in worker processes, as many as there are processors.

Workers are given actions in batches, so that small ones do not drown in messages, and long ones one at a time. A worker
that ends or stays silent costs the action at hand, which is a finding; the others of its batch run elsewhere.
"""

from __future__ import annotations

import pickle
import queue
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.action import Action, decode_entry
from opwright_build.engine.action_server import Told, Work
from opwright_build.engine.mutual_actions import Event, Finished, Lost, Performer, Waits
from opwright_build.engine.perform import Performed, perform
from opwright_build.engine.sources import NotYetError
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.engine.waiting_actions import RunContext, WaitingActions

LIMIT = 600.0  # seconds for one action
_START_LIMIT = 120.0  # until a worker has started, on a busy machine
_AHEAD = 0.05  # seconds of work that lie ready at a worker
_MOST_AHEAD = 16  # actions
_WORTH = 1 << 15  # bytes of sources: less work than that takes no longer than starting a process
_MANY = 100  # actions, for which processes are started before it is known what they are
_LOOK = 1.0  # seconds until Ctrl-C is seen where waiting cannot be interrupted


class Pool(Protocol):
    """Where the actions of `run_mutual` run."""

    def performer(self, context: RunContext) -> Performer: ...

    def prepare(self, actions: int) -> None:
        """So many actions are to run soon."""


class Inline:
    """Runs each action in this process: a crash is a crash, and nothing limits its time."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._pending: deque[tuple[str, Action]] = deque()

    def add(self, name: str, action: Action, urgent: bool) -> None:
        if urgent:
            self._pending.appendleft((name, action))
        else:
            self._pending.append((name, action))

    def hasten(self, name: str) -> None:
        found = next((item for item in self._pending if item[0] == name), None)
        if found is not None:
            self._pending.remove(found)
            self._pending.appendleft(found)

    def next(self) -> Event | None:
        if not self._pending:
            return None
        name, action = self._pending.popleft()
        context = self._context
        inputs = context.store.held(action.inputs.values())
        try:
            target = context.registry[action.kind]
            return Finished(name, perform(target, action, inputs, context.store, context.sources))
        except NotYetError as error:
            return Waits(name, error.needed)


class AnswerOf(Protocol):
    """What a worker answers: a JSON object and bytes."""

    @property
    def header(self) -> Mapping[str, Any]: ...

    @property
    def payload(self) -> bytes: ...


class Worker(Protocol):
    """A process that serves actions (`serve_actions`)."""

    def send(self, message: bytes) -> None: ...

    def stop(self) -> str: ...


Deliver = Callable[[AnswerOf | None], None]
StartWorker = Callable[[Deliver], Worker]


@dataclass(slots=True)
class _Slot:
    """A worker, the names of the actions that were given to it, and since when it is at the first of them."""

    number: int
    worker: Worker
    given: deque[str] = field(default_factory=deque)
    since: float = 0.0
    pace: float = _AHEAD  # seconds for an action, lately
    is_ready: bool = False


class ActionPool:
    """Worker processes for as long as it is open. `start` starts one; `jobs` is the most at a time, 1 for none: then
    actions run in this process. `limit` is in seconds, for one action. `wanted` uses workers however little there is to
    do."""

    def __init__(self, start: StartWorker, jobs: int, *, limit: float = LIMIT, wanted: bool = False) -> None:
        self._start = start
        self.jobs = jobs
        self.limit = limit
        self._wanted = wanted
        self._answers: queue.SimpleQueue[tuple[int, AnswerOf | None]] = queue.SimpleQueue()
        self._slots: dict[int, _Slot] = {}
        self._started = 0

    def performer(self, context: RunContext) -> Performer:
        return Pooled(self, context) if self.is_worth(context.sizes) else Inline(context)

    def is_worth(self, sources: Mapping[str, int]) -> bool:
        """Whether processes are started for actions that read so many bytes each."""
        return self.jobs > 1 and len(sources) > 1 and (self._wanted or sum(sources.values()) >= _WORTH)

    def prepare(self, actions: int) -> None:
        """Starts processes for so many actions that are to run soon: they import while other things are done."""
        if self.jobs > 1 and actions >= _MANY:
            self.slots(self.jobs)

    def slots(self, most: int) -> list[_Slot]:
        """The workers, started as far as so many are of use."""
        while len(self._slots) < min(self.jobs, most):
            number = self._started
            self._started += 1
            self._slots[number] = _Slot(number, self._start(self._deliver_of(number)), since=time.monotonic())
        return list(self._slots.values())

    def _deliver_of(self, number: int) -> Deliver:
        return lambda answer: self._answers.put((number, answer))

    def answer(self) -> tuple[_Slot, AnswerOf | None] | None:
        """The next answer of a worker; None where one is silent for too long, see `silent`."""
        while True:
            now = time.monotonic()
            left = min((self._limit_of(slot) - (now - slot.since) for slot in self._busy()), default=0.0)
            try:
                number, answer = self._answers.get(timeout=max(0.0, min(left, _LOOK)))
            except queue.Empty:
                if left <= 0:
                    return None
                continue
            if number in self._slots:  # else it was ended before
                return self._slots[number], answer

    def silent(self) -> list[_Slot]:
        now = time.monotonic()
        return [slot for slot in self._busy() if now - slot.since >= self._limit_of(slot)]

    def drop(self, slot: _Slot) -> str:
        """Ends a worker, and says how it had ended."""
        del self._slots[slot.number]
        return slot.worker.stop()

    def close(self) -> None:
        """Ends all workers, whatever they are doing."""
        for slot in list(self._slots.values()):
            self.drop(slot)

    def _busy(self) -> list[_Slot]:
        return [slot for slot in self._slots.values() if slot.given or not slot.is_ready]

    def _limit_of(self, slot: _Slot) -> float:
        return self.limit if slot.is_ready else _START_LIMIT


class Pooled:
    """Runs the actions of one `run_mutual` in the pool; its sources answer what workers ask."""

    def __init__(self, pool: ActionPool, context: RunContext) -> None:
        self._pool = pool
        self._context = context
        self._waiting = WaitingActions(context.sizes)
        self._running: set[str] = set()

    def add(self, name: str, action: Action, urgent: bool) -> None:
        self._waiting.add(name, action, urgent)

    def hasten(self, name: str) -> None:
        self._waiting.hasten(name)

    def next(self) -> Event | None:
        while self._waiting or self._running:
            self._feed()
            answered = self._pool.answer()
            if answered is None:
                slot = self._pool.silent()[0]
                return self._lose(slot, f"gave no answer within {self._pool.limit:g} s")
            slot, answer = answered
            event = self._lose(slot) if answer is None else self._take(slot, answer)
            if event is not None:
                return event
        return None

    def _feed(self) -> None:
        waiting = len(self._waiting)
        for slot in self._pool.slots(waiting + len(self._running)):
            share = -(-waiting // (2 * self._pool.jobs))
            most = max(1, min(_MOST_AHEAD, share, int(_AHEAD / max(slot.pace, 1e-6))))
            if len(slot.given) > most // 2:
                continue
            names = [name for name in (self._waiting.take() for _ in range(most)) if name is not None]
            if not names:
                continue
            if not slot.given and slot.is_ready:
                slot.since = time.monotonic()
            slot.given.extend(names)
            self._running.update(names)
            waiting -= len(names)
            self._send(slot, tuple(self._work(name) for name in names))

    def _work(self, name: str) -> Work:
        action, context = self._waiting[name], self._context
        sources = {}
        for source in context.expected(name):
            try:
                sources[source] = context.sources.read(source)
            except DiagnosticError:  # told where it is asked for
                continue
        return Work(context.registry[action.kind], action, context.inputs(action), sources)

    def _take(self, slot: _Slot, answer: AnswerOf) -> Event | None:
        header = answer.header
        if "error" in header:
            name = slot.given[0] if slot.given else "a worker"
            raise RuntimeError(f"{name} failed in a worker process:\n{header['error']}")
        if "ready" in header:
            slot.is_ready = True
            slot.since = time.monotonic()
            return None
        if "ask" in header:
            self._send(slot, self._told(str(header["ask"])))
            return None
        name = slot.given.popleft()
        self._running.discard(name)
        now = time.monotonic()
        slot.pace = 0.7 * slot.pace + 0.3 * (now - slot.since)
        slot.since = now
        if "waits" in header:
            return Waits(name, str(header["waits"]))
        if "lost" in header:
            return Lost(name, lost_action(self._waiting[name], str(header["lost"])))
        entry = decode_entry(answer.payload)
        assert entry is not None, "a worker's answer is no record"
        return Finished(name, Performed(*entry, float(header["seconds"])))

    def _told(self, name: str) -> Told:
        try:
            return Told(self._context.sources.read(name))
        except NotYetError as error:
            return Told(needed=error.needed)
        except InfrastructureError:
            raise
        except DiagnosticError as error:
            return Told(refused=error.diagnostics)

    def _send(self, slot: _Slot, message: object) -> None:
        try:
            slot.worker.send(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
        except OSError:
            return  # the end of its answers comes next

    def _lose(self, slot: _Slot, how: str = "") -> Event | None:
        """The worker's first action is lost, the others are run again."""
        was_ready, given = slot.is_ready, list(slot.given)
        ended = self._pool.drop(slot)
        if not was_ready:
            raise InfrastructureError([no_worker(how or ended)])
        self._running.difference_update(given)
        self._waiting.put_back(given[1:])
        return Lost(given[0], lost_action(self._waiting[given[0]], how or ended)) if given else None


def lost_action(action: Action, how: str) -> Diagnostic:
    return Diagnostic(
        code="OW930",
        message=f"{action.label}: the process that ran it {how}",
        reason="one action that crashes or hangs does not end the others; nothing was kept of it",
        help="run it again alone, with -j 1, to see what it does; --action-limit SECONDS gives it more time",
    )


def no_worker(how: str) -> Diagnostic:
    return Diagnostic(
        code="OW931",
        message=f"a worker process {how} before it did anything",
        help="-j 1 works without such processes",
    )
