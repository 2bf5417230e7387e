"""A campaign: hostile models, bundles and folders through every command, then the planted defects, all to be found.

python -m tests.hostile [--seed N] [--count N] [--planted N] [--minutes N] [--resume FILE]

Each input goes through a few tasks that are drawn, those that take long less often. Inputs that have shown a defect
once are kept in `tests/hostile/kept/`, come first, and go through all. With `--resume FILE` a campaign that was
stopped goes on where it was: the file says how far it has come.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from opwright_build.engine.user_secret import VARIABLE

from tests.hostile.bundles import bundles, changed_bundle
from tests.hostile.changes import changed_model, seeds
from tests.hostile.defects import DEFECTS
from tests.hostile.folders import changed_folder, folder_seeds, packed
from tests.hostile.judge import SECRET, judging
from tests.hostile.tasks import SLOW, TASK_NAMES

KEPT = Path(__file__).with_name("kept")
_VALID = 30  # of the models, which come first: most changes start from them
_SUFFIXES = {".onnx": "model", ".onnxlib": "onnxlib", ".json": "folder"}
_SHARES = {"model": 0.6, "onnxlib": 0.2, "folder": 0.2}
_TOLD = 2_000  # inputs, after which the campaign says how far it is
_DRAWN = {"model": 2, "onnxlib": 2, "folder": 2}  # tasks for each input


@dataclass(frozen=True, slots=True)
class Input:
    """An input, and the tasks that it goes through: all where none are named."""

    kind: str
    data: bytes
    tasks: tuple[str, ...] = ()


def kept() -> Iterator[tuple[str, Input]]:
    for path in sorted(KEPT.iterdir()):
        if path.suffix in _SUFFIXES:
            yield path.stem, Input(_SUFFIXES[path.suffix], path.read_bytes())


def drawn_tasks(kind: str, numbers: random.Random) -> tuple[str, ...]:
    names = TASK_NAMES[kind]
    weights = [1 / SLOW.get(name, 1) for name in names]
    return tuple(dict.fromkeys(numbers.choices(names, weights, k=_DRAWN[kind])))


def inputs(seed: str, kind: str = "") -> Iterator[Input]:
    """Inputs without end: what is kept, each seed as it is, then changes of the seeds."""
    numbers = random.Random(seed)
    models, libraries, folders = seeds(), bundles(), folder_seeds()
    first = [item for _, item in kept()]
    first += [Input("onnxlib", data) for data in libraries]
    first += [Input("folder", packed(files), drawn_tasks("folder", numbers)) for files in folders]
    first += [Input("model", data, drawn_tasks("model", numbers)) for data in models]
    yield from (item for item in first if not kind or item.kind == kind)
    while True:
        chosen = kind or numbers.choices(list(_SHARES), list(_SHARES.values()))[0]
        match chosen:
            case "onnxlib":
                data = changed_bundle(numbers.choice(libraries), numbers)
            case "folder":
                data = changed_folder(numbers.choice(folders), numbers)
            case _:
                base = numbers.choice(models if numbers.random() < 0.3 else models[:_VALID])
                data = changed_model(base, numbers)
        yield Input(chosen, data, drawn_tasks(chosen, numbers))


@dataclass(slots=True)
class Tally:
    """What a campaign has done so far."""

    inputs: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    good: int = 0
    findings: Counter[str] = field(default_factory=Counter)

    def save(self, path: Path, seed: str) -> None:
        counts = {"inputs": self.inputs, "runs": self.runs, "good": self.good, "findings": self.findings}
        path.write_text(json.dumps({"seed": seed, **counts}, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> tuple[str, Tally]:
        """The seed of a campaign that was stopped, and what it had done; nothing where no file is."""
        if not path.exists():
            return "", cls()
        saved = json.loads(path.read_text(encoding="utf-8"))
        counts = Counter[str](saved["inputs"]), saved["runs"], saved["good"], Counter[str](saved["findings"])
        return saved["seed"], cls(*counts)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(self.inputs.items()))
        ended = f"{self.good} without a finding of ours"
        return f"{sum(self.inputs.values())} inputs ({kinds}), {self.runs} runs of tasks, {ended}"


def campaign(
    items: Iterator[Input],
    count: int,
    folder: Path,
    tally: Tally,
    defect: str = "",
    until: float = float("inf"),
    judged: Callable[[], object] = lambda: None,
) -> Iterator[tuple[str, Input]]:
    """Says each finding, the first time, with the input that shows it. `judged` is called after each input."""
    with judging(folder, defect) as judge:
        for item in items:
            if sum(tally.inputs.values()) >= count or time.monotonic() > until:
                return
            verdict = judge.judge(item.kind, item.data, item.tasks)
            tally.inputs[item.kind] += 1
            tally.runs += len(verdict.outcomes)
            tally.good += sum(outcome in ("0", "good") for outcome in verdict.outcomes.values())
            if not sum(tally.inputs.values()) % _TOLD:
                print(tally, flush=True)
            judged()
            for task, text in verdict.findings.items():
                place = text.rpartition(" at ")[2]
                tally.findings[place] += 1
                if tally.findings[place] == 1:
                    yield f"{task}: {text}", item


def planted(seed: str, names: Sequence[str], count: int, folder: Path) -> int:
    """How many of the planted defects are not found."""
    missed = 0
    for name in names:
        defect, tally = DEFECTS[name], Tally()
        found = next(campaign(inputs(seed, defect.kind), count, folder, tally, name), None)
        told = f"{found[0][:100]} (input {sum(tally.inputs.values())})" if found else "NOT FOUND"
        print(f"planted: {name}: {told}", flush=True)
        missed += found is None
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile")
    parser.add_argument("--seed", default="")
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--kind", default="", choices=["", *TASK_NAMES])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after which it ends, however many ran")
    parser.add_argument("--planted", type=int, default=5_000, metavar="N", help="inputs within which each is found")
    parser.add_argument("--plant", default="*", metavar="GLOB", help="the defects to plant, by name; by default all")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="goes on where the campaign of that file was")
    options = parser.parse_args()
    resumed, tally = Tally.load(options.resume) if options.resume else ("", Tally())
    seed = options.seed or resumed or str(secrets.randbelow(10**9))
    os.environ[VARIABLE] = SECRET
    print(f"seed {seed}", flush=True)
    until = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory() as scratch:
        shown = Path(tempfile.mkdtemp(prefix="opwright-hostile-"))
        items = islice(inputs(seed, options.kind), sum(tally.inputs.values()), None)
        save = (lambda: tally.save(options.resume, seed)) if options.resume else (lambda: None)
        found = campaign(items, options.count, Path(scratch), tally, until=until, judged=save)
        for number, (text, item) in enumerate(found):
            suffix = next(suffix for suffix, kind in _SUFFIXES.items() if kind == item.kind)
            (shown / f"{number}{suffix}").write_bytes(item.data)
            print(f"{text}\n    {shown / str(number)}{suffix}", flush=True)
        print(f"{tally}, {len(tally.findings)} defects", flush=True)
        names = fnmatch.filter(DEFECTS, options.plant)
        missed = planted(seed, names, options.planted, Path(scratch)) if options.planted else 0
    return 1 if tally.findings or missed else 0


if __name__ == "__main__":
    sys.exit(main())
