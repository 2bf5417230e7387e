"""The text of findings: golden for the whole, cases for the widths."""

from collections.abc import Callable
from pathlib import Path

import pytest
from opwright.diagnostics import Diagnostic, Place, Related, Severity, render
from opwright.diagnostics.text import WIDTH, printable

GOLDEN = Path(__file__).parent / "text_golden.txt"
FILES = {
    "f.py": "def F(X):\n\treturn op.Sigmod(X)\t+ 漢字(X)\n" + "    y = " + "op.Neg(" * 40 + "X" + ")" * 40 + "\n",
    "evil.py": "x = '\x1b[31m\x07'  # \u202e reversed \x7f\n",
    "windows.py": "a = 1\r\nb = 2\r\n",
}


def _caret(line: str, start: int, end: int, end_line: int = 1) -> tuple[str, str]:
    """What the carets underline, as (source part, carets) of the two lines of the excerpt."""
    text = render([Diagnostic("OW301", "m", Place("x", 1, start, end_line, end))], {"x": line}.get)
    shown, carets = text.splitlines()[1:3]
    return shown.partition("| ")[2], carets.partition("| ")[2]


def test_the_whole_form(golden: Callable[[Path, str], None]) -> None:
    findings = [
        Diagnostic(
            "OW201",
            "ONNX has no operator Sigmod",
            Place("f.py", 2, 12, 2, 18),
            "the schema of opset 18 has none\nnor has any other",
            "did you mean Sigmoid?\nor HardSigmoid?",
            (Related(Place("f.py", 1, 1, 1, 4), "in this function"), Related(Place("gone.py", 3, 1, 3, 2), "and here")),
        ),
        Diagnostic("OW305", "two lines\nof message", Place("f.py", 2, 21, 3, 4), severity=Severity.WARNING),
        Diagnostic("OW311", "far to the right", Place("f.py", 3, 200, 3, 206)),
        Diagnostic("OW311", "the whole of a long line", Place("f.py", 3, 5, 3, 370)),
        Diagnostic("OW101", "a hostile line", Place("evil.py", 1, 5, 1, 9)),
        Diagnostic("OW101", "line ends of Windows", Place("windows.py", 2, 5, 2, 6)),
        Diagnostic("OW115", "a file as a whole", Place("specs/a/B/spec.yaml"), severity=Severity.NOTE),
        Diagnostic("OW110", "no place", help="a way out"),
    ]
    golden(GOLDEN, render(findings, FILES.get))


def test_nothing_gives_nothing() -> None:
    assert render([], FILES.get) == ""


@pytest.mark.parametrize(
    ("line", "start", "end", "expected"),
    [
        ("abc", 1, 2, ("abc", "^")),
        ("abc", 2, 4, ("abc", " ^^")),
        ("abc", 4, 5, ("abc", "   ^")),  # at the end of the line, where something is missing
        ("abc", 9, 12, ("abc", "   ^")),  # past it
        ("abc", 2, 2, ("abc", " ^")),  # an empty span still points
        ("abc", 0, 0, ("abc", "^")),
        ("\tab", 2, 4, ("    ab", "    ^^")),
        ("a\tb", 3, 4, ("a   b", "    ^")),
        ("a\tb", 2, 3, ("a   b", " ^^^")),
        ("漢b", 2, 3, ("漢b", "  ^")),
        ("漢b", 1, 2, ("漢b", "^^")),
        ("e\u0301b", 3, 4, ("e\u0301b", " ^")),  # a combining accent takes no column
        ("a\x00b", 2, 3, ("a\\x00b", " ^^^^")),
        ("a\x00b", 3, 4, ("a\\x00b", "     ^")),
    ],
)
def test_carets_stand_below_what_they_mean(line: str, start: int, end: int, expected: tuple[str, str]) -> None:
    assert _caret(line, start, end) == expected


@pytest.mark.parametrize("start", [1, 60, 110, 119, 120, 121, 200, 290, 300])
def test_a_long_line_is_clipped_around_its_carets(start: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(300))
    shown, carets = _caret(line, start, start + 5)
    assert len(shown) <= WIDTH
    assert len(carets) <= WIDTH
    begin = len(carets) - len(carets.lstrip())
    assert shown[begin : begin + 5].startswith(line[start - 1 : start + 4][: len(carets) - begin])
    assert shown.startswith("...") or shown.endswith("...")


def test_a_line_of_wide_characters_is_clipped_between_them() -> None:
    shown, carets = _caret("漢" * 200, 150, 151)
    begin = len(carets) - len(carets.lstrip())
    assert carets.lstrip() == "^^"
    assert (begin - 3) % 2 == 0
    assert 3 + 2 * shown.count("漢") + 3 <= WIDTH


def test_a_span_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    assert _caret("abc\ndef", 2, 2, end_line=2) == ("abc", " ^^")


def test_colour_wraps_label_message_and_carets_only() -> None:
    finding = Diagnostic("OW301", "m", Place("x", 1, 1, 1, 2))
    plain = render([finding], {"x": "abc"}.get)
    painted = render([finding], {"x": "abc"}.get, True)
    assert "\x1b[1;31merror OW301\x1b[0m" in painted
    for escape in ("\x1b[1;31m", "\x1b[1m", "\x1b[0m"):
        painted = painted.replace(escape, "")
    assert painted == plain


def test_nothing_that_a_finding_holds_reaches_the_terminal_raw() -> None:
    evil = "a\x1b[2Jb\rc\u202ed"
    place = Place(evil, 1, 1, 1, 2)
    text = render([Diagnostic("OW301", evil, place, evil, evil, (Related(place, evil),))], {evil: evil}.get)
    assert not set(text) & set("\x1b\r\u202e")


def test_printable_keeps_what_is_harmless() -> None:
    assert printable("a\nb ☃ é") == "a\nb ☃ é"
    assert printable("\x9b31m") == "\\x9b31m"
