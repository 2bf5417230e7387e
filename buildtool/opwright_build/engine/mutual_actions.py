"""Actions that read one another's results: each runs when what it asks for is there, whoever runs them.

Which results an action needs is known only while it runs, or while it is looked up: then it waits for the first that is
missing, and begins anew when that one is done. So an action's function may start more than once. Actions that wait for
one another in a circle are not run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.action import Action, Failed, Outcome, Read
from opwright_build.engine.perform import Performed
from opwright_build.engine.sources import NotYetError


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an action; `why` says why it ran, and is empty when it came from the cache; `seconds` how long."""

    action: Action
    outcome: Outcome
    reads: Sequence[Read]
    cached: bool
    why: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    name: str
    performed: Performed


@dataclass(frozen=True, slots=True)
class Waits:
    """The action was given up: it asked for the result of `needed`."""

    name: str
    needed: str


@dataclass(frozen=True, slots=True)
class Lost:
    """What ran the action did not survive it."""

    name: str
    finding: Diagnostic


Event = Finished | Waits | Lost


class Performer(Protocol):
    """Runs actions, one at a time or many."""

    def add(self, name: str, action: Action, urgent: bool) -> None:
        """The action is to run; `urgent`, before those that were added so far."""

    def hasten(self, name: str) -> None:
        """Others wait for an action: if it was added and has not begun, it is the next."""

    def next(self) -> Event | None:
        """What happens next; None where nothing is left to run."""


class MutualActions:
    """A run of such actions. `find` looks an action up and raises NotYetError, `keep` stores what came of one, `tell`
    is called with each result that was found or made; `start` gives who runs those that were not found."""

    def __init__(
        self,
        actions: Mapping[str, Action],
        results: dict[str, Result],
        *,
        find: Callable[[Action], Result | None],
        keep: Callable[[Action, Performed], Result],
        tell: Callable[[Result], None],
        cycle: Callable[[Sequence[str]], Outcome],
        start: Callable[[Mapping[str, Action]], Performer],
    ) -> None:
        self._actions = actions
        self._results = results
        self._find = find
        self._keep = keep
        self._tell = tell
        self._cycle = cycle
        self._start = start
        self._performer: Performer | None = None
        self._missing: dict[str, Action] = {}  # what was not found, until there is a performer
        self._to_find: deque[str] = deque()
        self._begun: set[str] = set()  # looked up, at least once
        self._waits: dict[str, str] = {}  # the one that each waits for
        self._waiting: dict[str, list[str]] = {}  # those that wait for each
        self._finding: set[str] = set()  # those that wait to be looked up again

    def run(self, only: Collection[str] | None = None) -> None:
        """Fills the results of all, or with `only` of these and of what they ask for."""
        self._to_find.extend(name for name in self._actions if only is None or name in only)
        while self._step():
            pass

    @property
    def waiting(self) -> Mapping[str, str]:
        """Those that are not done, each with the one that it waits for."""
        return dict(self._waits)

    def _step(self) -> bool:
        if self._to_find:
            self._look_up(self._to_find.popleft())
            return True
        if self._performer is None:
            self._performer = self._start(self._missing)
            for name, action in self._missing.items():
                self._performer.add(name, action, False)
        match self._performer.next():
            case Finished(name, performed):
                self._complete(name, self._keep(self._actions[name], performed))
            case Waits(name, needed):
                self._wait(name, needed)
            case Lost(name, finding):
                self._complete(name, Result(self._actions[name], Failed((finding,)), (), cached=False))
            case None:
                return False
        return True

    def _look_up(self, name: str) -> None:
        if name in self._begun:
            return
        self._begun.add(name)
        try:
            result = self._find(self._actions[name])
        except NotYetError as error:
            self._finding.add(name)
            self._wait(name, error.needed)
            return
        if result is None:
            self._perform(name)
        else:
            self._complete(name, result)

    def _perform(self, name: str) -> None:
        if self._performer is None:
            self._missing[name] = self._actions[name]
        else:
            self._performer.add(name, self._actions[name], True)

    def _complete(self, name: str, result: Result) -> None:
        self._results[name] = result
        self._tell(result)
        for waiting in self._waiting.pop(name, ()):
            if self._waits.pop(waiting, None) is not None:
                self._resume(waiting)

    def _resume(self, name: str) -> None:
        if name in self._finding:
            self._finding.remove(name)
            self._begun.remove(name)
            self._to_find.append(name)
        else:
            self._perform(name)

    def _wait(self, name: str, needed: str) -> None:
        if needed in self._results:  # it was done in the meantime
            self._resume(name)
            return
        self._waits[name] = needed
        self._waiting.setdefault(needed, []).append(name)
        circle = self._circle(name)
        if circle:
            self._break(circle)
        elif needed not in self._begun:
            self._to_find.appendleft(needed)
        elif self._performer is not None:
            self._performer.hasten(needed)

    def _circle(self, name: str) -> list[str]:
        """Those that wait for one another, this one among them; nothing where it does not wait for itself."""
        circle = [name]
        while self._waiting.get(name):
            following = self._waits.get(circle[-1])
            if following == name:
                return circle
            if following is None:
                break
            circle.append(following)
        return []

    def _break(self, circle: Sequence[str]) -> None:
        """Those that are looked up would ask for the same again: all that they read before that is as it was."""
        first = next(name for name in self._actions if name in circle)  # the same whoever was found first
        start = circle.index(first)
        outcome = self._cycle([*circle[start:], *circle[:start]])
        for name in circle:
            del self._waits[name]
            self._finding.discard(name)
        for name in circle:
            self._results[name] = Result(self._actions[name], outcome, (), cached=False)
        for name in circle:
            for waiting in self._waiting.pop(name, ()):
                if self._waits.pop(waiting, None) is not None:
                    self._resume(waiting)
