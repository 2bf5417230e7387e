"""The worker's side of `action_pool`: actions in, a record with the bytes of its outputs out for each.

A worker reads nothing itself: what an action asks for beyond that which came with it is asked of the pool. An action
that asks for a result that is not there yet is given up, and the next one begins; so is one for
which the memory does not suffice.
"""

from __future__ import annotations

import gc
import json
import pickle
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.action import Action, encode_entry
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.perform import perform
from opwright_build.engine.sources import REFUSED, NotYetError


@dataclass(frozen=True, slots=True)
class Work:
    """An action with what it needs: the function's `module:name`, the bytes of its inputs by digest, and those of
    sources that it is expected to read; `refused` are sources that must not be read, with why."""

    target: str
    action: Action
    inputs: Mapping[str, bytes]
    sources: Mapping[str, bytes | None]
    refused: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """What a source gives. `refused`: it must not be read. `needed`: the action whose result it is, and which has not
    run yet."""

    data: bytes | None = None
    refused: tuple[Diagnostic, ...] = ()
    needed: str | None = None


_ALLOCATIONS = 100_000  # until a garbage collection: little of what a worker makes refers to itself
Message = tuple[Work, ...] | Told


def serve_actions(receive: Callable[[], bytes], answers: BinaryIO) -> None:
    """Performs actions until the process is ended. Exceptions other than findings are bugs, and end it."""
    pending: deque[Work] = deque()

    def ask(name: str) -> Told:
        _answer(answers, {"ask": name})
        while True:
            message: Message = pickle.loads(receive())
            if isinstance(message, Told):
                return message
            pending.extend(message)

    gc.set_threshold(_ALLOCATIONS)
    _answer(answers, {"ready": True})
    while True:
        while not pending:
            message: Message = pickle.loads(receive())
            assert not isinstance(message, Told)
            pending.extend(message)
        work = pending.popleft()
        try:
            done = perform(work.target, work.action, work.inputs, None, _AskedSources(work, ask))
        except NotYetError as error:
            _answer(answers, {"waits": error.needed})
        except MemoryError:
            _answer(answers, {"lost": "ran out of memory"})
        else:
            _answer(answers, {"seconds": done.seconds}, encode_entry(done.record, done.made))


class _AskedSources:
    """Sources that came with an action; others are asked for."""

    def __init__(self, work: Work, ask: Callable[[str], Told]) -> None:
        self._known = dict(work.sources)  # what was told once stays so while the action runs
        self._refusals = work.refused
        self._ask = ask
        self._refused: set[str] = set()

    def digest(self, name: str) -> str | None:
        if name in self._refused:
            return REFUSED
        data = self.read(name)
        return None if data is None else digest_bytes(data)

    def read(self, name: str) -> bytes | None:
        if name in self._known:
            return self._known[name]
        told = Told(refused=self._refusals[name]) if name in self._refusals else self._ask(name)
        if told.needed is not None:
            raise NotYetError(told.needed)
        if told.refused:
            self._refused.add(name)
            raise DiagnosticError(told.refused)
        self._known[name] = told.data
        return told.data


def _answer(answers: BinaryIO, header: Mapping[str, object], payload: bytes = b"") -> None:
    line = json.dumps({**header, "size": len(payload)}).encode() + b"\n"
    answers.write(line + payload)
    answers.flush()
