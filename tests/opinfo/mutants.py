"""`python -m tests.opinfo.mutants FOLDER [FUNCTION ...]`: what the committed samples notice of what the harvest does.

Bodies of opwright.aten are changed in small ways (`opwright test --mutants`). Mutants that the sample of a spec lets
pass are put to all calls of the harvest: of those that either notices, the samples are to notice at least 95 %.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.opinfo.campaign import copy_library

LEAST_NOTICED = 0.95


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.opinfo.mutants", description=__doc__)
    parser.add_argument("vectors", type=Path, help="the folder of the harvest")
    parser.add_argument("functions", nargs="*", help="only these")
    parser.add_argument("--show", action="store_true", help="name the mutants that the samples let pass")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder).resolve()
        chosen = copy_library(library, None, options.functions)
        of_samples = fates(library, [])
        unnoticed = {item.mutant for item in of_samples if item.fate == "survived"}
        copy_library(library, options.vectors, sorted(chosen))
        of_all = fates(library, sorted({item.function for item in of_samples if item.mutant in unnoticed}))
    missed = sorted(item.mutant for item in of_all if item.fate == "killed" and item.mutant in unnoticed)
    killed = Counter(item.fate for item in of_samples)["killed"]
    noticed = killed / max(1, killed + len(missed))
    for name in missed if options.show else ():
        print(f"the sample lets pass: {name}")
    print(
        f"{len(of_samples):,} mutants: the samples notice {killed:,}, the harvest {len(missed):,} more ({noticed:.1%})"
    )
    return int(noticed < LEAST_NOTICED)


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant of a function; `vector` is the call that noticed it, if one did."""

    function: str
    mutant: str
    fate: str
    vector: str


def fates(library: Path, functions: Sequence[str]) -> list[Fate]:
    """The fates of the mutants of these functions, of all without any."""
    command = [sys.executable, "-m", "opwright_build"]
    subprocess.run([*command, "build", "--quiet"], cwd=library, check=True)
    chosen = [word for name in functions for word in ("--select", name)]
    test = [*command, "test", "--mutants", "--no-oracle", "--json", *chosen]
    ran = subprocess.run(test, cwd=library, stdout=subprocess.PIPE, text=True, check=False)
    return [_fate(event) for event in map(json.loads, ran.stdout.splitlines()) if event["event"] == "mutant"]


def _fate(event: Mapping[str, Any]) -> Fate:
    function = event["function"].partition("::")[2].partition("@")[0]
    return Fate(function, event["mutant"], event["fate"], (event["by"] or "").partition(": ")[2])


if __name__ == "__main__":
    sys.exit(main())
