"""Findings: as data (`diagnostic`), text (`text`) and JSON (`findings_json`), and the codes (`registry`)."""

from opwright.diagnostics.diagnostic import (
    Diagnostic,
    DiagnosticError,
    DiagnosticWarning,
    Place,
    Related,
    Severity,
    has_errors,
)
from opwright.diagnostics.text import render

__all__ = ["Diagnostic", "DiagnosticError", "DiagnosticWarning", "Place", "Related", "Severity", "has_errors", "render"]
