"""`opwright test` says what no vector proves, and `release` refuses it: calls that only expect errors, outputs that are
never stated, kernels that are lacking, cells that did not run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Opwright = Callable[..., Any]
FOLDER = Path("specs/com.acme/Made")
HEAD = "from opwright import Opset\nfrom opwright import opset18 as op\n\n\n"
GELU = "def Made(X):\n    return Opset('com.microsoft', 1, open=True).BiasGelu(X, X)\n"


@pytest.fixture
def made(library: Path) -> Callable[..., None]:
    """Makes the only function of the library, of the interface, the body and the rows given."""
    shutil.rmtree(library / "specs/com.acme/Swish")
    (library / FOLDER).mkdir()

    def make(body: str, *rows: str, inputs: str = "X: T", outputs: str = "Y: T", types: str = "float") -> None:
        (library / FOLDER / "spec.yaml").write_text(
            "schema: 1\ndomain: com.acme\nname: Made\nsummary: A function.\nsince_version: 1\nopset: '>=18'\n"
            f"inputs: {{{inputs}}}\noutputs: {{{outputs}}}\ntypes: {{T: [{types}]}}\nvectors: [vectors.yaml]\n"
        )
        (library / FOLDER / "function.py").write_text(HEAD + body)
        (library / FOLDER / "vectors.yaml").write_text(
            "".join(["schema: 1\nrows:\n", *(f"  - {{{row}}}\n" for row in rows)])
        )

    return make


def found(ran: Any) -> list[str]:
    """The codes of what a command tells as JSON."""
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


PRESENT = "def Made(X, B=None):\n    return X if B is None else X + op.Reshape(B, [3])\n"
GIVEN = "name: given, inputs: {X: [1, 2], B: [1, 2]}"


def test_a_body_is_not_proved_by_an_error(opwright: Opwright, made: Callable[..., None]) -> None:
    value = "name: value, inputs: {X: [1, 2]}, outputs: {Y: [1, 2]}"
    made(PRESENT, value, f"{GIVEN}, error: shape", inputs="X: T, B: T")
    ran = opwright("test")
    assert ran.status == 1
    assert "error OW456: no vector passes on the bodies of com.acme::Made@1" in ran.out
    assert "reason: its vectors expect an error each" in ran.out
    assert found(opwright("release", "1.0.0", "--json")) == ["OW626"]
    three = "name: three, inputs: {X: [1, 2, 3], B: [1, 2, 3]}, outputs: {Y: [2, 4, 6]}"
    made(PRESENT, value, f"{GIVEN}, error: shape", three, inputs="X: T, B: T")
    assert opwright("test").status == 0
    assert opwright("release", "1.0.0").status == 0


def test_a_lacking_kernel_is_no_expected_error(opwright: Opwright, made: Callable[..., None]) -> None:
    right = "name: right, types: {T: [float]}, inputs: {X: [0]}, outputs: {Y: [0]}"
    unproved = "name: unproved, types: {T: [double]}, inputs: {X: [1]}, outputs: {Y: [77]}"
    refused = "name: refused, types: {T: [double]}, inputs: {X: [[1]]}, error: Gelu"
    made(GELU, right, unproved, refused, types="float, double")
    assert opwright("test", "--update-gaps").status == 1
    ran = opwright("test")
    assert ran.status == 1
    assert "error OW455: no vector of com.acme::Made@1 passes with T=double" in ran.out
    assert "reason: its vectors end as no-kernel" in ran.out
    assert found(opwright("release", "1.0.0", "--json")) == ["OW626"]
    assert opwright("test", "--lf").status == 1, "what is not proved has failed"


@pytest.mark.parametrize(
    ("stated", "wrong"),
    [
        ("[[1], [2]]", ""),
        ("[[1]]", "2 outputs, expected 1"),
        ("[]", "2 outputs, expected 0"),
        ("[[1], [2], [3]]", "2 outputs, expected 3"),
    ],
)
def test_all_values_of_a_variadic_output_are_judged(
    stated: str, wrong: str, opwright: Opwright, made: Callable[..., None]
) -> None:
    row = f"name: row, inputs: {{X: [1]}}, outputs: {{Y: {{variadic: {stated}}}}}"
    made("def Made(X):\n    return X, X + 1\n", row, outputs="Y: {type: T, variadic: true}")
    ran = opwright("test")
    assert ran.status == (1 if wrong else 0), ran.err
    assert wrong in ran.out


@pytest.mark.parametrize(
    ("outputs", "missing"), [({}, "Z"), ({"Z": None}, "Z"), ({"Y": None, "Z": "y"}, "Y"), ({"Z": "y"}, "")]
)
def test_each_output_is_stated_somewhere(
    outputs: dict[str, str | None], missing: str, opwright: Opwright, made: Callable[..., None]
) -> None:
    made("def Made(X):\n    return X, X * 1000\n", "name: none, inputs: {X: [0]}", outputs="Y: T, Z: T")
    forms = {name: array and {"array": array, "type": "float"} for name, array in {"Y": "x", **outputs}.items()}
    calls = [{"name": "call", "inputs": {"X": {"array": "x", "type": "float"}}, "outputs": forms}]
    x = np.array([2.0], np.float32)
    text = json.dumps({"schema": 1, "calls": calls})
    np.savez(FOLDER / "stored.npz", calls=np.array(text), x=x, y=x * 1000)
    spec = (FOLDER / "spec.yaml").read_text().replace("vectors.yaml", "stored.npz")
    (FOLDER / "spec.yaml").write_text(spec)
    ran = opwright("test", "--json")
    assert ran.status == (1 if missing else 0), ran.err
    findings = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    told = [item["message"] for item in findings if item["code"] == "OW424"]
    assert told == [f"no vector of com.acme::Made@1 says what its output `{missing}` should be"] * bool(missing)


def test_a_row_of_random_strings(opwright: Opwright, made: Callable[..., None]) -> None:
    made(
        "def Made(X):\n    return op.Identity(X)\n",
        "name: a, inputs: {X: [b]}, outputs: {Y: [b]}, random: {}",
        types="string",
    )
    assert opwright("test").status == 0
    made(
        "def Made(X):\n    return op.Identity(X)\n",
        "name: a, inputs: {X: [b]}, outputs: {Y: [b]}, random: {values: [1]}",
        types="string",
    )
    ran = opwright("test")
    assert ran.status == 1 and "Y holds strings, of which numbers are said" in ran.out


ADD = "def Made(X):\n    return op.Add(X, 2)\n"
TWO = (
    "name: right, types: {T: [float]}, inputs: {X: [1]}, outputs: {Y: [3]}",
    "name: wrong, types: {T: [double]}, inputs: {X: [1]}, outputs: {Y: [2]}",
)


@pytest.mark.parametrize(
    "part",
    [
        ("--type", "float"),
        ("--opset", "18", "--type", "float"),
        ("--runtime", "reference", "--type", "float"),
        ("--no-oracle", "--type", "float"),
    ],
)
def test_what_failed_stays_known_until_it_runs_again(
    part: tuple[str, ...], opwright: Opwright, made: Callable[..., None]
) -> None:
    made(ADD, *TWO, types="float, double")
    assert opwright("test").status == 1
    assert opwright("test", *part).status == 0
    assert opwright("test", "--lf").status == 1
    made(ADD, TWO[0], TWO[1].replace("[2]", "[3]"), types="float, double")
    assert opwright("test").status == 0
    assert "nothing is selected" in opwright("test", "--lf").out


def test_what_does_not_compile_has_failed(opwright: Opwright, made: Callable[..., None]) -> None:
    made(ADD.replace("Add", "Nope"), TWO[0])
    assert opwright("test").status == 1
    assert opwright("test", "--lf").status == 1


@pytest.mark.parametrize("words", [("--opset", "14"), ("--opset", "99"), ("--type", "float", "--opset", "99")])
def test_a_run_of_nothing_is_no_success(words: tuple[str, ...], opwright: Opwright, made: Callable[..., None]) -> None:
    made(ADD, TWO[0])
    assert opwright("test").status == 0
    ran = opwright("test", *words)
    assert ran.status == 2 and "error OW907: no vector of the library runs" in ran.out


def test_a_selection_may_have_no_such_cell(opwright: Opwright, made: Callable[..., None]) -> None:
    """As what has changed since a commit may have none of a type."""
    made(ADD, TWO[0])
    ran = opwright("test", "-s", "Made", "--opset", "99")
    assert ran.status == 0 and "0 cells" in ran.out


def test_known_cells_are_counted_as_those_that_are_asked_for(opwright: Opwright, made: Callable[..., None]) -> None:
    made(ADD, "name: right, inputs: {X: [1]}, outputs: {Y: [3]}", types="float, double")
    assert opwright("test").status == 0
    whole, part = opwright("test", "--json").summary, opwright("test", "--type", "float", "--json").summary
    assert 2 * part["kept"] == whole["kept"] > 0


def test_two_errors_are_no_equal_values(opwright: Opwright, made: Callable[..., None]) -> None:
    """A body that failed on all its vectors, and computes now what it likes."""
    made("def Made(X):\n    return op.Reshape(X, [3])\n", "name: a, inputs: {X: [1, 2]}, outputs: {Y: [1, 2]}")
    assert opwright("release", "1.0.0", "--unverified").status == 0
    made("def Made(X):\n    return op.Neg(X)\n", "name: a, inputs: {X: [1, 2]}, outputs: {Y: [1, 2]}")
    assert "error OW625" in opwright("diff").out
    made("def Made(X):\n    return op.Reshape(X, [4])\n", "name: a, inputs: {X: [1, 2]}, outputs: {Y: [1, 2]}")
    assert "error OW625" in opwright("diff").out
