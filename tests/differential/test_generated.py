"""A short run of what `nox -s fuzz` does at length: generated programs, changed ones, planted bugs, hash seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.differential.campaign import (
    LEAST_COMPILED,
    hunt,
    mixed_of,
    mutant_of,
    nested_of,
    order_of,
    program_of,
    run,
    target_of,
    trials_of,
)
from tests.differential.control import PAIRS, control_pairs
from tests.differential.determinism import PROGRAM, SAMPLE, SPEC, differing
from tests.differential.generate.programs import generate
from tests.differential.isolated import Judge
from tests.differential.judge import Outcome
from tests.differential.planted import BUGS, planted
from tests.differential.program import Program
from tests.differential.rows import DETECTORS, REFUSALS, ROWS
from tests.shares import one_in

SEED = 1
PROGRAMS = 50
MUTANTS = 50
MIXED = 80
FURTHER = 20

programs = st.randoms(use_true_random=False).map(lambda random: generate(Random(random.getrandbits(64))))


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as found:
        yield found


def test_programs_agree_and_compile(judge: Judge) -> None:
    report = run(PROGRAMS, SEED, judge=judge)
    assert not report.different and not report.stumbled
    assert report.compiled >= LEAST_COMPILED, report.refused


def test_changed_programs_are_refused_or_agree(judge: Judge) -> None:
    report = run(MUTANTS, SEED, source=mutant_of, judge=judge)
    assert not report.different and not report.stumbled
    assert report.outcomes[Outcome.REFUSED] > MUTANTS // 4


def test_numbers_on_one_path_agree_or_are_refused(judge: Judge) -> None:
    report = run(MIXED, SEED, source=mixed_of, judge=judge)
    assert not report.different and not report.stumbled
    assert not report.rarely_refused(), report.refused


@pytest.mark.parametrize("source", [trials_of, order_of, nested_of, target_of])
def test_further_programs_agree_or_are_refused(judge: Judge, source: Callable[[int, int], Program]) -> None:
    report = run(FURTHER, SEED, source=source, judge=judge)
    assert not report.different
    assert not report.stumbled
    assert report.compared > FURTHER // 2


def test_a_stumble_of_our_own_tools_is_told_and_ends_nothing(judge: Judge) -> None:
    def source(seed: int, index: int) -> Program:
        if index == 1:
            raise StopIteration("planted")
        return program_of(seed, index)

    report = run(3, SEED, source=source, judge=judge)
    assert report.programs == 2
    assert [name for name, _ in report.stumbled] == [f"{SEED}:1"]
    assert any("STUMBLED" in line and "planted" in line for line in report.lines())


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs)
def test_any_program_agrees(judge: Judge, program: Program) -> None:
    verdict, _ = judge(program)
    assert verdict.outcome is not Outcome.DIFFERENT, f"{verdict.detail}\n{program.describe()}"


def test_a_seed_gives_one_program() -> None:
    assert [program_of(SEED, index).text for index in range(20)] == [
        program_of(SEED, index).text for index in range(20)
    ]


def test_every_row_of_the_page_has_a_detector() -> None:
    assert set(ROWS) == set(DETECTORS)
    assert all(REFUSALS.values())


def test_pairs_of_control_constructs() -> None:
    text = "for i in x:\n    while y:\n        if z:\n            break\n    else:\n        return\n"
    found = control_pairs(text)
    assert found <= set(PAIRS)
    assert {"while in for", "if in while break", "while else in for return", "if in for"} <= found
    assert "while in for break" not in found


# ----------------------------------------------------------------------------------------------- planted bugs


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_has_its_place(bug) -> None:
    with planted(bug):
        pass


# Where those are looked for that are found soon: from which program of which seed on. `nox -s fuzz` finds all of them.
SOON_FOUND = {
    "tuple assignments one after the other": (SEED, 36),
    "an augmented assignment turns its operands around": (4, 60),
    "a loop hands the stale value on": (2, 0),
    "a loop makes one trip at least": (5, 0),
    "a loop's body captures the value from before the loop": (4, 17),  # others make loops that do not end first
}


@pytest.mark.parametrize("name", one_in(3, SOON_FOUND))
def test_a_planted_bug_is_found(judge: Judge, name: str) -> None:
    bug = next(item for item in BUGS if item.name == name)
    seed, first = SOON_FOUND[name]
    assert hunt(bug, 100, seed, indexes=range(first, 100), judge=judge) is not None


@pytest.mark.long
def test_bytes_do_not_hang_on_the_hash_seed() -> None:
    names, different = differing(hash_seeds=2, seed=SEED, wanted=30, step=18)
    assert len(names) == 30
    assert {name.partition(" ")[0] for name in names} == {SPEC, SAMPLE, PROGRAM}
    assert not different
