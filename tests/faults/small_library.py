"""A library of four functions that call each other, in a few states, all of the same sizes; and what each builds to."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from opwright_build.engine.publish import TEMPORARY

from tests.faults.runs import Ran, run

LIBRARY = Path(__file__).parents[1] / "bundle" / "golden" / "library"
OUTPUTS = ("dist", "library")
ACME = "specs/com.acme"
# What may stand in each place of a file; the texts of a place have one length, so that no size tells them apart.
CHOICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"{ACME}/Gate/function.py", ("alpha: float = 1.0", "alpha: float = 1.5", "alpha: float = 2.0")),
    (f"{ACME}/Gate/function.py", ("X * op.Sigmoid(alpha * X)", "op.Sigmoid(X * alpha) * X")),
    (f"{ACME}/Twice/function.py", ("alpha=2.0", "alpha=3.0")),
    (f"{ACME}/Bound/spec.yaml", ("Values within bounds.", "Values inside bounds.")),
    (f"{ACME}/domain.yaml", ("version: 2", "version: 3")),
    ("specs/library.yaml", ("1.0.0", "1.0.1")),
)
State = tuple[int, ...]
Files = dict[str, bytes]
FIRST: State = (0,) * len(CHOICES)  # whose vectors are right


STATES: list[State] = []  # to choose from; all where there is none


def some_state(numbers: random.Random, other_than: State = ()) -> State:
    while True:
        state = numbers.choice(STATES or [tuple(numbers.randrange(len(texts)) for _, texts in CHOICES)])
        if state != other_than:
            return state


def some_states(numbers: random.Random, count: int) -> list[State]:
    """So many states, in which each place of a file holds more than one text, where there are more than one."""
    while True:
        found = [some_state(numbers) for _ in range(count)]
        if count < 2 or all(len(set(chosen)) > 1 for chosen in zip(*found, strict=True)):
            return found


def sources(state: State) -> Files:
    found = {
        path.relative_to(LIBRARY).as_posix(): path.read_bytes()
        for path in sorted(LIBRARY.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    for (path, texts), chosen in zip(CHOICES, state, strict=True):
        first, wanted = texts[0].encode(), texts[chosen].encode()
        assert first in found[path] and len(first) == len(wanted), path
        found[path] = found[path].replace(first, wanted)
    return found


def write(root: Path, state: State) -> list[Path]:
    """Gives the library the sources of a state; the files that had to change."""
    changed = []
    for name, data in sources(state).items():
        path = root / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            changed.append(path)
    return changed


def outputs(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for name in OUTPUTS
        for path in sorted((root / name).rglob("*"))
        if path.is_file() and not path.name.endswith(TEMPORARY)
    }


def leftovers(root: Path) -> list[str]:
    beside_outputs = [path for name in OUTPUTS for path in (root / name).rglob(f"*{TEMPORARY}")]
    return [path.name for path in (*beside_outputs, *(root / ".opwright").glob(".*"))]


@dataclass(slots=True)
class Quiet:
    """What each state is built to where nothing happens."""

    folder: Path
    known: dict[State, Files] = field(default_factory=dict)

    def outputs(self, state: State) -> Files:
        if state not in self.known:
            root = self.folder / "quiet"
            shutil.rmtree(root, ignore_errors=True)
            write(root, state)
            ran = run(["build"], root)
            assert ran.status == 0, ran.told
            self.known[state] = outputs(root)
        return self.known[state]


@dataclass(slots=True)
class Trial:
    """One fault, in a library that is built: what it does wrong is told in `flaws`."""

    root: Path
    quiet: Quiet
    numbers: random.Random
    state: State
    flaws: list[str] = field(default_factory=list)
    forgotten: bool = False

    def forget(self) -> None:
        """What the tool remembers of its outputs is lost: it will not remove those of earlier versions, since nothing
        says any more that they are its own."""
        self.forgotten = True

    def change(self) -> list[Path]:
        """Another state of the sources, which is still to be built."""
        self.state = some_state(self.numbers, self.state)
        return write(self.root, self.state)

    def judge(self, ran: Ran, what: str) -> None:
        if ran.flaw:
            self.flaws.append(f"{what}: {ran.flaw}")

    def must_be_good(self, ran: Ran, what: str) -> None:
        """The command ends well, and what lies there is what a quiet build makes."""
        self.must_be_built(ran, what)
        self.flaws += [f"{what}: {name} is left over" for name in leftovers(self.root)]

    def must_be_built(self, ran: Ran, what: str) -> None:
        """The same, but for temporary files that could not be removed."""
        if ran.status:
            self.flaws.append(f"{what}: {ran.told}")
        self.flaws += [f"{what}: {flaw}" for flaw in self.differing()]

    def differing(self) -> Iterator[str]:
        found, wanted = outputs(self.root), self.quiet.outputs(self.state)
        if self.forgotten:
            for path in [path for path in found if path.startswith("dist/") and path not in wanted]:
                (self.root / path).unlink()
                del found[path]
        for path in sorted(found.keys() | wanted.keys()):
            if found.get(path) != wanted.get(path):
                state = "missing" if path not in found else "left over" if path not in wanted else "other bytes"
                yield f"{path}: {state}"
        changed = [name for name, data in sources(self.state).items() if (self.root / name).read_bytes() != data]
        yield from (f"{name} is a source, and has changed" for name in changed)

    def old_or_new(self, before: Files, what: str) -> None:
        """Each output is that of before or that of the state, and none is lost that both have."""
        new, found = self.quiet.outputs(self.state), outputs(self.root)
        for path, data in found.items():
            if data not in (before.get(path), new.get(path)):
                self.flaws.append(f"{what}: {path} is neither old nor new")
        self.flaws += [f"{what}: {path} is lost" for path in before.keys() & new.keys() - found.keys()]
