"""Findings: as data (`model`), as text (`text`), as JSON (`wire`), and what each code means (`registry`)."""

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
