"""`opwright fmt`: the YAML files of specs in one form. Data, comments and their places among the keys stay.

Line ends are line feeds, lines have no blanks at their ends, the file ends with one line end; one blank stands after a
colon or a comma, none inside of brackets; and the keys at the top have one order, each with the comments above it.
What does not come out with the same data is left as it is.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from opwright.diagnostics.diagnostic import Diagnostic, has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.engine.tree import Tree, write_whole
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.report.tables import counted
from opwright_build.spec.library_root import find_library
from opwright_build.spec.yaml_nodes import MappingNode, plain_data
from opwright_build.spec.yaml_source import read_yaml
from opwright_build.workflow.opened.excerpt_text import library_text
from opwright_build.workflow.opened.task import reporting

_ORDER = (
    "schema",
    "library",
    "domain",
    "name",
    "version",
    "package",
    "mirror",
    "summary",
    "doc",
    "license",
    "authors",
    "urls",
    "readme",
    "license_files",
    "since_version",
    "deprecated",
    "tags",
    "opset",
    "opsets",
    "requires",
    "dependencies",
    "packages",
    "inputs",
    "outputs",
    "attributes",
    "types",
    "function",
    "proposal",
    "vectors",
    "reference",
    "tolerance",
    "versions",
    "rows",
)
_COMMENT = re.compile(r"\s*#")


def tidy(path: Path, check: bool, reporter: Reporter) -> int:
    """Rewrites the YAML files of the library around `path`; with `check` it says which ones are not in that form."""

    def task() -> int:
        root = find_library(path)
        findings: list[Diagnostic] = []
        changed: list[str] = []
        tree = Tree(root)
        for file in _files(root):
            data = tree.read(file) or b""
            text, found = tidied(data, file)
            findings += found
            if text != data:
                changed.append(file)
                if not check:
                    write_whole(root / file, text, stat.S_IMODE((root / file).stat().st_mode))
        reporter.findings(in_reading_order(findings), library_text(root))
        what = "would be rewritten" if check else "rewritten"
        lines = [f"{file}: {what}" for file in changed]
        lines.append(f"{counted(len(changed), 'file')} {what}")
        status = Exit.FINDINGS if has_errors(findings) or (check and changed) else Exit.GOOD
        reporter.summary("\n".join(lines), {"exit": int(status), "changed": changed})
        return status

    return reporting(reporter, task)


def _files(root: Path) -> list[str]:
    """The YAML files that people write, as paths relative to the root."""
    specs = root / "specs"
    found = [specs / "library.yaml", *specs.glob("*/domain.yaml"), *specs.glob("*/*/*.yaml")]
    return sorted(file.relative_to(root).as_posix() for file in found if file.is_file())


def tidied(data: bytes, file: str) -> tuple[bytes, tuple[Diagnostic, ...]]:
    """The bytes in the one form, or as they are, with the reasons."""
    before = read_yaml(data, file)
    if before.root is None or before.diagnostics:
        return data, before.diagnostics
    text = data.decode("utf-8").replace("\r\n", "\n")
    text = _ordered(_spaced(text).rstrip("\n") + "\n", file)
    lines = text.split("\n")
    inside = _scalar_lines(text)
    stripped = [line if number in inside else line.rstrip() for number, line in enumerate(lines)]
    result = ("\n".join(stripped).rstrip("\n") + "\n").encode()
    after = read_yaml(result, file)
    if after.root is None or plain_data(after.root) != plain_data(before.root):
        return data, ()
    return result, ()


def _tokens(text: str) -> list[Any]:
    return list(yaml.scan(text, Loader=yaml.BaseLoader))


def _scalar_lines(text: str) -> set[int]:
    """The lines that end within a scalar, where blanks may be part of it."""
    return {
        line
        for token in _tokens(text)
        if isinstance(token, yaml.ScalarToken)
        for line in range(token.start_mark.line, token.end_mark.line)
    }


def _spaced(text: str) -> str:
    """One blank after `:` and `,`, none inside of brackets, where both neighbours stand on one line."""
    parts: list[str] = []
    written = 0
    tokens = [item for item in _tokens(text) if item.end_mark.index > item.start_mark.index]
    for left, right in pairwise(tokens):
        start, end = left.end_mark.index, right.start_mark.index
        between = text[start:end]
        blanks = _blanks(left, right)
        if blanks is None or between.strip(" ") or start < written:
            continue
        parts += [text[written:start], blanks]
        written = end
    return "".join([*parts, text[written:]])


def _blanks(left: Any, right: Any) -> str | None:
    """What stands between two tokens; None where that is not for us to say."""
    closing = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
    opening = (yaml.FlowMappingStartToken, yaml.FlowSequenceStartToken)
    if isinstance(right, (yaml.FlowEntryToken, yaml.ValueToken, *closing)):
        return "" if not isinstance(left, (yaml.FlowEntryToken, yaml.ValueToken)) else None
    if isinstance(left, opening):
        return ""
    return " " if isinstance(left, (yaml.FlowEntryToken, yaml.ValueToken)) else None


def _ordered(text: str, file: str) -> str:
    """The keys at the top in their order. What stands above the first one stays there, up to the last blank line."""
    root = read_yaml(text.encode(), file).root
    if not isinstance(root, MappingNode) or not all(entry.key.column == 1 for entry in root.entries.values()):
        return text
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    starts = {name: _above(lines, entry.key.line - 1) for name, entry in root.entries.items()}
    ordered = sorted(starts, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    if ordered == list(starts):
        return text
    borders = [*starts.values(), len(lines)]
    blocks = dict(zip(starts, (lines[first:last] for first, last in _pairs(borders)), strict=True))
    return "".join([*lines[: borders[0]], *(line for name in ordered for line in blocks[name])])


def _above(lines: Sequence[str], line: int) -> int:
    """The first line of the comments that stand directly above a line."""
    while (
        line and _COMMENT.match(lines[line - 1]) and not lines[line - 1].lstrip().startswith("# yaml-language-server")
    ):
        line -= 1
    return line


def _pairs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    return pairwise(numbers)
