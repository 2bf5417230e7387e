"""Attributes that are declared and read nowhere."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.lang.meaning.function_unit import Unit


def unused_attributes(unit: Unit) -> Iterator[Diagnostic]:
    """A warning for each attribute that the body names nowhere: what a caller gives for it changes nothing."""
    unread = _unread(unit.node.body, {attribute.name for attribute in unit.interface.attributes})
    for attribute in unit.interface.attributes:
        if attribute.name in unread:
            yield Diagnostic(
                "OW155",
                f"the attribute `{attribute.name}` is not used",
                unit.module.source.place(attribute.span),
                reason=f"the body of `{unit.node.name}` reads it nowhere, so that its value changes nothing",
                help="use it, or take it out of the `def` and of `attributes:` in the spec",
                severity=Severity.WARNING,
                subject=unit.declaration.name,
            )


def _unread(statements: Iterable[ast.stmt], names: set[str]) -> set[str]:
    """Those of the names that no statement reads; each statement is looked at until all are found."""
    for statement in statements:
        if not names:
            break
        read = (
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
        names = names.difference(read)
    return names
