"""Fixtures of the compiler's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from conftest_lang import Compiler


@pytest.fixture
def compiler() -> Compiler:
    return Compiler()
