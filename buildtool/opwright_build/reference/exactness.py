"""How exact a version is: what its spec promises, and what was measured against the standard's own body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright_build.reference.markdown import cell, code, table
from opwright_build.spec.model import SpecVersion, Tolerance
from opwright_build.verify.facts.numerics import Measured, Numerics


def tolerances(version: SpecVersion) -> list[str]:
    """The promise, for each type of an output or input: one line for types that are promised the same."""
    rows = _rows(version.tolerances, "")
    for runtime, own in version.runtime_tolerances.items():
        differing = {name: item for name, item in own.items() if item != version.tolerances[name]}
        rows += _rows(differing, f" on {runtime}")
    return table(("element types", "ULP", "or absolute", "reason"), rows)


def _rows(tolerances: Mapping[str, Tolerance], where: str) -> list[tuple[str, str, str, str]]:
    same: dict[tuple[float, float, str], list[str]] = {}
    for name, item in tolerances.items():
        same.setdefault((item.ulp, item.absolute, item.reason), []).append(name)
    return [
        (", ".join(map(code, names)) + where, f"{ulp:g}", f"{absolute:g}", cell(reason))
        for (ulp, absolute, reason), names in same.items()
    ]


def measured(numerics: Numerics, identity: str) -> list[str]:
    """What was measured, a row for each type: this library's body / the standard's."""
    rows = [
        (
            code(row.type),
            f"{row.elements:,}",
            *(_both(row.ours, row.standard, name) for name in ("absolute", "ulp", "lost", "nodes")),
        )
        for row in numerics.rows
        if row.function == identity
    ]
    return table(("type", "elements", "largest error", "in ULP", "elements lost", "nodes"), rows)


def notes(numerics: Numerics, identity: str) -> Sequence[str]:
    return [f"{note.text[0].upper()}{note.text[1:]}." for note in numerics.notes if note.function == identity]


def _both(ours: Measured, standard: Measured, name: str) -> str:
    return f"{getattr(ours, name):.3g} / {getattr(standard, name):.3g}"
