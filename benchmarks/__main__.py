"""`nox -s bench`: what our work costs beside the peer's (onnxscript), both measured in this run, in CPU time.

Every figure is the least of several runs of a fresh process. A row without a peer states milliseconds alone. The run
fails where a row is over its budget, so that a budget is a promise.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5
OPWRIGHT = (sys.executable, "-c", "import sys; from opwright_build.cli.entry import main; sys.exit(main())")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times in seconds of CPU; `budget` is the largest accepted ratio of `ours` to `peer`."""

    work: str
    ours: float
    peer: float | None = None
    budget: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.ours / self.peer

    @property
    def kept(self) -> bool:
        return self.ratio is None or self.budget is None or self.ratio <= self.budget


def cost(command: Sequence[str], folder: Path = ROOT) -> float:
    """CPU seconds, user and system, of one run of a command and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(command: Sequence[str], folder: Path = ROOT) -> float:
    return min(cost(command, folder) for _ in range(RUNS))


def imports() -> list[Row]:
    bare = least((sys.executable, "-c", "pass"))
    ours = least((sys.executable, "-c", "from opwright import FLOAT"))
    peer = least((sys.executable, "-c", "from onnxscript import FLOAT, opset18"))
    return [Row("import with a type, less the bare interpreter", ours - bare, peer - bare, 0.03)]


def builds() -> list[Row]:
    """The library of this repository in a copy, so that nothing is taken from an earlier build's cache."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        shutil.copytree(ROOT / "specs", copy / "specs")
        cold = cost((*OPWRIGHT, "build"), copy)
        null = least((*OPWRIGHT, "build"), copy)
        test = cost((*OPWRIGHT, "test"), copy)
    return [Row("build of specs/, cold", cold), Row("the same, unchanged", null), Row("test of specs/", test)]


def table(rows: Sequence[Row]) -> str:
    lines = [f"{'work':48} {'ours':>10} {'peer':>10} {'ratio':>8} {'at most':>8}"]
    for row in rows:
        peer = "" if row.peer is None else f"{row.peer * 1e3:.1f} ms"
        ratio = "" if row.ratio is None else f"{row.ratio:.4f}"
        budget = "" if row.budget is None else f"{row.budget:g}"
        lines.append(f"{row.work:48} {row.ours * 1e3:7.1f} ms {peer:>10} {ratio:>8} {budget:>8}")
    return "\n".join(lines)


def main() -> int:
    rows = [*imports(), *builds()]
    print(table(rows))
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
