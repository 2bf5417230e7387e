"""Errors that lead to other exit statuses than findings do."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import DiagnosticError


class UsageError(DiagnosticError):
    """What was asked for makes no sense here; nothing is wrong with the library."""
