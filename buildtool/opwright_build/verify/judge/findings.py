"""Outcomes as findings: what failed, and what is not verified. Each cause is told once, with all that it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity
from opwright.link.kernels import has_kernel
from opwright.variants import portable_name

from opwright_build.report.tables import counted
from opwright_build.verify.case_model import Outcome, Status, by_case
from opwright_build.verify.judge.cells import RanAt, types_of, where

# Where a vector fails, or the machine lacks what it needs, that is the cause, and told by itself (OW450, OW457).
_TOLD = frozenset({Status.PASS, Status.FAIL, Status.LACKING})
_DETAILS = re.compile(r"\[[^\]]*\]|[-+]?\d[\w.+-]*|\b(nan|inf)\b")  # in which equal mistakes differ
_CAUSES = 3  # that are quoted of a vector that fails in several ways


def failures(outcomes: Sequence[Outcome]) -> list[Diagnostic]:
    """One finding for each row that fails somewhere (OW450), at its place; the first cell of each cause is quoted."""
    failed: dict[tuple[str, str, Place], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status is Status.FAIL:
            row, _, _ = outcome.case.name.partition("[")
            failed.setdefault((outcome.case.identity, row, outcome.case.place), []).append(outcome)
    ran = RanAt(outcomes) if failed else RanAt(())
    return [_failure(identity, row, place, cells, ran) for (identity, row, place), cells in failed.items()]


def _failure(identity: str, row: str, place: Place, cells: Sequence[Outcome], ran: RanAt) -> Diagnostic:
    message = f"{identity}: the vector {row} fails {where(cells, ran)}"
    causes: dict[str, Outcome] = {}
    for cell in cells:
        causes.setdefault(_DETAILS.sub("#", cell.message), cell)
    told = [cell.message + (f" ({_cell(cell)})" if len(cells) > 1 else "") for cell in causes.values()]
    if len(told) > _CAUSES:
        told[_CAUSES:] = [f"and in {counted(len(told) - _CAUSES, 'other way')}"]
    return Diagnostic("OW450", message, place, reason="; ".join(told), help=_way_out(cells, ran))


def _cell(outcome: Outcome) -> str:
    at = f"{outcome.runtime}, opset {outcome.opset}" if outcome.body else "every opset"
    return ", ".join([at, *(f"{name}={kind}" for name, kind in types_of(outcome))])


def _way_out(cells: Sequence[Outcome], ran: RanAt) -> str:
    failing = {cell.runtime for cell in cells if cell.body}
    others = sorted(ran.passing(cells[0]) - failing)
    if not failing:
        return ""
    if not others:
        return "no runtime gives what is expected: the body is wrong, or the expectation is"
    gives = "gives" if len(others) == 1 else "give"
    return (
        f"{' and '.join(others)} {gives} what is expected; where the body is right, and values are not exact enough, "
        f"`tolerance: {{runtimes: ...}}` can allow {' and '.join(sorted(failing))} more; what ends in an error there "
        "needs another body"
    )


def lacking(outcomes: Iterable[Outcome]) -> list[Diagnostic]:
    """What this machine lacks (OW457), each thing once, at the first vector that needs it: no fact of a runtime."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status is Status.LACKING:
            found.setdefault(outcome.message, []).append(outcome)
    return [
        Diagnostic(
            "OW457",
            f"this machine has no {what}, {_needed(dict.fromkeys(cell.case.identity for cell in cells))}",
            cells[0].case.place,
            reason=f"{' and '.join(dict.fromkeys(cell.runtime for cell in cells))} could not run such vectors, "
            "so nothing is said of them",
            help="install it, or run the tests on a machine that has it",
            severity=Severity.WARNING,
        )
        for what, cells in found.items()
    ]


def inlined_alone(bundle: Bundle, entries: Iterable[FunctionEntry], places: Mapping[str, Place]) -> list[Diagnostic]:
    """A note for each version with a body of whose name onnxruntime has a kernel (OW652): cells of it are inlined."""
    mirrors = {domain.name: domain.mirror for domain in bundle.index.domains}
    return [
        Diagnostic(
            "OW652",
            f"{entry.identity} is verified inlined only: of a call, onnxruntime's kernel, not the body, is run",
            places.get(entry.identity),
            reason=f"of a model with a function {entry.domain}::{entry.name}, the graph that onnxruntime makes has the "
            "call, not the body's nodes; so inlined cells alone count",
            help="name the function otherwise, or make the body compute what the kernel does",
            severity=Severity.NOTE,
        )
        for entry in entries
        if has_kernel(mirrors.get(entry.domain, entry.domain), entry.name)
        and any(portable_name(entry.name, body.variant) == entry.name for body in entry.bodies)
    ]


