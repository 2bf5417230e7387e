"""What `--json` prints, held against its schemas."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema
from opwright_build.report.schemas import output_schemas


def validate(line: Any, command: str) -> None:
    """Raises ValidationError for a line that the command's schema does not describe."""
    _validator(command).validate(line)


@cache
def _validator(command: str) -> jsonschema.Draft202012Validator:
    """A schema is itself looked at once: it takes longer than all lines of a command."""
    schema = output_schemas()[command]
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
