"""What commands on models tell: findings, counts, names of functions, and the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from opwright.diagnostics import Diagnostic, Severity, has_errors, render
from opwright.diagnostics.exits import Exit
from opwright.graphs.ids import FunctionId

_USAGE_CODES = frozenset({"OW510", "OW518", "OW550", "OW584"})  # a file that is not there, a target that makes no sense
_INFRASTRUCTURE_CODES = frozenset({"OW572"})


def show_findings(diagnostics: Iterable[Diagnostic]) -> None:
    """To stderr, in colours where that is a terminal that wants them."""
    found = tuple(diagnostics)
    if found:
        color = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        sys.stderr.write(render(found, lambda _: None, color))


def exit_status(diagnostics: Sequence[Diagnostic]) -> int:
    codes = {item.code for item in diagnostics if item.severity is Severity.ERROR}
    if not has_errors(diagnostics):
        return Exit.GOOD
    if codes & _USAGE_CODES:
        return Exit.USAGE
    return Exit.INFRASTRUCTURE if codes & _INFRASTRUCTURE_CODES else Exit.FINDINGS


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def written_id(identity: FunctionId) -> str:
    domain, name, overload = identity
    return f"{domain}::{name}" + (f" [{overload}]" if overload else "")
