"""Names that other systems do not have as they are."""

from __future__ import annotations

import pytest
from opwright.diagnostics.diagnostic import Severity
from opwright_build.spec.portable_names import check_names, refuse_name


def told(*names: str) -> list[str]:
    return [f"{item.code} {item.place.file if item.place else ''}" for item in check_names("specs", names)]


def test_names_that_differ_in_case_alone() -> None:
    assert told("a/Swish/spec.yaml", "a/swish/spec.yaml", "a/swish/function.py") == ["OW968 specs/a/swish"]
    assert told("a/X/rows.yaml", "a/X/Rows.yaml", "a/X/ROWS.yaml") == [
        "OW968 specs/a/X/Rows.yaml",
        "OW968 specs/a/X/rows.yaml",
    ]
    assert told("a/X/rows.yaml", "b/X/Rows.yaml", "a/Y/rows.yaml") == []
    assert told("a/stra\u00dfe", "a/STRASSE") == ["OW968 specs/a/stra\u00dfe"]
    assert told("a/\u00e9.yaml", "a/e\u0301.yaml") == ["OW968 specs/a/\u00e9.yaml"], "macOS writes both in one form"


def test_a_folder_and_a_file() -> None:
    assert told("a/Data", "a/data/x") == ["OW968 specs/a/data"]
    assert told("com.acme/X/spec.yaml", "Com.acme/Y/spec.yaml") == ["OW968 specs/com.acme"]


@pytest.mark.parametrize(
    "name",
    [
        "aux.yaml",
        "CON",
        "con.acme",
        "Nul.tar.gz",
        "com1.yaml",
        "LPT9",
        "prn .x",
        "x.",
        "x ",
        "a:b",
        "a?",
        'a"',
        "a\\b",
        "a\x01",
    ],
)
def test_names_that_windows_does_not_have(name: str) -> None:
    assert refuse_name(name)
    (finding,) = check_names("specs", [f"com.acme/X/{name}"])
    assert (finding.code, finding.severity) == ("OW969", Severity.WARNING)


@pytest.mark.parametrize(
    "name", ["auxiliary.yaml", "com.acme", "com0", "com10", "console", "x.y", ".x", "a b", "lpt", "\u00fc.yaml"]
)
def test_names_that_it_has(name: str) -> None:
    assert refuse_name(name) == ""


def test_each_is_told_once() -> None:
    assert told(*(f"con/X{number}/spec.yaml" for number in range(5))) == ["OW969 specs/con"]
