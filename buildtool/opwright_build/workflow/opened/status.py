"""Errors that lead to other exit statuses than findings do."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError


class UsageError(DiagnosticError):
    """What was asked for makes no sense here; nothing is wrong with the library."""


def usage_error(message: str, help: str = "") -> UsageError:
    """The error of one finding that says so (OW907)."""
    return UsageError([Diagnostic("OW907", message, help=help)])
