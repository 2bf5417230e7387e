"""Copies of this repository's own specs, for tests that build them.

Those that build from nothing leave out the large ones; with OPWRIGHT_ALL_SPECS=1, as in `nox -s reproducible`, they
build all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from opwright_build.cli.entry import main

from tests.sealed import as_this_user

ROOT = Path(__file__).resolve().parents[1]
SPECS = ROOT / "specs"
CACHE = ROOT / ".opwright" / "cache"  # that of `opwright test`
SLOW = ("Attention", "FlexAttention")  # they take most of the time of a build from nothing
LARGE = (  # of many variants each: these take most of the rest
    *SLOW,
    "CausalConvWithState",
    "LinearAttention",
    "NegativeLogLikelihoodLoss",
    "RotaryEmbedding",
    "SoftmaxCrossEntropyLoss",
)


def spec_files(*, large: bool) -> Iterator[Path]:
    """The files of the specs in their order, relative to this repository's root; with `large` those of all of them."""
    left_out = () if large or os.environ.get("OPWRIGHT_ALL_SPECS") == "1" else LARGE
    for path in sorted(SPECS.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and "__pycache__" not in parts and not set(left_out).intersection(parts):
            yield path.relative_to(ROOT)


def copy_specs(root: Path, *, large: bool = True) -> None:
    """Puts `specs/` below that folder."""
    for path in spec_files(large=large):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)


def build_specs(root: Path) -> Path:
    """The bundle of all specs, built in that folder from what `opwright test` has cached."""
    copy_specs(root)
    with as_this_user():
        assert main(["build", str(root), "--cache", str(CACHE)]) == 0
    (found,) = (root / "dist").glob("*.onnxlib")
    return found
