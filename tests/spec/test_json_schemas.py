from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright_build.spec.json_schemas import json_schemas, write_json_schemas
from opwright_build.spec.yaml_nodes import plain_data
from opwright_build.spec.yaml_source import read_yaml

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
UPDATE = "python -m opwright_build.spec.json_schemas docs/schemas"


def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    return loaded


def accepts(name: str, text: str) -> bool:
    read = read_yaml(text.encode(), "f.yaml")
    assert read.root is not None
    validator = jsonschema.Draft202012Validator(schema(name))
    return bool(validator.is_valid(plain_data(read.root)))


def test_the_files_are_up_to_date() -> None:
    for name, data in json_schemas().items():
        assert (SCHEMAS / name).read_bytes() == data, f"{name} is out of date: {UPDATE}"


def test_they_are_json_schemas(tmp_path: Path) -> None:
    for path in write_json_schemas(tmp_path / "schemas"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_bytes()))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("library", "library.yaml"),
        ("domain", "*/domain.yaml"),
        ("spec", "*/*/spec.yaml"),
        ("vectors", "*/*/vectors*.yaml"),
    ],
)
def test_every_spec_validates(name: str, pattern: str) -> None:
    validator = jsonschema.Draft202012Validator(schema(name))
    paths = sorted((ROOT / "specs").glob(pattern))
    assert paths
    for path in paths:
        read = read_yaml(path.read_bytes(), path.name)
        assert read.root is not None
        assert [error.message for error in validator.iter_errors(plain_data(read.root))] == [], path


SPEC = """\
schema: 1
domain: com.acme
name: Swish
inputs: {X: T, axes: {type: int64, rank: 1}}
outputs: {Y: T}
types: {T: [float]}
tolerance: {default: exact, float: {ulp: 9}, reason: so}
"""


@pytest.mark.parametrize(
    ("old", "new", "accepted"),
    [
        ("", "", True),
        ("schema: 1", "schema: 2", False),
        ("name: Swish", "nam: Swish", False),
        ("reason: so}", "reason: so, runtimes: {reference: {float: exact}, onnxruntime: {reason: so}}}", True),
        ("reason: so}", "reason: so, runtimes: {some: {float: exact}}}", False),
        ("reason: so}", "reason: so, runtimes: {reference: {float: {runtimes: {}}}}}", False),
        ("[float]", "[float33]", False),
        ("rank: 1", "ranks: 1", False),
        ("rank: 1", "rank: x", False),
        ("default: exact", "default: loose", False),
        ("float: {ulp", "float33: {ulp", False),
        ("X: T", "X-1: T", False),
        ("{Y: T}", "{}", False),
    ],
)
def test_specs_in_an_editor(old: str, new: str, accepted: bool) -> None:
    assert accepts("spec", SPEC.replace(old, new, 1)) is accepted


@pytest.mark.parametrize(
    ("row", "accepted"),
    [
        ("{name: a, inputs: {X: [[1, nan]], Y: null, Z: {shape: [1]}}}", True),
        ("{name: a, inputs: {X: {distribution: normal, shape: [1], seed: 3}}}", True),
        ("{name: a, inputs: {X: {distribution: gauss, shape: [1], seed: 3}}}", False),
        ("{name: a, inputs: {X: {distribution: normal, shape: [1], seed: 3, low: 1}}}", False),
        ("{name: a, inputs: {X: {value: [1], type: int64}}}", True),
        ("{name: a, inputs: {X: {value: [1], type: int65}}}", False),
        ("{name: a, input: {}}", False),
        ("{inputs: {}}", False),
    ],
)
def test_rows_in_an_editor(row: str, accepted: bool) -> None:
    assert accepts("vectors", f"schema: 1\nrows: [{row}]\n") is accepted
