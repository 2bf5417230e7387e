"""Builds that are killed, and builds that run at once."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.faults.runs import Ran, Running, run, start, with_end_at, with_operations_counted
from tests.faults.small_library import Trial, outputs, some_state, write


@dataclass(frozen=True, slots=True)
class Measures:
    """Of a build here: the seconds that it takes, where nothing is known, and the operations that write files then and
    where most is known."""

    seconds: float
    operations: int
    few_operations: int


@cache
def _measures(folder: Path) -> Measures:
    """Those of builds of a library below that folder."""
    root, note, numbers = folder / "measured", folder / "operations", random.Random(0)
    counted = with_operations_counted(note, root)
    state = some_state(numbers)
    write(root, state)
    found = []
    for words in (["build"], ["build"], ["build", "--rerun"]):
        begun = time.perf_counter()
        assert run(words, root, counted).status == 0
        found.append((time.perf_counter() - begun, int(note.read_text(encoding="utf-8"))))
        state = some_state(numbers, state)
        write(root, state)
    return Measures(found[0][0], found[0][1], min(found[1][1], found[2][1]))


def killed(trial: Trial) -> None:
    """A build of changed sources ends at any moment, with all that it has started; now and then a few in a row."""
    numbers, measures = trial.numbers, _measures(trial.root.parents[1])
    built = trial.state
    for attempt in range(numbers.choice((1, 1, 2, 3))):
        before = outputs(trial.root)
        trial.change()
        operations = measures.operations
        match numbers.randrange(6):
            case 0:
                trial.forget()
                shutil.rmtree(trial.root / ".opwright", ignore_errors=True)
            case 1 | 2:
                shutil.rmtree(trial.root / ".opwright" / "cache", ignore_errors=True)
            case _:
                operations = measures.few_operations
        command = numbers.choice((["build"], ["build", "--rerun"]))
        if numbers.random() < 0.5:
            first = numbers.choice((0, operations // 2))
            ran = run(command, trial.root, with_end_at(numbers.randrange(first, operations), trial.root))
        else:
            building = start(command, trial.root)
            time.sleep(numbers.uniform(0, 1.1) * measures.seconds)
            building.kill()
            ran = building.wait()
        if ran.status >= 0:
            trial.judge(ran, "the build")
        trial.old_or_new(before, f"kill {attempt}")
        if trial.flaws:
            return
    if numbers.random() < 0.5:  # nobody wants what the killed build was to make
        trial.state = built
        write(trial.root, built)
    trial.must_be_good(run(["build"], trial.root), "the build after it")


def _same_folder(trial: Trial) -> list[Running]:
    trial.change()
    return [start(["build"], trial.root), start(["build", "--rerun"], trial.root)]


def _changed_between(trial: Trial) -> list[Running]:
    trial.change()
    first = start(["build"], trial.root)
    time.sleep(trial.numbers.uniform(0, 1) * _measures(trial.root.parents[1]).seconds)
    trial.change()
    return [first, start(["build"], trial.root)]


def _one_killed(trial: Trial) -> list[Running]:
    trial.change()
    first, second = start(["build"], trial.root), start(["build"], trial.root)
    time.sleep(trial.numbers.uniform(0, 1) * _measures(trial.root.parents[1]).seconds)
    first.kill()
    first.wait()
    return [second]


def _beside_a_look(trial: Trial) -> list[Running]:
    trial.change()
    return [start(["build"], trial.root), start(["ls", "--json"], trial.root), start(["lint"], trial.root)]


def _in_one_cache(trial: Trial) -> list[Running]:
    """Two checkouts, of other states, with one cache."""
    other = trial.root.with_name("other checkout")
    cache = ["--cache", str(trial.root.with_name("one cache"))]
    state = some_state(trial.numbers)
    write(other, state)
    trial.change()
    running = [start(["build", *cache], trial.root), start(["build", *cache], other)]
    both: list[Ran] = [item.wait() for item in running]
    there = Trial(other, trial.quiet, trial.numbers, state)
    for ran in both:
        trial.judge(ran, "builds in one cache")
    there.must_be_good(both[1], "the other checkout")
    trial.flaws += there.flaws
    return [start(["build", *cache], trial.root)]


PAIRS: tuple[Callable[[Trial], list[Running]], ...] = (
    _same_folder,
    _changed_between,
    _one_killed,
    _beside_a_look,
    _in_one_cache,
    _in_one_cache,
)


def paired(trial: Trial) -> None:
    """Two commands at once, in one folder or with one cache; when all have ended, the last sources are built."""
    chosen = trial.numbers.choice(PAIRS)
    ran = [item.wait() for item in chosen(trial)]
    for item in ran:
        trial.judge(item, chosen.__name__.strip("_"))
    last = ran[1] if chosen is not _one_killed and len(ran) == 2 else ran[0]
    trial.must_be_good(last, chosen.__name__.strip("_"))
    again = run(["build", "--json"], trial.root)
    trial.must_be_good(again, "the build after both")
