"""The table that is committed covers the library and keeps the budget; measuring works."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from opwright_build.verify.facts.numerics import FILE, Measured, read_numerics, write_numerics

from benchmarks.numerics.__main__ import measure
from benchmarks.numerics.grids import GRIDS
from benchmarks.numerics.page import better, number, numerics_page
from benchmarks.numerics.undetermined import NOTES
from tests.own_specs import ROOT, copy_functions, load_standard

COMMAND = "run `nox -s numerics`, or `nox -s numerics -- NAME` for one function, and commit the result"
COMMITTED = read_numerics((ROOT / FILE).read_bytes())


def newest_of_the_library() -> dict[str, str]:
    """Identity by name, of the functions that the standard gives a body."""
    found = {}
    for version in load_standard().versions:
        domain = "" if version.domain.name == "ai.onnx" else version.domain.name
        schema = onnx.defs.get_schema(version.name, version.since_version, domain)
        assert schema.since_version == version.since_version
        if schema.has_function or schema.has_context_dependent_function:
            found[version.name] = version.identity  # versions stand in order
    return found


def test_the_committed_table_is_in_form() -> None:
    assert COMMITTED.diagnostics == ()
    assert write_numerics(COMMITTED.numerics) == (ROOT / FILE).read_text(encoding="utf-8")


def test_the_page_is_made_from_it() -> None:
    page = (ROOT / "docs" / "numerics.md").read_text(encoding="utf-8")
    assert page == numerics_page(COMMITTED.numerics), COMMAND


def test_it_covers_the_newest_version_of_every_function() -> None:
    told = {item.function for item in (*COMMITTED.numerics.rows, *COMMITTED.numerics.notes)}
    missing = set(newest_of_the_library().values()) - told
    assert not missing, COMMAND
    assert not told - set(newest_of_the_library().values()), COMMAND


def test_every_function_has_a_grid_or_a_note() -> None:
    assert set(newest_of_the_library()) <= {*GRIDS, *NOTES}
    assert not {*GRIDS} & {*NOTES}


def test_no_body_is_over_the_budget() -> None:
    assert [row.function for row in COMMITTED.numerics.rows if row.over_budget] == []


def test_a_library_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_functions(tmp_path, "ThresholdedRelu", "Softsign")
    page = tmp_path / "numerics.md"
    assert measure(tmp_path, page, ["Softsign"]) == 0
    assert "2 rows, 0 over budget" in capsys.readouterr().out
    numerics = read_numerics((tmp_path / FILE).read_bytes()).numerics
    assert [(row.function, row.type) for row in numerics.rows] == [
        ("ai.onnx::Softsign@22", "float"),
        ("ai.onnx::Softsign@22", "float16"),
    ]
    assert numerics.rows[0].elements > 1 << 20
    assert page.read_text(encoding="utf-8") == numerics_page(numerics)


def test_figures_are_short() -> None:
    assert [number(value) for value in (0.0, 0.5, 12345.6, 16777216.0, 1.234e-9)] == [
        "0",
        "0.5",
        "12,300",
        "1.7e7",
        "1.2e-9",
    ]


def test_better_is_told_by_its_factor() -> None:
    assert better(Measured(1.0, 1.0, 0, 1), Measured(1.05, 9.44, 0, 1)) == "ULP 9.4x"
    assert better(Measured(0.0, 1.0, 0, 1), Measured(1.0, 1e9, 3, 1)) == "abs exact, ULP over 10,000x, 3 fewer lost"
    assert better(Measured(2.0, 2.0, 0, 1), Measured(1.0, 1.0, 0, 1)) == ""
