"""SARIF logs: they keep to the standard, and say what the text says."""

from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.diagnostics import Diagnostic, Place, Related, Severity
from opwright.diagnostics.registry import CODES
from opwright.diagnostics.sarif import to_sarif

from tests.diagnostics.sarif_schema import LOG

VALIDATOR = jsonschema.Draft202012Validator(LOG)
FOUND = Diagnostic(
    "OW301",
    "the file is not Python",
    Place("specs/com.acme/Größe x/function.py", 2, 3, 2, 9),
    "invalid syntax",
    "close the bracket",
    (Related(Place("specs/com.acme/Swish/spec.yaml"), "asked for here"),),
)


def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    VALIDATOR.validate(log)
    return list(log["runs"][0]["results"])


def test_a_finding_says_where_what_why_and_the_way_out() -> None:
    [result] = results(to_sarif([FOUND]))
    assert result == {
        "ruleId": "OW301",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "the file is not Python\nreason: invalid syntax\nhelp: close the bracket"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "specs/com.acme/Gr%C3%B6%C3%9Fe%20x/function.py",
                        "uriBaseId": "LIBRARYROOT",
                    },
                    "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 9},
                }
            }
        ],
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {
                    "artifactLocation": {"uri": "specs/com.acme/Swish/spec.yaml", "uriBaseId": "LIBRARYROOT"}
                },
                "message": {"text": "asked for here"},
            }
        ],
    }


def test_rules_are_the_pages_of_the_codes_found() -> None:
    found = [FOUND, Diagnostic("OW110", "m"), Diagnostic("OW301", "again", severity=Severity.WARNING)]
    log = to_sarif(found)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["OW110", "OW301"]
    assert [rules[item["ruleIndex"]]["id"] for item in results(log)] == ["OW301", "OW110", "OW301"]
    assert [item["level"] for item in results(log)] == ["error", "error", "warning"]
    assert "docs/diagnostics.md#ow301" in rules[1]["help"]["markdown"]


def test_every_code_gives_a_rule() -> None:
    log = to_sarif([Diagnostic(code, "m") for code in CODES])
    assert len(results(log)) == len(log["runs"][0]["tool"]["driver"]["rules"]) == len(CODES)


def test_a_run_says_of_which_kind_it_was_and_how_it_ended() -> None:
    run = to_sarif([], "lint", 3)["runs"][0]
    assert run["automationDetails"] == {"id": "opwright/lint/"}
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 3}]
    assert results(to_sarif([], "lint", 1)) == []


def test_an_absolute_path_becomes_a_uri_of_its_own() -> None:
    [result] = results(to_sarif([Diagnostic("OW301", "m", Place("/home/a b/f.py", 1, 1))]))
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "file:///home/a%20b/f.py"}
    assert location["region"] == {"startLine": 1, "startColumn": 1}


texts = st.text(st.characters(codec="utf-8"), min_size=1)
places = st.builds(Place, texts, *[st.integers(0, 10**6)] * 4)


@given(
    st.lists(
        st.builds(
            Diagnostic,
            st.sampled_from([*CODES, "OW999"]),
            texts,
            st.none() | places,
            st.text(),
            st.text(),
            st.lists(st.builds(Related, places, texts), max_size=2).map(tuple),
            st.sampled_from(Severity),
        ),
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_findings_give_a_valid_log(found: list[Diagnostic]) -> None:
    assert len(results(to_sarif(found))) == len(found)
