"""The committed schemas are those of the sources. That real outputs keep to them is tested with the commands."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from opwright_build.report.schemas import output_schemas

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("command", output_schemas())
def test_the_committed_schema_is_up_to_date(command: str, golden: Callable[[Path, str], None]) -> None:
    schema = output_schemas()[command]
    jsonschema.Draft202012Validator.check_schema(schema)
    golden(FOLDER / f"{command}-output.schema.json", json.dumps(schema, indent=2) + "\n")


def _summary(**fields: object) -> dict[str, object]:
    return {"schema": "opwright.lint/1", "event": "summary", "errors": 0, "warnings": 0, **fields}


@pytest.mark.parametrize(
    ("line", "good"),
    [
        (_summary(exit=0, actions=3, actions_run=1, actions_cached=2, seconds=0.5), True),
        (_summary(exit=0, actions=3, actions_run=1, actions_cached=2, seconds=0.5, added="later"), True),
        (_summary(exit=1), True),
        (_summary(exit=0), False),
        (_summary(), False),
        (_summary(exit=1) | {"schema": "opwright.lint/2"}, False),
        (_summary(exit=1) | {"event": "sumary"}, False),
        (_summary(exit=1, errors=-1), False),
    ],
)
def test_a_schema_tells_right_from_wrong(line: dict[str, object], good: bool) -> None:
    assert jsonschema.Draft202012Validator(output_schemas()["lint"]).is_valid(line) is good
