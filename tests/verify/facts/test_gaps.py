"""Rows of runtime gaps: made from outcomes, written, read, and kept true."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright_build.verify.case_model import Outcome, Status
from opwright_build.verify.facts.gap_releases import rows_in_force
from opwright_build.verify.facts.gaps import FILE, Gap, GapsFile, gaps_from, read_gaps, release_order, write_gaps
from opwright_build.verify.judge.gap_checks import Change, Run, check_gaps, merge_gaps

OFF, FULL, REF = "onnxruntime/off", "onnxruntime/full", "reference"
RUNTIMES = (OFF, FULL, REF)
OLD = {"onnxruntime": "1.9.0", "reference": "1.20.0"}
NEW = {"onnxruntime": "1.10.0", "reference": "1.20.0"}
F = "com.acme::F@1"
ERF = "no kernel for Erf-13 with these types"


def ran(releases: dict[str, str] | None = None, runtimes: Sequence[str] = RUNTIMES, **identities: bool) -> Run:
    """A run of all of F, and of the other functions named as told."""
    names = {"F": True, **identities}
    return Run(runtimes, releases or {}, {f"com.acme::{name}@1": whole for name, whole in names.items()})


def findings_of(rows: Sequence[Gap], outcomes: Sequence[Outcome], run: Run) -> list[Diagnostic]:
    found, changes = check_gaps(GapsFile(tuple(rows)), outcomes, run)
    assert changes == []
    return found


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
    text = write_gaps(GapsFile(tuple(gaps_from(outcomes))))
    assert text.splitlines()[3:] == [
        "schema: 1",
        "gaps:",
        '  - {runtime: onnxruntime, operator: "com.acme::F@1", opsets: [28], outcome: unsupported, '
        'reason: "opset 28 is not accepted"}',
        '  - {runtime: onnxruntime, operator: "com.acme::F@1", types: {T: double}, opsets: [18, 22], '
        f'outcome: no-kernel, reason: "{ERF}"}}',
        '  - {runtime: onnxruntime/off, operator: "com.acme::F@1", types: {T: float16}, opsets: [18], '
        'outcome: no-kernel, reason: "x"}',
    ]
    shuffled = write_gaps(GapsFile(tuple(gaps_from(reversed(outcomes)))))
    assert shuffled == text
    declared = read_gaps(text.encode())
    assert declared.diagnostics == ()
    assert write_gaps(declared) == text
    assert findings_of(declared.gaps, outcomes, ran()) == []


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
    assert write_gaps(GapsFile(())).endswith("gaps: []\n")
    assert read_gaps(write_gaps(GapsFile(())).encode()).gaps == ()
    row = Gap(OFF, F, None, (18,), Status.NO_KERNEL, "x", Place(FILE))
    assert not any(row.covers(item) for item in outcomes)


def test_an_undeclared_refusal_is_one_finding_for_each_reason(outcome: Any) -> None:
    outcomes = [*on_all(outcome, Status.NO_KERNEL, ERF), *on_all(outcome, Status.NO_KERNEL, ERF)]
    findings = findings_of((), outcomes, ran())
    assert [(item.code, item.reason) for item in findings] == [("OW451", ERF)]
    assert findings[0].message == "com.acme::F@1 is not loaded on onnxruntime at opset 18"
    assert findings[0].place is not None
    two = [*outcomes, outcome(OFF, Status.UNSUPPORTED, "IR version 14 is not accepted", opset=28)]
    assert [item.message for item in findings_of((), two, ran())] == [
        "com.acme::F@1 is not loaded on onnxruntime at opset 18",
        "com.acme::F@1 is not loaded on onnxruntime/off at opset 28",
    ]


def test_what_the_machine_lacks_makes_no_row_and_leaves_those_that_are_there(outcome: Any) -> None:
    lacking = [
        *on_all(outcome, Status.PASS, ""),
        outcome(OFF, Status.LACKING, "locale tr_TR", opset=20),
        outcome(FULL, Status.LACKING, "locale tr_TR", opset=20),
    ]
    assert gaps_from(lacking) == []
    assert findings_of((), lacking, ran()) == []
    assert findings_of([row(WHOLE.replace("[18]", "[20]"))], lacking, ran()) == []


def row(text: str) -> Gap:
    found = read_gaps(f"schema: 1\ngaps:\n  - {{{text}, reason: why}}\n".encode())
    assert found.diagnostics == ()
    return found.gaps[0]


WHOLE = f'runtime: onnxruntime, operator: "{F}", types: {{T: float}}, opsets: [18], outcome: no-kernel'


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (WHOLE, []),
        (WHOLE.replace("{T: float}", "{T: double}"), ["OW451", "OW452", "OW452"]),
        (WHOLE.replace("[18]", "[18, 20]"), ["OW452", "OW452"]),
        (WHOLE.replace("F@1", "F@2"), ["OW451", "OW452"]),
        (WHOLE.replace("no-kernel", "unsupported"), ["OW451", "OW453", "OW453"]),
        (WHOLE.replace("onnxruntime", "onnxruntime/off"), ["OW451"]),
        (WHOLE.replace("onnxruntime", "onnxruntime/o"), ["OW451"]),
        (WHOLE.replace("onnxruntime", "reference"), ["OW451", "OW453"]),
    ],
)
def test_a_row_must_be_true_to_the_letter(outcome: Any, text: str, codes: list[str]) -> None:
    outcomes = on_all(outcome, Status.NO_KERNEL, ERF)
    findings = findings_of([row(text)], outcomes, ran())
    assert sorted(item.code for item in findings) == sorted(codes)
    for item in findings:
        assert item.place is not None
        assert item.place.file == (FILE if item.code != "OW451" else "specs/com.acme/F/vectors.yaml")


def test_a_row_that_passes_says_so(outcome: Any) -> None:
    outcomes = on_all(outcome, Status.PASS, "")
    findings = findings_of([row(WHOLE)], outcomes, ran())
    assert [item.code for item in findings] == ["OW453", "OW453"]
    assert findings[0].reason == "onnxruntime/off loads every case at opset 18"


def test_nothing_is_said_of_what_did_not_run(outcome: Any) -> None:
    others = on_all(outcome, Status.PASS, "", operator="com.acme::G@1")
    assert findings_of([row(WHOLE)], others, ran(F=False, G=True)) == []
    assert findings_of([row(WHOLE)], [], ran(runtimes=[REF])) == []


def test_an_update_of_a_part_leaves_the_other_rows(outcome: Any) -> None:
    gone, part = WHOLE.replace("F@1", "H@1"), WHOLE.replace("F@1", "G@1")
    old = GapsFile((row(WHOLE), row(part), row(WHOLE.replace("onnxruntime", "other")), row(gone)))
    outcomes = on_all(outcome, Status.NO_KERNEL, ERF, type="double")
    merged = merge_gaps(old, outcomes, ran(OLD, G=False))
    assert merged.releases == {"onnxruntime": ("1.9.0",), "reference": ("1.20.0",)}
    assert [(gap.operator, gap.runtime, gap.types) for gap in merged.gaps] == [
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
    assert read_gaps(write_gaps(GapsFile(tuple(gaps))).encode()).gaps[0].reason == 'a "quoted" \\ reason: {x}'


# --------------------------------------------------------------------------------------------------------- releases


def read(text: str) -> GapsFile:
    found = read_gaps(text.encode())
    assert found.diagnostics == ()
    assert write_gaps(found).splitlines()[3:] == text.splitlines(), "what is read is written as it was"
    return found


LISTED = 'schema: 1\nreleases: {onnxruntime: ["1.9.0"], reference: ["1.20.0"]}\n'
BOTH = 'schema: 1\nreleases: {onnxruntime: ["1.9.0", "1.10.0"], reference: ["1.20.0"]}\n'


def line(types: str, opsets: str, releases: str = "", runtime: str = "onnxruntime") -> str:
    named = f"releases: [{releases}], " if releases else ""
    return (
        f'  - {{runtime: {runtime}, {named}operator: "{F}", types: {{T: {types}}}, opsets: [{opsets}], '
        f'outcome: no-kernel, reason: "{ERF}"}}\n'
    )


@pytest.fixture
def before(outcome: Any) -> list[Outcome]:
    """What 1.9.0 does: no kernel for two types, at two opsets each."""
    refused = [
        item
        for kind in ("double", "float16")
        for opset in (18, 20)
        for item in on_all(outcome, Status.NO_KERNEL, ERF, type=kind, opset=opset)
    ]
    return [*refused, *on_all(outcome, Status.PASS, "", opset=18)]


@pytest.fixture
def after(outcome: Any) -> list[Outcome]:
    """What 1.10.0 does: double passes at 20, float16 runs at 22 and is refused there, float is refused without opt."""
    return [
        *on_all(outcome, Status.NO_KERNEL, ERF, type="double", opset=18),
        *on_all(outcome, Status.PASS, "", type="double", opset=20),
        *on_all(outcome, Status.NO_KERNEL, ERF, type="float16", opset=18),
        *on_all(outcome, Status.NO_KERNEL, ERF, type="float16", opset=22),
        outcome(OFF, Status.NO_KERNEL, ERF, type="float", opset=18),
        outcome(FULL, Status.PASS, type="float", opset=18),
        outcome(REF, Status.PASS, type="float", opset=18),
    ]


def test_an_unlisted_release_is_a_change_and_no_failure(before: list[Outcome], after: list[Outcome]) -> None:
    file = merge_gaps(GapsFile(()), before, ran(OLD))
    assert write_gaps(file).endswith(LISTED + "gaps:\n" + line("double", "18, 20") + line("float16", "18, 20"))
    assert check_gaps(file, before, ran(OLD)) == ([], [])
    findings, changes = check_gaps(file, after, ran(NEW))
    assert findings == []
    assert changes == [Change("onnxruntime", "1.10.0", "1.9.0", passing=2, unused=2, refused=3)]
    assert str(changes[0]) == (
        "onnxruntime 1.10.0 is not listed in specs/runtime-gaps.yaml; compared with 1.9.0: 2 cells that were gaps now "
        "pass, 2 gaps no longer run, 3 cells without a row are refused; `opwright test --update-gaps` adds it"
    )
    findings, _ = check_gaps(file, after, ran(OLD))
    assert Counter(item.code for item in findings) == {"OW451": 1, "OW452": 2, "OW453": 2}


def test_an_unlisted_release_that_does_the_same(before: list[Outcome]) -> None:
    findings, changes = check_gaps(merge_gaps(GapsFile(()), before, ran(OLD)), before, ran(NEW))
    assert findings == []
    assert ["nothing changed" in str(change) for change in changes] == [True]


def test_another_runtime_is_judged_all_the_same(outcome: Any, before: list[Outcome]) -> None:
    file = merge_gaps(GapsFile(()), before, ran(OLD))
    findings, changes = check_gaps(file, [*before, outcome(REF, Status.NO_KERNEL, "new")], ran(NEW))
    assert [(item.code, item.reason) for item in findings] == [("OW451", "new")]
    assert [change.family for change in changes] == ["onnxruntime"]


def test_a_function_that_is_gone_is_a_finding_with_every_release(before: list[Outcome]) -> None:
    file = merge_gaps(GapsFile(()), before, ran(OLD))
    findings, _ = check_gaps(file, [], Run(RUNTIMES, NEW, {"com.acme::G@1": True}))
    assert [item.code for item in findings] == ["OW452", "OW452"]


def test_a_release_is_added_and_the_rows_of_others_stay(before: list[Outcome], after: list[Outcome]) -> None:
    first = merge_gaps(GapsFile(()), before, ran(OLD))
    both = merge_gaps(first, after, ran(NEW))
    assert write_gaps(both).endswith(
        BOTH
        + "gaps:\n"
        + line("double", "18")
        + line("double", "20", '"1.9.0"')
        + line("float", "18", '"1.10.0"', "onnxruntime/off")
        + line("float16", "18")
        + line("float16", "20", '"1.9.0"')
        + line("float16", "22", '"1.10.0"')
    )
    assert check_gaps(both, before, ran(OLD)) == ([], [])
    assert check_gaps(both, after, ran(NEW)) == ([], [])
    other_way = merge_gaps(merge_gaps(GapsFile(()), after, ran(NEW)), before, ran(OLD))
    assert write_gaps(other_way) == write_gaps(both) == write_gaps(merge_gaps(both, after, ran(NEW)))


def test_a_function_is_judged_anew_for_its_release_alone(before: list[Outcome], after: list[Outcome]) -> None:
    both = merge_gaps(merge_gaps(GapsFile(()), before, ran(OLD)), after, ran(NEW))
    passing = [replace(item, status=Status.PASS, message="") for item in before]
    fixed = merge_gaps(both, passing, ran(OLD, G=False))
    assert {gap.releases for gap in fixed.gaps} == {("1.10.0",)}
    assert rows_in_force(fixed, OLD) == ()
    assert check_gaps(fixed, after, ran(NEW)) == ([], [])


@pytest.mark.parametrize(
    ("running", "against"),
    [
        ("1.8.0", "1.9.0"),
        ("1.9.0", "1.9.0"),
        ("1.9.1", "1.9.0"),
        ("1.10.0.dev3", "1.9.0"),
        ("1.10.0", "1.10.0"),
        ("1.10.0+cu12", "1.10.0"),
        ("2.0", "1.10.0"),
    ],
)
def test_a_release_is_compared_with_the_one_before_it(
    before: list[Outcome], after: list[Outcome], running: str, against: str
) -> None:
    both = merge_gaps(merge_gaps(GapsFile(()), before, ran(OLD)), after, ran(NEW))
    expected = tuple(gap for gap in both.gaps if against in gap.releases)
    assert rows_in_force(both, {"onnxruntime": running}) == expected != both.gaps


def test_releases_in_order() -> None:
    ordered = ["nightly", "1.9.0", "1.10.0.dev1", "1.10.0rc1", "1.10.0", "1.10.0+cu12", "1.10.1", "2.0"]
    assert sorted(sorted(ordered), key=release_order) == ordered


def test_a_file_without_releases_holds_for_each(before: list[Outcome]) -> None:
    file = read("schema: 1\ngaps:\n" + line("double", "18, 20") + line("float16", "18, 20"))
    assert check_gaps(file, before, ran(OLD)) == check_gaps(file, before, ran(NEW)) == ([], [])


def test_a_row_of_a_release_that_is_not_listed() -> None:
    text = LISTED + "gaps:\n" + line("double", "18", '"1.9.0", "1.10.0"')
    found = read_gaps(text.encode())
    assert found.gaps == ()
    assert [(item.code, item.message, item.reason) for item in found.diagnostics] == [
        ("OW423", "the row names onnxruntime 1.10.0, which the file does not list", "it lists onnxruntime 1.9.0")
    ]
    (finding,) = read_gaps(text.replace("onnxruntime: [", "other: [").replace('"1.9.0", ', "").encode()).diagnostics
    assert finding.reason == "it lists no release of onnxruntime"


@pytest.mark.parametrize("releases", ["[]", "1.9.0", "[1.9]", "{}"])
def test_releases_that_are_none(releases: str) -> None:
    for text in (
        LISTED.replace('["1.9.0"]', releases) + "gaps: []\n",
        LISTED + "gaps:\n" + line("double", "18", "x").replace("[x]", releases),
    ):
        found = read_gaps(text.encode())
        assert found.gaps == ()
        assert [item.place and item.place.file for item in found.diagnostics] == [FILE]
