"""`python -m tests.differential [--count N] [--mutants N] [--mixed N] [--trials N] ...`: a long run.

Prints the seed, drawn anew each time, what became of the programs and what they were made of; the last lines sum it
up. Exit 1 when any showed a difference, when our own tools stumbled over one, when fewer than nine in ten compile, when
a row of docs/language.md or a pair of control constructs is too rare among them, when too few misuses of numbers on one
path are refused, when a planted bug is not found, or when the bytes of a function depend on the hash seed.
OPWRIGHT_CHECK_TRIALS=1 is handed to every process.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Callable

from tests.differential.campaign import (
    LEAST_COMPILED,
    MIXED_CODES,
    PAIR_COUNT,
    PER_PROGRAMS,
    ROW_COUNT,
    Report,
    hunt_all,
    mixed_of,
    mutant_of,
    nested_of,
    order_of,
    program_of,
    run_parallel,
    target_of,
    trials_of,
)
from tests.differential.control import PAIRS
from tests.differential.determinism import counts, differing
from tests.differential.planted import BUGS
from tests.differential.program import Program
from tests.differential.reduce import reduce_program
from tests.differential.rows import ROWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many programs that are meant to be valid")
    parser.add_argument("--mutants", type=int, default=0, help="how many programs that most likely are not")
    parser.add_argument("--mixed", type=int, default=0, help="how many about what is a number on one path alone")
    parser.add_argument("--trials", type=int, default=0, help="how many of loops that are lowered more than once")
    parser.add_argument("--orders", type=int, default=0, help="how many whose statements are put into another order")
    parser.add_argument("--nested", type=int, default=0, help="how many of functions with variants that call others")
    parser.add_argument("--targets", type=int, default=0, help="how many that are made for opsets from 7 to 28")
    parser.add_argument("--planted", type=int, default=0, metavar="N", help="find each planted bug within N programs")
    parser.add_argument("--bytes", type=int, default=0, metavar="N", help="compile 200 functions under N hash seeds")
    parser.add_argument("--seed", type=int, help="that of an earlier run; drawn anew where it is left out")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--reduce", action="store_true", help="print each difference as small as it can be made")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = secrets.randbelow(1_000_000)
    print(f"seed {options.seed}: `--seed {options.seed}` gives the same programs", flush=True)
    run = _Run(options)
    if options.count:
        run.programs()
    if options.mutants:
        run.changed()
    if options.mixed:
        run.mixed()
    for kind, source in _FURTHER.items():
        count = getattr(options, kind)
        if count:
            run.further(kind, count, source)
    if options.planted:
        run.planted()
    if options.bytes:
        run.bytes()
    print()
    for line in run.said:
        print(line)
    for line in run.failed:
        print(f"FAILED: {line}")
    return int(bool(run.failed))


_FURTHER: dict[str, Callable[[int, int], Program]] = {
    "trials": trials_of,
    "orders": order_of,
    "nested": nested_of,
    "targets": target_of,
}


def _progress(report: Report) -> None:
    names = " ".join(name for name, _ in report.different)
    print(f"{report.programs:,} programs, {len(report.different)} different {names}", file=sys.stderr, flush=True)


class _Run:
    """One run: what its last lines say (`said`), and what is wrong (`failed`)."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.said: list[str] = []
        self.failed: list[str] = []

    def _judge(self, kind: str, count: int, source: Callable[[int, int], Program]) -> Report:
        options = self.options
        print(f"\n{kind}: seed {options.seed}, numbers 0 to {count - 1:,}", flush=True)
        report = run_parallel(count, options.seed, options.processes, source, _progress)
        for line in report.lines():
            print(line)
        if options.reduce:
            for name, _ in report.different:
                smaller, verdict = reduce_program(source(*map(int, name.split(":"))))
                print(f"\n{name}: {verdict.detail}\n{smaller.describe()}")
        self.said.append(f"{kind}, seed {options.seed}: {report.summary()}")
        if report.different:
            self.failed.append(f"{kind}: {len(report.different)} showed a difference")
        if report.stumbled:
            self.failed.append(f"{kind}: our own tools stumbled over {len(report.stumbled)}")
        return report

    def programs(self) -> None:
        report = self._judge("valid programs", self.options.count, program_of)
        rows, pairs = report.rare_rows(), report.rare_pairs()
        least = min((report.rows[row] for row in ROWS), default=0)
        self.said.append(
            f"  {len(ROWS)} rows of docs/language.md, the rarest in {least:,} of them: {_share(ROW_COUNT, rows)}"
        )
        least = min(report.pairs[pair] for pair in PAIRS)
        self.said.append(
            f"  {len(PAIRS)} ordered pairs of nested control constructs, the rarest in {least:,} of them:"
            f" {_share(PAIR_COUNT, pairs)}"
        )
        if report.compiled < LEAST_COMPILED:
            self.failed.append(f"only {report.compiled:.1%} of the programs compile")
        if report.programs >= PER_PROGRAMS and (rows or pairs):
            self.failed.append("some constructs are too rare")

    def changed(self) -> None:
        self._judge("changed programs", self.options.mutants, mutant_of)

    def mixed(self) -> None:
        report = self._judge("programs about numbers on one path", self.options.mixed, mixed_of)
        codes = ", ".join(f"{report.refused[code]:,} with {code}" for code in MIXED_CODES)
        self.said.append(f"  refused: {codes}")
        rare = report.rarely_refused()
        if rare:
            self.failed.append(f"too few misuses of numbers on one path are refused with {', '.join(rare)}")

    def further(self, kind: str, count: int, source: Callable[[int, int], Program]) -> None:
        self._judge(kind, count, source)

    def planted(self) -> None:
        options, missed, latest = self.options, 0, 0
        print(f"\nplanted bugs: seed {options.seed}, each with the program that shows it first")
        for bug, found in hunt_all(BUGS, options.planted, options.seed, options.processes):
            missed += found is None
            latest = max(latest, 0 if found is None else found + 1)
            print(f"{'MISSED' if found is None else found + 1:>7} {bug.name}", flush=True)
        self.said.append(
            f"planted bugs, seed {options.seed}: {len(BUGS) - missed} of {len(BUGS)} found within"
            f" {options.planted:,} programs, the last by the program of number {latest:,}"
        )
        if missed:
            self.failed.append(f"{missed} planted bugs were missed")

    def bytes(self) -> None:
        options = self.options
        names, wrong = differing(options.bytes, options.seed)
        self.said.append(
            f"bytes, seed {options.seed}: {len(names)} functions ({counts(names)}) under {options.bytes} hash seeds:"
            f" {len(wrong)} differ"
        )
        if wrong:
            self.failed.append(f"the bytes of {', '.join(wrong)} depend on the hash seed")


def _share(least: int, rare: list[str]) -> str:
    return f"{len(rare)} below {least} in {PER_PROGRAMS:,}{f' ({rare})' if rare else ''}"


if __name__ == "__main__":
    sys.exit(main())
