"""`nox -s bench [-- --no-builds]`: what our work costs beside the peer's (onnxscript), both measured in this run.

CPU time and the peak of memory, in processes of their own, several times; stated are the best of each (of arrays: the
median) and the ratio of these, with the spread of the ratios of runs that followed each other. The run fails where a
ratio is over its budget, so that a budget is a promise, and adds a line to docs/bench/history.jsonl.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.calls import calls
from benchmarks.decompiling import decompiling
from benchmarks.rows import ROOT, Row, builds, chains, compiles, curve, decorating, imports

HISTORY = ROOT / "docs" / "bench" / "history.jsonl"
PACKAGES = ("opwright", "onnxscript", "onnx", "onnxruntime", "numpy", "protobuf")


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = [*imports(), *compiles(folder), *curve(folder), *chains(folder), *decorating(folder), *calls(folder)]
        rows += decompiling(folder)
    if "--no-builds" not in sys.argv[1:]:
        rows += builds()
    print(table(rows))
    record(rows)
    over = [row.work for row in rows if not row.kept]
    print(f"over their budgets: {'; '.join(over)}" if over else "every budget is kept")
    return 1 if over else 0


def table(rows: Sequence[Row]) -> str:
    lines = [f"{'work':50} {'ours':>12} {'peer':>12} {'ratio (least-most)':>24} {'at most':>8}"]
    for row in rows:
        ratio = ""
        if row.ratios:
            ratio = f"{row.stated:.4f} ({min(row.ratios):.4f}-{max(row.ratios):.4f})"
        shown = [f"{row.typical(values):,.1f} {row.unit}" if values else "" for values in (row.ours, row.peer)]
        budget = "" if row.budget is None else f"{row.budget:.4g}"
        lines.append(
            f"{row.work:50} {shown[0]:>12} {shown[1]:>12} {ratio:>24} {budget:>8}{'' if row.kept else '  OVER'}"
        )
    return "\n".join(lines)


def record(rows: Sequence[Row]) -> None:
    """One line a run, with what it was measured with and nothing of where."""
    line = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "rows": {row.work: _recorded(row) for row in rows},
    }
    HISTORY.parent.mkdir(parents=True, exist_ok=True)
    with HISTORY.open("a", encoding="utf-8") as history:
        history.write(json.dumps(line, sort_keys=True) + "\n")


def _recorded(row: Row) -> dict[str, object]:
    """The ratio that is stated, the least and the most; our own measure where there is no peer."""
    values = row.ratios or row.ours
    spread = [float(f"{value:.4g}") for value in (row.stated, min(values), max(values))]
    return {"ratio" if row.ratios else row.unit: spread}


if __name__ == "__main__":
    sys.exit(main())
