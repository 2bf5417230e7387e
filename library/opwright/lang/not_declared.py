"""What the functions of libraries may answer besides a function: that theirs is none which may be called."""

from __future__ import annotations

from opwright.diagnostics.diagnostic import Diagnostic


class NotDeclaredError(Exception):
    """A function may not be called, since its library is none of those that the caller's depends on. The finding lacks
    its place."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)
