"""docs/tutorial.md as steps: the files that it shows and the commands that it prints, in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
_BLOCK = re.compile(r"(?:^`(?P<path>[^`\n]+)`:\n\n)?^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_VARIES = (
    (re.compile(r"\d+\.\d\d s\b"), "N s"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True, slots=True)
class File:
    """A file with what it is to hold, by its path from the folder in which the commands stand then."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, what the page prints of its output, and its exit code."""

    line: str
    output: tuple[str, ...]
    status: int

    def missing(self, printed: str) -> list[str]:
        """The lines of the page that the output lacks, in the order of both. `...` stands for any lines."""
        found = iter([_normal(line) for line in printed.splitlines()])
        return [line for line in self.output if line != "..." and _normal(line) not in found]


def _normal(line: str) -> str:
    for pattern, text in _VARIES:
        line = pattern.sub(text, line)
    return line.strip()


def steps(page: str) -> list[File | Command]:
    """The steps of a page. ValueError for a block that is neither a file nor commands: nothing would test it."""
    found: list[File | Command] = []
    for block in _BLOCK.finditer(page):
        kind, _, status = block["info"].partition(" status=")
        if kind == "console":
            found += _commands(block["text"], int(status or "0"))
        elif block["path"]:
            found.append(File(block["path"], block["text"]))
        else:
            raise ValueError(f"a block of {kind or 'text'} is neither commands nor a file: {block['text'][:60]}")
    return found


def _commands(text: str, status: int) -> list[Command]:
    lines: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            lines.append((line.removeprefix("$ "), []))
        elif not lines:
            raise ValueError(f"output without a command: {line}")
        elif line:
            lines[-1][1].append(line)
    return [Command(line, tuple(output), status) for line, output in lines]
