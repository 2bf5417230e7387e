"""JUnit XML: what continuous-integration services read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from xml.sax.saxutils import escape, quoteattr


class Verdict(Enum):
    PASSED = "passed"
    FAILED = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class JUnitEntry:
    """One test: the suite it belongs to, its name within it, and the text behind a failure or a skip."""

    suite: str
    name: str
    verdict: Verdict
    message: str = ""


def junit_xml(name: str, entries: Iterable[JUnitEntry]) -> str:
    """A `testsuites` document; suites and tests in the order given. No times: equal runs give equal bytes."""
    suites: dict[str, list[JUnitEntry]] = {}
    for entry in entries:
        suites.setdefault(entry.suite, []).append(entry)
    everything = [entry for tests in suites.values() for entry in tests]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_attributes({'name': name}, everything)}>"]
    for suite, tests in suites.items():
        lines.append(f"  <testsuite{_attributes({'name': suite}, tests)}>")
        lines += [_test_case(entry) for entry in tests]
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _attributes(names: Mapping[str, str], tests: list[JUnitEntry]) -> str:
    counts = {
        "tests": len(tests),
        "failures": sum(entry.verdict is Verdict.FAILED for entry in tests),
        "skipped": sum(entry.verdict is Verdict.SKIPPED for entry in tests),
    }
    shown = {**{key: _allowed(value) for key, value in names.items()}, **{key: str(n) for key, n in counts.items()}}
    return "".join(f" {key}={quoteattr(value)}" for key, value in shown.items())


def _test_case(entry: JUnitEntry) -> str:
    head = f"    <testcase classname={quoteattr(_allowed(entry.suite))} name={quoteattr(_allowed(entry.name))}"
    if entry.verdict is Verdict.PASSED:
        return f"{head}/>"
    tag, text = entry.verdict.value, _allowed(entry.message)
    first = text.partition("\n")[0]
    return f"{head}>\n      <{tag} message={quoteattr(first)}>{escape(text)}</{tag}>\n    </testcase>"


def _allowed(text: str) -> str:
    """XML 1.0 has no place for control characters and lone surrogates, not even as references."""
    return "".join(char if char in "\t\n" or _in_xml(ord(char)) else "�" for char in text)


def _in_xml(code: int) -> bool:
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
