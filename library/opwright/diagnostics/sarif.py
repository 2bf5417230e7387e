"""Findings as a SARIF 2.1.0 log, the form that code-scanning services and editors read.

One run: its rules are the pages of the codes found, its results the findings in the order given. Equal findings give
equal logs: there are no times, identifiers or machine names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity
from opwright.diagnostics.registry import find_code
from opwright.version import VERSION

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "LIBRARYROOT"
_PAGE = "docs/diagnostics.md"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}

Json = dict[str, Any]


def to_sarif(diagnostics: Iterable[Diagnostic], command: str = "", exit_status: int | None = None) -> Json:
    """The log as a JSON value.

    `command` names the kind of run (`lint`), so that services keep runs of several kinds apart. Paths stay relative
    to the library's root; an absolute one becomes a `file:` URI.
    """
    found = list(diagnostics)
    codes = sorted({item.code for item in found})
    run: Json = {
        "tool": {"driver": {"name": "opwright", "semanticVersion": VERSION, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder that holds specs/library.yaml."}}},
        "results": [_result(item, codes.index(item.code)) for item in found],
    }
    if command:
        run["automationDetails"] = {"id": f"opwright/{command}/"}
    if exit_status is not None:
        run["invocations"] = [{"executionSuccessful": exit_status in (0, 1), "exitCode": exit_status}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> Json:
    found = find_code(code)
    if found is None:
        return {"id": code}
    page = f"{_PAGE}#{code.lower()}"
    return {
        "id": code,
        "shortDescription": {"text": f"{found.title}."},
        "fullDescription": {"text": found.why},
        "help": {
            "text": f"{found.title}. {found.why} `opwright explain {code}` shows examples; so does {page}.",
            "markdown": f"**{found.title}.** {found.why}\n\nExamples: [{code}]({page}), or `opwright explain {code}`.",
        },
    }


def _result(item: Diagnostic, rule: int) -> Json:
    parts = [item.message]
    parts += (f"{label}: {text}" for label, text in (("reason", item.reason), ("help", item.help)) if text)
    result: Json = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": _LEVELS[item.severity],
        "message": {"text": "\n".join(parts)},
        "locations": [] if item.place is None else [{"physicalLocation": _location(item.place)}],
    }
    if item.related:
        result["relatedLocations"] = [
            {"id": index, "physicalLocation": _location(related.place), "message": {"text": related.note}}
            for index, related in enumerate(item.related, 1)
        ]
    if item.replacement is not None:
        fix = item.replacement
        location = _location(fix.place)
        change = {"deletedRegion": location["region"], "insertedContent": {"text": fix.new}}
        result["fixes"] = [
            {
                "description": {"text": f"Write `{fix.new}` instead of `{fix.old}`."},
                "artifactChanges": [{"artifactLocation": location["artifactLocation"], "replacements": [change]}],
            }
        ]
    return result


def _location(place: Place) -> Json:
    absolute = place.file.startswith("/")
    uri = quote(place.file.encode("utf-8", "surrogatepass"))
    artifact = {"uri": f"file://{uri}"} if absolute else {"uri": uri, "uriBaseId": _ROOT}
    location: Json = {"artifactLocation": artifact}
    if place.line:
        region: Json = {"startLine": place.line}
        if place.column:
            region["startColumn"] = place.column
        if place.end_line:
            region["endLine"] = place.end_line
            region["endColumn"] = max(place.end_column, 1)
        location["region"] = region
    return location
