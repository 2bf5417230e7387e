"""Findings about calls from other packages stand at the line that makes them."""

from __future__ import annotations

import inspect

import pytest
from opwright import DiagnosticError
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.foreign.callers_line import AtCallersLine


def test_a_finding_without_a_place_gets_that_of_the_caller() -> None:
    elsewhere = Place("net.py", 3)
    with pytest.raises(DiagnosticError) as caught, AtCallersLine():
        raise DiagnosticError([Diagnostic("OW681", "one"), Diagnostic("OW681", "two", elsewhere)])
    first, second = caught.value.diagnostics
    frame = inspect.currentframe()
    assert first.place is not None and frame is not None
    assert first.place.file.endswith("test_callers_line.py")
    assert first.place.line < frame.f_lineno
    assert second.place == elsewhere


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(KeyError), AtCallersLine():
        raise KeyError("x")
