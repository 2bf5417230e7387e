"""Copies of the standard's functions, one of the packages of this repository, for tests that build them.

Those that build from nothing leave out the large ones; with OPWRIGHT_ALL_SPECS=1, as in `nox -s reproducible`, they
build all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from opwright_build.cli.entry import main
from opwright_build.spec.load import load_library
from opwright_build.spec.model import LoadedLibrary

from tests.sealed import as_this_user

ROOT = Path(__file__).resolve().parents[1]
SPECS = ROOT / "specs"
STANDARD = "opwright-std"
ATEN = "opwright-aten"
OPERATORS = "opwright.aten"  # the domain of that package
DOMAINS = ("ai.onnx", "ai.onnx.preview")  # of that package
CACHE = ROOT / ".opwright" / "cache"  # that of `opwright test`
SLOW = ("Attention", "FlexAttention")  # they take most of the time of a build from nothing
LARGE = (  # of many variants each: these take most of the rest; and those that import from their files
    *SLOW,
    "CausalConvWithState",
    "DFT",
    "DequantizeLinear",
    "GridSample",
    "LinearAttention",
    "NegativeLogLikelihoodLoss",
    "QuantizeLinear",
    "RotaryEmbedding",
    "STFT",
    "ScatterElements",
    "ScatterND",
    "SequenceMap",
    "SoftmaxCrossEntropyLoss",
)


def spec_files(*, large: bool) -> Iterator[Path]:
    """The files of the specs in their order, relative to this repository's root; with `large` those of all of them. Of
    the domains of other packages there is the file that says what they are."""
    left_out = () if large or os.environ.get("OPWRIGHT_ALL_SPECS") == "1" else LARGE
    for folder in sorted(SPECS.iterdir()):
        if folder.name in DOMAINS:
            for path in _below(folder):
                if not set(left_out).intersection(path.parts):
                    yield path
        elif folder.is_dir():
            yield (folder / "domain.yaml").relative_to(ROOT)
        else:
            yield folder.relative_to(ROOT)


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT)


def load_standard() -> LoadedLibrary:
    """The standard's functions as they stand in this repository."""
    return load_library(ROOT, only=[STANDARD])


def copy_specs(root: Path, *, large: bool = True) -> None:
    """Puts them below that folder."""
    for path in spec_files(large=large):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)


def copy_functions(root: Path, *names: str) -> None:
    """Puts the functions of these names, of any package, below that folder, and the files that say which there are."""
    below = [path for folder in SPECS.iterdir() for name in names for path in _below(folder / name)]
    needed = (path for path in spec_files(large=True) if path.name in ("library.yaml", "domain.yaml"))
    for path in [*needed, *below]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)


def build_specs(root: Path) -> Path:
    """The bundle of the standard's functions, built in that folder from what `opwright test` has cached."""
    copy_specs(root)
    with as_this_user():
        assert main(["build", str(root), "-p", STANDARD, "--cache", str(CACHE)]) == 0
    (found,) = (root / "dist").glob("*.onnxlib")
    return found


def build_operators(root: Path) -> Path:
    """The bundle of PyTorch's operators, likewise."""
    copy_functions(root, *(path.name for path in (SPECS / OPERATORS).iterdir() if path.is_dir()))
    with as_this_user():
        assert main(["build", str(root), "-p", ATEN, "--quiet", "--cache", str(CACHE)]) == 0
    (found,) = (root / "dist").glob("*.onnxlib")
    return found
