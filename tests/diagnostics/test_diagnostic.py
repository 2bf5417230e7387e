"""The exception that carries findings."""

from __future__ import annotations

import pickle
from pathlib import Path

from opwright.diagnostics import Diagnostic, DiagnosticError, Place


def test_the_error_shows_the_lines_that_it_is_about(tmp_path: Path) -> None:
    file = tmp_path / "function.py"
    file.write_text("def f(x):\n    return y\n")
    place = Place(str(file), 2, 12, 2, 13)
    error = DiagnosticError([Diagnostic("OW302", "`y` is not defined", place, "no name", "bind it")])
    assert str(error).splitlines() == [
        f"{file}:2:12: error OW302: `y` is not defined",
        "     2 |     return y",
        "       |            ^",
        "  reason: no name",
        "  help: bind it",
    ]


def test_the_error_does_without_lines() -> None:
    error = DiagnosticError([Diagnostic("OW302", "one", Place("no such file", 1, 1)), Diagnostic("OW303", "two")])
    assert str(error) == "no such file:1:1: error OW302: one\n\nerror OW303: two"
    assert pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics
