"""What cannot be said in a script."""

from __future__ import annotations

from opwright.diagnostics.model import Diagnostic, DiagnosticError


def refuse(message: str, reason: str, help: str = "") -> DiagnosticError:
    """The error that ends a decompilation."""
    return DiagnosticError([Diagnostic("OW590", message, reason=reason, help=help)])
