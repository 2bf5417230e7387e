"""Differences of results have a kind, and rows excuse them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.corpus.results import Kind, Result, compare, read, read_rows, review
from tests.corpus.sample import write

_REASON = 'reason = "a rank that is not known is no error"\n'


def _result(
    bodies: Mapping[str, str] | None = None, *findings: tuple[str, str, str], source: str = "s", error: str = ""
) -> Result:
    return Result("p", source, bodies or {}, findings, error, {})


BODY = _result({"T=float": "12"})
REFUSED = _result({}, ("OW314", "f.py:1:2", "no rank"))


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (BODY, BODY, None),
        (BODY, _result({"T=float": "13"}), Kind.BODY),
        (BODY, _result({"T=float": "12", "T=double": "12"}), Kind.BODY),
        (_result({"": "12 s"}), _result({"": "13 s"}), Kind.ORDER),
        (_result({"": "12 s"}), _result({"": "13 t"}), Kind.BODY),
        (BODY, REFUSED, Kind.REFUSED),
        (REFUSED, BODY, Kind.ACCEPTED),
        (REFUSED, _result({}, ("OW315", "f.py:1:2", "no rank")), Kind.FINDING),
        (REFUSED, _result({}, ("OW314", "f.py:1:3", "no rank")), Kind.FINDING),
        (REFUSED, _result({}, *REFUSED.findings * 2), Kind.FINDING),
        (REFUSED, _result({}, ("OW314", "f.py:1:2", "no rank yet")), Kind.MESSAGE),
        (BODY, _result(BODY.bodies, ("OW330", "f.py:1:2", "idle")), Kind.FINDING),
        (BODY, _result(BODY.bodies, source="t"), Kind.OTHER),
        (BODY, _result(error="KeyError: 1"), Kind.STUMBLED),
        (_result(error="KeyError: 1"), BODY, Kind.STOOD_UP),
    ],
)
def test_kind(before: Result, after: Result, kind: Kind | None) -> None:
    assert [item.kind for item in compare({"p": before}, {"p": after})] == ([] if kind is None else [kind])


def test_programs_of_one_side_alone() -> None:
    assert [item.kind for item in compare({"a": BODY}, {"b": BODY})] == [Kind.NEW, Kind.LOST]


def _rows(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "reviewed.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_excuses_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    text = f'[[row]]\nkind = "accepted now"\nprogram = "mutant *"\nbefore = "^OW314 .*no rank"\n{_REASON}'
    other = _result({}, ("OW302", "f.py:1:2", "no name"))
    before = {"mutant 1": REFUSED, "mutant 2": other, "valid 1": REFUSED, "mutant 3": REFUSED}
    after = {"mutant 1": BODY, "mutant 2": BODY, "valid 1": BODY, "mutant 3": other}
    found = review(compare(before, after), read_rows(_rows(tmp_path, text)))
    assert [item.id for item in found.left] == ["mutant 2", "valid 1", "mutant 3"]
    assert list(found.excused.values()) == [1]
    lines = list(found.lines(shown=1))
    assert lines[:4] == [
        "accepted now: 2",
        "  mutant 2",
        "    before: OW302 f.py:1:2 no name",
        "     after: 1 bodies: T=float=12",
    ]
    assert lines[4] == "  ... and 1 more"
    assert lines[-1] == "reviewed: 1 accepted now: a rank that is not known is no error"


@pytest.mark.parametrize(
    "text",
    [
        '[[row]]\nkind = "accepted now"\nprogram = "*"\n',
        f'[[row]]\nkind = "accepted now"\n{_REASON}',
        f'[[row]]\nkind = "nothing"\nprogram = "*"\n{_REASON}',
        f'[[row]]\nkind = "accepted now"\nprogramm = "*"\nprogram = "*"\n{_REASON}',
    ],
)
def test_a_row_that_says_too_little_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"reviewed row|is not a valid Kind"):
        read_rows(_rows(tmp_path, text))


def test_our_own_rows_can_be_read() -> None:
    assert all(row.reason for row in read_rows())


def test_results_come_back_from_a_file(tmp_path: Path) -> None:
    results = {"p": _result({"T=float": "12"}, ("OW330", "f.py:1:2", "über"), error="x")}
    write(tmp_path / "results", results)
    assert read(tmp_path / "results") == results
