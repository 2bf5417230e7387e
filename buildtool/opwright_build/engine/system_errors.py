"""Errors of the machine, and what its system says of a file that it does not give, take or remove."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError


class InfrastructureError(DiagnosticError):
    """The machine, not the input, is at fault: disk full, no permission, cache out of reach."""


def reason_of(error: OSError) -> str:
    """Why, in the words of the system. Without them there is the kind of the error."""
    return error.strerror or type(error).__name__


def cannot_be(done: str, what: object, error: OSError, help: str = "") -> InfrastructureError:
    """A file or folder cannot be `done`, such as written (OW905)."""
    return InfrastructureError([Diagnostic("OW905", f"{what} cannot be {done}: {reason_of(error)}", help=help)])
