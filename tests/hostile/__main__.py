"""A campaign: hostile models and bundles through every command, then the planted defects, each of which must be found.

python -m tests.hostile [--seed N] [--count N] [--planted N]
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from opwright.bundle.write import write_bundle

from tests.bundle.format1 import write_format1
from tests.hostile.changes import changed_bytes, changed_library, changed_model, seeds
from tests.hostile.defects import DEFECTS
from tests.hostile.judge import judging
from tests.link.conftest import make_acme

_VALID = 24  # of the seeds, which come first: most changes start from them


def inputs(seed: str) -> Iterator[tuple[str, bytes]]:
    """Kinds and inputs without end: each seed as it is, then changes of them and of a bundle."""
    numbers, started = random.Random(seed), seeds()
    bundle = make_acme()
    library = write_bundle(bundle.index, bundle.bodies)
    libraries = (library, write_format1(bundle.index, bundle.bodies))
    yield from (("model", data) for data in started)
    while True:
        if numbers.random() < 0.1:
            forged = numbers.random() < 0.5
            made = changed_library(library, numbers) if forged else changed_bytes(numbers.choice(libraries), numbers)
            yield "onnxlib", made
        else:
            chosen = numbers.choice(started if numbers.random() < 0.3 else started[:_VALID])
            yield "model", changed_model(chosen, numbers)


def campaign(seed: str, count: int, folder: Path, defect: str = "", kind: str = "") -> Iterator[tuple[str, bytes]]:
    """Says each finding, with the input that shows it."""
    seen: Counter[str] = Counter()
    fitting = (item for item in inputs(seed) if not kind or item[0] == kind)
    with judging(folder, defect) as judge:
        for what, data in islice(fitting, count):
            for task, text in judge.judge(what, data).findings.items():
                place = text.rpartition(" at ")[2]
                seen[place] += 1
                if seen[place] == 1:
                    yield f"{task}: {text}", data


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("--seed", default="")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument(
        "--planted", type=int, default=1_500, metavar="N", help="inputs within which each must be found"
    )
    options = parser.parse_args()
    seed = options.seed or str(secrets.randbelow(10**9))
    print(f"seed {seed}", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        kept = Path(tempfile.mkdtemp(prefix="opwright-hostile-"))
        for number, (text, data) in enumerate(campaign(seed, options.count, folder)):
            bad += 1
            (kept / f"{number}.bin").write_bytes(data)
            print(f"{text}\n    {kept / str(number)}.bin", flush=True)
        for name, defect in DEFECTS.items() if options.planted else ():
            found = next(campaign(seed, options.planted, folder, name, defect.kind), None)
            print(f"planted: {name}: {found[0][:100] if found else 'NOT FOUND'}", flush=True)
            bad += found is None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
