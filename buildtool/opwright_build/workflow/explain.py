"""`opwright explain`: the page of a diagnostic code, or why an action of the last build ran."""

from __future__ import annotations

import re
from pathlib import Path

from opwright.diagnostics.exits import Exit
from opwright.diagnostics.registry import CODES, find_code
from opwright.suggest import close_or

from opwright_build.engine.log import ActionLog
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.user_secret import user_seal
from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.spec.library_root import find_library
from opwright_build.workflow.opened.session import LOG, WORK, folder_seal
from opwright_build.workflow.opened.status import UsageError, usage_error
from opwright_build.workflow.opened.task import reporting

CODE = re.compile(r"ow\d+", re.IGNORECASE)
_PACKAGE = Path(__file__).parents[1]
_CHECKOUT = _PACKAGE.parents[1]


def explain(subject: str, path: Path, console: Console, reporter: Reporter) -> int:
    """Prints what `subject` means: a code, or the label of an action."""

    def task() -> int:
        console.result(code_page(subject) if CODE.fullmatch(subject) else action_page(subject, path))
        return Exit.GOOD

    return reporting(reporter, task)


def code_page(code: str) -> str:
    """The text about a code. UsageError when there is none of that number."""
    found = find_code(code)
    if found is None:
        raise _unknown(f"there is no diagnostic {code.upper()}", code.upper(), list(CODES))
    return f"{found.code}: {found.title}\n\n{found.why}\n\n{code_examples(found.code, _reference_page())}"


def code_examples(code: str, page: str) -> str:
    """What `docs/diagnostics.md` shows of a code: the wrong example, what it prints, and the right one."""
    _, _, section = page.partition(f"\n### {code}\n")
    section, _, _ = section.partition("\n### OW")
    return re.sub(r"\n## .*\s*\Z", "", section[section.find("\nWrong, with ") :]).strip()


def _reference_page() -> str:
    """`docs/diagnostics.md`, which the wheel carries next to this package; a development install reads its own."""
    place = next(path for path in (_PACKAGE / "diagnostics.md", _CHECKOUT / "docs" / "diagnostics.md") if path.exists())
    return place.read_text(encoding="utf-8")


def action_page(label: str, path: Path) -> str:
    """What an action last ran on, and why. UsageError when no build has had an action of that label."""
    log = ActionLog(StateFile(find_library(path) / WORK / LOG, folder_seal(user_seal())), {})
    label = label if log.previous(label) is not None else f"compile {label}"
    entry = log.previous(label)
    if entry is None:
        raise _unknown(f"no build here has had an action {label.removeprefix('compile ')}", label, log.labels())
    why = entry["why"] or ["it did not: its result was in the cache"]
    lines = [f"{label}: {entry['outcome']}", "why it ran:", *(f"  {reason}" for reason in why)]
    lines.append("what it rests on:")
    lines += (f"  {name}: {_short(value)}" for name, value in sorted(entry["environment"].items()))
    lines += (f"  parameter {name}: {value}" for name, value in sorted(entry["params"].items()))
    lines += (f"  input {name}: {_short(digest)}" for name, digest in sorted(entry["inputs"].items()))
    lines += (f"  {name}: {'not there' if digest is None else _short(digest)}" for name, digest in entry["reads"])
    lines += [f"it took {entry['seconds']:.2f} s"] if entry["why"] and "seconds" in entry else []
    return "\n".join(lines)


def _short(digest: str) -> str:
    return digest[:16] if re.fullmatch("[0-9a-f]{64}", digest) else digest


def _unknown(message: str, asked: str, known: list[str]) -> UsageError:
    return usage_error(message, help=close_or(asked, known, ""))
