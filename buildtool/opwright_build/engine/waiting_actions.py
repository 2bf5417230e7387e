"""The actions of one `run_mutual` on their way to the processes or machines that run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from opwright_build.engine.action import Action
from opwright_build.engine.sources import Sources
from opwright_build.engine.store import Store


@dataclass(frozen=True, slots=True)
class RunContext:
    """What these actions need: the functions of their kinds (`registry`), the store of their inputs, and sources.
    `expected` names the sources that an action is sure to read, and `sizes` says how many bytes these have, for each
    action that is known to be missing."""

    registry: Mapping[str, str]
    store: Store
    sources: Sources
    expected: Callable[[str], Sequence[str]]
    sizes: Mapping[str, int]

    def inputs(self, action: Action) -> dict[str, bytes]:
        """The bytes of an action's inputs by their digests, as far as the store has them."""
        found = self.store.held(action.inputs.values())
        for digest in action.inputs.values():
            data = None if digest in found else self.store.get(digest)
            if data is not None:
                found[digest] = data
        return found


class WaitingActions:
    """Names of actions in the order in which they are to run: urgent ones, then those with much to read."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._actions: dict[str, Action] = {}
        self._urgent: dict[str, None] = {}
        self._pending: dict[str, None] = dict.fromkeys(sorted(sizes, key=lambda name: -sizes[name]))

    def __len__(self) -> int:
        return len(self._urgent) + len(self._pending)

    def __getitem__(self, name: str) -> Action:
        """An action that was added, wherever it is now."""
        return self._actions[name]

    def add(self, name: str, action: Action, urgent: bool) -> None:
        self._actions[name] = action
        (self._urgent if urgent else self._pending)[name] = None

    def hasten(self, name: str) -> None:
        """Makes an action urgent, if it waits."""
        if name in self._pending:
            del self._pending[name]
            self._urgent[name] = None

    def put_back(self, names: Iterable[str]) -> None:
        """They are the next."""
        self._urgent = {**dict.fromkeys(names), **self._urgent}

    def first(self) -> str | None:
        return next(iter(self._urgent or self._pending), None)

    def take(self) -> str | None:
        """The first one, which waits no longer; None where none is left."""
        name = self.first()
        if name is not None:
            del (self._urgent or self._pending)[name]
        return name
