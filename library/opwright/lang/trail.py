"""The trail: the log of every change of the lowering state, as far as a trial may have to take it back.

Lowering tries things out: a loop as a `Loop` before its body is copied, two values as one before they are kept apart.
While such a trial is open each change of the state leaves its inverse here. Rolling back runs them, newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ParamSpec, TypeVar

from opwright.lang.schema_reads import SchemaReads

Item = TypeVar("Item")
Key = TypeVar("Key")

P = ParamSpec("P")


class Trail:
    """Changes go through it whether or not a trial is open; without one they leave nothing behind.

    `reads` is what operators were asked on the way. No trial takes that back: its outcome hangs on the answers.
    `marks`: how often a mark has been set or gone back to. Of changes of one place under the same number, the first
    alone is to be taken back.
    """

    __slots__ = ("_log", "_open", "marks", "reads")

    def __init__(self, reads: SchemaReads | None = None) -> None:
        self.reads = SchemaReads() if reads is None else reads
        self._log: list[tuple[object, ...]] = []  # what takes a change back, and what it is called with
        self.marks = 0
        self._open = 0

    @property
    def is_open(self) -> bool:
        """Whether a trial is open."""
        return self._open > 0

    def record(self, undo: Callable[P, object], *operands: P.args, **_: P.kwargs) -> None:
        """Notes how to take back a change that has just been made: `undo`, called with the operands."""
        if self._open:
            self._log.append((undo, *operands))

    def append(self, items: list[Item], item: Item) -> None:
        items.append(item)
        if self._open:
            self._log.append((_drop, items, item))

    def put(self, mapping: dict[Key, Item], key: Key, value: Item) -> None:
        if self._open:
            if key in mapping:
                self._log.append((dict.__setitem__, mapping, key, mapping[key]))
            else:
                self._log.append((dict.pop, mapping, key, None))
        dict.__setitem__(mapping, key, value)

    def fill(self, mapping: dict[Key, Item], items: Mapping[Key, Item]) -> None:
        """Puts items whose keys are not there."""
        if self._open:
            self._log.append((_take_out, mapping, tuple(items)))
        dict.update(mapping, items)

    def remove(self, mapping: dict[Key, Item], key: Key) -> Item:
        """Takes a key, which is there, out of a mapping; gives its value."""
        value = dict.pop(mapping, key)
        if self._open:
            self._log.append((dict.__setitem__, mapping, key, value))
        return value

    def add(self, items: set[Item], item: Item) -> None:
        if self._open and item not in items:
            self._log.append((set.discard, items, item))
        items.add(item)

    @property
    def mark(self) -> int:
        """Where the log ends now, to go back to."""
        self.marks += 1
        return len(self._log)

    def back_to(self, mark: int) -> None:
        """Takes back what was changed since a mark; the trials that are open stay open."""
        self.marks += 1
        while len(self._log) > mark:
            undo, *operands = self._log.pop()
            assert callable(undo)
            undo(*operands)

    def forget(self) -> None:
        """Ends all trials and keeps what they changed. The log, which refers to all that has been changed, is gone."""
        self._open = 0
        self._log.clear()

    # ---------------------------------------------------------------------------------------------- trials

    def begin(self) -> int:
        """Opens a trial; gives the mark at which it ends again."""
        self._open += 1
        self.marks += 1
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


def _take_out(mapping: dict[Key, Item], keys: Iterable[Key]) -> None:
    for key in keys:
        dict.pop(mapping, key, None)


def _drop(items: list[Item], item: Item) -> None:
    """Removes an item that was appended; it is the last one, unless a step removed it itself."""
    if items and items[-1] is item:
        items.pop()
