"""Actions on the workers of a cluster: a performer beside that of the process pool.

An action goes out with the bytes of its inputs and of the sources that it is expected to read. One that asks for more
comes back, and goes out again with that too. What comes back as done is looked at before it is believed: its outputs
are what their digests say, and it has read what it was given.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.cluster.cluster import Cluster, lost_with_workers, replies_of, wrong_answer
from opwright_build.cluster.remote_work import ActionBatch
from opwright_build.engine.action import Action, Done, decode_entry
from opwright_build.engine.action_pool import LIMIT, lost_action, no_worker
from opwright_build.engine.action_server import Work
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.mutual_actions import Event, Finished, Lost, Performer, Waits
from opwright_build.engine.perform import Performed
from opwright_build.engine.sources import REFUSED, NotYetError, as_file
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.engine.waiting_actions import RunContext, WaitingActions

_MOST = 16  # actions in one batch
_AHEAD = 0.2  # seconds of work in one
_FIRST_PACE = 0.05  # seconds for an action, until it is known


class RemotePool:
    """Performers over a cluster, which `connect` gives when something is to run. `limit` is in seconds, for one
    action."""

    def __init__(self, connect: Callable[[], Cluster], limit: float = LIMIT) -> None:
        self._connect = connect
        self._limit = limit

    def performer(self, context: RunContext) -> Performer:
        return _Remote(self._connect() if context.sizes else None, self._limit, context)

    def prepare(self, actions: int) -> None:
        """Nothing can be done ahead."""


@dataclass(slots=True)
class _Known:
    """What is sent along with an action."""

    sources: dict[str, bytes | None] = field(default_factory=dict)
    refused: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)

    def has(self, name: str, digest: str | None) -> bool:
        """Whether a source of that digest was sent."""
        if name in self.refused:
            return digest == REFUSED
        data = self.sources.get(name)
        return name in self.sources and digest == (None if data is None else digest_bytes(data))


class _Remote:
    """Runs the actions of one `run_mutual`."""

    def __init__(self, cluster: Cluster | None, limit: float, context: RunContext) -> None:
        self._cluster = cluster
        self._limit = limit
        self._context = context
        self._waiting = WaitingActions(context.sizes)
        self._known: dict[str, _Known] = {}
        self._alone: set[str] = set()  # those of a batch that was lost with its workers
        self._running: dict[int, tuple[str, ...]] = {}
        self._events: deque[Event] = deque()
        self._pace = _FIRST_PACE

    def add(self, name: str, action: Action, urgent: bool) -> None:
        self._waiting.add(name, action, urgent)

    def hasten(self, name: str) -> None:
        self._waiting.hasten(name)

    def next(self) -> Event | None:
        cluster = self._cluster
        if cluster is None:
            return None
        while not self._events and (self._waiting or self._running):
            self._feed(cluster)
            number, data = cluster.answer()
            names = self._running.pop(number)
            if data is None:
                self._lose(names)
                continue
            replies = replies_of(cluster, data, len(names)).replies
            for name, (header, payload) in zip(names, replies, strict=True):
                event = self._take(name, header, payload)
                if event is not None:
                    self._events.append(event)
        return self._events.popleft() if self._events else None

    def _feed(self, cluster: Cluster) -> None:
        waiting = len(self._waiting)
        while waiting and len(self._running) < 2 * cluster.width:
            share = -(-waiting // (2 * cluster.width))
            most = max(1, min(_MOST, share, int(_AHEAD / max(self._pace, 1e-6))))
            names: list[str] = []
            while len(names) < most:
                name = self._waiting.first()
                if name is None or (names and name in self._alone):
                    break
                self._waiting.take()
                names.append(name)
                if name in self._alone:
                    break
            waiting -= len(names)
            self._running[cluster.submit(self._packed(cluster, names))] = tuple(names)

    def _packed(self, cluster: Cluster, names: Sequence[str]) -> bytes:
        inputs: dict[str, bytes] = {}
        work: list[Work] = []
        for name in names:
            action, known = self._waiting[name], self._told(name)
            inputs |= self._context.inputs(action)
            work.append(Work(self._context.registry[action.kind], action, {}, known.sources, known.refused))
        batch = ActionBatch(cluster.terms, self._limit, inputs, tuple(work))
        return pickle.dumps(batch, protocol=pickle.HIGHEST_PROTOCOL)

    def _told(self, name: str) -> _Known:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _Known()
            for source in self._context.expected(name):
                self._tell(known, source)
        return known

    def _tell(self, known: _Known, source: str) -> None:
        """Adds a source to what is sent along. NotYetError where it is a result that is not there yet."""
        try:
            known.sources[source] = self._context.sources.read(source)
        except InfrastructureError:
            raise
        except DiagnosticError as error:
            known.refused[source] = error.diagnostics

    def _take(self, name: str, header: Mapping[str, Any], payload: bytes) -> Event | None:
        if "asks" in header:
            try:
                self._tell(self._known[name], str(header["asks"]))
            except NotYetError as error:
                return Waits(name, error.needed)
            self._waiting.add(name, self._waiting[name], urgent=True)
            return None
        if "unstarted" in header:
            raise InfrastructureError([no_worker(str(header["unstarted"]))])
        if "lost" in header:
            return Lost(name, lost_action(self._waiting[name], str(header["lost"])))
        entry = decode_entry(payload)
        known = self._known[name]
        believed = entry is not None and all(digest_bytes(data) == digest for digest, data in entry[1].items())
        if entry is None or not believed or not _fits(entry[0].outcome, entry[1]):
            raise InfrastructureError([wrong_answer(f"what a worker gave for {self._waiting[name].label} is damaged")])
        for read in entry[0].reads:
            if not known.has(as_file(read.name), read.digest):
                message = f"what a worker gave for {self._waiting[name].label} rests on {read.name}, as nobody gave it"
                raise InfrastructureError([wrong_answer(message)])
        seconds = float(header["seconds"])
        self._pace = 0.7 * self._pace + 0.3 * seconds
        return Finished(name, Performed(*entry, seconds))

    def _lose(self, names: Sequence[str]) -> None:
        """Which of several it was is not known: each runs again by itself. One that is lost so is a finding."""
        if len(names) > 1:
            self._alone.update(names)
            self._waiting.put_back(names)
        else:
            self._events.append(Lost(names[0], _lost(self._waiting[names[0]])))


def _fits(outcome: object, contents: Mapping[str, bytes]) -> bool:
    """Whether all outputs are there that an outcome names."""
    return not isinstance(outcome, Done) or set(outcome.outputs.values()) <= contents.keys()


def _lost(action: Action) -> Diagnostic:
    return Diagnostic(
        "OW966",
        f"{action.label} {lost_with_workers()}",
        reason="it ran on several, and each of them ended; nothing was kept of it",
        help="look at the workers of the cluster, or run it here, without --executor",
    )
