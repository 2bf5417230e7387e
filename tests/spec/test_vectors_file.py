from __future__ import annotations

import math
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from opwright_build.spec.vectors_file import (
    Choice,
    GeneratedTensor,
    Integers,
    LiteralTensor,
    Normal,
    Uniform,
    VectorRow,
    VectorsFile,
    ZeroTensor,
    read_vectors_file,
)
from opwright_build.spec.yaml_source import MAX_FINDINGS

from tests.work import calls_of

CALLS = 50  # for each character
ROOT = Path(__file__).parents[2]

EVERYTHING = """\
schema: 1
rows:
  - name: edges
    types: {T: [float, double]}
    versions: [22]
    attributes: {alpha: 0.5, axes: [1, 2], mode: sum, limit: -inf}
    inputs: {X: [[nan, inf], [-inf, -0.0]], min: null, flag: true, words: ["nan", a]}
    outputs: {Y: {value: [1, 2], type: int64}, Z: {shape: [0]}}
    scale: 2.5
    doc: why
  - name: generated
    inputs:
      a: {shape: [0, 3], type: float16}
      b: {distribution: normal, shape: [2, 3], seed: 7, std: 3}
      c: {distribution: uniform, shape: [], seed: 0, low: -1, high: 2.5}
      d: {distribution: integers, shape: [4], seed: 1, low: -5, high: 5, type: int8}
      e: {distribution: choice, shape: [4], seed: 1, values: [nan, 1, -inf]}
  - name: plain
  - name: refused
    error: bad
"""


def read(text: str) -> VectorsFile:
    return read_vectors_file(text.encode(), "v.yaml")


def rows(text: str) -> list[VectorRow]:
    found = read(text)
    assert found.diagnostics == ()
    return list(found.rows)


def findings(row: str) -> list[str]:
    """The findings for one row's keys, as `line:column code`; the row begins on line 3."""
    text = "schema: 1\nrows:\n" + "".join(f"  {line}\n" for line in row.splitlines())
    return [f"{str(item.place).removeprefix('v.yaml:')} {item.code}" for item in read(text).diagnostics]


def literal(row: VectorRow, name: str) -> LiteralTensor:
    source = row.inputs[name]
    assert isinstance(source, LiteralTensor)
    return source


def test_everything_a_row_can_say() -> None:
    edges, generated, plain, refused = rows(EVERYTHING)
    assert edges.name == "edges"
    assert edges.types == {"T": ("float", "double")}
    assert edges.versions == (22,)
    assert edges.attributes == {"alpha": 0.5, "axes": (1, 2), "mode": "sum", "limit": -math.inf}
    assert (edges.scale, edges.error, edges.doc, refused.error) == (2.5, "", "why", "bad")
    assert list(edges.inputs) == ["X", "min", "flag", "words"]
    assert edges.inputs["min"] is None
    assert edges.outputs is not None
    y, z = edges.outputs["Y"], edges.outputs["Z"]
    assert isinstance(y, LiteralTensor)
    assert (y.values, y.shape, y.type) == ((1, 2), (2,), "int64")
    assert isinstance(z, ZeroTensor)
    assert (z.shape, z.type) == ((0,), None)
    assert str(edges.place) == "v.yaml:3:11"
    assert str(edges.places["inputs.min"]) == "v.yaml:7:45"
    assert (plain.types, plain.versions, plain.outputs, plain.scale) == ({}, None, None, 1.0)

    distributions = []
    for name in "bcde":
        source = generated.inputs[name]
        assert isinstance(source, GeneratedTensor)
        distributions.append((source.distribution, source.shape, source.seed, source.type))
    assert distributions[:3] == [
        (Normal(0.0, 3.0), (2, 3), 7, None),
        (Uniform(-1.0, 2.5), (), 0, None),
        (Integers(-5, 5), (4,), 1, "int8"),
    ]
    choice = distributions[3][0]
    assert isinstance(choice, Choice)
    assert math.isnan(choice.values[0])  # type: ignore[arg-type]
    assert choice.values[1:] == (1, -math.inf)


def test_literals() -> None:
    (edges, *_) = rows(EVERYTHING)
    x = literal(edges, "X")
    assert x.shape == (2, 2)
    assert repr(x.values) == "((nan, inf), (-inf, -0.0))"
    assert (literal(edges, "flag").values, literal(edges, "flag").shape) == (True, ())
    assert literal(edges, "words").values == ("nan", "a")  # in quotes it is text


