"""Runs of many programs: what became of them, what they were made of, and whether planted bugs are found."""

from __future__ import annotations

import multiprocessing
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random

from tests.differential.control import PAIRS, control_pairs
from tests.differential.generate.nested import generate_nested
from tests.differential.generate.programs import generate_mixed
from tests.differential.generate.python import generate_at, generate_python
from tests.differential.generate.trials import generate_trials
from tests.differential.isolated import Judge
from tests.differential.judge import RUNTIMES, Outcome, Verdict
from tests.differential.mutate import mutate
from tests.differential.planted import Planted
from tests.differential.program import Program
from tests.differential.rows import ROWS, rows_of
from tests.differential.swaps import swapped

HUNTING_PATIENCE = 15.0  # seconds: a planted bug may well make a loop that never ends
BATCH = 250
TARGETS = range(7, 29)
LEAST_COMPILED = 0.9
PER_PROGRAMS = 20_000  # of this many programs
ROW_COUNT = 100  # so many have each row of docs/language.md
PAIR_COUNT = 20  # and so many have each pair of control constructs, one in the other
MIXED_CODES = ("OW304", "OW313", "OW314")  # what refuses a misuse of a value that is a number on some path
MIXED_SHARE = 100  # one of so many programs about such values is refused with each, and one in four with any


