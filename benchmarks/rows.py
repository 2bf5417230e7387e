"""What is measured, against which budget. Every ratio is of two processes that ran one after the other."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import programs

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS = 5
OURS, PEER = "opwright", "onnxscript"
OPWRIGHT = (sys.executable, "-c", "import sys; from opwright_build.cli.entry import main; sys.exit(main())")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the same measure of us and of the peer, once for each repetition.

    `budget` is the largest accepted ratio of our best run to the peer's: what disturbs a run only makes it longer. Of
    runs that are as fast as memory is, which differs both ways, `typical` is the median. A row without a peer states
    our measure alone.
    """

    work: str
    unit: str
    ours: tuple[float, ...]
    peer: tuple[float, ...] = ()
    budget: float | None = None
    typical: Callable[[Sequence[float]], float] = min
    ratios: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", tuple(one / other for one, other in zip(self.ours, self.peer, strict=False)))

    @property
    def stated(self) -> float:
        """The ratio, or our own measure where there is no peer."""
        return self.typical(self.ours) / self.typical(self.peer) if self.peer else self.typical(self.ours)

    @property
    def kept(self) -> bool:
        return self.budget is None or self.stated <= self.budget


# ------------------------------------------------------------------------------------------------------ measures


def cost(command: Sequence[str], folder: Path = ROOT) -> float:
    """CPU milliseconds, user and system, of one run of a command and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def workload(work: str, package: str, count: int, file: Path) -> dict[str, float]:
    command = (sys.executable, "-m", "benchmarks.workload", work, package, str(count), str(file))
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def written(folder: Path, program: Callable[[int, str], str], package: str, count: int) -> Path:
    path = folder / f"{program.__name__}_{package}_{count}.py"
    path.write_text(program(count, package), encoding="utf-8")
    return path


# ---------------------------------------------------------------------------------------------------------- rows


def imports() -> list[Row]:
    """One opset and one type, less what the bare interpreter costs."""
    texts = ("pass", "from opwright import FLOAT, opset18", "from onnxscript import FLOAT, opset18")
    runs = [[cost((sys.executable, "-c", text)) for text in texts] for _ in range(2 * REPETITIONS)]
    bare = min(run[0] for run in runs)
    ours, peer = (tuple(run[index] - bare for run in runs) for index in (1, 2))
    return [Row("import with an opset and a type", "ms", ours, peer, 0.03)]


def compiles(folder: Path) -> list[Row]:
    """The budgets of compiling, each beside the peer."""
    rows: list[Row] = []
    for work, program, count, title, limits in (
        ("functions", programs.functions, 1000, "1,000 functions of 10 operators", (0.15, None)),
        ("live", programs.live_variables, 4000, "4,000 statements, all variables live", (0.05, 0.05)),
    ):
        files = {package: written(folder, program, package, count) for package in (OURS, PEER)}
        runs = [{p: workload(work, p, count, files[p]) for p in (OURS, PEER)} for _ in range(REPETITIONS)]
        for key, unit, scale, limit in (("seconds", "ms", 1e3, limits[0]), ("megabytes", "MB", 1.0, limits[1])):
            ours, peer = (tuple(scale * run[package][key] for run in runs) for package in (OURS, PEER))
            rows.append(Row(f"{title}: {'CPU time' if unit == 'ms' else 'memory'}", unit, ours, peer, limit))
    return rows


def curve(folder: Path) -> list[Row]:
    """Microseconds per statement as the number of statements grows: linear where they stay what they are."""
    rows: list[Row] = []
    least = 0.0
    for count in (1000, 2000, 4000, 8000, 20000):
        file = written(folder, programs.live_variables, OURS, count)
        runs = tuple(1e6 * workload("live", OURS, count, file)["seconds"] / count for _ in range(REPETITIONS))
        rows.append(Row(f"{count:,} live statements, for each", "us", runs, budget=1.5 * least if least else None))
        least = least or min(runs)
    return rows


def chains(folder: Path) -> list[Row]:
    """A chain of calls of which each is a function: compiled, flattened, assembled and checked."""
    file = written(folder, programs.chain, OURS, 10000)
    runs = [workload("chain", OURS, 10000, file) for _ in range(2)]
    assert all(run["nodes"] >= 10000 for run in runs), "the model lacks nodes"
    return [Row("a chain of 10,000 calls as a checked model", "ms", tuple(1e3 * run["seconds"] for run in runs))]


def decorating(folder: Path) -> list[Row]:
    file = written(folder, programs.functions, OURS, 1000)
    runs = tuple(1e3 * workload("decorate", OURS, 1000, file)["seconds"] for _ in range(REPETITIONS))
    return [Row("decorating a function", "us", runs)]


def builds() -> list[Row]:
    """The library of this repository in a copy, so that nothing is taken from an earlier build's cache."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        shutil.copytree(ROOT / "specs", copy / "specs")
        cold = cost((*OPWRIGHT, "build"), copy)
        null = tuple(cost((*OPWRIGHT, "build"), copy) for _ in range(REPETITIONS))
        test = cost((*OPWRIGHT, "test"), copy)
    return [
        Row("build of specs/, cold", "ms", (cold,)),
        Row("the same, unchanged", "ms", null),
        Row("test of specs/", "ms", (test,)),
    ]
