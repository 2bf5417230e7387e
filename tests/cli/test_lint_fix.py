"""`opwright lint --fix` writes what findings are sure of: each known word, by its exact place, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright_build.report.schemas import output_schemas

from tests.diagnostics.sarif_schema import LOG

Opwright = Callable[..., Any]
SPECS = Path("specs")
SWISH = SPECS / "com.acme" / "Swish"
SPEC, VECTORS, FUNCTION = SWISH / "spec.yaml", SWISH / "vectors.yaml", SWISH / "function.py"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


SUMMARY = "summary: X * sigmoid(alpha * X), for each element."
REFERENCE = "reference: reference.py"
ROW = "inputs: {X: [1.0, -1.0]}"
DRAWN = "inputs: {X: {distribution: normal, shape: [4], seed: 1}}"
# (file, what stands there, the same with a mistake, as it is after the fix, code)
MISTAKES = [
    (SPEC, "inputs: {X: T}", "input: {X: T}", "inputs: {X: T}", "OW106"),
    (SPEC, "outputs: {Y: T}", '"Outputs": {Y: T}', '"outputs": {Y: T}', "OW106"),
    (SPEC, "{X: T}", "{X: {tipe: T}}", "{X: {type: T}}", "OW106"),
    (SPEC, "[float, double]", "[float32, double]", "[float, double]", "OW122"),
    (SPEC, "[float, double]", "[float, 'doubel']", "[float, 'double']", "OW122"),
    (SPEC, "{X: T}", "{X: Float}", "{X: float}", "OW122"),
    (SPEC, 'opset: ">=18"', "opset: 18+", 'opset: ">=18"', "OW116"),
    (SPEC, 'opset: ">=18"', "opset: 18-20", 'opset: ">=18,<=20"', "OW116"),
    (SPEC, 'opset: ">=18"', 'opset: ">=18 <=20"', 'opset: ">=18,<=20"', "OW116"),
    (SPEC, REFERENCE, f"{REFERENCE}\ndeprecated: yes", f"{REFERENCE}\ndeprecated: true", "OW108"),
    (SPEC, SUMMARY, "summary: 42", 'summary: "42"', "OW108"),
    (SPEC, REFERENCE, "tolerance: {flot: exact}", "tolerance: {float: exact}", "OW106"),
    (SPEC, REFERENCE, "tolerance: {float: exakt}", "tolerance: {float: exact}", "OW109"),
    (SPEC, REFERENCE, "tolerance: {runtimes: {refrence: {}}}", "tolerance: {runtimes: {reference: {}}}", "OW106"),
    (SPECS / "library.yaml", 'opsets: ">=18,<=22"', "opsets: 18..22", 'opsets: ">=18,<=22"', "OW116"),
    (SPECS / "library.yaml", "version: 1.0.0", "vresion: 1.0.0", "version: 1.0.0", "OW106"),
    (SPECS / "com.acme" / "domain.yaml", "version: 1", "versoin: 1", "version: 1", "OW106"),
    (VECTORS, ROW, "input: {X: [1.0, -1.0]}", ROW, "OW106"),
    (VECTORS, "rows:", "row:", "rows:", "OW106"),
    (VECTORS, ROW, DRAWN.replace("shape", "shap"), DRAWN, "OW106"),
    (VECTORS, ROW, f"types: {{T: [flaot]}}\n    {ROW}", f"types: {{T: [float]}}\n    {ROW}", "OW122"),
    (FUNCTION, "op.Sigmoid(alpha", "op.Sigmoyd(alpha", "op.Sigmoid(alpha", "OW201"),
    (FUNCTION, "X * op.Sigmoid(alpha * X)", "op.Softmax(X, axes=1)", "op.Softmax(X, axis=1)", "OW205"),
]


@pytest.mark.parametrize(("file", "base", "wrong", "right", "code"), MISTAKES, ids=[item[2] for item in MISTAKES])
def test_each_known_word_is_fixed(
    library: Path, opwright: Opwright, file: Path, base: str, wrong: str, right: str, code: str
) -> None:
    change(file, base, wrong)
    change(file, "\n", "  # a comment\r\n")
    before = file.read_bytes()
    found = opwright("lint", "--json")
    codes = {line["finding"]["code"] for line in found.lines if line["event"] == "finding"}
    assert code in codes
    shown = opwright("lint", "--fix", "--dry-run")
    assert "\n-" in shown.out
    assert file.read_bytes() == before
    opwright("lint", "--fix")
    assert file.read_bytes() == before.replace(wrong.encode(), right.encode())
    opwright("lint", "--fix")
    assert file.read_bytes() == before.replace(wrong.encode(), right.encode()), "a second run changes nothing"


def test_a_name_with_other_capitals_is_fixed(library: Path, opwright: Opwright) -> None:
    change(FUNCTION, "def Swish", "HALF = 0.5\n\n\ndef Swish")
    change(FUNCTION, "alpha * X)\n", "half * X)\n")
    opwright("lint", "--fix")
    assert "op.Sigmoid(HALF * X)\n" in FUNCTION.read_text()


def test_fixes_are_made_until_there_are_none_and_the_rest_is_told(library: Path, opwright: Opwright) -> None:
    change(SPEC, "inputs: {X: T}", "input: {X: T}")
    change(SPEC, "[float, double]", "[float32, half]")
    change(FUNCTION, "op.Sigmoid(", "op.Sigmoyd(")
    change(VECTORS, "inputs:", "input:")
    change(SPEC, 'opset: ">=18"', "opset: 18")
    ran = opwright("lint", "--fix", "--json")
    made = [line for line in ran.lines if line["event"] == "fix"]
    assert {(line["old"], line["new"]) for line in made} >= {
        ("input", "inputs"),
        ("float32", "float"),
        ("half", "float16"),
    }
    left = [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]
    assert "OW108" in left, "a number alone may mean two ranges"
    change(SPEC, "opset: 18", 'opset: ">=18"')
    ran = opwright("lint", "--fix")
    assert ran.status == 0, ran.out
    assert "1 fix made" in ran.err
    assert opwright("lint").status == 0


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (SPEC, "inputs: {X: T}", "input: {X: T}\ninputs: {X: T}"),  # the key that is meant stands there already
        (SPEC, "[float, double]", "[number, double]"),  # not sure enough
        (FUNCTION, "alpha * X)\n", "alhpa * X)\n"),  # a name of a value
        (VECTORS, "schema: 1", "schema: 1\nquite: other"),
    ],
)
def test_what_may_mean_another_thing_stays(library: Path, opwright: Opwright, file: Path, old: str, new: str) -> None:
    change(file, old, new)
    before = file.read_bytes()
    assert opwright("lint", "--fix").status == 1
    assert file.read_bytes() == before


def test_fixes_stand_in_json_and_in_sarif(library: Path, opwright: Opwright) -> None:
    change(SPEC, "outputs: {Y: T}", "'outpts': {Y: T}")
    ran = opwright("lint", "--json", "--sarif", "found.sarif")
    validator = jsonschema.Draft202012Validator(output_schemas()["lint"])
    for line in ran.lines:
        validator.validate(line)
    (finding,) = [
        line["finding"] for line in ran.lines if line["event"] == "finding" and line["finding"]["replacement"]
    ]
    place = {"file": SPEC.as_posix(), "line": 8, "column": 2, "end_line": 8, "end_column": 8}
    assert finding["replacement"] == {"place": place, "old": "outpts", "new": "outputs"}
    log = json.loads(Path("found.sarif").read_text())
    jsonschema.Draft202012Validator(LOG).validate(log)
    (fix,) = [fix for result in log["runs"][0]["results"] for fix in result.get("fixes", ())]
    (edit,) = fix["artifactChanges"][0]["replacements"]
    assert edit["insertedContent"] == {"text": "outputs"}
    assert edit["deletedRegion"] == {"startLine": 8, "startColumn": 2, "endLine": 8, "endColumn": 8}
    for line in opwright("lint", "--fix", "--json").lines:
        validator.validate(line)


def test_dry_run_alone_makes_no_sense(library: Path, opwright: Opwright) -> None:
    assert opwright("lint", "--dry-run").status == 2


def test_lint_reads_files_of_vectors_once(library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    from opwright_build.spec import vectors_file

    change(VECTORS, "inputs:", "quite_other:")
    first = opwright("lint")
    assert "vectors.yaml:4:5: error OW106" in first.out

    def read(*given: object) -> None:
        raise AssertionError("read again")

    with monkeypatch.context() as patch:
        patch.setattr(vectors_file, "read_vectors_file", read)
        assert opwright("lint").out == first.out
        assert opwright("lint", "-s", "com.acme/Swish").status == 1
    change(VECTORS, "quite_other:", "inputs:")
    assert opwright("lint").status == 0
