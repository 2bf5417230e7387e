"""Every code has a text, a bad example that yields it, a good one that does not, and a golden output."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright.diagnostics.registry import CODES, TABLE, Code, find_code

from tests.diagnostics.codes_page import codes_page
from tests.diagnostics.examples import Example, Pair, all_pairs
from tests.shares import one_in

Run = Callable[[Example], Any]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GOLDEN = HERE / "golden"
PAGE = ROOT / "docs" / "diagnostics.md"
SOURCES = [ROOT / "library" / "opwright", ROOT / "buildtool" / "opwright_build"]
REGISTRY = SOURCES[0] / "diagnostics" / "registry.py"
CODE = re.compile(r"\bOW\d{3}\b")

each_pair = pytest.mark.parametrize("pair", one_in(2, all_pairs()), ids=lambda pair: pair.code)


def _codes_in_sources() -> dict[str, str]:
    """Each code that the sources mention, and one file that does; the registry itself does not count."""
    found: dict[str, str] = {}
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            if path != REGISTRY:
                found.update(dict.fromkeys(CODE.findall(path.read_text(encoding="utf-8")), path.name))
    return found


def test_every_code_that_is_raised_is_registered_and_every_registered_code_is_raised() -> None:
    raised = _codes_in_sources()
    assert {code: raised[code] for code in sorted(raised.keys() - CODES)} == {}, "codes without a text"
    assert CODES.keys() - raised == set(), "codes that nothing raises"


def test_every_code_has_its_examples_and_none_is_used_twice() -> None:
    codes = [pair.code for pair in all_pairs()]
    assert len(codes) == len(set(codes))
    assert codes == [item.code for item in TABLE], "each code of the registry has its examples, and stands in order"
    assert len(codes) >= 40


@pytest.mark.parametrize("item", CODES.values(), ids=lambda item: item.code)
def test_a_code_says_what_and_why(item: Code) -> None:
    assert CODE.fullmatch(item.code)
    assert item.title
    assert not item.title.endswith(".")
    assert len(item.title) < 80
    assert item.why.endswith((".", "?"))
    assert find_code(item.code.lower()) is item


@each_pair
def test_the_bad_example_yields_the_code_and_no_other(
    pair: Pair, run_example: Run, golden: Callable[[Path, str], None]
) -> None:
    ran = run_example(pair.bad)
    assert ran.codes == {pair.code, *pair.beside}, ran.text
    golden(GOLDEN / f"{pair.code}.txt", ran.text)


@each_pair
def test_the_good_example_does_not(pair: Pair, run_example: Run) -> None:
    ran = run_example(pair.good)
    assert pair.code not in ran.codes, ran.text


def test_no_golden_text_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= CODES.keys()


def test_the_reference_page_is_up_to_date(golden: Callable[[Path, str], None]) -> None:
    outputs = {path.stem: path.read_text(encoding="utf-8") for path in GOLDEN.glob("*.txt")}
    golden(PAGE, codes_page(CODES.values(), {pair.code: pair for pair in all_pairs()}, outputs))
