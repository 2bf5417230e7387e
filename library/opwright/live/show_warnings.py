"""What the compiler warns of in live functions, handed to Python's `warnings`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticWarning, Place, Severity
from opwright.functions import OnnxFunction
from opwright.live.function_source import file_lines, shown_name


def show_warnings(function: OnnxFunction, diagnostics: Iterable[Diagnostic]) -> None:
    """Each warning among them as a DiagnosticWarning at its line; comments in the file silence theirs.

    Where the author's filters make errors of warnings, the first one is raised.
    """
    found = [item for item in diagnostics if item.severity is Severity.WARNING]
    if not found:
        return
    from opwright.diagnostics.ignores import settle_ignores  # few functions are warned of

    code, names = function.__wrapped__.__code__, function.__wrapped__.__globals__
    file = shown_name(code.co_filename)
    text = "".join(file_lines(code.co_filename, names))
    registry = names.setdefault("__warningregistry__", {})
    for item in settle_ignores(found, {file: text}, judge=False):
        place = item.place or Place(file)
        own = place.file == file
        warnings.warn_explicit(
            DiagnosticWarning(item),
            None,
            code.co_filename if own else place.file,
            place.line or code.co_firstlineno,
            function.__module__,
            registry,
        )
