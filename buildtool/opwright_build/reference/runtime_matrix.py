"""Which runtimes run a version: all, as `opwright test` passes, but for what `runtime-gaps.yaml` says they refuse.

A reason that holds for some of the listed releases alone names them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from opwright.bundle.format import FunctionEntry

from opwright_build.reference.markdown import cell, codes, span, table
from opwright_build.reference.opset_matrix import opset_classes
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE, family_of
from opwright_build.verify.facts.gaps import Gap, GapsFile

_FAMILIES = (family_of(ONNXRUNTIME_OFF), REFERENCE)


def runtime_table(entry: FunctionEntry, declared: GapsFile) -> list[str]:
    """A row for each class of opsets: the element types that its bodies take, and what each runtime says."""
    own = [gap for gap in declared.gaps if gap.operator == entry.identity]
    rows = []
    for first, last in opset_classes(entry):
        taken = _taken(entry, first, last)
        here = [gap for gap in own if _is_about(gap, range(first, last + 1), taken)]
        told = [
            _told([gap for gap in here if family_of(gap.runtime) == family], declared.releases.get(family, ()))
            for family in _FAMILIES
        ]
        rows.append((span(first, last), _types(entry, taken), *told))
    return table(("opsets", "element types", *_FAMILIES), rows)


def _taken(entry: FunctionEntry, first: int, last: int) -> dict[str, set[str]]:
    """The element types that the bodies of a class take, by type variable."""
    taken: dict[str, set[str]] = {}
    for variable, declared in entry.types:
        admitted = taken.setdefault(variable, set())
        for body in entry.bodies:
            if (body.first_opset, body.last_opset) == (first, last):
                admitted.update(dict(body.admits).get(variable, declared))
    return taken


def _is_about(gap: Gap, opsets: Container[int], taken: Mapping[str, set[str]]) -> bool:
    types = {} if gap.types is None else gap.types
    return any(opset in opsets for opset in gap.opsets) and all(
        kind in taken.get(variable, (kind,)) for variable, kind in types.items()
    )


def _types(entry: FunctionEntry, taken: Mapping[str, set[str]]) -> str:
    """`all`, or those that no body of the class takes."""
    missing = [f"{variable}={name}" for variable, kinds in entry.types for name in kinds if name not in taken[variable]]
    return f"all but {codes(missing)}" if missing else "all"


def _told(gaps: Iterable[Gap], releases: Sequence[str]) -> str:
    """`passes`, or what is refused, each reason with the types that it is about.

    `releases` are those that the rows were made with.
    """
    told: dict[tuple[str, str, str], set[str]] = {}
    for gap in gaps:
        types = "" if gap.types is None else ", ".join(f"{name}={kind}" for name, kind in gap.types.items())
        told.setdefault((gap.runtime.partition("/")[2], gap.reason, types), set()).update(gap.releases)
    reasons: dict[tuple[str, str], list[str]] = {}
    for (level, reason, types), named in told.items():
        some = [release for release in releases if release in named] if len(named) < len(releases) else []
        where = ", ".join(part for part in (level, *some) if part)
        reasons.setdefault((where, reason), []).extend([types] if types else [])
    if not reasons:
        return "passes"
    parts = []
    for (where, reason), kinds in reasons.items():
        text = f"{cell(reason)} ({where})" if where else cell(reason)
        parts.append(f"{text}: {codes(kinds)}" if kinds else f"refuses: {text}")
    return "; ".join(parts)
