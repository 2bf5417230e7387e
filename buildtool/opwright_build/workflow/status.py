"""Exit statuses, and the errors that lead to them."""

from __future__ import annotations

from enum import IntEnum

from opwright.diagnostics.model import DiagnosticError


class Exit(IntEnum):
    GOOD = 0
    FINDINGS = 1
    USAGE = 2
    INFRASTRUCTURE = 3
    OUR_BUG = 4
    INTERRUPTED = 130


class UsageError(DiagnosticError):
    """What was asked for makes no sense here; nothing is wrong with the library."""
