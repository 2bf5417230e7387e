"""Opsets x runtimes x element types: what becomes of each type of a version, from its bodies and the recorded gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.bundle.format import FunctionEntry

from opwright_build.reference.markdown import span
from opwright_build.reference.opset_matrix import opset_classes
from opwright_build.site.site_record import Support, SupportCell, SupportMatrix, SupportRow, SupportTable
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE, family_of
from opwright_build.verify.facts.gaps import Gap, GapsFile

_FAMILIES = (family_of(ONNXRUNTIME_OFF), REFERENCE)
_PASSES = SupportCell(Support.PASSES)
_NO_BODY = SupportCell(Support.NO_BODY)

Kind = tuple[str, str]  # a type variable and an element type that it admits; empty names where there are none


def support_matrix(entry: FunctionEntry, gaps: Sequence[Gap], declared: GapsFile) -> SupportMatrix:
    """A column for each class of opsets, of which one stands for all. `gaps` are those of this version alone."""
    templates = {(item.first_opset, item.last_opset) for item in entry.templates}
    classes = tuple(sorted({*opset_classes(entry), *templates}))
    taken = [_taken(entry, first, last, (first, last) in templates) for first, last in classes]
    tables = [
        SupportTable(family, release, _rows(entry, classes, taken, _of(gaps, family, release)))
        for family in _FAMILIES
        for release in declared.releases.get(family) or ("",)
    ]
    return SupportMatrix(tuple(span(*item) for item in classes), tuple(tables))


def _of(gaps: Iterable[Gap], family: str, release: str) -> list[Gap]:
    own = (gap for gap in gaps if family_of(gap.runtime) == family)
    return [gap for gap in own if not gap.releases or release in gap.releases]


def _rows(
    entry: FunctionEntry, classes: Sequence[tuple[int, int]], taken: Sequence[set[Kind]], gaps: Sequence[Gap]
) -> tuple[SupportRow, ...]:
    """Kinds that fare alike share a row, in the order of their first ones."""
    within = [[gap for gap in gaps if any(first <= opset <= last for opset in gap.opsets)] for first, last in classes]
    rows: dict[tuple[SupportCell, ...], list[Kind]] = {}
    for kind in _kinds(entry):
        cells = tuple(
            _cell(kind, here) if kind in known else _NO_BODY for here, known in zip(within, taken, strict=True)
        )
        rows.setdefault(cells, []).append(kind)
    return tuple(SupportRow(_titles(kinds, len(entry.types) > 1), cells) for cells, kinds in rows.items())


def _titles(kinds: Iterable[Kind], several: bool) -> tuple[str, ...]:
    """The element types, one text for each variable that has any."""
    names: dict[str, list[str]] = {}
    for variable, name in kinds:
        names.setdefault(variable, []).append(name)
    return tuple(
        f"{variable}: {', '.join(found)}" if several else ", ".join(found) for variable, found in names.items()
    )


def _cell(kind: Kind, gaps: Iterable[Gap]) -> SupportCell:
    """A gap that names other variables too, or one level of optimisation, takes away some of the calls alone."""
    reasons: dict[str, None] = {}
    whole = False
    for gap in gaps:
        types = gap.types or {}
        if types and types.get(kind[0]) != kind[1]:
            continue
        level = gap.runtime.partition("/")[2]
        others = ", ".join(f"{name}={value}" for name, value in types.items() if name != kind[0])
        where = ", ".join(part for part in (others, level) if part)
        reasons[f"{gap.reason} ({where})" if where else gap.reason] = None
        whole = whole or not where
    if not reasons:
        return _PASSES
    return SupportCell(Support.REFUSED if whole else Support.SOME, tuple(reasons))


def _kinds(entry: FunctionEntry) -> list[Kind]:
    return [(variable, name) for variable, names in entry.types for name in names] or [("", "")]


def _taken(entry: FunctionEntry, first: int, last: int, is_template: bool) -> set[Kind]:
    """What the bodies of a class take; a template takes all that is declared."""
    declared = _kinds(entry)
    if is_template or not entry.types:
        return set(declared)
    found: set[Kind] = set()
    for body in entry.bodies:
        if (body.first_opset, body.last_opset) == (first, last):
            admits = dict(body.admits)
            found.update((variable, name) for variable, names in entry.types for name in admits.get(variable, names))
    return found
