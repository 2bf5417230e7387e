"""The sample library as a fixture."""

from __future__ import annotations

import pytest
from opwright.bundle.format import Index

from tests.bundle.sample import sample_index


@pytest.fixture
def index() -> Index:
    return sample_index()
