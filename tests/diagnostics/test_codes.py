"""Every code has an entry whose bad example yields it and whose good one does not, and a golden text."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.diagnostics.codes_page import codes_page
from tests.diagnostics.examples import Entry, Example, all_entries, find_entry

Run = Callable[[Example], Any]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOLDEN = HERE / "golden"
PAGE = ROOT / "docs" / "diagnostics.md"
SOURCES = [ROOT / "library" / "opwright", ROOT / "buildtool" / "opwright_build"]
CODE = re.compile(r"\bOW\d{3}\b")

each_entry = pytest.mark.parametrize("entry", all_entries(), ids=lambda entry: entry.code)


def _codes_in_sources() -> dict[str, str]:
    """Each code that the sources mention, and one file that does; the entries themselves do not count."""
    found: dict[str, str] = {}
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            if "codes" not in path.parts:
                found.update(dict.fromkeys(CODE.findall(path.read_text(encoding="utf-8")), path.name))
    return found


def test_every_code_that_is_raised_has_an_entry_and_every_entry_is_raised() -> None:
    raised = _codes_in_sources()
    entries = {entry.code for entry in all_entries()}
    assert {code: raised[code] for code in sorted(raised.keys() - entries)} == {}, "codes without an entry"
    assert entries - raised.keys() == set(), "entries of codes that nothing raises"


def test_there_are_enough_codes_and_none_is_used_twice() -> None:
    codes = [entry.code for entry in all_entries()]
    assert len(codes) == len(set(codes))
    assert len(codes) >= 40


@each_entry
def test_an_entry_says_what_and_why(entry: Entry) -> None:
    assert CODE.fullmatch(entry.code)
    assert entry.title
    assert not entry.title.endswith(".")
    assert len(entry.title) < 80
    assert entry.why.endswith((".", "?"))
    assert find_entry(entry.code.lower()) is entry


@each_entry
def test_the_bad_example_yields_the_code_and_no_other(
    entry: Entry, run_example: Run, golden: Callable[[Path, str], None]
) -> None:
    ran = run_example(entry.bad)
    assert ran.codes == {entry.code, *entry.beside}, ran.text
    golden(GOLDEN / f"{entry.code}.txt", ran.text)


@each_entry
def test_the_good_example_does_not(entry: Entry, run_example: Run) -> None:
    ran = run_example(entry.good)
    assert entry.code not in ran.codes, ran.text


def test_no_golden_text_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= {entry.code for entry in all_entries()}


def test_the_reference_page_is_up_to_date(golden: Callable[[Path, str], None]) -> None:
    outputs = {path.stem: path.read_text(encoding="utf-8") for path in GOLDEN.glob("*.txt")}
    golden(PAGE, codes_page(all_entries(), outputs))
