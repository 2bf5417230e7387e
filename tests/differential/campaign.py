"""Runs of many programs: what became of them, what they were made of, and whether planted bugs are found."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.differential.generate.programs import generate
from tests.differential.isolated import Judge
from tests.differential.judge import RUNTIMES, Outcome, Verdict
from tests.differential.planted import Planted
from tests.differential.program import Program

HUNTING_PATIENCE = 15.0  # seconds: a planted bug may well make a loop that never ends
_CONTROL = (ast.If, ast.For, ast.While, ast.IfExp, ast.BoolOp)
_LEAVING = (ast.Return, ast.Break, ast.Continue)


@dataclass(slots=True)
class Report:
    """Counts of one run; `different` are the seeds of programs that showed a difference, with it."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    compared: int = 0
    constructs: Counter[str] = field(default_factory=Counter)
    nested: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    different: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def programs(self) -> int:
        return self.outcomes.total()

    @property
    def compiled(self) -> float:
        """The share of programs, all meant to be valid, that the compiler takes."""
        return 1 - self.outcomes[Outcome.REFUSED] / max(self.programs, 1)

    def add(self, name: str, program: Program, verdict: Verdict) -> None:
        self.outcomes[verdict.outcome] += 1
        self.compared += verdict.compared
        self.constructs.update(verdict.covered)
        self.nested.update(set(nested_constructs(program.text)))
        self.skipped.update(verdict.reasons)
        if verdict.outcome is Outcome.REFUSED:
            self.refused[verdict.detail.partition(" ")[0]] += 1
        if verdict.outcome is Outcome.DIFFERENT:
            self.different.append((name, verdict.detail))

    def merge(self, other: Report) -> None:
        for name in ("outcomes", "constructs", "nested", "refused", "skipped"):
            getattr(self, name).update(getattr(other, name))
        self.compared += other.compared
        self.different += other.different
        self.seconds += other.seconds

    def lines(self) -> Iterator[str]:
        for title, counts in (
            ("constructs", self.constructs),
            ("nested", self.nested),
            ("refused", self.refused),
            ("not compared", self.skipped),
        ):
            yield f"{title}:"
            for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
                yield f"  {count:7,} {name}"
        for name, detail in self.different:
            yield f"DIFFERENT {name}: {detail}"
        outcomes = ", ".join(f"{self.outcomes[outcome]:,} {outcome.value}" for outcome in Outcome)
        yield (
            f"{self.programs:,} programs: {outcomes}; {self.compiled:.1%} compiled; {self.compared:,} calls compared"
            f" on {', '.join(RUNTIMES)}; {self.seconds:.0f} s CPU"
        )


def program_of(seed: int, index: int) -> tuple[str, Program]:
    """The program of a seed and a number: always the same, on every platform."""
    name = f"{seed}:{index}"
    return name, generate(Random(name))


def run(count: int, seed: int, first: int = 0) -> Report:
    """Judges `count` programs, in a process of its own that may die."""
    report = Report()
    with Judge() as judge:
        for index in range(first, first + count):
            name, program = program_of(seed, index)
            verdict, seconds = judge(program)
            report.add(name, program, verdict)
            report.seconds += seconds
    return report


def nested_constructs(text: str) -> Iterator[str]:
    """`a in b` for each control construct inside another, and each way out of a block inside one."""
    pending: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(text), ())]
    while pending:
        node, outer = pending.pop()
        if isinstance(node, (*_CONTROL, *_LEAVING)):
            name = type(node).__name__
            yield from (f"{name} in {other}" for other in set(outer))
            outer = (*outer, name)
        pending.extend((child, outer) for child in ast.iter_child_nodes(node))


def hunt(bug: Planted, limit: int, seed: int, runtimes: tuple[str, ...] = ("ort",)) -> int | None:
    """How many programs it takes until one shows a difference that only the bug makes; None when `limit` do not.

    A refusal does not count: it is no miscompilation.
    """
    with Judge(patience=HUNTING_PATIENCE) as judge:
        for index in range(limit):
            _, program = program_of(seed, index)
            verdict, _ = judge(program, runtimes, bug.name)
            if verdict.outcome is Outcome.DIFFERENT:
                sound, _ = judge(program, runtimes)
                if sound.outcome is not Outcome.DIFFERENT:
                    return index + 1
    return None