@dataclass(slots=True)
class Report:
    """Counts of one run; `different` are the names of programs that showed a difference, with it, `stumbled` of those
    that our own tools, the generator or a judge, made nothing of."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    compared: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    different: list[tuple[str, str]] = field(default_factory=list)
    stumbled: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def programs(self) -> int:
        return self.outcomes.total()

    @property
    def compiled(self) -> float:
        """The share of programs, all meant to be valid, that the compiler takes."""
        return 1 - self.outcomes[Outcome.REFUSED] / max(self.programs, 1)

    def add(self, name: str, program: Program, verdict: Verdict, seconds: float) -> None:
        self.outcomes[verdict.outcome] += 1
        self.seconds += seconds
        self.compared += verdict.compared
        self.skipped.update(verdict.reasons)
        if verdict.outcome is Outcome.REFUSED:
            self.refused[verdict.detail.partition(" ")[0]] += 1
        if verdict.outcome is Outcome.DIFFERENT:
            self.different.append((name, verdict.detail))
        if verdict.outcome is Outcome.AGREED:
            self.constructs.update(verdict.covered)
            self.rows.update(rows_of(program, verdict.covered))
            self.pairs.update(control_pairs(program.text))

    def merge(self, other: Report) -> None:
        for name in ("outcomes", "rows", "constructs", "pairs", "refused", "skipped"):
            getattr(self, name).update(getattr(other, name))
        self.compared += other.compared
        self.different += other.different
        self.stumbled += other.stumbled
        self.seconds += other.seconds

    def rare_rows(self) -> list[str]:
        """The rows that too few of the programs have, in proportion to their number."""
        return [row for row in ROWS if self.rows[row] * PER_PROGRAMS < ROW_COUNT * self.programs]

    def rare_pairs(self) -> list[str]:
        return [pair for pair in PAIRS if self.pairs[pair] * PER_PROGRAMS < PAIR_COUNT * self.programs]

    def rarely_refused(self) -> list[str]:
        """Of programs about values that are numbers on some path: the codes with which too few are refused."""
        found = [code for code in MIXED_CODES if self.refused[code] * MIXED_SHARE < self.programs]
        any_ = sum(self.refused[code] for code in MIXED_CODES)
        return found if any_ * 4 >= self.programs else [*found, " or ".join(MIXED_CODES)]

    @property
    def internal_errors(self) -> int:
        return sum("internal error" in detail for _, detail in self.different)

    def lines(self) -> Iterator[str]:
        for title, counts in (
            ("constructs that were run", self.constructs),
            ("pairs of control constructs", self.pairs),
            ("rows of docs/language.md", self.rows),
            ("refused", self.refused),
            ("not compared", self.skipped),
        ):
            yield f"{title}:"
            for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
                yield f"  {count:7,} {name}"
        for name, detail in sorted(self.different):
            yield f"DIFFERENT {name}: {detail}"
        for name, detail in sorted(self.stumbled):
            yield f"STUMBLED {name}: {detail}"
        yield self.summary()

    def summary(self) -> str:
        outcomes = ", ".join(f"{self.outcomes[outcome]:,} {outcome.value}" for outcome in Outcome)
        return (
            f"{self.programs:,} programs: {outcomes}; {self.internal_errors} internal errors;"
            f" {len(self.stumbled)} times our own tools stumbled;"
            f" {self.compiled:.1%} compiled; {self.compared:,} calls compared on {', '.join(RUNTIMES)}"
        )


# ------------------------------------------------------------------------------------------------- what is judged


def program_of(seed: int, index: int) -> Program:
    """The program of a seed and a number: always the same, on every platform."""
    return generate_python(Random(f"{seed}:{index}"))


def mutant_of(seed: int, index: int) -> Program:
    """That program, changed so that it is most likely not valid."""
    return mutate(program_of(seed, index), Random(f"mutant {seed}:{index}"))


def mixed_of(seed: int, index: int) -> Program:
    """A program about what is a number on one path and a tensor on another; about every second one misuses it."""
    return generate_mixed(Random(f"mixed {seed}:{index}"))


def trials_of(seed: int, index: int) -> Program:
    """A program of loops that are lowered more than once."""
    return generate_trials(Random(f"trials {seed}:{index}"))


def order_of(seed: int, index: int) -> Program:
    """A program and the same in another order of statements that do not depend on each other."""
    random = Random(f"order {seed}:{index}")
    while True:
        made = (generate_python, generate_mixed, generate_trials, generate_trials)[index % 4](random)
        other = swapped(made.text, random)
        if other is not None:
            return replace(made, other=other)


def nested_of(seed: int, index: int) -> Program:
    """A program of functions with variants that call functions with variants, for some opset."""
    random = Random(f"nested {seed}:{index}")
    return generate_nested(random, random.choice((18, 18, 18, *TARGETS)))


def target_of(seed: int, index: int) -> Program:
    """A program that is written against one opset and made for another, or for the same, of all of them."""
    random = Random(f"target {seed}:{index}")
    written = random.choice(TARGETS)
    program = generate_at(random, written)
    return replace(program, target=random.choice((written, random.choice(TARGETS))))


def run(
    count: int,
    seed: int,
    first: int = 0,
    source: Callable[[int, int], Program] = program_of,
    judge: Judge | None = None,
) -> Report:
    """Judges `count` programs, in a process of its own that may die, or in that of a judge who has done so before."""
    report = Report()
    with nullcontext(judge) if judge is not None else Judge() as judge:
        for index in range(first, first + count):
            try:
                program = source(seed, index)
                verdict, seconds = judge(program)
                report.add(f"{seed}:{index}", program, verdict, seconds)
            except Exception as error:
                report.stumbled.append((f"{seed}:{index}", "\n".join(traceback.format_exception(error))))
    return report


def run_parallel(
    count: int,
    seed: int,
    processes: int,
    source: Callable[[int, int], Program] = program_of,
    progress: Callable[[Report], None] = lambda report: None,
) -> Report:
    """The same over several processes; the report does not depend on their number."""
    starts = range(0, count, BATCH)
    jobs = [partial(run, min(BATCH, count - first), seed, first, source) for first in starts]
    report = Report()
    for found in _over(processes, jobs):
        report.merge(found)
        progress(report)
    return report


def _over(processes: int, jobs: Iterable[Callable[[], Report]]) -> Iterator[Report]:
    if processes == 1:
        yield from (job() for job in jobs)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        for future in as_completed([pool.submit(job) for job in jobs]):
            yield future.result()


# --------------------------------------------------------------------------------------------------- planted bugs


def hunt(
    bug: Planted,
    limit: int,
    seed: int,
    runtimes: tuple[str, ...] = ("ort",),
    indexes: Iterable[int] | None = None,
    judge: Judge | None = None,
) -> int | None:
    """The number of the first program that shows a difference that only the bug makes; None when `limit` do not.

    A refusal does not count: it is no miscompilation.
    """
    with nullcontext(judge) if judge is not None else Judge(patience=HUNTING_PATIENCE) as judge:
        for index in range(limit) if indexes is None else indexes:
            program = _hunted(seed, index)
            verdict, _ = judge(program, runtimes, bug.name)
            if verdict.outcome is Outcome.DIFFERENT:
                sound, _ = judge(program, runtimes)
                if sound.outcome is not Outcome.DIFFERENT:
                    return index
    return None


def _hunted(seed: int, index: int) -> Program:
    """Every fourth program is one of functions that call each other, inlined: other programs inline few."""
    if index % 4 < 3:
        return program_of(seed, index)
    return replace(generate_nested(Random(f"nested {seed}:{index}")), target=None)


def hunt_all(bugs: Sequence[Planted], limit: int, seed: int, processes: int) -> Iterator[tuple[Planted, int | None]]:
    """For each bug the number of the program that shows it first."""
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        found = [pool.submit(hunt, bug, limit, seed) for bug in bugs]
        for bug, future in zip(bugs, found, strict=True):
            yield bug, future.result()
