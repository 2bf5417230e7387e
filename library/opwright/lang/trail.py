"""The trail: the log of every change of the lowering state, as far as a trial may have to take it back.

Lowering tries things out: a loop as a `Loop` before its body is copied, two values as one before they are kept apart.
While such a trial is open each change of the state leaves its inverse here. Rolling back runs them, newest first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key")

Undo = Callable[[], object]


class Trail:
    """Changes go through it whether or not a trial is open; without one they leave nothing behind."""

    __slots__ = ("_log", "_open")

    def __init__(self) -> None:
        self._log: list[Undo] = []
        self._open = 0

    @property
    def is_open(self) -> bool:
        """Whether a trial is open."""
        return self._open > 0

    def record(self, undo: Undo) -> None:
        """Notes how to take back a change that has just been made."""
        if self._open:
            self._log.append(undo)

    def append(self, items: list[Item], item: Item) -> None:
        items.append(item)
        if self._open:
            self._log.append(partial(_drop, items, item))

    def put(self, mapping: dict[Key, Item], key: Key, value: Item) -> None:
        if self._open:
            if key in mapping:
                self._log.append(partial(mapping.__setitem__, key, mapping[key]))
            else:
                self._log.append(partial(mapping.pop, key, None))
        mapping[key] = value

    def add(self, items: set[Item], item: Item) -> None:
        if self._open and item not in items:
            self._log.append(partial(items.discard, item))
        items.add(item)

    @property
    def mark(self) -> int:
        """Where the log ends now, to go back to."""
        return len(self._log)

    def back_to(self, mark: int) -> None:
        """Takes back what was changed since a mark; the trials that are open stay open."""
        while len(self._log) > mark:
            self._log.pop()()

    # ---------------------------------------------------------------------------------------------- trials

    def begin(self) -> int:
        """Opens a trial; gives the mark at which it ends again."""
        self._open += 1
        return len(self._log)

    def commit(self, mark: int) -> None:
        """Ends a trial and keeps what it changed; a trial around it may still take that back."""
        self._open -= 1
        if not self._open:
            del self._log[mark:]

    def roll_back(self, mark: int) -> None:
        """Ends a trial and takes back what it changed."""
        self._open -= 1
        self.back_to(mark)


def _drop(items: list[Item], item: Item) -> None:
    """Removes an item that was appended; it is the last one, unless a step removed it itself."""
    if items and items[-1] is item:
        items.pop()
