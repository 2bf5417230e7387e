"""`opwright lint --fix`: what findings are sure of is written into the sources, and nothing else of them changes."""

from __future__ import annotations

import difflib
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic, Place, Replacement

from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree, write_whole

_BELOW = "specs/"  # the only place where sources are written


@dataclass(frozen=True, slots=True)
class Fixes:
    """`made` are the replacements that fit the text, in its order; `refused` places where two differ; `text` is the
    file's text with all of them made."""

    file: str
    before: str
    after: str
    made: tuple[Replacement, ...]
    refused: tuple[Place, ...]

    def diff(self) -> str:
        """As a unified diff."""
        old, new = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, f"a/{self.file}", f"b/{self.file}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def fixes_of(tree: Tree, diagnostics: Iterable[Diagnostic]) -> list[Fixes]:
    """By file, what the findings are sure of. A file that is no text, or lies elsewhere, has none."""
    wanted: dict[str, list[Replacement]] = {}
    for item in diagnostics:
        if item.replacement is not None and item.replacement.place.file.startswith(_BELOW):
            wanted.setdefault(item.replacement.place.file, []).append(item.replacement)
    found: list[Fixes] = []
    for file, replacements in sorted(wanted.items()):
        try:
            text = (tree.read(file) or b"").decode("utf-8")
        except UnicodeDecodeError:
            continue
        found.append(fixed(file, text, replacements))
    return found


def fixed(file: str, text: str, replacements: Sequence[Replacement]) -> Fixes:
    """The text with each replacement made whose old text stands where it says. Of those that meet none is made."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    spans: dict[tuple[int, int], set[Replacement]] = {}
    for item in dict.fromkeys(replacements):
        if 0 < item.place.line <= len(lines) and item.place.column > 0:
            start = starts[item.place.line - 1] + item.place.column - 1
            end = start + len(item.old)
            if text[start:end] == item.old and "\n" not in item.old:
                spans.setdefault((start, end), set()).add(item)
    order = sorted(spans)
    met = {span for span in order if len({item.new for item in spans[span]}) > 1}
    furthest: tuple[int, int] | None = None
    for span in order:
        if furthest is not None and span[0] < furthest[1]:
            met |= {span, furthest}
        if furthest is None or span[1] > furthest[1]:
            furthest = span
    parts: list[str] = []
    made: list[Replacement] = []
    written = 0
    for span in order:
        if span not in met:
            item = next(iter(spans[span]))
            parts += [text[written : span[0]], item.new]
            written = span[1]
            made.append(item)
    refused = tuple(next(iter(spans[span])).place for span in order if span in met)
    return Fixes(file, text, "".join([*parts, text[written:]]), tuple(made), refused)


def write_fixes(tree: Tree, fixes: Iterable[Fixes]) -> None:
    """Writes each file whole or not at all. InfrastructureError where the disk refuses."""
    for item in fixes:
        if item.after == item.before:
            continue
        tree.require_file(item.file)
        path = tree.root / item.file
        try:
            write_whole(path, item.after.encode(), stat.S_IMODE(path.stat().st_mode))
        except OSError as error:
            raise cannot_be("written", item.file, error) from error


def fields_of(item: Replacement) -> Mapping[str, object]:
    """As an event."""
    place = item.place
    return {"file": place.file, "line": place.line, "column": place.column, "old": item.old, "new": item.new}
