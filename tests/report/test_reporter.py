import io
import json

import pytest
from opwright.diagnostics import Diagnostic, Place, Severity
from opwright.diagnostics.findings_json import from_json
from opwright_build.report.console import Console, open_console
from opwright_build.report.course import Advance, Stage
from opwright_build.report.progress import WIPE
from opwright_build.report.reporter import JsonReporter, TextReporter, in_reading_order

LATE = Diagnostic("OW301", "late", Place("b.py", 2, 1))
EARLY = Diagnostic("OW302", "early", Place("a.py", 10, 1), severity=Severity.WARNING)
NOWHERE = Diagnostic("OW901", "nowhere", severity=Severity.NOTE)


def make() -> tuple[Console, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Console(out, err), out, err


def test_findings_are_read_from_top_to_bottom_and_once() -> None:
    assert in_reading_order([LATE, EARLY, LATE, NOWHERE]) == [NOWHERE, EARLY, LATE]


def test_text_goes_to_standard_output_and_progress_to_standard_error() -> None:
    console, out, err = make()
    reporter = TextReporter(console)
    reporter.step("compiling")
    reporter.advance(Advance(Stage.COMPILE, 1, 2, text="one"))
    reporter.findings([EARLY, LATE, LATE], {"b.py": "one\ntwo\n"}.get)
    reporter.summary("done", {"exit": 1})
    assert err.getvalue() == "compiling\n"
    assert out.getvalue().splitlines()[0] == "a.py:10:1: warning OW302: early"
    assert "     2 | two" in out.getvalue()
    assert out.getvalue().endswith("\n2 errors, 1 warning\ndone\n")


def test_findings_beside_data_go_to_standard_error() -> None:
    console, out, err = make()
    TextReporter(console, findings_aside=True).findings([LATE], lambda file: None)
    assert out.getvalue() == ""
    assert err.getvalue().startswith("b.py:2:1: error OW301: late\n")


def test_json_is_one_object_a_line_with_its_schema() -> None:
    console, out, err = make()
    reporter = JsonReporter(console, "build")
    reporter.step("compiling")
    reporter.event("action", {"action": "a"})
    reporter.findings([LATE], lambda file: None)
    reporter.summary("done", {"exit": 1})
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["action", "finding", "summary"]
    assert {line["schema"] for line in lines} == {"opwright.build/1"}
    assert from_json(lines[1]["finding"]) == LATE
    assert err.getvalue() == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "color", "live"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"NO_COLOR": ""}, True, True),
        ({"CI": "true"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm"}, True, True),
    ],
)
def test_the_conventions_of_terminals_are_honoured(environment: dict[str, str], color: bool, live: bool) -> None:
    console = open_console(Terminal(), Terminal(), environment)
    assert (console.color, console.live) == (color, live)


def test_what_is_no_terminal_is_never_coloured() -> None:
    console = open_console(io.StringIO(), io.StringIO(), {})
    assert (console.color, console.live) == (False, False)


def test_an_encoding_that_lacks_a_character_gets_an_escape() -> None:
    raw = io.BytesIO()
    console = open_console(io.TextIOWrapper(raw, encoding="ascii"), io.StringIO(), {})
    console.result("☃")
    assert raw.getvalue() == b"\\u2603\n"


def test_a_bar_is_drawn_on_a_terminal_and_taken_away() -> None:
    out, err = io.StringIO(), Terminal()
    reporter = TextReporter(Console(out, err, live=True))
    reporter.plan([Stage.COMPILE])
    reporter.step("compiling")
    reporter.close()
    reporter.advance(Advance(Stage.COMPILE, 1, 2, text="compile a::A@1"))
    reporter.summary("done", {})
    assert "50 % 1 of 2  compile a::A@1" in err.getvalue()
    assert err.getvalue().endswith(WIPE)
    assert out.getvalue() == "done\n"
