"""Notes of a release: what is new, what breaks, what computes other values, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.diagnostics.text import printable

from opwright_build.versions.change import Change, Kind, Level
from opwright_build.versions.promise import Accepted

_NEW = (Kind.FUNCTION_ADDED, Kind.VERSION_ADDED)
_OLD = (Kind.DEPRECATED,)


def release_notes(
    library: str, version: str, last: str, changes: Sequence[Change], accepted: Sequence[tuple[str, Accepted]]
) -> str:
    """The notes, ready to be put into a changelog. `accepted` are new bodies, with the reasons that were given."""
    values = [change for change in changes if change.level is Level.NUMERIC and not change.breaks]
    sections = [
        ("Breaking", [_line(change) for change in changes if change.breaks]),
        ("New", [_line(change) for change in changes if change.kind in _NEW]),
        ("Deprecated", [f"* `{change.identity}`" for change in changes if change.kind in _OLD]),
        (
            "Changed",
            [
                _line(change)
                for change in changes
                if not change.breaks and change.kind not in (*_NEW, *_OLD) and change not in values
            ],
        ),
        ("Values", [_line(change) for change in values] + [_accepted(identity, item) for identity, item in accepted]),
    ]
    lines = [f"## {_escaped(library)} {version}", ""]
    for title, rows in sections:
        if rows:
            lines += [f"### {title}", "", *rows, ""]
    if len(lines) == 2:
        lines += [f"Nothing that users see has changed since {last}." if last else "The first release.", ""]
    return "\n".join(lines)


def _line(change: Change) -> str:
    what = f"`{change.identity}`: " if change.identity else ""
    return f"* {what}{_escaped(change.explain())}"


def _accepted(identity: str, item: Accepted) -> str:
    return f"* `{identity}`: its body differs, {item.within}: {_escaped(item.reason)}"


def _escaped(text: str) -> str:
    """A text as Markdown that means that very text, on one line."""
    flat = printable(" ".join(text.split()))
    return "".join(f"\\{char}" if char in "\\*_[]<>#|" else char for char in flat)


def levels(changes: Iterable[Change]) -> dict[str, int]:
    """How many changes there are of each level, and how many of them break what worked."""
    found = {level.value: 0 for level in Level} | {"breaking": 0}
    for change in changes:
        found[change.level.value] += 1
        found["breaking"] += change.breaks
    return found
