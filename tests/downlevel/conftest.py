"""The library of this repository, built once for the tests that need all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle


@pytest.fixture(scope="session")
def standard(standard_file: Path) -> Bundle:
    return find_bundle(standard_file)
