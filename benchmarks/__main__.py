"""`nox -s bench [-- --seed N] [--only NAME,...] [--no-builds]`: our costs beside the peer's (onnxscript) in one run.

The programs are drawn from a seed, which is chosen anew and printed unless it is given. CPU time and the peak of
memory, in processes of their own, five times; stated are the medians, the ratio of these with the spread of the ratios
of runs that followed each other, and the exponent of our time between the last two of three sizes. The run fails where
a cost or an exponent is over its budget, so that a budget is a promise, and adds a line to docs/bench/history.jsonl
when everything was measured.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import platform
import secrets
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rows import ROOT, Programs, Row, measures

HISTORY = ROOT / "docs" / "bench" / "history.jsonl"
PACKAGES = ("opwright", "onnxscript", "onnx", "onnxruntime", "numpy", "protobuf")


def main() -> int:
    arguments = _arguments()
    print(f"seed {arguments.seed}", flush=True)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        found = measures(Programs(Path(scratch), arguments.seed))
        wanted = arguments.only.split(",") if arguments.only else [*found]
        if unknown := [name for name in wanted if name not in found]:
            print(f"not measured here: {', '.join(unknown)}; there are {', '.join(found)}", file=sys.stderr)
            return 2
        if arguments.no_builds:
            wanted = [name for name in wanted if name not in ("builds", "specs")]
        print(_HEAD)
        for name in wanted:
            for row in found[name]():
                rows.append(row)
                print(line(row), flush=True)
    if not arguments.only:
        record(rows, arguments.seed)
    over = [f"{row.work} ({' and '.join(row.excesses)})" for row in rows if row.excesses]
    print(f"over their budgets: {'; '.join(over)}" if over else "every budget is kept")
    return 1 if over else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="draw these programs again")
    parser.add_argument("--only", default="", help="names of measures, with commas between them")
    parser.add_argument("--no-builds", action="store_true", help="leave out builds and tests of libraries")
    return parser.parse_args()


_HEAD = f"{'work':58} {'ours':>12} {'peer':>12} {'ratio (least-most)':>24} {'at most':>8} {'exponent':>8}"


def line(row: Row) -> str:
    """One line of the table; behind the exponent stand the sizes with our cost at each."""
    ratio = f"{row.stated:.4f} ({min(row.ratios):.4f}-{max(row.ratios):.4f})" if row.ratios else ""
    ours, peer = (f"{statistics.median(values):,.1f} {row.unit}" if values else "" for values in (row.ours, row.peer))
    budget = "" if row.budget is None else f"{row.budget:.4g}"
    exponent = "" if row.exponent is None else f"{row.exponent:.2f}"
    text = f"{row.work:58} {ours:>12} {peer:>12} {ratio:>24} {budget:>8} {exponent:>8}"
    if row.curve:
        text += "  " + ", ".join(f"{size:,}: {cost:,.0f}" for size, cost in zip(row.sizes, row.curve, strict=True))
    if row.is_short:
        text += "  SHORT"
    return text + "".join(f"  OVER: {item}" for item in row.excesses)


def record(rows: Sequence[Row], seed: int) -> None:
    """One line a run, with what it was measured with and nothing of where."""
    entry = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "seed": seed,
        "rows": {row.work: _recorded(row) for row in rows},
    }
    HISTORY.parent.mkdir(parents=True, exist_ok=True)
    with HISTORY.open("a", encoding="utf-8") as history:
        history.write(json.dumps(entry, sort_keys=True) + "\n")


def _recorded(row: Row) -> dict[str, object]:
    """The ratio that is stated, the least and the most; our own measure where there is no peer; the exponent."""
    values = row.ratios or row.ours
    spread = [_short(value) for value in (row.stated, min(values), max(values))]
    recorded: dict[str, object] = {"ratio" if row.ratios else row.unit: spread}
    if row.exponent is not None:
        recorded["exponent"] = _short(row.exponent)
    return recorded


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    sys.exit(main())
