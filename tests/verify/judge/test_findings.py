"""Outcomes as findings."""

from typing import Any

import pytest
from opwright.diagnostics.diagnostic import Place, Severity
from opwright_build.verify.case_model import CaseName, Outcome, Status
from opwright_build.verify.judge.findings import failures, lacking, unverified

BODY = "(i0) => (o0) { o0 = Identity(i0) }"
OTHER = "(i0) => (o0) { o0 = Abs(i0) }"
PLACE = {"com.acme::F@1": Place("specs/com.acme/F/spec.yaml", 9, 1)}


@pytest.fixture
def outcome(make_case: Any) -> Any:
    def make(entry: Any, status: Status, *, body: int = 0, type: str = "float", **given: Any) -> Outcome:
        case = make_case(entry, [], None, type=type, name=given.pop("name", "case"))
        named = CaseName(case.identity, case.name, case.bindings, case.place, given.pop("refuses", False))
        found = entry.bodies[body]
        runtime = given.pop("runtime", "reference")
        return Outcome(named, found.last_opset, found.body, runtime, status, given.pop("message", ""))

    return make


def test_a_row_that_fails_in_many_cells_is_one_finding(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22))
    outcomes = [
        outcome(entry, Status.PASS),
        outcome(entry, Status.FAIL, message="Y differs", body=1),
        outcome(entry, Status.FAIL, message="crashed", runtime="onnxruntime/off"),
        outcome(entry, Status.FAIL, message="crashed", runtime="onnxruntime/off", body=1),
        outcome(entry, Status.NO_KERNEL, name="other"),
    ]
    (finding,) = failures(outcomes)
    assert finding.code == "OW450"
    assert finding.message == (
        "com.acme::F@1: the vector case fails on reference at opset 22; on onnxruntime/off at every opset"
    )
    assert finding.reason == ("Y differs (reference, opset 22, T=float); crashed (onnxruntime/off, opset 18, T=float)")
    assert finding.place == outcomes[0].case.place


def test_types_runtimes_and_opsets_are_folded(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float16", "float", "double"))

    def cells(status: Status, name: str, types: tuple[str, ...], runtimes: tuple[str, ...]) -> list[Outcome]:
        return [
            outcome(
                entry,
                status,
                body=body,
                type=kind,
                name=f"{name}[T={kind}]",
                runtime=runtime,
                message=f"{len(kind)} ulp",
            )
            for kind in types
            for body in (0, 1)
            for runtime in runtimes
        ]

    every = ("onnxruntime/off", "onnxruntime/full", "reference")
    kinds = ("float16", "float", "double")
    passing = cells(Status.PASS, "right", kinds, every)
    (finding,) = failures([*passing, *cells(Status.FAIL, "wrong", kinds, every)])
    assert finding.message == "com.acme::F@1: the vector wrong fails with every type on every runtime at every opset"
    assert finding.reason == "7 ulp (onnxruntime/off, opset 18, T=float16)"
    assert finding.help == "no runtime gives what is expected: the body is wrong, or the expectation is"
    (finding,) = failures([*passing, *cells(Status.FAIL, "wrong", ("float16", "double"), every[:2])])
    assert (
        finding.message == "com.acme::F@1: the vector wrong fails with T=float16, double on onnxruntime at every opset"
    )
    assert finding.help == (
        "reference gives what is expected; where the body is right, and values are not exact enough, "
        "`tolerance: {runtimes: ...}` can allow onnxruntime/full and onnxruntime/off more; what ends in an error there "
        "needs another body"
    )
    (finding,) = failures([*passing, *cells(Status.FAIL, "wrong", ("float16",), every[2:])])
    assert finding.help.startswith("onnxruntime/full and onnxruntime/off give what is expected; ")


def test_what_the_machine_lacks_is_told_once_and_is_no_error(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float",))
    outcomes = [
        outcome(entry, Status.LACKING, body=body, name=name, message="locale tr_TR", runtime="onnxruntime/off")
        for body in (0, 1)
        for name in ("a", "b")
    ]
    (finding,) = lacking(outcomes)
    assert (finding.code, finding.severity) == ("OW457", Severity.WARNING)
    assert finding.message == "this machine has no locale tr_TR, which com.acme::F@1 needs"
    assert failures(outcomes) == []
    assert unverified([entry], outcomes, PLACE) == []


def test_a_type_or_body_on_which_nothing_passes_is_found(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float", "double", "int64"))
    outcomes = [
        outcome(entry, Status.PASS),
        outcome(entry, Status.NO_KERNEL, type="double"),
        outcome(entry, Status.NO_KERNEL, type="int64"),
    ]
    findings = unverified([entry], outcomes, PLACE)
    assert [(item.code, item.message, item.reason, item.severity) for item in findings] == [
        (
            "OW455",
            "no vector of com.acme::F@1 passes with T=double, int64",
            "its vectors end as no-kernel",
            Severity.ERROR,
        ),
        (
            "OW456",
            "no vector passes on the body of com.acme::F@1 for the opsets 19 to 22",
            "there is no vector for it",
            Severity.ERROR,
        ),
    ]
    assert {item.place for item in findings} == set(PLACE.values())
    everywhere = [
        outcome(entry, Status.PASS, type=kind, body=body) for kind in ("float", "double", "int64") for body in (0, 1)
    ]
    assert unverified([entry], everywhere, PLACE) == []
    assert unverified([], outcomes, PLACE) == []


def test_a_type_or_body_on_which_a_vector_fails_is_told_by_that_failure_alone(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float", "double"))
    outcomes = [
        outcome(entry, Status.PASS),
        outcome(entry, Status.NO_KERNEL, type="double"),
        outcome(entry, Status.FAIL, type="double", body=1),
    ]
    assert [item.code for item in failures(outcomes)] == ["OW450"]
    assert unverified([entry], outcomes, PLACE) == []


def test_a_vector_that_expects_an_error_proves_nothing(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float",))
    outcomes = [outcome(entry, Status.PASS), outcome(entry, Status.PASS, body=1, refuses=True)]
    (finding,) = unverified([entry], outcomes, PLACE)
    assert finding.message == "no vector passes on the body of com.acme::F@1 for the opsets 19 to 22"
    assert finding.reason == "its vectors expect an error each"
    failing = outcome(entry, Status.FAIL, body=1, refuses=True)
    assert unverified([entry], [outcomes[0], failing], PLACE) == [], "the failure tells it"


def test_neighbouring_bodies_are_one_range(library: Any, outcome: Any) -> None:
    entry = library.add(
        "F", (BODY, 13, 17), (OTHER, 18, 20), ("(i0) => (o0) { o0 = Neg(i0) }", 21, 22), types=("float",)
    )
    (finding,) = unverified([entry], [outcome(entry, Status.PASS)], PLACE)
    assert finding.message == "no vector passes on the bodies of com.acme::F@1 for the opsets 18 to 22"


def test_without_an_oracle_it_is_a_warning(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), types=("float",))
    findings = unverified([entry], [outcome(entry, Status.UNVERIFIED)], PLACE)
    assert [(item.code, item.severity) for item in findings] == [("OW455", Severity.WARNING)]
