"""`specs/runtime-gaps.yaml`: what runtimes refuse to load, written down and reviewed.

A row is a fact about releases of a runtime, so it covers refusals at load time alone; a wrong value is never a gap.
`gap_checks` keeps the rows true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.spec.boundary import check
from opwright_build.spec.runtime_names import family_of, in_family
from opwright_build.spec.verification_model import GapsModel
from opwright_build.spec.yaml_nodes import node_at
from opwright_build.spec.yaml_scalars import quoted
from opwright_build.spec.yaml_source import read_yaml
from opwright_build.verify.case_model import Outcome, Status

FILE = "specs/runtime-gaps.yaml"
_RELEASE = re.compile(r"(\d+(?:\.\d+)*)(.*)", re.DOTALL)
REFUSALS = (Status.NO_KERNEL, Status.UNSUPPORTED)

_Fact = tuple[str, str, tuple[tuple[str, str], ...] | None, Status, str]  # a row without its opsets and releases

_HEADER = """\
# What the runtimes refuse to load: no kernel for a type, an opset or IR version that is not accepted.
# Written by `opwright test --update-gaps`; a row without `types` holds for every type, a row without `releases` for
# every release that is listed for its runtime.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """One row. `runtime` is a runtime or a family (`onnxruntime`); `types` None: all; `opsets` are those run at.

    `releases` are all that it holds for; empty where the file lists none of the family, and it holds for each.
    """

    runtime: str
    operator: str
    types: Mapping[str, str] | None
    opsets: tuple[int, ...]
    status: Status
    reason: str
    place: Place
    releases: tuple[str, ...] = ()

    def covers(self, outcome: Outcome) -> bool:
        return outcome.status is self.status and self.concerns(outcome)

    def concerns(self, outcome: Outcome) -> bool:
        """Whether the outcome, whatever it is, is of this row's runtime, operator, types and opsets."""
        return (
            outcome.case.identity == self.operator
            and outcome.opset in self.opsets
            and in_family(outcome.runtime, self.runtime)
            and (self.types is None or dict(outcome.case.bindings) == dict(self.types))
        )

    def __str__(self) -> str:
        types = "" if self.types is None else f" {types_text(self.types)}"
        return f"{self.runtime}: {self.operator}{types} {self.status.value}"


@dataclass(frozen=True, slots=True)
class GapsFile:
    """`releases` are those that the rows were made with, by family."""

    gaps: tuple[Gap, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    releases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_gaps(data: bytes, file: str = FILE) -> GapsFile:
    """The rows of a file's bytes; anything wrong with them as diagnostics at their places."""
    source = read_yaml(data, file)
    if source.root is None:
        return GapsFile((), source.diagnostics)
    checked = check(GapsModel, source.root)
    diagnostics = (*source.diagnostics, *checked.diagnostics)
    if checked.value is None:
        return GapsFile((), diagnostics)
    releases = {family: tuple(dict.fromkeys(listed)) for family, listed in checked.value.releases.items()}
    gaps: list[Gap] = []
    unlisted: list[Diagnostic] = []
    for position, row in enumerate(checked.value.gaps):
        node = node_at(source.root, ("gaps", position))
        place = node.place if node is not None else Place(file)
        listed = releases.get(family_of(row.runtime), ())
        named = listed if row.releases is None else tuple(row.releases)
        unlisted += [_unlisted(row.runtime, release, listed, place) for release in named if release not in listed]
        gaps.append(
            Gap(row.runtime, row.operator, row.types, tuple(row.opsets), Status(row.outcome), row.reason, place, named)
        )
    if unlisted:
        return GapsFile((), (*diagnostics, *unlisted))
    return GapsFile(tuple(gaps), diagnostics, releases)


def _unlisted(runtime: str, release: str, listed: Sequence[str], place: Place) -> Diagnostic:
    family = family_of(runtime)
    message = f"the row names {family} {release}, which the file does not list"
    reason = f"it lists {family} {', '.join(listed)}" if listed else f"it lists no release of {family}"
    return Diagnostic("OW423", message, place, reason, "add the release to `releases` at the top, or remove it here")


def release_order(release: str) -> tuple[tuple[int, ...], bool, str]:
    """Sorts releases: `1.9.0` before `1.10.0`, and `1.10.0.dev1` before `1.10.0`."""
    match = _RELEASE.match(release)
    numbers, rest = match.groups() if match else ("0", release)
    return tuple(map(int, numbers.split("."))), not rest or rest.startswith(("+", ".post")), rest


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


def join_releases(gaps: Iterable[Gap]) -> list[Gap]:
    """The same facts in as few rows as they take: equal rows of several releases are one, and so are their opsets."""
    facts: dict[_Fact, dict[int, set[str]]] = {}
    for gap in gaps:
        types = None if gap.types is None else tuple(gap.types.items())
        at = facts.setdefault((gap.runtime, gap.operator, types, gap.status, gap.reason), {})
        for opset in gap.opsets:
            at.setdefault(opset, set()).update(gap.releases)
    joined: list[Gap] = []
    for (runtime, operator, types, status, reason), at in facts.items():
        kinds = None if types is None else dict(types)
        for named in dict.fromkeys(frozenset(releases) for releases in at.values()):
            opsets = tuple(sorted(opset for opset, releases in at.items() if releases == named))
            releases = tuple(sorted(named, key=release_order))
            joined.append(Gap(runtime, operator, kinds, opsets, status, reason, Place(FILE), releases))
    return sorted(joined, key=_order)


def write_gaps(file: GapsFile) -> str:
    """The text of the file: one row a line, in the order of `gaps_from`."""
    lines = [_HEADER, "schema: 1\n"]
    if file.releases:
        listed = (f"{name}: {_texts(releases)}" for name, releases in sorted(file.releases.items()))
        lines.append(f"releases: {{{', '.join(listed)}}}\n")
    rows = sorted(file.gaps, key=_order)
    lines.append("gaps:\n" if rows else "gaps: []\n")
    for gap in rows:
        types = "" if gap.types is None else "types: {" + _pairs(gap.types) + "}, "
        whole = set(gap.releases) == set(file.releases.get(family_of(gap.runtime), ()))
        releases = "" if whole else f"releases: {_texts(gap.releases)}, "
        lines.append(
            f"  - {{runtime: {gap.runtime}, {releases}operator: {quoted(gap.operator)}, {types}"
            f"opsets: [{numbers(gap.opsets)}], outcome: {gap.status.value}, reason: {quoted(gap.reason)}}}\n"
        )
    return "".join(lines)


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
        found.setdefault(family_of(name), set()).add(name)
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


def _order(gap: Gap) -> tuple[str, str, tuple[int, ...], str, str, tuple[str, ...]]:
    types = "" if gap.types is None else types_text(gap.types)
    return (gap.operator, types, gap.opsets, gap.runtime, gap.reason, gap.releases)


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(quoted(value) for value in values)}]"


def types_text(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={kind}" for name, kind in types.items()) or "its types"


def _pairs(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in types.items())


def numbers(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)
