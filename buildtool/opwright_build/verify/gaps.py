"""`specs/runtime-gaps.yaml`: what runtimes refuse to load, written down, reviewed and kept true.

A row is a fact about a runtime, so it covers refusals at load time alone; a wrong value is never a gap. A refusal that
no row covers fails the run, and so does a row that has nothing to cover any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opwright.diagnostics.model import Diagnostic, Place

from opwright_build.spec.boundary import check
from opwright_build.spec.verification_model import GapsModel
from opwright_build.spec.yaml_nodes import node_at
from opwright_build.spec.yaml_source import read_yaml
from opwright_build.verify.model import Outcome, Status

FILE = "specs/runtime-gaps.yaml"
REFUSALS = (Status.NO_KERNEL, Status.UNSUPPORTED)
_UPDATE = "run `opwright test --update-gaps`, review the difference and commit it"

_HEADER = """\
# What the runtimes refuse to load: no kernel for a type, an opset or IR version that is not accepted.
# Written by `opwright test --update-gaps`; a row without `types` holds for every type.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """One row. `runtime` is a runtime or a family (`onnxruntime`); `types` None: all; `opsets` are those run at."""

    runtime: str
    operator: str
    types: Mapping[str, str] | None
    opsets: tuple[int, ...]
    status: Status
    reason: str
    place: Place

    def covers(self, outcome: Outcome) -> bool:
        return outcome.status is self.status and self.concerns(outcome)

    def concerns(self, outcome: Outcome) -> bool:
        """Whether the outcome, whatever it is, is of this row's runtime, operator, types and opsets."""
        return (
            outcome.case.identity == self.operator
            and outcome.opset in self.opsets
            and (outcome.runtime == self.runtime or outcome.runtime.startswith(f"{self.runtime}/"))
            and (self.types is None or dict(outcome.case.bindings) == dict(self.types))
        )

    def __str__(self) -> str:
        types = "" if self.types is None else f" {_types_text(self.types)}"
        return f"{self.runtime}: {self.operator}{types} {self.status.value}"


