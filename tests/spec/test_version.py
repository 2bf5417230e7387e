from __future__ import annotations

import tomllib
from pathlib import Path

from opwright.version import VERSION


def test_the_release_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION
