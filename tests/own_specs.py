"""Copies of this repository's own specs, for tests that build them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from opwright_build.cli.entry import main

ROOT = Path(__file__).resolve().parents[1]
SPECS = ROOT / "specs"
CACHE = ROOT / ".opwright" / "cache"  # that of `opwright test`
SLOW = ("Attention", "FlexAttention")  # they take most of the time of a build from nothing


def spec_files(*, slow: bool = True) -> Iterator[Path]:
    """The files of the specs in their order, relative to this repository's root; with `slow` those of all of them."""
    for path in sorted(SPECS.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and "__pycache__" not in parts and (slow or not set(SLOW).intersection(parts)):
            yield path.relative_to(ROOT)


def copy_specs(root: Path, *, slow: bool = True) -> None:
    """Puts `specs/` below that folder."""
    for path in spec_files(slow=slow):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)


def build_specs(root: Path) -> Path:
    """The bundle of all specs, built in that folder from what `opwright test` has cached."""
    copy_specs(root)
    assert main(["build", str(root), "--cache", str(CACHE)]) == 0
    (found,) = (root / "dist").glob("*.onnxlib")
    return found
