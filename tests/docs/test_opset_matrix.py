"""A sample of constructs x opsets; all of it is `nox -s opsets`."""

from __future__ import annotations

import pytest
from opwright.opsets.signatures import newest_opset

from tests.docs.opset_matrix import FAULTS, PAGE, UNRELEASED, Outcome, header_at, judge
from tests.docs.pages import Example, Row, read_header, read_rows

HEADER = read_header(PAGE)
PAIRS = [(row, example) for row in read_rows(PAGE) for example in row.accepted]
STRIDE = 5  # no divisor of the number of opsets, so that each of them comes up
CELLS = [(*pair, index * STRIDE % newest_opset() + 1) for index, pair in enumerate(PAIRS)]
WITH_ATTRIBUTES = [(*pair, opset) for pair in PAIRS if pair[0].id.startswith("param.") for opset in (7, 11, 12)]
OTHERS = [(*pair, opset) for pair in PAIRS[:: STRIDE + 1] for opset in (9, 12, 21)]


@pytest.mark.parametrize(
    ("row", "example", "opset"), [*CELLS, *WITH_ATTRIBUTES], ids=lambda item: getattr(item, "id", None)
)
def test_a_construct_is_right_or_refused(
    row: Row, example: Example, opset: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(UNRELEASED, "0")
    cell = judge(row, example, header_at(HEADER, opset), opset)
    assert cell.outcome not in FAULTS, str(cell)


@pytest.mark.parametrize(("row", "example", "opset"), OTHERS, ids=lambda item: getattr(item, "id", None))
def test_a_construct_that_is_written_for_another_opset_is_right_or_refused(
    row: Row, example: Example, opset: int
) -> None:
    cell = judge(row, example, HEADER, opset)
    assert cell.outcome not in FAULTS, str(cell)


def test_the_judge_tells_what_is_wrong() -> None:
    rows = {row.id: row for row in read_rows(PAGE)}
    row = rows["op.neg"] if "op.neg" in rows else rows["stmt.assign"]
    (example, *_) = row.accepted
    other = example.expectations[0].__class__(((1.0, 2.0),), (), [7.0, 7.0], 1)
    wrong = Example(example.text, example.line, "", (other,))
    assert judge(row, wrong, header_at(HEADER, 13), 13).outcome is Outcome.WRONG
    assert judge(
        rows["param.attribute"], rows["param.attribute"].accepted[0], header_at(HEADER, 11), 11
    ).said.startswith("OW221")
