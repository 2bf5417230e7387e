"""Functions in the standard's own domains, which no runtime calls."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import FunctionProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.opsets.domains import STANDARD_DOMAINS, normal_domain


def refuse_standard_functions(functions: Iterable[FunctionProto], holder: str, file: str) -> None:
    """Raises DiagnosticError (OW589): a node of that name is the operator where the opset has it, and an error where it
    has not, so that the two must not be taken for one another."""
    names = [
        f"{normal_domain(function.domain) or 'ai.onnx'}::{function.name}"
        for function in functions
        if normal_domain(function.domain) in STANDARD_DOMAINS
    ]
    if names:
        text = f"{holder} functions in the standard's own domain: {', '.join(names)}"
        reason = "runtimes run the operator of that name instead, and refuse the model at opsets without it"
        help_text = "give the functions, and the nodes that call them, a domain of their own"
        raise DiagnosticError([Diagnostic("OW589", text, Place(file), reason, help_text)])
