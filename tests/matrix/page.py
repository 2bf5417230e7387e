"""docs/compatibility.md, from what the cells of a run came to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compatibility.md"
RUNTIMES = ROOT / "library" / "opwright" / "downlevel" / "runtimes.json"


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of a Python with some releases, by name; `bounds` says which were asked for."""

    python: str
    bounds: str
    releases: tuple[tuple[str, str], ...]
    result: str
    good: bool


HEAD = """\
# Releases that opwright works with

<!-- Written by `nox -s matrix`; edits are lost. -->

`pyproject.toml` says which releases of onnx, onnxruntime and numpy are admitted, from a lowest one on and without an
upper end. `nox -s matrix` makes an environment for each Python that is at hand, once with the lowest releases of all
direct dependencies (`uv pip install --resolution lowest-direct`, of what is built for that Python) and once with the
newest, and runs in it tests of what depends on them: a library is compiled, packed, read and called.

| Python | resolved | onnx | onnxruntime | numpy | tests |
|---|---|---|---|---|---|
"""
TAIL = """
The gate runs with the releases of `constraints.txt`.

`opwright polyfill --runtime ort==X` writes models for other releases of onnxruntime than the one that is installed. On
record are {first} to {last} ([polyfill](polyfill.md#what-runtimes-take)). A newer one is measured where it is
installed; where it is not, it is taken for {last}, with a warning (OW677).
"""


def page(cells: Sequence[Cell]) -> str:
    """The text of the page."""
    rows = (f"| {cell.python} | {cell.bounds} | {_releases(cell)} | {cell.result} |\n" for cell in cells)
    known = [item["release"] for item in json.loads(RUNTIMES.read_text(encoding="utf-8"))["onnxruntime"]]
    return HEAD + "".join(rows) + TAIL.format(first=known[0], last=known[-1])


def _releases(cell: Cell) -> str:
    return " | ".join(release for _, release in cell.releases)
