"""`python -m tests.differential [--count N] [--mutants N] [--planted N] [--bytes N] [--seed S]`: a long run.

Prints what became of the programs and what they were made of. Exit 1 when any showed a difference, when fewer than
nine in ten compile, when a row of docs/language.md or a pair of control constructs is too rare among them, when a
planted bug is not found, or when the bytes of a function depend on the hash seed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from tests.differential.campaign import (
    LEAST_COMPILED,
    PAIR_COUNT,
    PER_PROGRAMS,
    ROW_COUNT,
    Report,
    hunt_all,
    mutant_of,
    program_of,
    run_parallel,
)
from tests.differential.control import PAIRS
from tests.differential.determinism import counts, differing
from tests.differential.planted import BUGS
from tests.differential.reduce import reduce_program
from tests.differential.rows import ROWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many programs that are meant to be valid")
    parser.add_argument("--mutants", type=int, default=0, help="how many programs that most likely are not")
    parser.add_argument("--planted", type=int, default=0, metavar="N", help="find each planted bug within N programs")
    parser.add_argument("--bytes", type=int, default=0, metavar="N", help="compile 200 functions under N hash seeds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--reduce", action="store_true", help="print each difference as small as it can be made")
    options = parser.parse_args()
    found: list[str] = []
    if options.count:
        found += _programs(options)
    if options.mutants:
        found += _mutants(options)
    if options.planted:
        found += _bugs(options)
    if options.bytes:
        found += _bytes(options.bytes, options.seed)
    for line in found:
        print(f"FAILED: {line}")
    return int(bool(found))


def _progress(report: Report) -> None:
    print(f"{report.programs:,} programs, {len(report.different)} different", file=sys.stderr, flush=True)


def _programs(options: argparse.Namespace) -> Iterator[str]:
    print(f"seed {options.seed}, programs 0 to {options.count - 1:,}", flush=True)
    report = run_parallel(options.count, options.seed, options.processes, progress=_progress)
    for line in report.lines():
        print(line)
    rare = report.rare_rows()
    least = min((report.rows[row] for row in ROWS), default=0)
    print(f"{len(ROWS)} rows, the rarest {least:,} times; {len(rare)} below {ROW_COUNT} in {PER_PROGRAMS:,}: {rare}")
    rare = report.rare_pairs()
    least = min(report.pairs[pair] for pair in PAIRS)
    print(f"{len(PAIRS)} pairs, the rarest {least:,} times; {len(rare)} below {PAIR_COUNT} in {PER_PROGRAMS:,}: {rare}")
    if options.reduce:
        for name, _ in report.different:
            smaller, verdict = reduce_program(program_of(*map(int, name.split(":"))))
            print(f"\n{name}: {verdict.detail}\n{smaller.describe()}")
    if report.different:
        yield f"{len(report.different)} programs showed a difference"
    if report.compiled < LEAST_COMPILED:
        yield f"only {report.compiled:.1%} of the programs compile"
    if report.programs >= PER_PROGRAMS and (report.rare_rows() or report.rare_pairs()):
        yield "some constructs are too rare"


def _mutants(options: argparse.Namespace) -> Iterator[str]:
    report = run_parallel(options.mutants, options.seed, options.processes, mutant_of, _progress)
    for code, count in report.refused.most_common():
        print(f"  {count:7,} {code}")
    for name, detail in sorted(report.different):
        print(f"DIFFERENT changed {name}: {detail}")
    print(f"changed so that most are invalid: {report.summary()}", flush=True)
    if report.different:
        yield f"{len(report.different)} changed programs showed a difference"


def _bugs(options: argparse.Namespace) -> Iterator[str]:
    missed = 0
    for bug, found in hunt_all(BUGS, options.planted, options.seed, options.processes):
        missed += found is None
        print(f"{'MISSED' if found is None else found + 1:>7} {bug.name}", flush=True)
    print(f"{len(BUGS)} planted bugs, {missed} missed within {options.planted:,} programs", flush=True)
    if missed:
        yield f"{missed} planted bugs were missed"


def _bytes(seeds: int, seed: int) -> Iterator[str]:
    names, wrong = differing(seeds, seed)
    last = f"hash seeds 0 to {seeds - 1}, {len(names)} functions ({counts(names)}): {len(wrong)} differ in bytes"
    print(last, flush=True)
    if wrong:
        yield f"the bytes of {', '.join(wrong)} depend on the hash seed"


if __name__ == "__main__":
    sys.exit(main())
