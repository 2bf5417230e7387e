"""Comments that ignore warnings: what they reach, and that none stays behind."""

from __future__ import annotations

import pytest
from opwright.diagnostics import Diagnostic, Place, Severity
from opwright.diagnostics.ignores import find_ignores, settle_ignores


def warning(code: str = "OW315", line: int = 1, file: str = "f.py") -> Diagnostic:
    return Diagnostic(code, "m", Place(file, line, 3, line, 5), severity=Severity.WARNING)


def left(text: str, *found: Diagnostic, judge: bool = True, file: str = "f.py") -> list[tuple[str, str]]:
    return [(item.code, item.message) for item in settle_ignores(found, {file: text}, judge)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("y = x  # opwright: ignore[OW315] reviewed\n", 1),
        ("y = x  #opwright:ignore[ OW315 ,OW316] reviewed\n", 1),
        ("# opwright: ignore[OW315] reviewed\n# more words\n\ny = x\n", 4),
        ("def f():\r\n    # opwright: ignore[OW315] reviewed\r\n    return 1\r\n", 3),
    ],
)
def test_a_comment_silences_the_warning_of_its_line(text: str, line: int) -> None:
    assert left(text, warning(line=line), judge=False) == []
    assert left(text, warning(line=line + 1), judge=False) == [("OW315", "m")]
    assert left(text, warning("OW314", line), judge=False) == [("OW314", "m")]
    assert left(text, warning(line=line, file="g.py"), judge=False) == [("OW315", "m")]


def test_in_yaml_too() -> None:
    text = "schema: 1\nname: x  # opwright: ignore[OW455] no hardware has it\nother: '#opwright: ignore[OW455]'\n"
    found = [warning("OW455", 2, "a.yaml"), warning("OW455", 3, "a.yaml")]
    assert left(text, *found, file="a.yaml") == [("OW455", "m")]


def test_errors_stay() -> None:
    error = Diagnostic("OW315", "m", Place("f.py", 1, 1, 1, 2))
    assert left("y = x  # opwright: ignore[OW315] no\n", error) == [
        ("OW315", "m"),
        ("OW330", "no warning `OW315` arises here"),
    ]


@pytest.mark.parametrize(
    ("comment", "messages"),
    [
        ("# opwright: ignore[OW315] reviewed", ["no warning `OW315` arises here"]),
        ("# opwright: ignore[OW455] verified elsewhere", []),  # what verification finds depends on what was asked
        ("# opwright: ignore[OW999] reviewed", ["there is no diagnostic `OW999`"]),
        ("# opwright: ignore[OW455]", ["this comment does not say why"]),
        ("# opwright: ignore everything", ["this comment names no code"]),
        ("# opwright: ignore[] reviewed", ["this comment names no code"]),
        ("# opwright is good", []),
    ],
)
def test_a_comment_that_does_nothing_is_a_warning(comment: str, messages: list[str]) -> None:
    found = settle_ignores([], {"f.py": f"y = x  {comment}\n"})
    assert [item.message for item in found] == messages
    assert {(item.code, item.severity) for item in found} <= {("OW330", Severity.WARNING)}
    assert all(item.place == Place("f.py", 1, 8, 1, 8 + len(comment)) for item in found)


def test_text_that_only_looks_like_a_comment_is_none() -> None:
    assert find_ignores("f.py", 'x = "# opwright: ignore[OW315] a text"\n') == []
    assert find_ignores("f.py", "x = (  # opwright: ignore[OW315] never closed\n") != []
    assert find_ignores("f.py", "x = '''  # opwright: ignore[OW315] never closed\n") == []
