"""Findings about a call stand at the user's line that makes it."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.place import caller, place_of


class AtCallersLine:
    """Gives findings that have no place the expression outside of this package that is being evaluated. A class, since
    `contextlib` would stand between it and that line."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, DiagnosticError):
            place = place_of(caller())
            raise DiagnosticError([replace(item, place=item.place or place) for item in error.diagnostics]) from None
