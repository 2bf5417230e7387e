"""`opwright test` and `opwright vectors` on a tiny library."""

import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright_build.report.schemas import output_schemas
from opwright_build.verify.cases import oracle
from opwright_build.verify.run import isolation, matrix
from opwright_build.verify.run.runtimes import OnnxRuntime

from tests.claimed import claim_a_sandbox

Opwright = Callable[..., Any]
FUNCTION = Path("specs/com.acme/Swish/function.py")
ROWS = Path("specs/com.acme/Swish/vectors.yaml")
SPEC = Path("specs/com.acme/Swish/spec.yaml")
STEEP = "  - name: steep\n    attributes: {alpha: 2.5}\n    inputs: {X: [0.5, -1.5, 3.0]}\n"


@pytest.fixture(autouse=True)
def with_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    claim_a_sandbox(monkeypatch)


def findings(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


def check(command: str, ran: Any) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()[command])
    for line in ran.lines:
        validator.validate(line)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_every_cell_passes_and_is_counted(library: Path, opwright: Opwright) -> None:
    ran = opwright("test", "--json")
    assert (ran.status, findings(ran)) == (0, [])
    check("test", ran)
    outcomes = [line for line in ran.lines if line["event"] == "outcome"]
    # One row, two types, three bodies, three runtimes.
    assert len(outcomes) == 18
    assert {line["status"] for line in outcomes} == {"pass"}
    assert {line["runtime"] for line in outcomes} == {"reference", "onnxruntime/off", "onnxruntime/full"}
    summary = ran.summary
    assert (summary["versions"], summary["pairs"], summary["cases"], summary["oracles"]) == (1, 2, 2, 1)
    counted = Counter((line["runtime"], line["status"]) for line in outcomes)
    assert {
        (runtime, status): n for runtime, found in summary["runtimes"].items() for status, n in found.items()
    } == counted
    assert not Path("dist").exists()


def test_the_table_for_people(library: Path, opwright: Opwright) -> None:
    ran = opwright("test", "--table")
    assert ran.status == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["com.acme::Swish@1", "T=float", *["3", "pass"] * 3] in rows
    assert ["total", *["6", "pass"] * 3] in rows
    summary = opwright("test").out.splitlines()
    assert summary[:-1] == [
        "1 version, 2 (version, type) pairs, 2 cases",
        "onnxruntime/off: 6 pass",
        "onnxruntime/full: 6 pass",
        "reference: 6 pass",
    ]
    assert summary[-1].startswith("18 cells, 18 of them known from earlier runs; ")
    assert re.fullmatch(r"18 cells; sandbox level [012]; \d+\.\d\d s", ran.out.splitlines()[-1])
    assert ran.out.splitlines()[-5:-1] == summary[:-1]
    assert "collecting vectors; reference.py of each spec is run, in a child process" in ran.err.splitlines()


def test_a_wrong_body_fails_and_the_finding_stands_at_the_row(library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "X * op", "X + op")
    ran = opwright("test", "--table")
    assert ran.status == 1
    assert "specs/com.acme/Swish/vectors.yaml:3:11: error OW450" in ran.out
    assert "3 fail" in ran.out
    assert ran.out.index("3 fail") < ran.out.index("OW450"), "the table comes before the findings"
    alone = opwright("test").out
    assert alone.startswith("specs/com.acme/Swish/"), "findings, and no table"
    assert "onnxruntime/off: 6 fail" in alone.splitlines()


def test_junit_has_a_test_for_each_cell(library: Path, opwright: Opwright) -> None:
    edit(ROWS, "rows:\n", "rows:\n  - {name: wrong, inputs: {X: 0.0}, outputs: {Y: 1.0}}\n")
    assert opwright("test", "--junit", "out/report.xml").status == 1
    first = Path("out/report.xml").read_bytes()
    root = ElementTree.fromstring(first)
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("36", "18", "0")
    (suite,) = root
    assert suite.get("name") == "com.acme::Swish@1"
    names = [case.get("name") for case in suite]
    assert len(names) == len(set(names))
    opwright("test", "--junit", "out/report.xml")
    assert Path("out/report.xml").read_bytes() == first


def test_without_the_oracle_rows_are_unverified_and_no_python_runs(
    library: Path, opwright: Opwright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "CAGES", oracle.CAGES[-1:])  # so that a reference leaves a trace
    trace = tmp_path / "ran"
    reference = Path("specs/com.acme/Swish/reference.py")
    reference.write_text(f"open({str(trace)!r}, 'w')\n{reference.read_text()}")
    ran = opwright("test", "--no-oracle", "--json")
    check("test", ran)
    assert not trace.exists()
    assert {line["status"] for line in ran.lines if line["event"] == "outcome"} == {"unverified"}
    assert (ran.summary["oracles"], ran.summary["sandbox"]) == (0, None)
    again = opwright("test", "--no-oracle", "--require-sandbox=2", "--rerun")
    assert "sandbox" not in again.out, "nothing is run in one"
    assert "collecting vectors; no Python of a spec is run" in again.err.splitlines()
    opwright("test")
    assert trace.exists(), "with the oracle it does run"


def test_what_a_runtime_lacks_is_written_down_and_then_expected(library: Path, opwright: Opwright) -> None:
    edit(SPEC, "types: {T: [float, double]}", "types: {T: [float, double, bfloat16]}")
    ran = opwright("test", "--json")
    assert ran.status == 1
    assert set(findings(ran)) == {"OW451"}
    assert opwright("test", "--update-gaps").status == 0
    gaps = Path("specs/runtime-gaps.yaml")
    assert "no-kernel" in gaps.read_text()
    again = opwright("test", "--json")
    assert (again.status, findings(again)) == (0, [])
    assert {
        line["gap"] is None for line in again.lines if line["event"] == "outcome" and line["status"] == "no-kernel"
    } == {False}
    edit(SPEC, "types: {T: [float, double, bfloat16]}", "types: {T: [float, double]}")
    stale = opwright("test", "--json")
    assert (stale.status, set(findings(stale))) == (1, {"OW452"})


