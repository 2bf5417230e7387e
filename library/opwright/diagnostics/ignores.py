"""Warnings that are reviewed and silenced: `# opwright: ignore[OW455] reason`.

The comment stands at the end of the line that the warning names, or alone on the lines above it. Errors cannot be
ignored. A comment that silences nothing, or says not why, is a warning itself, so that none outlives its cause.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity
from opwright.diagnostics.registry import find_code

_MARK = "opwright:"
_COMMENT = re.compile(r"#\s*opwright:\s*ignore\b\s*(?P<list>\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)")
_YAML_COMMENT = re.compile(r"(?:^|\s)(#[^\r]*)")
_STAGES = frozenset("123")  # of findings that every build looks for; others depend on what was asked


@dataclass(frozen=True, slots=True)
class Ignore:
    """One comment: the codes that it names, as written, the line that it speaks of, and its reason."""

    place: Place
    line: int
    codes: tuple[str, ...]
    reason: str


def find_ignores(file: str, text: str) -> list[Ignore]:
    """The comments of a file, Python by its name's end, else YAML; none in Python that cannot be read."""
    if _MARK not in text:
        return []
    comments = _python_comments(text) if file.endswith(".py") else _yaml_comments(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[Ignore] = []
    for line, column, comment in comments:
        match = _COMMENT.match(comment)
        if match is not None:
            codes = tuple(code.strip() for code in (match["codes"] or "").split(",") if code.strip())
            place = Place(file, line, column + 1, line, column + 1 + len(comment))
            found.append(Ignore(place, _line_meant(lines, line), codes, match["reason"].strip()))
    return found


def settle_ignores(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str], judge: bool = True) -> list[Diagnostic]:
    """The findings less the warnings that comments in `texts` (by file) silence.

    With `judge`, each comment that silences nothing adds a warning (OW330). Codes of vectors, models and releases are
    not judged: whether their findings arise depends on what was asked for.
    """
    ignores = [item for file, text in texts.items() for item in find_ignores(file, text)]
    if not ignores:
        return list(diagnostics)
    wanted = {(item.place.file, item.line, code): item for item in ignores for code in item.codes}
    used: set[tuple[str, int, str]] = set()
    kept: list[Diagnostic] = []
    for finding in diagnostics:
        place = finding.place
        key = ("", 0, "") if place is None else (place.file, place.line, finding.code)
        if finding.severity is Severity.WARNING and key in wanted:
            used.add(key)
        else:
            kept.append(finding)
    if judge:
        for item in ignores:
            unused = [code for code in item.codes if (item.place.file, item.line, code) not in used]
            kept += _complaints(item, unused)
    return kept


def _complaints(item: Ignore, unused: list[str]) -> Iterator[Diagnostic]:
    if not item.codes:
        yield _warning(item, "this comment names no code", "write `# opwright: ignore[OW...] reason`")
    for code in unused:
        if find_code(code) is None:
            yield _warning(item, f"there is no diagnostic `{code}`", "")
        elif code[2] in _STAGES:
            yield _warning(item, f"no warning `{code}` arises here", "remove the comment", "errors cannot be ignored")
    if item.codes and not item.reason:
        yield _warning(item, "this comment does not say why", "write the reason behind the bracket")


def _warning(item: Ignore, message: str, help_: str, reason: str = "") -> Diagnostic:
    return Diagnostic("OW330", message, item.place, reason, help_, severity=Severity.WARNING)


def _line_meant(lines: list[str], line: int) -> int:
    """The comment's own line, or, where it stands alone, the next one that is neither empty nor a comment."""
    if not lines[line - 1].lstrip().startswith("#"):
        return line
    for number in range(line, len(lines)):
        stripped = lines[number].strip()
        if stripped and not stripped.startswith("#"):
            return number + 1
    return line


def _python_comments(text: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield (*token.start, token.string)
    except (tokenize.TokenError, SyntaxError):  # the compiler says what is wrong with the file
        return


def _yaml_comments(text: str) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        match = _YAML_COMMENT.search(line) if _MARK in line else None
        if match is not None:
            yield number, match.start(1), match[1]
