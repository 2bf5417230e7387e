"""The part of the SARIF 2.1.0 schema that our logs use, written from the standard's text (sections 3.13 to 3.52)."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "minLength": 1}
MESSAGE: Schema = {
    "type": "object",
    "properties": {"text": TEXT, "markdown": TEXT},
    "required": ["text"],
    "additionalProperties": False,
}
LINE: Schema = {"type": "integer", "minimum": 1}


def closed(required: list[str], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


ARTIFACT = closed(["uri"], uri={"type": "string", "pattern": r"^[!-~]+$"}, uriBaseId=TEXT)
REGION = closed(["startLine"], startLine=LINE, startColumn=LINE, endLine=LINE, endColumn=LINE)
PHYSICAL = closed(["artifactLocation"], artifactLocation=ARTIFACT, region=REGION)
LOCATION = closed(
    ["physicalLocation"], id={"type": "integer", "minimum": 0}, physicalLocation=PHYSICAL, message=MESSAGE
)
RULE = closed(["id"], id=TEXT, shortDescription=MESSAGE, fullDescription=MESSAGE, help=MESSAGE)
CONTENT = closed(["text"], text={"type": "string"})
CHANGE = closed(
    ["artifactLocation", "replacements"],
    artifactLocation=ARTIFACT,
    replacements={
        "type": "array",
        "items": closed(["deletedRegion"], deletedRegion=REGION, insertedContent=CONTENT),
        "minItems": 1,
    },
)
FIX = closed(
    ["artifactChanges"], description=MESSAGE, artifactChanges={"type": "array", "items": CHANGE, "minItems": 1}
)
RESULT = closed(
    ["message", "ruleId", "ruleIndex", "level", "locations"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "items": LOCATION, "uniqueItems": True, "minItems": 1},
    fixes={"type": "array", "items": FIX, "uniqueItems": True},
)
DRIVER = closed(
    ["name"],
    name=TEXT,
    semanticVersion={"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
    rules={"type": "array", "items": RULE, "uniqueItems": True},
)
RUN = closed(
    ["tool", "results"],
    tool=closed(["driver"], driver=DRIVER),
    automationDetails=closed([], id=TEXT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": closed([], uri=TEXT, description=MESSAGE)},
    invocations={
        "type": "array",
        "items": closed(["executionSuccessful"], executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"}),
    },
    results={"type": "array", "items": RESULT},
)
LOG = closed(
    ["version", "runs"],
    version={"const": "2.1.0"},
    runs={"type": "array", "items": RUN},
) | {"$schema": "https://json-schema.org/draft/2020-12/schema"}
LOG["properties"]["$schema"] = {"type": "string", "format": "uri"}
