"""`python -m tests.differential [--count N] [--seed S] [--planted] [--reduce]`: a long run.

Prints what became of the programs and what they were made of; exit 1 when any showed a difference, when fewer than
nine in ten compile, or when a planted bug is not found.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.differential.campaign import hunt, program_of, run
from tests.differential.planted import BUGS
from tests.differential.reduce import reduce_program

LEAST_COMPILED = 0.9
BATCH = 500


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reduce", action="store_true", help="print each difference as small as it can be made")
    parser.add_argument("--planted", type=int, default=0, metavar="N", help="find each planted bug within N programs")
    options = parser.parse_args()
    failed = False
    if options.count:
        failed = _programs(options.count, options.seed, options.reduce)
    if options.planted:
        failed = _bugs(options.planted, options.seed) or failed
    return int(failed)


def _programs(count: int, seed: int, reduce: bool) -> bool:
    report = run(0, seed)
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        report.merge(run(size, seed, first))
        print(f"{first + size:,} of {count:,}, {len(report.different)} different", file=sys.stderr, flush=True)
    for line in report.lines():
        print(line)
    if reduce:
        for name, _ in report.different:
            _, program = program_of(*map(int, name.split(":")))
            smaller, verdict = reduce_program(program)
            print(f"\n{name}: {verdict.detail}\n{smaller.describe()}")
    return bool(report.different) or report.compiled < LEAST_COMPILED


def _bugs(limit: int, seed: int) -> bool:
    missed = 0
    for bug in BUGS:
        started = time.process_time()
        found = hunt(bug, limit, seed)
        missed += found is None
        seconds = time.process_time() - started
        print(f"{'MISSED' if found is None else found:>7} {bug.name} ({seconds:.0f} s)", flush=True)
    print(f"{len(BUGS)} planted bugs, {missed} missed within {limit:,} programs")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