@pytest.mark.parametrize(
    ("text", "shape"),
    [("3", ()), ("[]", (0,)), ("[[], []]", (2, 0)), ("[[[1]], [[2]]]", (2, 1, 1)), ("[1, 2.5, 1.e3]", (3,))],
)
def test_shapes_of_literals(text: str, shape: tuple[int, ...]) -> None:
    (row,) = rows(f"schema: 1\nrows: [{{name: a, inputs: {{X: {text}}}}}]\n")
    assert literal(row, "X").shape == shape


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("- {}", ["3:5 OW107"]),
        ("- {name: 1}", ["3:12 OW108"]),
        ("- {name: a, input: {}}", ["3:15 OW106"]),
        ("- {name: a, types: {T: [duble]}}", ["3:27 OW122"]),
        ("- {name: a, types: {T: double}}", ["3:26 OW108"]),
        ("- {name: a, versions: [0]}", ["3:26 OW109"]),
        ("- {name: a, scale: 0}", ["3:22 OW109"]),
        ("- {name: a, scale: .nan}", ["3:22 OW109"]),
        ("- {name: a, outputs: {}}", ["3:24 OW109"]),
        ("- {name: a, outputs: {Y: null}}", ["3:28 OW108"]),
        ("- {name: a, inputs: {X: [1, null]}}", ["3:31 OW108"]),
        ("- {name: a, inputs: {X: [1, {a: 2}]}}", ["3:31 OW108"]),
        ("- {name: a, inputs: {X: [1, true]}}", ["3:31 OW109"]),
        ("- {name: a, inputs: {X: [1, x]}}", ["3:31 OW109"]),
        ("- {name: a, inputs: {X: [[1, 2], [3]]}}", ["3:36 OW109"]),
        ("- {name: a, inputs: {X: [[1], 2]}}", ["3:33 OW109"]),
        ("- {name: a, inputs: {X: [1, [2]]}}", ["3:31 OW109"]),
        ("- {name: a, inputs: {X: {values: 1}}}", ["3:24 OW107", "3:28 OW106"]),
        ("- {name: a, inputs: {X: {shape: [-1]}}}", ["3:36 OW109"]),
        ("- {name: a, inputs: {X: {shape: [16777216, 2]}}}", ["3:35 OW109"]),
        ("- {name: a, inputs: {X: {shape: 3}}}", ["3:35 OW108"]),
        ("- {name: a, inputs: {X: {distribution: gauss, shape: [1], seed: 1}}}", ["3:42 OW109"]),
        ("- {name: a, inputs: {X: {distribution: normal, shape: [1]}}}", ["3:24 OW107"]),
        ("- {name: a, inputs: {X: {distribution: normal, shape: [1], seed: -1}}}", ["3:68 OW109"]),
        ("- {name: a, inputs: {X: {distribution: normal, shape: [1], seed: 1, low: 1}}}", ["3:71 OW106"]),
        ("- {name: a, inputs: {X: {distribution: normal, shape: [1], seed: 1, std: inf}}}", ["3:76 OW108"]),
        ("- {name: a, inputs: {X: {distribution: integers, shape: [1], seed: 1, low: 2, high: 1}}}", ["3:78 OW109"]),
        ("- {name: a, inputs: {X: {distribution: choice, shape: [1], seed: 1, values: [[1], [2]]}}}", ["3:79 OW109"]),
        ("- {name: a, inputs: {X: {distribution: choice, shape: [1], seed: 1, values: []}}}", ["3:79 OW109"]),
        ("- {name: a, attributes: {alpha: {value: 1}}}", ["3:35 OW108"]),
        ("- {name: a, error: ''}", ["3:22 OW109"]),
        ("- {name: a, outputs: {Y: 1}, scale: 2, random: {}, error: no}", ["3:15 OW109", "3:32 OW109", "3:42 OW109"]),
        ("- {name: a, reason: No scale.}", ["3:15 OW109"]),
        ("- {name: a, random: {values: [1]}, scale: 2}", ["3:38 OW109"]),
        ("- {name: a}\n- {name: b}\n- {name: a}", ["5:12 OW130"]),
    ],
)
def test_mistakes(row: str, expected: list[str]) -> None:
    assert sorted(findings(row)) == sorted(expected)


def test_a_key_of_another_form() -> None:
    text = "schema: 1\nrows: [{name: a, inputs: {X: {values: [], shape: [2, 0]}}}]"
    (item,) = read(text).diagnostics
    assert item.message == "the key `values` does not go with the other keys in `rows.0.inputs.X`"
    assert item.help == "It goes with distribution, seed, shape, type."


def test_sound_rows_are_kept_beside_one_with_a_wrong_tensor() -> None:
    found = read("schema: 1\nrows:\n  - {name: a, inputs: {X: [1, x]}}\n  - {name: b, inputs: {X: [1]}}\n")
    assert [row.name for row in found.rows] == ["b"]
    assert len(found.diagnostics) == 1


@pytest.mark.parametrize("text", ["", "rows: 3", "schema: 1", "[]", "schema: 1\nrows: {}", "schema: 1\nrows: ["])
def test_files_that_are_none(text: str) -> None:
    found = read(text)
    assert found.rows == ()
    assert found.diagnostics


def test_no_rows() -> None:
    assert rows("schema: 1\nrows: []\n") == []


@pytest.mark.long
def test_hostile_rows_take_bounded_work() -> None:
    for text in (
        "rows: [" + "{name: a, inpts: 1}," * 5000 + "]\nschema: 1",
        "rows: [" + "{name: a, inputs: {X: [1, [2]]}}," * 2500 + "]\nschema: 1",
        "schema: 1\nrows: [{name: a, inputs: {X: [" + "1," * 40_000 + "]}}]",
        "schema: 1\nrows: [{name: a, inputs: {X: " + "[" * 30 + "1" + "]" * 30 + "}}]",
    ):
        assert calls_of(partial(read, text)) < CALLS * len(text)
        assert len(read(text).diagnostics) <= MAX_FINDINGS


def test_reading_rows_needs_no_numpy() -> None:
    path = [str(ROOT / "library"), str(ROOT / "buildtool")]
    code = (
        f"import sys; sys.path[:0] = {path!r}; import opwright_build.spec.vectors_file; print('numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "False"
