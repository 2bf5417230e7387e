"""The pages of docs/files/ say what the JSON Schemas say."""

import json
import re
from pathlib import Path

import pytest
from opwright_build.spec.json_schemas import json_schemas
from opwright_build.spec.schema_pages import schema_pages, write_schema_pages
from opwright_build.spec.tolerances import DEFAULT_TOLERANCES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "files"


@pytest.mark.parametrize("name", sorted(schema_pages()))
def test_the_pages_are_up_to_date(name: str) -> None:
    written = (FOLDER / name).read_bytes() if (FOLDER / name).exists() else b""
    assert written == schema_pages()[name], "run: python -m opwright_build.spec.schema_pages docs/files"


def test_there_are_no_others(tmp_path: Path) -> None:
    assert {path.name for path in FOLDER.iterdir()} == {path.name for path in write_schema_pages(tmp_path / "files")}


@pytest.mark.parametrize("name", ["library", "domain", "spec", "vectors"])
def test_every_key_of_a_schema_has_a_row(name: str) -> None:
    page = schema_pages()[f"{name}.md"].decode()
    schema = json.loads(json_schemas()[f"{name}.schema.json"])
    forms = (
        [schema, schema.get("then", {}), schema.get("else", {}), *schema["$defs"].values()]
        if "$defs" in schema
        else [schema]
    )
    keys = {key for form in forms for key in form.get("properties", {})}
    assert keys == set(re.findall(r"(?m)^\| `(\w+)` \|", page))


def test_the_defaults_of_tolerances_stand_there() -> None:
    page = schema_pages()["tolerances.md"].decode()
    for name, tolerance in DEFAULT_TOLERANCES.items():
        (row,) = [line for line in page.splitlines() if re.match(rf"\|.*`{name}`", line)]
        assert row.endswith(f"| {tolerance.ulp:g} | {tolerance.absolute:.3g} |")
