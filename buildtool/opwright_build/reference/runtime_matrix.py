"""Which runtimes run a version: all, as `opwright test` passes, but for what `runtime-gaps.yaml` says they refuse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.bundle.format import FunctionEntry

from opwright_build.reference.markdown import cell, codes, span, table
from opwright_build.reference.opset_matrix import opset_classes
from opwright_build.verify.gaps import Gap
from opwright_build.verify.runtimes import ONNXRUNTIME_OFF, REFERENCE

_FAMILIES = (ONNXRUNTIME_OFF.partition("/")[0], REFERENCE)


def runtime_table(entry: FunctionEntry, gaps: Sequence[Gap]) -> list[str]:
    """A row for each class of opsets: the element types that its bodies take, and what each runtime says."""
    own = [gap for gap in gaps if gap.operator == entry.identity]
    rows = []
    for first, last in opset_classes(entry):
        here = [gap for gap in own if any(first <= opset <= last for opset in gap.opsets)]
        told = [_told([gap for gap in here if gap.runtime.partition("/")[0] == family]) for family in _FAMILIES]
        rows.append((span(first, last), _taken(entry, first, last), *told))
    return table(("opsets", "element types", *_FAMILIES), rows)


def _taken(entry: FunctionEntry, first: int, last: int) -> str:
    """`all`, or those that no body of the class takes."""
    missing: list[str] = []
    for variable, declared in entry.types:
        admitted: set[str] = set()
        for body in entry.bodies:
            if (body.first_opset, body.last_opset) == (first, last):
                admitted.update(dict(body.admits).get(variable, declared))
        left_out = [name for name in declared if name not in admitted]
        missing += [f"{variable}={name}" for name in left_out]
    return f"all but {codes(missing)}" if missing else "all"


def _told(gaps: Iterable[Gap]) -> str:
    """`passes`, or what is refused, each reason with the types that it is about."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for gap in gaps:
        level = gap.runtime.partition("/")[2]
        types = [] if gap.types is None else [", ".join(f"{name}={kind}" for name, kind in gap.types.items())]
        reasons.setdefault((level, gap.reason), []).extend(types)
    if not reasons:
        return "passes"
    parts = []
    for (level, reason), types in reasons.items():
        text = f"{cell(reason)} ({level})" if level else cell(reason)
        parts.append(f"{text}: {codes(dict.fromkeys(types))}" if types else f"refuses: {text}")
    return "; ".join(parts)
