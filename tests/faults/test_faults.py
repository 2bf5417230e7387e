"""A few faults of each kind, always the same; `nox -s faults` tries eight hundred."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.defects import DEFECTS
from tests.faults.small_library import CHOICES, FIRST, some_state, sources

ROOT = Path(__file__).parents[2]
FEW = {
    "killed": 2,
    "paired": 1,
    "corrupted": 2,
    "poisoned": 2,
    "full": 3,
    "unreadable": 2,
    "read-only": 2,
    "other-kinds": 4,
    "clocks": 2,
}


def faults(*words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), *sys.path])
    command = [sys.executable, "-m", "tests.faults", *words]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_some_of_each_kind() -> None:
    counts = [word for name, count in FEW.items() for word in (f"--{name}", str(count))]
    ran = faults("--seed", "7", "--states", "4", "--planted", "0", *counts)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines() == [
        "seed 7",
        *(f"{name}: {count} trials, 0 with a flaw" for name, count in FEW.items()),
    ]


# Those that the first trials of a seed show. Where a build is killed is a matter of time: the session shows those that
# only that reveals.
SOON_FOUND = {
    "outputs are written in place": 5,
    "seals are not checked": 2,
    "the time of a file stands for its contents": 3,
}


@pytest.mark.parametrize("name", SOON_FOUND)
@pytest.mark.long
def test_a_planted_defect_is_found(name: str) -> None:
    kind = DEFECTS[name].kind
    ran = faults("--seed", str(SOON_FOUND[name]), "--states", "4", "--only", kind, f"--{kind}", "60", "--plant", name)
    assert ran.returncode == 1 and "Traceback" not in ran.stderr, ran.stdout + ran.stderr


def test_the_states_of_the_library_differ_in_contents_alone() -> None:
    numbers = random.Random(0)
    sizes = {name: len(data) for name, data in sources(FIRST).items()}
    states = {some_state(numbers) for _ in range(50)}
    assert len(states) > len(CHOICES)
    for state in states:
        assert {name: len(data) for name, data in sources(state).items()} == sizes
