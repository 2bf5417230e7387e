"""The library of this repository, built once for the tests that need all of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright_build.cli.entry import main as build

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def standard_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, built from this repository's specs in a folder of its own, with what `opwright test` cached."""
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(ROOT / "specs", folder / "specs")
    assert build(["build", str(folder), "--cache", str(ROOT / ".opwright" / "cache")]) == 0
    (found,) = (folder / "dist").glob("*.onnxlib")
    return found


@pytest.fixture(scope="session")
def standard(standard_file: Path) -> Bundle:
    return find_bundle(standard_file)
