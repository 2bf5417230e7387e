"""Outcomes as findings."""

from typing import Any

import pytest
from opwright.diagnostics.diagnostic import Place, Severity
from opwright_build.verify.case_model import Outcome, Status
from opwright_build.verify.findings import failures, unverified

BODY = "(i0) => (o0) { o0 = Identity(i0) }"
OTHER = "(i0) => (o0) { o0 = Abs(i0) }"
PLACE = {"com.acme::F@1": Place("specs/com.acme/F/spec.yaml", 9, 1)}


@pytest.fixture
def outcome(make_case: Any) -> Any:
    def make(entry: Any, status: Status, *, body: int = 0, type: str = "float", **given: Any) -> Outcome:
        case = make_case(entry, [], None, type=type, name=given.pop("name", "case"))
        found = entry.bodies[body]
        runtime = given.pop("runtime", "reference")
        return Outcome(case, found.last_opset, found.body, runtime, status, given.pop("message", ""))

    return make


def test_a_case_that_fails_in_many_cells_is_one_finding(library: Any, outcome: Any) -> None:
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
    assert finding.message == "com.acme::F@1: the vector case fails on reference at opset 22"
    assert finding.reason == "Y differs (and in 2 more cells: onnxruntime/off at opset 18, 22)"
    assert finding.place == outcomes[0].case.place


def test_a_type_or_body_on_which_nothing_passes_is_found(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), (OTHER, 19, 22), types=("float", "double", "int64"))
    outcomes = [
        outcome(entry, Status.PASS),
        outcome(entry, Status.NO_KERNEL, type="double"),
        outcome(entry, Status.FAIL, type="double"),
    ]
    findings = unverified([entry], outcomes, PLACE)
    assert [(item.code, item.message, item.reason, item.severity) for item in findings] == [
        (
            "OW455",
            "no vector of com.acme::F@1 passes with T=double",
            "its vectors end as fail, no-kernel",
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


def test_without_an_oracle_it_is_a_warning(library: Any, outcome: Any) -> None:
    entry = library.add("F", (BODY, 13, 18), types=("float",))
    findings = unverified([entry], [outcome(entry, Status.UNVERIFIED)], PLACE)
    assert [(item.code, item.severity) for item in findings] == [
        ("OW455", Severity.WARNING),
        ("OW456", Severity.WARNING),
    ]
