"""Rows of runtime gaps: made from outcomes, written, read, and kept true."""

from typing import Any

import pytest
from opwright.diagnostics.model import Place
from opwright_build.verify.gaps import FILE, Gap, check_gaps, gaps_from, merge_gaps, read_gaps, write_gaps
from opwright_build.verify.model import Outcome, Status

OFF, FULL, REF = "onnxruntime/off", "onnxruntime/full", "reference"
RUNTIMES = (OFF, FULL, REF)
F = "com.acme::F@1"
ERF = "no kernel for Erf-13 with these types"


@pytest.fixture
def outcome(make_case: Any) -> Any:
    def make(
        runtime: str, status: Status, message: str = "", *, type: str = "float", opset: int = 18, operator: str = F
    ) -> Outcome:
        return Outcome(make_case(operator, [], None, type=type), opset, "body1:0", runtime, status, message)

    return make


def on_all(outcome: Any, status: Status, message: str, **given: Any) -> list[Outcome]:
    """The same on both levels of onnxruntime, and a pass on the reference evaluator."""
    refused = [outcome(runtime, status, message, **given) for runtime in (OFF, FULL)]
    return [*refused, outcome(REF, Status.PASS, **given)]


def test_rows_are_as_wide_as_they_are_true(outcome: Any) -> None:
    outcomes = [
        *on_all(outcome, Status.NO_KERNEL, ERF, type="double", opset=18),
        *on_all(outcome, Status.NO_KERNEL, ERF, type="double", opset=22),
        *on_all(outcome, Status.PASS, "", type="float", opset=18),
        *on_all(outcome, Status.PASS, "", type="float", opset=22),
        *on_all(outcome, Status.UNSUPPORTED, "opset 28 is not accepted", type="float", opset=28),
        *on_all(outcome, Status.UNSUPPORTED, "opset 28 is not accepted", type="double", opset=28),
        outcome(OFF, Status.NO_KERNEL, "x", type="float16"),
        outcome(FULL, Status.PASS, type="float16"),
    ]
    text = write_gaps(gaps_from(outcomes))
    assert text.splitlines()[2:] == [
        "schema: 1",
        "gaps:",
        '  - {runtime: onnxruntime, operator: "com.acme::F@1", opsets: [28], outcome: unsupported, '
        'reason: "opset 28 is not accepted"}',
        '  - {runtime: onnxruntime, operator: "com.acme::F@1", types: {T: double}, opsets: [18, 22], '
        f'outcome: no-kernel, reason: "{ERF}"}}',
        '  - {runtime: onnxruntime/off, operator: "com.acme::F@1", types: {T: float16}, opsets: [18], '
        'outcome: no-kernel, reason: "x"}',
    ]
    shuffled = write_gaps(gaps_from(reversed(outcomes)))
    assert shuffled == text
    declared = read_gaps(text.encode())
    assert declared.diagnostics == ()
    assert write_gaps(declared.gaps) == text
    assert check_gaps(declared.gaps, outcomes, runtimes=RUNTIMES, identities={F: True}) == []


def test_a_refusal_of_one_type_alone_is_not_one_of_the_opset(outcome: Any) -> None:
    outcomes = [
        *on_all(outcome, Status.UNSUPPORTED, "type int4 is refused by Add", type="int4"),
        *on_all(outcome, Status.PASS, "", type="float"),
    ]
    (gap,) = gaps_from(outcomes)
    assert gap.types == {"T": "int4"}


def test_a_wrong_value_is_never_a_gap(outcome: Any) -> None:
    outcomes = [outcome(OFF, Status.FAIL, "Y differs"), outcome(OFF, Status.UNVERIFIED), outcome(OFF, Status.PASS)]
    assert gaps_from(outcomes) == []
    assert write_gaps([]).endswith("gaps: []\n")
    assert read_gaps(write_gaps([]).encode()).gaps == ()
    row = Gap(OFF, F, None, (18,), Status.NO_KERNEL, "x", Place(FILE))
    assert not any(row.covers(item) for item in outcomes)


def test_an_undeclared_refusal_is_one_finding_for_each_cell(outcome: Any) -> None:
    outcomes = [*on_all(outcome, Status.NO_KERNEL, ERF), *on_all(outcome, Status.NO_KERNEL, ERF)]
    findings = check_gaps((), outcomes, runtimes=RUNTIMES, identities={F: True})
    assert [(item.code, item.reason) for item in findings] == [("OW451", ERF), ("OW451", ERF)]
    assert findings[0].message == "onnxruntime/off does not load com.acme::F@1 with T=float at opset 18"
    assert findings[0].place is not None


