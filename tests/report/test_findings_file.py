import io
import json

import pytest
from opwright.diagnostics import Diagnostic, DiagnosticError
from opwright_build.report.console import Console
from opwright_build.report.findings_file import SarifReporter
from opwright_build.report.reporter import TextReporter

FOUND = Diagnostic("OW301", "found")
FULL = DiagnosticError([Diagnostic("OW905", "the disk is full")])


def refuse(data: bytes) -> None:
    raise FULL


def test_findings_are_told_and_written_once_at_the_end() -> None:
    out, written = io.StringIO(), list[bytes]()
    reporter = SarifReporter(TextReporter(Console(out, io.StringIO())), "lint", written.append)
    reporter.findings([FOUND], lambda file: None)
    assert written == []
    reporter.summary("done", {"exit": 1})
    reporter.summary("again", {"exit": 1})
    reporter.close()
    [data] = written
    assert [item["ruleId"] for item in json.loads(data)["runs"][0]["results"]] == ["OW301"]
    assert out.getvalue().startswith("error OW301: found\n")


def test_a_file_that_cannot_be_written_fails_a_good_run() -> None:
    reporter = SarifReporter(TextReporter(Console(io.StringIO(), io.StringIO())), "lint", refuse)
    with pytest.raises(DiagnosticError):
        reporter.summary("done", {"exit": 0})


def test_it_does_not_hide_why_a_run_failed() -> None:
    out = io.StringIO()
    reporter = SarifReporter(TextReporter(Console(out, io.StringIO())), "lint", refuse)
    reporter.findings([FOUND], lambda file: None)
    reporter.summary("", {"exit": 1})
    assert "OW301" in out.getvalue() and "the disk is full" in out.getvalue()
