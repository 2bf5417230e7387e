"""`specs/vectors.lock`: which cases of the standard's suite a library is judged by, and that they are still the same.

One line a case, sorted: `<case> <sha256> <sketch>...`. The digest covers all of a case but the values of its
floating-point outputs (see `suite.suite_digest`: those differ in the last bits from processor to processor). Each of
these outputs (of a sequence, each item) has a sketch, which says what its values are to within rounding:
`total:p1,p2,p3,p4`, the sum of the magnitudes and four weighted sums divided by it. A change of one value by more than
rounding moves them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.verify.case_model import Array
from opwright_build.verify.cases import generated
from opwright_build.verify.cases.suite import SuiteCase, floating_outputs, suite_digest
from opwright_build.verify.dtypes import element_of

LOCK_PATH = "specs/vectors.lock"
_HEADER = "# Cases of the ONNX backend test suite: rewrite with `opwright vectors --update`, never by hand.\n"
_UPDATE = "Run `opwright vectors --update` and review what changed in the file."
_SKETCHES = 4
_WEIGHTS = 1 << 16  # longer outputs use the weights again


@dataclass(frozen=True, slots=True)
class Sketch:
    total: float
    projections: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.total:.8e}:" + ",".join(f"{value:.8f}" for value in self.projections)


@dataclass(frozen=True, slots=True)
class LockedCase:
    """One line of the lock. `line` is where it stands, 0 for one just made."""

    name: str
    digest: str
    sketches: tuple[Sketch, ...]
    line: int = 0

    def __str__(self) -> str:
        return " ".join([self.name, self.digest, *map(str, self.sketches)])


def lock_case(case: SuiteCase) -> LockedCase:
    """What the lock holds of a case."""
    return LockedCase(case.name, suite_digest(case), tuple(_sketch(array) for array in floating_outputs(case)))


def read_lock(text: str) -> tuple[dict[str, LockedCase], list[Diagnostic]]:
    """The lines by case; a line that is none is a finding and is left out."""
    locked: dict[str, LockedCase] = {}
    findings: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = _parse(line, number)
        if entry is None or entry.name in locked:
            what = "no line of a lock" if entry is None else f"a second line for {entry.name}"
            findings.append(
                Diagnostic("OW402", f"this is {what}", _place(number), "A lock is written by the tool alone.", _UPDATE)
            )
        else:
            locked[entry.name] = entry
    return locked, findings


def write_lock(cases: Iterable[SuiteCase], before: Mapping[str, LockedCase]) -> str:
    """The lock's new text. Lines that still hold stay as they are, so that another processor changes nothing."""
    lines: dict[str, str] = {}
    for case in cases:
        fresh = lock_case(case)
        old = before.get(case.name)
        lines[case.name] = str(old if old is not None and _agree(old, fresh, case) else fresh)
    return _HEADER + "".join(f"{lines[name]}\n" for name in sorted(lines))


def check_lock(cases: Sequence[SuiteCase], locked: Mapping[str, LockedCase]) -> list[Diagnostic]:
    """Findings where a case differs from its line or has none."""
    findings: list[Diagnostic] = []
    for case in sorted({case.name: case for case in cases}.values(), key=lambda case: case.name):
        line = locked.get(case.name)
        if line is None:
            findings.append(
                Diagnostic(
                    "OW400",
                    f"the suite's case {case.name} is not in the lock",
                    Place(LOCK_PATH),
                    "Vectors are pinned, so that what a function was verified against cannot change unseen.",
                    _UPDATE,
                )
            )
        elif not _agree(line, lock_case(case), case):
            findings.append(
                Diagnostic(
                    "OW401",
                    f"the suite's case {case.name} differs from the locked one",
                    _place(line.line),
                    "The installed onnx or numpy makes another case of this name than the one that was reviewed.",
                    _UPDATE,
                )
            )
    return findings


def unused_lines(used: Collection[str], locked: Mapping[str, LockedCase]) -> list[Diagnostic]:
    """Findings for the lines of cases that are not among those `used` by all of a library."""
    return [_stale(entry) for name, entry in locked.items() if name not in used]


def _stale(entry: LockedCase) -> Diagnostic:
    return Diagnostic(
        "OW403",
        f"no function is judged by the locked case {entry.name}",
        _place(entry.line),
        "The suite has no such case any more, or no spec asks for it.",
        _UPDATE,
        severity=Severity.WARNING,
    )


def _agree(locked: LockedCase, fresh: LockedCase, case: SuiteCase) -> bool:
    if locked.digest != fresh.digest or len(locked.sketches) != len(fresh.sketches):
        return False
    floats = floating_outputs(case)
    return all(
        _close(one, other, _slack(array))
        for one, other, array in zip(locked.sketches, fresh.sketches, floats, strict=True)
    )


def _close(one: Sketch, other: Sketch, slack: float) -> bool:
    if not abs(one.total - other.total) <= slack * max(one.total, other.total):  # also where a line says nan
        return False
    if len(one.projections) != len(other.projections):
        return False
    return all(abs(a - b) <= slack for a, b in zip(one.projections, other.projections, strict=True))


def _slack(array: Array) -> float:
    """Four units in the last place; at least what sums in float32 may lose."""
    return max(1e-5, 4.0 * 2.0 ** (1 - element_of(array).precision))


def _sketch(array: Array) -> Sketch:
    values = array.astype(np.float64).ravel()
    values = np.where(np.isfinite(values), values, 0.0)
    total = float(np.sum(np.abs(values)))
    if total == 0.0:
        return Sketch(0.0, (0.0,) * _SKETCHES)
    weights = generated.uniform([_SKETCHES, min(values.size, _WEIGHTS)], 0, -1.0, 1.0)
    parts = values / total
    return Sketch(total, tuple(float(np.sum(np.resize(row, values.size) * parts)) for row in weights))


def _parse(line: str, number: int) -> LockedCase | None:
    fields = line.split()
    if len(fields) < 2 or len(fields[1]) != 64 or not set(fields[1]) <= set("0123456789abcdef"):
        return None
    try:
        return LockedCase(fields[0], fields[1], tuple(_parse_sketch(field) for field in fields[2:]), number)
    except ValueError:
        return None


def _parse_sketch(text: str) -> Sketch:
    total, _, projections = text.partition(":")
    return Sketch(float(total), tuple(float(value) for value in projections.split(",")))


def _place(line: int) -> Place:
    return Place(LOCK_PATH, line, 1)
