"""Outcomes as findings: what failed, and what is not verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.verify.case_model import Outcome, Status, by_case

_MORE = "`opwright test --json` lists every cell"


def failures(outcomes: Iterable[Outcome]) -> list[Diagnostic]:
    """One finding for each case that fails somewhere (OW450), at the row that made it; the first cell is quoted."""
    failed: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status is Status.FAIL:
            failed.setdefault((outcome.case.identity, outcome.case.name), []).append(outcome)
    return [_failure(cells) for cells in failed.values()]


def _failure(cells: Sequence[Outcome]) -> Diagnostic:
    first = cells[0]
    where = f"on {first.runtime} at opset {first.opset}" if first.body else "at every opset"
    message = f"{first.case.identity}: the vector {first.case.name} fails {where}"
    more = f" (and in {len(cells) - 1} more cells: {_cells(cells[1:])})" if len(cells) > 1 else ""
    return Diagnostic("OW450", message, first.case.place, reason=first.message + more, help=_MORE)


def _cells(outcomes: Sequence[Outcome]) -> str:
    by_runtime: dict[str, dict[int, None]] = {}
    for outcome in outcomes:
        by_runtime.setdefault(outcome.runtime, {})[outcome.opset] = None
    return "; ".join(
        f"{name} at opset {', '.join(str(opset) for opset in sorted(opsets))}" for name, opsets in by_runtime.items()
    )


def unverified(
    entries: Iterable[FunctionEntry], outcomes: Iterable[Outcome], places: Mapping[str, Place]
) -> list[Diagnostic]:
    """Declared types (OW455) and bodies (OW456) on which no vector passes anywhere.

    `entries` are the versions of which every case ran; `places` says where each is specified. Where the reason is that
    no expected values are known, it is a warning: a run without oracle cannot do better.
    """
    types: dict[tuple[str, str, str], set[Status]] = {}
    bodies: dict[tuple[str, str], set[Status]] = {}
    for case, cells in by_case(outcomes):
        statuses = {outcome.status for outcome in cells}
        for variable, kind in case.bindings.items():
            types.setdefault((case.identity, variable, kind), set()).update(statuses)
        for outcome in cells:
            bodies.setdefault((case.identity, outcome.body), set()).add(outcome.status)
    findings: list[Diagnostic] = []
    for entry in entries:
        place = places.get(entry.identity)
        variable, declared = max(entry.types, key=lambda item: len(item[1]), default=("", ()))
        for kind in declared:
            found = types.get((entry.identity, variable, kind), set())
            if found and Status.PASS not in found:  # a type without any vector is found when they are collected
                message = f"no vector of {entry.identity} passes with {variable}={kind}"
                findings.append(_unverified("OW455", message, found, place))
        for body in entry.bodies:
            found = bodies.get((entry.identity, body.body), set())
            if Status.PASS not in found:
                opsets = f"{body.first_opset} to {body.last_opset}"
                variant = "".join(f", {axis}={value}" for axis, value in body.variant)
                message = f"no vector passes on the body of {entry.identity} for the opsets {opsets}{variant}"
                findings.append(_unverified("OW456", message, found, place))
    return findings


def _unverified(code: str, message: str, found: set[Status], place: Place | None) -> Diagnostic:
    names = ", ".join(status.value for status in Status if status in found)
    reason = f"its vectors end as {names}" if found else "there is no vector for it"
    severity = Severity.WARNING if Status.UNVERIFIED in found else Severity.ERROR
    help_text = "add a row with it to vectors.yaml, or do not declare it"
    return Diagnostic(code, message, place, reason=reason, help=help_text, severity=severity)