def test_a_release_that_no_row_knows_is_one_line(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(SPEC, "types: {T: [float, double]}", "types: {T: [float, double, bfloat16]}")
    gaps = Path("specs/runtime-gaps.yaml")
    assert opwright("test", "--update-gaps").status == 0
    text = gaps.read_text()
    before = opwright("test", "--json")
    assert (before.status, before.summary["changes"]) == (0, [])
    running = before.summary["releases"]["onnxruntime"]
    monkeypatch.setattr(OnnxRuntime, "release", "99.0.0")

    gaps.write_text(text.replace("opsets: [18, 20, 22]", "opsets: [18, 20]"))
    ran = opwright("test", "--json", "--junit", "report.xml")
    check("test", ran)
    assert (ran.status, findings(ran)) == (0, [])
    assert ran.summary["changes"] == [
        {"family": "onnxruntime", "release": "99.0.0", "against": running, "passing": 0, "unused": 0, "refused": 2}
    ]
    assert ElementTree.parse("report.xml").getroot().get("failures") == "0"
    told = [line for line in opwright("test").out.splitlines() if "99.0.0" in line]
    assert told == [
        f"onnxruntime 99.0.0 is not listed in specs/runtime-gaps.yaml; compared with {running}: "
        "2 cells without a row are refused; `opwright test --update-gaps` adds it"
    ]

    assert opwright("test", "--update-gaps").status == 0
    both = gaps.read_text()
    assert f'releases: {{onnxruntime: ["{running}", "99.0.0"]' in both
    assert 'releases: ["99.0.0"], ' in both
    again = opwright("test", "--json")
    assert (again.status, again.summary["changes"]) == (0, [])


def test_a_release_is_added_by_a_run_of_all_functions(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SPEC.parent, "specs/com.acme/Other")
    for path in Path("specs/com.acme/Other").iterdir():
        path.write_text(path.read_text().replace("Swish", "Other"))
    assert opwright("test", "--update-gaps").status == 0
    gaps = Path("specs/runtime-gaps.yaml")
    text = gaps.read_text()
    assert opwright("test", "--update-gaps", "--function", "Swish").status == 0
    monkeypatch.setattr(OnnxRuntime, "release", "99.0.0")
    ran = opwright("test", "--update-gaps", "--function", "Swish")
    assert ran.status == 2
    assert "onnxruntime 99.0.0 cannot be added to specs/runtime-gaps.yaml by a run of some functions" in ran.out
    assert gaps.read_text() == text
    assert opwright("test", "--update-gaps").status == 0
    assert '"99.0.0"' in gaps.read_text()


def test_an_update_does_not_replace_a_file_that_cannot_be_read(library: Path, opwright: Opwright) -> None:
    gaps = Path("specs/runtime-gaps.yaml")
    gaps.write_text("schema: 1\ngaps: 3\n")
    ran = opwright("test", "--update-gaps")
    assert ran.status == 1
    assert "specs/runtime-gaps.yaml:2:7: error" in ran.out
    assert gaps.read_text() == "schema: 1\ngaps: 3\n"


def test_mutants_are_counted_and_survivors_named(library: Path, opwright: Opwright) -> None:
    weak = opwright("test", "--mutants", "--json")
    check("test", weak)
    mutants = [line for line in weak.lines if line["event"] == "mutant"]
    assert {line["fate"] for line in mutants} >= {"killed", "survived"}
    figures = weak.summary["mutants"]
    assert figures["killed"] == sum(line["fate"] == "killed" for line in mutants)
    assert "OW470" in findings(weak)
    ROWS.write_text(ROWS.read_text() + STEEP)
    strong = opwright("test", "--mutants", "--json")
    assert strong.status == 0
    assert strong.summary["mutants"]["rate"] > figures["rate"]
    text = opwright("test", "--mutants").out
    killed = strong.summary["mutants"]["killed"]
    assert f"{killed} of {killed} mutants noticed (100.0%)" in text


def test_one_function_alone(library: Path, opwright: Opwright) -> None:
    assert opwright("test", "--function", "Swish", "--json").summary["versions"] == 1
    assert opwright("test", "--function", "Swihs").status == 2


@pytest.mark.parametrize("command", ["test", "vectors"])
def test_errors_of_the_build_come_first(command: str, library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "Sigmoid", "Sigmod")
    ran = opwright(command, "--json")
    assert (ran.status, findings(ran)) == (1, ["OW201"])
    check(command, ran)


def test_vectors_are_listed_and_pinned(library: Path, opwright: Opwright) -> None:
    ran = opwright("vectors", "--json")
    check("vectors", ran)
    assert (ran.status, ran.summary["cases"]) == (0, 2)
    assert opwright("vectors").out.splitlines()[2].split() == ["com.acme::Swish@1", "2", "0"]


def test_runtimes_are_given_the_time_that_is_asked(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    def run_tasks(*tasks: Any, timeout: float, **options: Any) -> list[Any]:
        seen.append(timeout)
        return isolation.run_tasks(*tasks, timeout=timeout, **options)

    monkeypatch.setattr(matrix, "run_tasks", run_tasks)
    assert opwright("test").status == 0
    assert opwright("test", "--rerun", "--vector-limit", "77", "-j", "2").status == 0
    assert seen == [120.0, 77.0]
    assert opwright("test", "--vector-limit", "0").status == 2
