"""`python -m tests.models LIBRARY.onnxlib FOLDER`: every operation on every model that `tests.models.make` has made.

Prints each cell that is not as it should be, and a summary of families by operations. Exit status 1 where a cell is
wrong that `exceptions.txt` does not list, a row of that file is stale, or more than one cell in twenty is listed.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import onnx
from opwright.bundle.read import find_bundle

from tests.models.operations import OFF, Cell, Original, Verdict, judge, operations

EXCEPTIONS = Path(__file__).with_name("exceptions.txt")
MODELS = 60
SHARE = 20  # one cell in so many may be an exception


def read_originals(folder: Path, only: str) -> list[Original]:
    families = json.loads(Path(folder, "families.json").read_text(encoding="utf-8"))
    found = []
    for name, family in families.items():
        if only in name:
            model = onnx.ModelProto.FromString(Path(folder, f"{name}.onnx").read_bytes())
            found.append(Original(name, family, model, pickle.loads(Path(folder, f"{name}.pickle").read_bytes())))
    return found


def read_exceptions() -> dict[tuple[str, str], str]:
    """The reasons by model and operation: below each reason, indented, stand its models, each with the operations."""
    rows: dict[tuple[str, str], str] = {}
    reason = ""
    for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            model, _, names = line.strip().partition(": ")
            rows.update(((model, name), reason) for name in names.split(", "))
        elif line and not line.startswith("#"):
            reason = line
    return rows


def runs(original: Original) -> bool:
    """Whether onnxruntime runs the model as it comes; one that it does not run cannot be compared."""
    try:
        original.expected(OFF)
    except Exception as error:  # onnxruntime's exceptions have no base class of their own
        print(f"left out: {original.name}: {str(error).splitlines()[0][:160]}")
        return False
    return True


def summary(originals: Sequence[Original], cells: Sequence[Cell]) -> str:
    """A row a family: how many cells are equal, close and wrong; those with nothing to do are not counted."""
    family = {original.name: original.family for original in originals}
    counts = Counter((family[cell.model], cell.operation, cell.verdict) for cell in cells)
    names = list(dict.fromkeys(cell.operation for cell in cells))
    rows = [["family", "models", *names]]
    for row in dict.fromkeys(family.values()):
        texts = []
        for name in names:
            marks = ((Verdict.EQUAL, "="), (Verdict.CLOSE, "~"), (Verdict.WRONG, "!"))
            texts.append(" ".join(f"{count}{mark}" for verdict, mark in marks if (count := counts[row, name, verdict])))
        rows.append([row, str(sum(value == row for value in family.values())), *texts])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "= equal bit for bit, ~ close (functions in place of kernels), ! exceptions and faults"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path, help="the bundle of opwright_std")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="models with this in their names; exceptions are not judged then")
    parser.add_argument("--keep", type=Path, help="where modules and models stay that decompiling makes")
    options = parser.parse_args()
    originals = [item for item in read_originals(options.folder, options.only) if runs(item)]
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as name:
        table = operations(originals, find_bundle(options.library), options.keep or Path(name))
        for original in originals:
            cells += [judge(original, operation, do) for operation, do in table.items()]
            original.results.clear()
    listed = read_exceptions()
    wrong = {(cell.model, cell.operation): cell.detail for cell in cells if cell.verdict is Verdict.WRONG}
    unexpected = {key: detail for key, detail in wrong.items() if key not in listed}
    stale = [] if options.only else [key for key in listed if key not in wrong]
    for (model, operation), detail in unexpected.items():
        print(f"{model}, {operation}: {detail}\n")
    for key in stale:
        print(f"{', '.join(key)}: listed in {EXCEPTIONS.name}, and no exception any more")
    print(summary(originals, cells))
    busy = sum(cell.verdict is not Verdict.IDLE for cell in cells)
    print(
        f"{len(originals)} models, {len(cells)} cells, {busy} with something to do, {len(wrong)} exceptions and faults"
    )
    few = not options.only and len(originals) < MODELS
    return 1 if unexpected or stale or few or len(wrong) * SHARE > busy else 0


if __name__ == "__main__":
    sys.exit(main())
