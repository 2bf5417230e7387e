"""`opwright explain`: the page of a diagnostic code, or why an action of the last build ran."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from opwright.diagnostics.codes import Entry, Example, all_entries, find_entry
from opwright.diagnostics.model import Diagnostic

from opwright_build.engine.log import ActionLog
from opwright_build.report.codes_page import shortened
from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.workflow.session import WORK, find_root
from opwright_build.workflow.status import Exit, UsageError
from opwright_build.workflow.task import reporting

CODE = re.compile(r"ow\d{3}", re.IGNORECASE)


def explain(subject: str, path: Path, console: Console, reporter: Reporter) -> int:
    """Prints what `subject` means: a code, or the label of an action."""

    def task() -> int:
        console.result(code_page(subject) if CODE.fullmatch(subject) else action_page(subject, path))
        return Exit.GOOD

    return reporting(reporter, task)


def code_page(code: str) -> str:
    """The text about a code. UsageError when there is none of that number."""
    entry = find_entry(code)
    if entry is None:
        known = [item.code for item in all_entries()]
        raise _unknown(f"there is no diagnostic {code.upper()}", code.upper(), known)
    return f"{entry.code}: {entry.title}\n\n{entry.why}\n\n{_example('Wrong', entry, entry.bad)}" + (
        f"\n\n{_example('Right', entry, entry.good)}"
    )


def action_page(label: str, path: Path) -> str:
    """What an action last ran on, and why. UsageError when no build has had an action of that label."""
    log = ActionLog(find_root(path) / WORK / "actions.json", {})
    label = label if log.previous(label) is not None else f"compile {label}"
    entry = log.previous(label)
    if entry is None:
        raise _unknown(f"no build here has had an action {label.removeprefix('compile ')}", label, log.labels())
    why = entry["why"] or ["it did not: its result was in the cache"]
    lines = [f"{label}: {entry['outcome']}", "why it ran:", *(f"  {reason}" for reason in why), "what it rests on:"]
    lines += (f"  {name}: {_short(value)}" for name, value in sorted(entry["environment"].items()))
    lines += (f"  parameter {name}: {value}" for name, value in sorted(entry["params"].items()))
    lines += (f"  input {name}: {_short(digest)}" for name, digest in sorted(entry["inputs"].items()))
    lines += (f"  {name}: {'not there' if digest is None else _short(digest)}" for name, digest in entry["reads"])
    return "\n".join(lines)


def _example(head: str, entry: Entry, example: Example) -> str:
    lines = [f"{head}: {example.shown}"]
    for name, content in example.files.items():
        lines.append(f"  {name}:" if content else f"  {name}: deleted")
        lines += (f"    {line}".rstrip() for line in shortened(content).splitlines())
    return "\n".join(lines)


def _short(digest: str) -> str:
    return digest[:16] if re.fullmatch("[0-9a-f]{64}", digest) else digest


def _unknown(message: str, asked: str, known: list[str]) -> UsageError:
    close = get_close_matches(asked, known, n=3)
    return UsageError([Diagnostic("OW907", message, help=f"did you mean {' or '.join(close)}?" if close else "")])
