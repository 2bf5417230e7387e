"""`python -m tests.decompiler`: all node tests and function bodies of the standard, models of generated programs, and
hostile names and texts at every place, there and back in both modes.

Exit status 1 where a case fails that is not listed (`*_exceptions.txt`), or a listed one has come to pass: the lists
may only shrink.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.decompiler import functions_roundtrip, roundtrip
from tests.decompiler.exceptions import read_exceptions
from tests.decompiler.generated_cases import generated_cases
from tests.decompiler.hostile import TEXTS, hostile_failures
from tests.node_cases import node_cases

PROGRAMS = 500


def main() -> int:
    cases = node_cases()
    functions = [*functions_roundtrip.plain_bodies(cases), *functions_roundtrip.expanded_bodies(cases)]
    generated = list(generated_cases(1, PROGRAMS))
    good = True
    for faithful in (False, True):
        mode = "faithful" if faithful else "readable"
        with tempfile.TemporaryDirectory() as folder:
            failures = roundtrip.round_trips(cases, Path(folder, "models"), faithful)
            good &= judge(f"{mode}: node tests", len(cases), failures, read_exceptions(faithful))
            failures = functions_roundtrip.round_trips(functions, Path(folder, "functions"), faithful)
            good &= judge(f"{mode}: function bodies", len(functions), failures, {})
            failures = roundtrip.round_trips(generated, Path(folder, "generated"), faithful)
            good &= judge(f"{mode}: models of generated programs", len(generated), failures, {})
        hostile = list(hostile_failures(range(len(TEXTS)), faithful))
        print(f"{mode}: hostile names and texts: {len(TEXTS) - len(hostile)} of {len(TEXTS)} models come back")
        print("".join(f"  {item}\n" for item in hostile), end="")
        good &= not hostile
    return 0 if good else 1


def judge(what: str, count: int, failures: Iterable[roundtrip.Failure], expected: dict[str, str]) -> bool:
    """Prints how many came back; whether those that did not are the ones that are listed."""
    found = {item.name: item for item in failures}
    print(f"{what}: {count - len(found)} of {count} come back")
    for name, item in found.items():
        if name not in expected:
            print(f"  {name}: {item.stage}: {item.reason}")
    passing = expected.keys() - found.keys()
    for name in sorted(passing):
        print(f"  {name} comes back now: take it off the list")
    return found.keys() == expected.keys()


if __name__ == "__main__":
    sys.exit(main())
