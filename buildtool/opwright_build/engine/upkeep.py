"""What a store holds, whether it can be used, and what may go.

Nothing here takes a lock: a build that is at work in the same store makes a result again that it finds gone, as it does
with one that is damaged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from opwright_build.engine.tree import StoredFile

GRACE = 3600.0  # seconds in which a file that nothing refers to may still be one of a write that goes on


class Kind(Enum):
    """What a file of a store is by its name."""

    RESULT = "result"
    OUTPUT = "output"  # a large one, of a result
    LEFTOVER = "leftover"  # of a write that did not end
    OTHER = "other"  # none of ours


class Condition(Enum):
    """What became of the bytes of a file."""

    GOOD = "good"
    DAMAGED = "damaged"
    INCOMPLETE = "incomplete"  # a result of which outputs are gone
    FOREIGN = "foreign"  # sealed or signed by somebody who is not trusted
    UNREADABLE = "unreadable"


class Holding(Protocol):
    """What upkeep needs of a store. Methods raise InfrastructureError when it is out of reach."""

    def files(self) -> Iterable[StoredFile]: ...

    def kind(self, path: str) -> Kind: ...

    def examine(self, path: str) -> Condition | None:
        """The condition of a result or an output; None when it is gone by now."""
        ...

    def outputs_of(self, path: str) -> Collection[str]:
        """The files of large outputs that a result names, whoever made it."""
        ...

    def discard(self, file: StoredFile) -> bool:
        """Removes a file, unless it was written or used since it was listed."""
        ...


@dataclass(slots=True)
class Tally:
    """Files of one sort: how many, how large, and when they were last written or used."""

    files: int = 0
    bytes: int = 0
    oldest: float | None = None
    newest: float | None = None

    def add(self, file: StoredFile) -> None:
        self.files += 1
        self.bytes += file.size
        self.oldest = file.used if self.oldest is None else min(self.oldest, file.used)
        self.newest = file.used if self.newest is None else max(self.newest, file.used)


def survey(store: Holding) -> dict[Kind, Tally]:
    """What a store holds, by kind, by the names of its files alone."""
    tallies = {kind: Tally() for kind in Kind}
    for file in store.files():
        tallies[store.kind(file.path)].add(file)
    return tallies


def examine_all(
    store: Holding, tell: Callable[[StoredFile, Condition], None] = lambda file, condition: None
) -> Counter[Condition]:
    """Reads every result and output; `tell` hears of each."""
    found: Counter[Condition] = Counter()
    for file in store.files():
        if store.kind(file.path) in (Kind.RESULT, Kind.OUTPUT):
            condition = store.examine(file.path)
            if condition is not None:
                found[condition] += 1
                tell(file, condition)
    return found


@dataclass(frozen=True, slots=True)
class Limits:
    """What may stay: results used within `age` seconds, and no more than `size` bytes of files altogether."""

    age: float | None = None
    size: int | None = None


@dataclass(slots=True)
class _Plan:
    """Which files go, and how many bytes stay."""

    stays: int
    goes: list[StoredFile] = field(default_factory=list)

    def remove(self, file: StoredFile) -> None:
        self.goes.append(file)
        self.stays -= file.size


def choose(store: Holding, limits: Limits, now: float, in_use: Collection[str] = ()) -> Sequence[StoredFile]:
    """The files to remove: what is left of writes, results over the limits, the longest unused first, and outputs that
    no result names. Those `in_use` go last, and none of them for its age.

    A time in the future counts as now: clocks differ, and jump.
    """
    files = list(store.files())
    of: dict[Kind, list[StoredFile]] = {kind: [] for kind in Kind}
    for file in files:
        of[store.kind(file.path)].append(file)
    plan = _Plan(sum(file.size for file in files) - sum(file.size for file in of[Kind.OTHER]))
    for file in of[Kind.LEFTOVER]:
        if now - file.used > GRACE:
            plan.remove(file)
    outputs = {file.path: file for file in of[Kind.OUTPUT]}
    needs = {file.path: store.outputs_of(file.path) if outputs else () for file in of[Kind.RESULT]}
    needed = Counter(path for paths in needs.values() for path in set(paths))

    def release(path: str) -> None:
        needed[path] -= 1
        if not needed[path] and path in outputs:
            plan.remove(outputs.pop(path))

    for path in [path for path, file in outputs.items() if not needed[path] and now - file.used > GRACE]:
        plan.remove(outputs.pop(path))
    for file in sorted(of[Kind.RESULT], key=lambda file: (file.path in in_use, min(file.used, now), file.path)):
        too_old = limits.age is not None and now - file.used > limits.age and file.path not in in_use
        too_much = limits.size is not None and plan.stays > limits.size
        if too_old or too_much:
            plan.remove(file)
            for path in set(needs[file.path]):
                release(path)
    return plan.goes


def discard_all(store: Holding, files: Iterable[StoredFile]) -> list[StoredFile]:
    """Removes the files, and gives those that were removed."""
    return [file for file in files if store.discard(file)]
