"""`--sarif FILE`, beside the text that people read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.diagnostics.sarif_schema import LOG

Opwright = Callable[..., Any]
FUNCTION = Path("specs/com.acme/Swish/function.py")


def log_of(path: str) -> dict[str, Any]:
    log = json.loads(Path(path).read_text())
    jsonschema.Draft202012Validator(LOG).validate(log)
    return log["runs"][0]


@pytest.mark.parametrize("command", ["build", "lint", "test", "stubs", "vectors"])
def test_findings_are_written_beside_the_text(library: Path, opwright: Opwright, command: str) -> None:
    FUNCTION.write_text(FUNCTION.read_text().replace("op.Sigmoid", "op.Sigmod"))
    ran = opwright(command, "--sarif", "out/findings.sarif")
    assert ran.status == 1
    assert "OW201" in ran.out
    run = log_of("out/findings.sarif")
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    [result] = run["results"]
    location = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], location["artifactLocation"]["uri"]) == ("OW201", FUNCTION.as_posix())


def test_a_good_run_writes_an_empty_log(library: Path, opwright: Opwright) -> None:
    assert opwright("lint", "--json", "--sarif", "findings.sarif").status == 0
    assert log_of("findings.sarif")["results"] == []


def test_no_library_is_a_finding_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> None:
    monkeypatch.chdir(tmp_path)
    assert opwright("lint", "--sarif", "findings.sarif").status == 2
    assert [item["ruleId"] for item in log_of("findings.sarif")["results"]] == ["OW110"]


def test_a_file_that_cannot_be_written_is_told(library: Path, opwright: Opwright) -> None:
    ran = opwright("lint", "--sarif", "specs/library.yaml/findings.sarif")
    assert ran.status == 3
    assert "OW905" in ran.out