def unverified(
    entries: Iterable[FunctionEntry], outcomes: Iterable[Outcome], places: Mapping[str, Place]
) -> list[Diagnostic]:
    """Declared types (OW455) and bodies (OW456) on which no vector passes anywhere, in one finding for each reason.

    `entries` are the versions of which every case ran; `places` says where each is specified. Where the reason is that
    no expected values are known, it is a warning: a run without oracle cannot do better. Types and bodies on which a
    vector fails are not told: the failure is. Nor are bodies where no type passes. A vector that expects an error, and
    gets it, proves nothing of either.
    """
    types: dict[tuple[str, str, str], set[Status]] = {}
    bodies: dict[tuple[str, str], set[Status]] = {}
    refusing: set[tuple[str, str]] = set()  # bodies that give the errors that are expected
    for case, cells in by_case(outcomes):
        for outcome in cells:
            at = case.identity, outcome.body
            if case.refuses and outcome.status is Status.PASS:
                refusing.add(at)
                continue
            bodies.setdefault(at, set()).add(outcome.status)
            for variable, kind in case.bindings.items():
                types.setdefault((case.identity, variable, kind), set()).add(outcome.status)
    findings: list[Diagnostic] = []
    for entry in entries:
        place = places.get(entry.identity)
        variable, declared = max(entry.types, key=lambda item: len(item[1]), default=("", ()))
        lost: dict[frozenset[Status], list[str]] = {}
        for kind in declared:
            statuses = types.get((entry.identity, variable, kind), set())
            if statuses and not statuses & _TOLD:  # a type without any vector is found when they are collected
                lost.setdefault(frozenset(statuses), []).append(kind)
        for found, kinds in lost.items():
            message = f"no vector of {entry.identity} passes with {variable}={', '.join(kinds)}"
            findings.append(_unverified("OW455", entry, message, found, place))
        if declared and sum(map(len, lost.values())) == len(declared):
            continue
        unproved: dict[tuple[frozenset[Status], bool], list[BodyEntry]] = {}
        for body in entry.bodies:
            at = entry.identity, body.body
            statuses = bodies.get(at, set())
            if not statuses & _TOLD:
                unproved.setdefault((frozenset(statuses), at in refusing), []).append(body)
        for (found, refuses), unseen in unproved.items():
            which = ("body", "bodies")[len(unseen) > 1]
            message = f"no vector passes on the {which} of {entry.identity} for {_bodies(unseen)}"
            findings.append(_unverified("OW456", entry, message, found, place, refuses))
    return findings


def _bodies(bodies: Sequence[BodyEntry]) -> str:
    """`the opsets 18 to 22, bias=present`: neighbours of one variant as one range."""
    ranges: dict[tuple[tuple[str, str], ...], list[list[int]]] = {}
    for body in sorted(bodies, key=lambda item: item.first_opset):
        listed = ranges.setdefault(body.variant, [])
        if listed and listed[-1][1] == body.first_opset - 1:
            listed[-1][1] = body.last_opset
        else:
            listed.append([body.first_opset, body.last_opset])
    return "; ".join(
        f"the opsets {', '.join(f'{first} to {last}' for first, last in listed)}"
        + "".join(f", {axis}={value}" for axis, value in variant)
        for variant, listed in ranges.items()
    )


def _unverified(
    code: str,
    entry: FunctionEntry,
    message: str,
    found: frozenset[Status],
    place: Place | None,
    refuses: bool = False,
) -> Diagnostic:
    names = ", ".join(status.value for status in Status if status in found)
    without = "its vectors expect an error each" if refuses else "there is no vector for it"
    reason = f"its vectors end as {names}" if found else without
    severity = Severity.WARNING if Status.UNVERIFIED in found else Severity.ERROR
    return Diagnostic(code, message, place, reason, _advice(found), severity=severity, subject=entry.identity)


def _advice(found: frozenset[Status]) -> str:
    if not found:
        return "add a row that reaches it to vectors.yaml, or do not declare it"
    if Status.UNVERIFIED in found:
        return "run without --no-oracle, or write what is expected as `outputs:` of a row"
    if Status.NOT_ADMITTED in found and len(found) == 1:
        return "write the body with operators that take these types, or do not declare them"
    return "test with a runtime that loads it, or do not declare it"


def _needed(names: Iterable[str]) -> str:
    first, *rest = names
    return f"which {first} and {counted(len(rest), 'other version')} need" if rest else f"which {first} needs"
