"""The sample of the corpus that the gate compiles: its programs as texts, and their results."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path

from tests.corpus.programs import Entry, generated, written
from tests.corpus.results import Result

FOLDER = Path(__file__).with_name("frozen")
PROGRAMS, RESULTS = FOLDER / "programs.jsonl.xz", FOLDER / "results.jsonl"
SEED = 11
_SIZES = {"valid": 340, "mutant": 340, "mixed": 80, "live": 60}
_ROWS_APART, _EXAMPLES_APART = 2, 5  # of what people wrote we take each second row, each fifth example


def programs() -> list[str]:
    return lzma.decompress(PROGRAMS.read_bytes()).decode().splitlines()


def draw() -> None:
    """Programs of the same kinds as in the whole, but for the specs: the committed library stands for them."""
    entries = [generated(kind, number, SEED) for kind, size in _SIZES.items() for number in range(size)]
    by_how: dict[str, list[Entry]] = {}
    for entry in written():
        by_how.setdefault(entry.how, []).append(entry)
    entries += by_how["module"][::_ROWS_APART] + by_how["library"][::_EXAMPLES_APART]
    FOLDER.mkdir(exist_ok=True)
    text = "".join(f"{entry.line()}\n" for entry in entries)
    PROGRAMS.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def write(path: Path, results: Mapping[str, Result]) -> None:
    """One line for each program."""
    lines = []
    for item in results.values():
        found = {"id": item.id, "source": item.source, "bodies": item.bodies, "findings": item.findings}
        lines.append(json.dumps({key: value for key, value in {**found, "error": item.error}.items() if value}))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
