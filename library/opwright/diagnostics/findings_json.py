"""Findings as JSON values and back: what `--json` prints and what a cached outcome replays."""

from __future__ import annotations

from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, Place, Related, Replacement, Severity


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The finding as a JSON value; `from_json` gives back an equal one. Keys are only ever added."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": _place_to_json(diagnostic.place),
        "reason": diagnostic.reason,
        "help": diagnostic.help,
        "related": [{"place": _place_to_json(item.place), "note": item.note} for item in diagnostic.related],
        "replacement": _replacement_to_json(diagnostic.replacement),
    }


def from_json(value: dict[str, Any]) -> Diagnostic:
    """The finding that `to_json` wrote. KeyError, TypeError or ValueError on anything else."""
    return Diagnostic(
        code=value["code"],
        message=value["message"],
        place=None if value["place"] is None else Place(**value["place"]),
        reason=value["reason"],
        help=value["help"],
        related=tuple(Related(Place(**item["place"]), item["note"]) for item in value["related"]),
        severity=Severity(value["severity"]),
        replacement=_replacement_from_json(value.get("replacement")),
    )


def _replacement_to_json(replacement: Replacement | None) -> dict[str, Any] | None:
    if replacement is None:
        return None
    return {"place": _place_to_json(replacement.place), "old": replacement.old, "new": replacement.new}


def _replacement_from_json(value: dict[str, Any] | None) -> Replacement | None:
    """Older findings have none."""
    return None if value is None else Replacement(Place(**value["place"]), value["old"], value["new"])


def _place_to_json(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