@dataclass(frozen=True, slots=True)
class GapsFile:
    gaps: tuple[Gap, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def read_gaps(data: bytes, file: str = FILE) -> GapsFile:
    """The rows of a file's bytes; anything wrong with them as diagnostics at their places."""
    source = read_yaml(data, file)
    if source.root is None:
        return GapsFile((), source.diagnostics)
    checked = check(GapsModel, source.root)
    diagnostics = (*source.diagnostics, *checked.diagnostics)
    if checked.value is None:
        return GapsFile((), diagnostics)
    gaps: list[Gap] = []
    for position, row in enumerate(checked.value.gaps):
        node = node_at(source.root, ("gaps", position))
        place = node.place if node is not None else Place(file)
        gaps.append(
            Gap(row.runtime, row.operator, row.types, tuple(row.opsets), Status(row.outcome), row.reason, place)
        )
    return GapsFile(tuple(gaps), diagnostics)


class GapIndex:
    """Rows by operator, for look-ups by the hundred thousand."""

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self._by_operator: dict[str, list[Gap]] = {}
        for gap in gaps:
            self._by_operator.setdefault(gap.operator, []).append(gap)

    def find(self, outcome: Outcome) -> Gap | None:
        """The first row that covers a refusal."""
        rows = self._by_operator.get(outcome.case.identity, ())
        return next((gap for gap in rows if gap.covers(outcome)), None)


def check_gaps(
    gaps: Sequence[Gap], outcomes: Iterable[Outcome], *, runtimes: Sequence[str], identities: Mapping[str, bool]
) -> list[Diagnostic]:
    """Rows that are no longer true (OW452, OW453) and refusals that no row covers (OW451).

    `runtimes` are those that ran. `identities` holds every version of the library, true for those of which every case
    ran; of the others nothing can be said about rows.
    """
    by_operator: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_operator.setdefault(outcome.case.identity, []).append(outcome)
    findings = _undeclared(gaps, by_operator)
    for gap in gaps:
        if gap.operator not in identities:
            reason = f"this library has no {gap.operator}"
            findings.append(Diagnostic("OW452", f"the row `{gap}` covers nothing", gap.place, reason, "remove the row"))
        elif _is_judged(gap, runtimes, identities):
            findings.extend(_check_row(gap, by_operator.get(gap.operator, []), runtimes))
    return findings


def _is_judged(gap: Gap, runtimes: Sequence[str], identities: Mapping[str, bool]) -> bool:
    return identities[gap.operator] and any(_in_family(name, gap.runtime) for name in runtimes)


def _check_row(gap: Gap, outcomes: Sequence[Outcome], runtimes: Sequence[str]) -> list[Diagnostic]:
    """Every runtime and opset of the row must have a refusal."""
    findings: list[Diagnostic] = []
    concerned = [outcome for outcome in outcomes if gap.concerns(outcome)]
    seen = {(outcome.runtime, outcome.opset): False for outcome in concerned}
    for outcome in concerned:
        seen[outcome.runtime, outcome.opset] |= outcome.status is gap.status
    for name in runtimes:
        if not _in_family(name, gap.runtime):
            continue
        unused = [opset for opset in gap.opsets if (name, opset) not in seen]
        passing = [opset for opset in gap.opsets if seen.get((name, opset)) is False]
        if unused:
            reason = f"no case runs on {name} at opset {_numbers(unused)} with these types"
            findings.append(Diagnostic("OW452", f"the row `{gap}` covers nothing", gap.place, reason, _UPDATE))
        if passing:
            reason = f"{name} loads every case at opset {_numbers(passing)}"
            findings.append(Diagnostic("OW453", f"the row `{gap}` is no longer true", gap.place, reason, _UPDATE))
    return findings


def _undeclared(gaps: Sequence[Gap], by_operator: Mapping[str, Sequence[Outcome]]) -> list[Diagnostic]:
    """One finding for each cell that is refused without a row."""
    index = GapIndex(gaps)
    findings: dict[tuple[str, ...], Diagnostic] = {}
    for outcomes in by_operator.values():
        for outcome in outcomes:
            if outcome.status not in REFUSALS or outcome.gap or index.find(outcome) is not None:
                continue
            case = outcome.case
            cell = (case.identity, outcome.runtime, _types_text(case.bindings), str(outcome.opset))
            message = f"{outcome.runtime} does not load {case.identity} with {cell[2]} at opset {outcome.opset}"
            findings.setdefault(cell, Diagnostic("OW451", message, case.place, outcome.message, _UPDATE))
    return list(findings.values())


def gaps_from(outcomes: Iterable[Outcome]) -> list[Gap]:
    """The rows that cover every refusal, each as wide as it is true, sorted."""
    cells: dict[tuple[str, str, tuple[tuple[str, str], ...], int], dict[tuple[Status, str], None]] = {}
    for outcome in outcomes:
        kinds = tuple(outcome.case.bindings.items())
        found = cells.setdefault((outcome.runtime, outcome.case.identity, kinds, outcome.opset), {})
        found[outcome.status, outcome.message if outcome.status in REFUSALS else ""] = None
    rows: dict[tuple[str, tuple[tuple[str, str], ...] | None, Status, str, int], set[str]] = {}
    everywhere = _refused_for_every_type(cells)
    for (runtime, operator, kinds, opset), found in cells.items():
        for status, reason in _refusals(found):
            whole = (runtime, operator, opset, status, reason) in everywhere
            rows.setdefault((operator, None if whole else kinds, status, reason, opset), set()).add(runtime)
    merged: dict[tuple[str, str, tuple[tuple[str, str], ...] | None, Status, str], list[int]] = {}
    families = _families({runtime for runtime, *_ in cells})
    for (operator, types, status, reason, opset), runtimes in rows.items():
        for name in _widest(runtimes, families):
            merged.setdefault((name, operator, types, status, reason), []).append(opset)
    gaps = [
        Gap(name, operator, None if types is None else dict(types), tuple(sorted(opsets)), status, reason, Place(FILE))
        for (name, operator, types, status, reason), opsets in merged.items()
    ]
    return sorted(gaps, key=_order)


def write_gaps(gaps: Iterable[Gap]) -> str:
    """The text of the file: one row a line, in the order of `gaps_from`."""
    lines = [_HEADER, "schema: 1\n"]
    rows = sorted(gaps, key=_order)
    lines.append("gaps:\n" if rows else "gaps: []\n")
    for gap in rows:
        types = "" if gap.types is None else "types: {" + _pairs(gap.types) + "}, "
        lines.append(
            f"  - {{runtime: {gap.runtime}, operator: {_quoted(gap.operator)}, {types}"
            f"opsets: [{_numbers(gap.opsets)}], outcome: {gap.status.value}, reason: {_quoted(gap.reason)}}}\n"
        )
    return "".join(lines)


def merge_gaps(
    old: Sequence[Gap], outcomes: Iterable[Outcome], *, runtimes: Sequence[str], identities: Mapping[str, bool]
) -> list[Gap]:
    """The rows after a run: those of what ran are made anew, those of what is no more go, the others stay.

    `runtimes` and `identities` are those of `check_gaps`.
    """
    kept = [gap for gap in old if gap.operator in identities and not _is_judged(gap, runtimes, identities)]
    return sorted([*kept, *gaps_from(outcomes)], key=_order)


def _refused_for_every_type(
    cells: Mapping[tuple[str, str, tuple[tuple[str, str], ...], int], Mapping[tuple[Status, str], None]],
) -> set[tuple[str, str, int, Status, str]]:
    """Where an opset is refused as such: the same way for every type, and nothing else happens."""
    at: dict[tuple[str, str, int], dict[tuple[Status, str], None]] = {}
    for (runtime, operator, _, opset), found in cells.items():
        at.setdefault((runtime, operator, opset), {}).update(found)
    whole: set[tuple[str, str, int, Status, str]] = set()
    for (runtime, operator, opset), found in at.items():
        refusals = _refusals(found)
        if len(refusals) == len(found) == 1 and refusals[0][0] is Status.UNSUPPORTED:
            whole.add((runtime, operator, opset, *refusals[0]))
    return whole


def _refusals(found: Iterable[tuple[Status, str]]) -> list[tuple[Status, str]]:
    return [(status, reason) for status, reason in found if status in REFUSALS]


def _families(runtimes: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name in runtimes:
        found.setdefault(name.partition("/")[0], set()).add(name)
    return found


def _widest(runtimes: set[str], families: Mapping[str, set[str]]) -> list[str]:
    """The family where all of its members are meant, else the members."""
    names: list[str] = []
    for family, members in sorted(families.items()):
        if members <= runtimes:
            names.append(family)
        else:
            names.extend(sorted(members & runtimes))
    return names


def _in_family(runtime: str, name: str) -> bool:
    return runtime == name or runtime.startswith(f"{name}/")


def _order(gap: Gap) -> tuple[str, str, tuple[int, ...], str, str]:
    types = "" if gap.types is None else _types_text(gap.types)
    return (gap.operator, types, gap.opsets, gap.runtime, gap.reason)


def _types_text(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={kind}" for name, kind in types.items()) or "its types"


def _pairs(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in types.items())


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
