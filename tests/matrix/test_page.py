"""docs/compatibility.md is what a run of `nox -s matrix` wrote, and speaks of the bounds that pyproject.toml has."""

from __future__ import annotations

import re
import tomllib

from tests.matrix.page import PAGE, ROOT, Cell, page

NAMES = ("onnx", "onnxruntime", "numpy")
ROW = re.compile(r"\| (\S+) \| (lowest|newest) \| (\S+) \| (\S+) \| (\S+) \| (.+) \|")


def cells() -> list[Cell]:
    rows = [ROW.fullmatch(line) for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return [
        Cell(row[1], row[2], tuple(zip(NAMES, row.groups()[2:5], strict=True)), row[6], "failed" not in row[6])
        for row in rows
        if row is not None
    ]


def test_the_page_is_what_a_run_writes() -> None:
    found = cells()
    assert found
    assert page(found) == PAGE.read_text(encoding="utf-8"), "run nox -s matrix"


def test_what_is_admitted_works() -> None:
    assert all(cell.good and "passed" in cell.result for cell in cells())


def test_the_lowest_releases_are_those_that_are_admitted() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = dict(
        item.split(">=")
        for item in (*project["dependencies"], *project["optional-dependencies"]["run"])
        if ">=" in item
    )
    assert project["requires-python"] == ">=3.11"
    lowest = [dict(cell.releases) for cell in cells() if cell.bounds == "lowest"]
    assert lowest
    for releases in lowest:
        for name, release in releases.items():
            assert f"{release}.".startswith(f"{bounds[name]}."), f"{name}: run nox -s matrix"
