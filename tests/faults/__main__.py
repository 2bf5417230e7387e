"""Faults by the hundred, from a seed that is printed; each trial has a seed of its own.

python -m tests.faults [--seed N] [--killed N] [--paired N] ... [--only KIND:NUMBER]
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from opwright_build.engine.user_secret import VARIABLE

from tests.faults import small_library
from tests.faults.defects import DEFECTS
from tests.faults.entries import corrupted, poisoned
from tests.faults.processes import killed, paired
from tests.faults.runs import import_what_a_build_needs, run
from tests.faults.small_library import FIRST, Quiet, Trial, some_state, some_states, write
from tests.faults.surroundings import clocks, full, other_kinds, read_only, unreadable

Kind = Callable[[Trial], None]
KINDS: Mapping[str, tuple[Kind, int]] = {
    "killed": (killed, 200),
    "paired": (paired, 50),
    "corrupted": (corrupted, 96),
    "poisoned": (poisoned, 30),
    "full": (full, 100),
    "unreadable": (unreadable, 60),
    "read-only": (read_only, 30),
    "other-kinds": (other_kinds, 150),
    "clocks": (clocks, 60),
}


def trials(name: str, seed: str, numbers: range, folder: Path, quiet: Quiet, most: float) -> int:
    """How many trials of a kind show a flaw; each is told. After `most` of them no more are tried."""
    kind, root, state, bad = KINDS[name][0], folder / name / "library", (), 0
    for number in numbers:
        if bad >= most:
            break
        trial = Trial(root, quiet, random.Random(f"{seed} {name} {number}"), state)
        if not state:
            shutil.rmtree(root.parent, ignore_errors=True)
            trial.state = some_state(trial.numbers)
            write(root, trial.state)
            trial.must_be_good(run(["build"], root), "the first build")
        kind(trial)
        state = trial.state
        if trial.flaws:
            bad += 1
            state = ()  # the next one starts from a new folder
            print(f"{name}:{number}\n" + "\n".join(f"    {flaw}" for flaw in trial.flaws[:4]), flush=True)
    shutil.rmtree(root.parent, ignore_errors=True)
    print(f"{name}: {len(numbers)} trials, {bad} with a flaw", flush=True)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--seed", default="")
    parser.add_argument(
        "--only", default="", metavar="KIND[:NUMBER]", help="one kind, or one trial of it; or `planted`: the defects"
    )
    for name, (kind, count) in KINDS.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N", help=(kind.__doc__ or "").split("\n")[0])
    parser.add_argument("--planted", type=int, default=1, help="0 leaves out the search for planted defects")
    parser.add_argument("--plant", default="", choices=["", *DEFECTS], help="a defect, which is to be found")
    parser.add_argument("--states", type=int, default=0, metavar="N", help="of the library; by default all")
    options = parser.parse_args()
    seed = options.seed or str(secrets.randbelow(10**9))
    print(f"seed {seed}", flush=True)
    os.environ[VARIABLE] = "with which nothing but trials of faults is sealed"
    only, _, number = options.only.partition(":")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.path.realpath(scratch))
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
        (folder / "tmp").mkdir()
        write(folder / "first", FIRST)
        import_what_a_build_needs(folder / "first")
        if options.plant:
            DEFECTS[options.plant].plant()
        small_library.STATES[:] = some_states(random.Random(seed), options.states)
        quiet, bad = Quiet(folder), 0
        for name in [] if options.only == "planted" else KINDS:
            if not only or name == only:
                count = getattr(options, name.replace("-", "_"))
                numbers = range(int(number), int(number) + 1) if number else range(count)
                bad += trials(name, seed, numbers, folder, quiet, most=1 if options.plant else float("inf"))
    planted = DEFECTS if options.planted and options.only in ("", "planted") else ()
    missed = sum(not is_found(name, seed) for name in planted)
    return 1 if bad or missed else 0


def is_found(name: str, seed: str) -> bool:
    """Whether a planted defect is found within as many trials of its kind as are the rule; in a process of its own."""
    kind = DEFECTS[name].kind
    words = ["--seed", seed, "--states", "6", "--only", kind, "--plant", name]
    ran = subprocess.run([sys.executable, "-m", "tests.faults", *words], capture_output=True, text=True, check=False)
    found = ran.returncode == 1 and f"{kind}:" in ran.stdout and "Traceback" not in ran.stderr
    print(f"planted: {name}: {'found' if found else 'NOT FOUND'}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