def row(text: str) -> Gap:
    found = read_gaps(f"schema: 1\ngaps:\n  - {{{text}, reason: why}}\n".encode())
    assert found.diagnostics == ()
    return found.gaps[0]


WHOLE = f'runtime: onnxruntime, operator: "{F}", types: {{T: float}}, opsets: [18], outcome: no-kernel'


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (WHOLE, []),
        (WHOLE.replace("{T: float}", "{T: double}"), ["OW451", "OW452", "OW451", "OW452"]),
        (WHOLE.replace("[18]", "[18, 20]"), ["OW452", "OW452"]),
        (WHOLE.replace("F@1", "F@2"), ["OW451", "OW451", "OW452"]),
        (WHOLE.replace("no-kernel", "unsupported"), ["OW451", "OW453", "OW451", "OW453"]),
        (WHOLE.replace("onnxruntime", "onnxruntime/off"), ["OW451"]),
        (WHOLE.replace("onnxruntime", "onnxruntime/o"), ["OW451", "OW451"]),
        (WHOLE.replace("onnxruntime", "reference"), ["OW451", "OW451", "OW453"]),
    ],
)
def test_a_row_must_be_true_to_the_letter(outcome: Any, text: str, codes: list[str]) -> None:
    outcomes = on_all(outcome, Status.NO_KERNEL, ERF)
    findings = check_gaps([row(text)], outcomes, runtimes=RUNTIMES, identities={F: True})
    assert sorted(item.code for item in findings) == sorted(codes)
    for item in findings:
        assert item.place is not None
        assert item.place.file == (FILE if item.code != "OW451" else "specs/com.acme/F/vectors.yaml")


def test_a_row_that_passes_says_so(outcome: Any) -> None:
    outcomes = on_all(outcome, Status.PASS, "")
    findings = check_gaps([row(WHOLE)], outcomes, runtimes=RUNTIMES, identities={F: True})
    assert [item.code for item in findings] == ["OW453", "OW453"]
    assert findings[0].reason == "onnxruntime/off loads every case at opset 18"


def test_nothing_is_said_of_what_did_not_run(outcome: Any) -> None:
    others = on_all(outcome, Status.PASS, "", operator="com.acme::G@1")
    assert check_gaps([row(WHOLE)], others, runtimes=RUNTIMES, identities={F: False, "com.acme::G@1": True}) == []
    assert check_gaps([row(WHOLE)], [], runtimes=[REF], identities={F: True}) == []


def test_an_update_of_a_part_leaves_the_other_rows(outcome: Any) -> None:
    gone, part = WHOLE.replace("F@1", "H@1"), WHOLE.replace("F@1", "G@1")
    old = [row(WHOLE), row(part), row(WHOLE.replace("onnxruntime", "other")), row(gone)]
    outcomes = on_all(outcome, Status.NO_KERNEL, ERF, type="double")
    merged = merge_gaps(old, outcomes, runtimes=RUNTIMES, identities={F: True, "com.acme::G@1": False})
    assert [(gap.operator, gap.runtime, gap.types) for gap in merged] == [
        (F, "onnxruntime", {"T": "double"}),
        (F, "other", {"T": "float"}),
        ("com.acme::G@1", "onnxruntime", {"T": "float"}),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("schema: 1\ngaps:\n  - {runtime: x}\n", "OW107"),
        (f"schema: 1\ngaps:\n  - {{{WHOLE}, reason: a, extra: 1}}\n", "OW106"),
        (f"schema: 1\ngaps:\n  - {{{WHOLE.replace('no-kernel', 'fail')}, reason: a}}\n", "OW109"),
        ("schema: 2\ngaps: []\n", "OW111"),
        ("gaps: [\n", "OW101"),
    ],
)
def test_a_malformed_file_is_a_finding_at_its_place(text: str, code: str) -> None:
    found = read_gaps(text.encode())
    assert found.gaps == ()
    assert code in [item.code for item in found.diagnostics]
    assert all(item.place is not None and item.place.file == FILE for item in found.diagnostics)


def test_reasons_with_quotes_survive(outcome: Any) -> None:
    gaps = gaps_from([outcome(OFF, Status.UNSUPPORTED, 'a "quoted" \\ reason: {x}')])
    assert read_gaps(write_gaps(gaps).encode()).gaps[0].reason == 'a "quoted" \\ reason: {x}'
