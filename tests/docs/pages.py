"""Pages of rows, read: a table whose rows name constructs, and below it a section for each with its examples.

A section holds blocks of Python. One whose first line is a comment with a code (`# OW308: ...`) is refused with that
code alone; any other defines `F`, and lines like `` `F([1.0])` is `[2.0]`. `` behind it say what it gives.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"

_ROW = re.compile(r"^\| \[`(?P<id>[a-z_.]+)`\]\(#(?P<anchor>[a-z_]+)\) \|(?P<cells>.*)\|$")
_SECTION = re.compile(r"^### `(?P<id>[a-z_.]+)`$")
_REFUSED = re.compile(r"^# (?P<code>OW\d{3}): \S")
_CALL = re.compile(r"^`F\((?P<arguments>.*)\)` is `(?P<result>.*)`\.$")
_CLAIM = re.compile(
    r"^`onnxscript` (?:refuses it(?P<bare> without `default_opset`)?: `(?P<error>\w+)`"
    r"|fails at `F\((?P<fails>.*)\)`|gives `(?P<result>.*)` for `F\((?P<gives>.*)\)`"
    r"|(?P<bytes>writes other bytes in each process))\.$"
)
_CODE = re.compile(r"\[(OW\d{3})\]\(diagnostics\.md#(ow\d{3})\)")
_OPERATOR = re.compile(r"`([A-Z][A-Za-z0-9]*)`")


@dataclass(frozen=True)
class Expectation:
    """What a call gives: a value, or a tuple of values for several outputs."""

    arguments: tuple[object, ...]
    keywords: tuple[tuple[str, object], ...]
    result: object
    line: int


class ClaimKind(Enum):
    REFUSES = "refuses"
    REFUSES_BARE = "refuses without default_opset"
    FAILS = "fails"
    GIVES = "gives"
    OTHER_BYTES = "writes other bytes"


@dataclass(frozen=True)
class Claim:
    """What the page says of the package `onnxscript`: the exception it raises, or a call and what comes of it."""

    kind: ClaimKind
    error: str = ""
    call: Expectation | None = None


@dataclass(frozen=True)
class Example:
    """A block: `code` is the one that it is refused with, empty where it compiles."""

    text: str
    line: int
    code: str
    expectations: tuple[Expectation, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of a table with its section. `becomes` is the cell as written, `operators` those that it names."""

    id: str
    construct: str
    becomes: str
    operators: frozenset[str]
    refused: tuple[str, ...]
    examples: tuple[Example, ...]

    @property
    def accepted(self) -> tuple[Example, ...]:
        return tuple(example for example in self.examples if not example.code)


def read_rows(page: Path) -> list[Row]:
    """The rows of a page, in the order of its tables. AssertionError where the page breaks its own form."""
    lines = page.read_text(encoding="utf-8").splitlines()
    sections = _sections(lines)
    rows = []
    for line in lines:
        match = _ROW.match(line)
        if match is None:
            continue
        identity = match["id"]
        assert match["anchor"] == identity.replace(".", ""), f"{identity}: its link leads nowhere"
        construct, becomes, refused = (cell.strip() for cell in match["cells"].split(" | "))
        codes = _CODE.findall(refused)
        assert all(code.lower() == anchor for code, anchor in codes), f"{identity}: a code's link leads elsewhere"
        operators = frozenset(_OPERATOR.findall(becomes))
        examples = sections.pop(identity)
        rows.append(Row(identity, construct, becomes, operators, tuple(code for code, _ in codes), examples))
    assert not sections, f"sections without a row: {sorted(sections)}"
    identities = [row.id for row in rows]
    assert len(set(identities)) == len(identities), "two rows have one id"
    return rows


def read_header(page: Path) -> str:
    """The lines that every example of a page begins with: its first block."""
    text = page.read_text(encoding="utf-8")
    return text.partition("```python\n")[2].partition("```\n")[0]


def row_ids(page: Path = DOCS / "language.md") -> tuple[str, ...]:
    """The ids of the rows, in the order of the page."""
    return tuple(row.id for row in read_rows(page))


def _sections(lines: list[str]) -> dict[str, tuple[Example, ...]]:
    found: dict[str, list[Example]] = {}
    current: list[Example] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        section = _SECTION.match(line)
        if section is not None:
            assert section["id"] not in found, f"two sections {section['id']}"
            current = found[section["id"]] = []
        elif line == "```python":
            end = lines.index("```", number)
            text = "\n".join(lines[number:end]) + "\n"
            refused = _REFUSED.match(text)
            if found:
                current.append(Example(text, number + 1, refused["code"] if refused else ""))
            number = end + 1
        elif (call := _CALL.match(line)) is not None:
            last = current.pop()
            expectation = _expectation(call["arguments"], call["result"], number)
            current.append(replace(last, expectations=(*last.expectations, expectation)))
        elif (claim := _CLAIM.match(line)) is not None:
            last = current.pop()
            current.append(replace(last, claims=(*last.claims, _claim(claim, number))))
    return {identity: tuple(examples) for identity, examples in found.items()}


def _claim(match: re.Match[str], line: int) -> Claim:
    if match["error"]:
        return Claim(ClaimKind.REFUSES_BARE if match["bare"] else ClaimKind.REFUSES, error=match["error"])
    if match["bytes"]:
        return Claim(ClaimKind.OTHER_BYTES)
    if match["result"]:
        return Claim(ClaimKind.GIVES, call=_expectation(match["gives"], match["result"], line))
    return Claim(ClaimKind.FAILS, call=_expectation(match["fails"], "None", line))


def _expectation(arguments: str, result: str, line: int) -> Expectation:
    call = ast.parse(f"F({arguments})", mode="eval").body
    assert isinstance(call, ast.Call)
    values = tuple(ast.literal_eval(item) for item in call.args)
    keywords = tuple((item.arg or "", ast.literal_eval(item.value)) for item in call.keywords)
    return Expectation(values, keywords, ast.literal_eval(result), line)
