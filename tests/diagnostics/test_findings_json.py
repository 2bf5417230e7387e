import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opwright.diagnostics import Diagnostic, DiagnosticError, Place, Related, Severity, has_errors
from opwright.diagnostics.diagnostic import Replacement
from opwright.diagnostics.findings_json import from_json, to_json

places = st.builds(Place, st.text(), *[st.integers(0, 10**6)] * 4)
findings = st.builds(
    Diagnostic,
    st.from_regex(r"OW\d{3}", fullmatch=True),
    st.text(),
    st.none() | places,
    st.text(),
    st.text(),
    st.lists(st.builds(Related, places, st.text()), max_size=3).map(tuple),
    st.sampled_from(Severity),
    st.just(""),
    st.none() | st.builds(Replacement, places, st.text(), st.text()),
)


@given(findings)
def test_a_finding_comes_back_equal(finding: Diagnostic) -> None:
    assert from_json(json.loads(json.dumps(to_json(finding)))) == finding


@given(findings)
def test_an_error_can_be_pickled(finding: Diagnostic) -> None:
    error = pickle.loads(pickle.dumps(DiagnosticError([finding])))
    assert isinstance(error, DiagnosticError)
    assert error.diagnostics == (finding,)
    assert finding.code in str(error)


@pytest.mark.parametrize(
    ("severity", "expected"), [(Severity.ERROR, True), (Severity.WARNING, False), (Severity.NOTE, False)]
)
def test_only_errors_are_errors(severity: Severity, expected: bool) -> None:
    assert has_errors([Diagnostic("OW301", "m", severity=severity)]) is expected


def test_keys_of_a_finding_are_a_contract() -> None:
    finding = Diagnostic("OW301", "m", Place("f.py", 1, 2, 3, 4), "r", "h", (Related(Place("g.py"), "n"),))
    assert to_json(finding) == {
        "code": "OW301",
        "severity": "error",
        "message": "m",
        "place": {"file": "f.py", "line": 1, "column": 2, "end_line": 3, "end_column": 4},
        "reason": "r",
        "help": "h",
        "related": [{"place": {"file": "g.py", "line": 0, "column": 0, "end_line": 0, "end_column": 0}, "note": "n"}],
        "replacement": None,
    }


def test_older_findings_have_no_replacement() -> None:
    older = to_json(Diagnostic("OW301", "m"))
    del older["replacement"]
    assert from_json(older) == Diagnostic("OW301", "m")
