"""docs/language.md, read and done: each row compiles to what it names, gives what it says and refuses what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from opwright.diagnostics.registry import find_code
from opwright.opsets.signatures import signature

from tests.docs.checks import check_refused, check_results
from tests.docs.pages import DOCS, Example, Row, read_header, read_rows, row_ids
from tests.docs.running import OPSET, define, operators_of

PAGE = DOCS / "language.md"
ROWS = read_rows(PAGE)
HEADER = read_header(PAGE)
UNSAID = {"Constant", "Identity"}  # the page leaves them out
VARIANTS = re.compile(r"(\d+) variants")

each_row = pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
_accepted = [(row, example) for row in ROWS for example in row.accepted]
_refused = [(row, example) for row in ROWS for example in row.examples if example.code]


def name_of(row: Row, example: Example) -> str:
    return f"<{row.id}:{example.line}>"


def ids_of(pairs: list[tuple[Row, Example]]) -> list[str]:
    return [f"{row.id}:{example.line}" for row, example in pairs]


@each_row
def test_a_row_becomes_what_it_names(row: Row) -> None:
    """Those operators and no others, over all of its examples."""
    found: set[str] = set()
    most = 1
    for example in row.accepted:
        protos = define(HEADER, example.text, name_of(row, example)).to_function_protos(OPSET)
        found |= operators_of(protos)
        most = max(most, len(protos))
    own = {name.rpartition(".")[2] for name in found if "." in name}
    assert {name for name in found if "." not in name} - UNSAID | own == row.operators
    variants = VARIANTS.search(row.becomes)
    assert most == (int(variants[1]) if variants else 1)


@pytest.mark.parametrize(("row", "example"), _accepted, ids=ids_of(_accepted))
def test_an_example_gives_what_it_says_wherever_it_runs(row: Row, example: Example) -> None:
    check_results(HEADER, example, name_of(row, example))


@pytest.mark.parametrize(("row", "example"), _refused, ids=ids_of(_refused))
def test_what_is_refused_has_that_code_alone_and_a_place(row: Row, example: Example) -> None:
    check_refused(HEADER, example, name_of(row, example))


@each_row
def test_a_row_says_all_that_its_section_shows(row: Row) -> None:
    assert row.construct.endswith(".")
    assert row.examples
    assert row.refused == tuple(dict.fromkeys(example.code for example in row.examples if example.code))
    assert all(find_code(code) is not None for code in row.refused)
    for example in row.accepted:
        assert example.expectations, f"line {example.line} shows no result"


def test_operators_named_are_operators() -> None:
    functions = {"Twice"}
    for row in ROWS:
        for name in row.operators - functions:
            assert signature("", name, OPSET) is not None, f"{row.id} names {name}"


def test_the_ids_are_offered_to_others() -> None:
    assert row_ids() == tuple(row.id for row in ROWS)
    assert len(ROWS) >= 90


def test_the_form_of_a_page_is_checked(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("| [`a.b`](#ab) | text. | nothing |  |\n\n### `a.c`\n\n```python\n```\n")
    with pytest.raises(KeyError):
        read_rows(page)
