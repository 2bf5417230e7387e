"""What verification works on: cases (one vector each), and the outcome of a case on a runtime. Plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from opwright.bundle.format import Shape
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.sandbox.levels import Claim
from opwright_build.spec.model import Tolerance

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence of tensors. `kind` is their element type; empty where a runtime does not tell."""

    kind: str
    arrays: tuple[Array, ...]


Value = Array | Items


@dataclass(frozen=True, slots=True)
class SuiteJudge:
    """The standard suite's rule: numpy's allclose with these, dtype and shape exact."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class ToleranceJudge:
    """Ours: within `ulp`, or within `absolute` times `scale`, of the exact value; dtype and shape exact.

    `tolerances` are by element type of the output, made whole: one for each type that occurs. `by_runtime` are the same
    for each runtime that has its own; `on` gives the judge of one runtime, which has none, and whose `runtime` is the
    name where the tolerances are that runtime's own.
    """

    tolerances: Mapping[str, Tolerance]
    scale: float = 1.0
    by_runtime: Mapping[str, Mapping[str, Tolerance]] = field(default_factory=dict)
    runtime: str = ""

    def on(self, runtime: str) -> ToleranceJudge:
        """The judge of what this runtime gives."""
        own = self.by_runtime.get(runtime)
        return ToleranceJudge(self.tolerances if own is None else own, self.scale, {}, "" if own is None else runtime)


@dataclass(frozen=True, slots=True)
class RandomJudge:
    """For random outputs: dtype and shape exact; all elements among `values`, where any are given; and, where a mean is
    given, their mean within `within` of it."""

    values: tuple[float, ...] = ()
    mean: float | None = None
    within: float = 0.0


Judge = SuiteJudge | ToleranceJudge | RandomJudge


def judge_on(judge: Judge, runtime: str) -> Judge:
    """The judge of what one runtime gives: the same one, where no runtime has its own."""
    return judge.on(runtime) if isinstance(judge, ToleranceJudge) and judge.by_runtime else judge


@dataclass(frozen=True, slots=True)
class Expected:
    """One output: `array` in the output's own type; `exact` the float64 value it was rounded from, where known."""

    array: Array
    exact: Array | None = None


@dataclass(frozen=True, slots=True)
class ExpectedItems:
    """An output that is a sequence of tensors of the element type `kind`, each as if it were an output of its own."""

    kind: str
    items: tuple[Expected, ...]


Answer = Expected | ExpectedItems


@dataclass(frozen=True, slots=True)
class Case:
    """One vector for one version and one choice of element types.

    `inputs` are one for each input of the interface (more for a variadic last one), None where absent; bfloat16 and the
    small types are `ml_dtypes` arrays. `attributes` are those given: the defaults of others apply.
    `expected` are the first outputs, in order: a case of the suite may leave out the last ones, and others (None). It
    is None when no expected values are known (the case is then `unverified`), and where an error is expected.
    `error`, where given, is a text that the runtime's error must contain. `shapes` are those that the interface
    promises of the outputs, the sizes that the inputs tell filled in; empty where nothing is promised. `digest` covers
    everything that is judged.
    """

    identity: str
    name: str
    bindings: Mapping[str, str]
    inputs: tuple[Value | None, ...]
    attributes: Mapping[str, Any]
    expected: tuple[Answer | None, ...] | None
    judge: Judge
    place: Place
    digest: str
    error: str = ""
    shapes: tuple[Shape | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A vector that one version, or one choice of types, does not use, and why. `name` is as a case's would be."""

    identity: str
    name: str
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class CollectedVersion:
    """What one version is judged by: cases in order of source.

    `reference` is the file whose Python was run to make expectations, relative to the library's root, empty where none
    was. `suite` names the cases of the standard's suite that were looked at, with their lines of the lock, `files` the
    files that were read, with their bytes; None where there is none. `unusable` are those diagnostics that are errors
    of the vectors themselves, for which there may be fewer cases than vectors; others are of what the cases leave open.
    """

    identity: str
    cases: tuple[Case, ...]
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[Skipped, ...]
    reference: str
    suite: Mapping[str, str | None]
    files: Mapping[str, bytes | None]
    unusable: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class CollectedCases:
    """Everything that the library's versions are judged by, in their order.

    `findings` are about the whole. `sandbox` is what references were run in; None where none was run.
    """

    versions: tuple[CollectedVersion, ...]
    findings: tuple[Diagnostic, ...] = ()
    sandbox: Claim | None = None

    @property
    def cases(self) -> tuple[Case, ...]:
        return tuple(case for version in self.versions for case in version.cases)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Each once: one finding may come up under several versions."""
        told = [item for version in self.versions for item in version.diagnostics]
        return tuple(dict.fromkeys((*self.findings, *told)))

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(item for version in self.versions for item in version.skipped)

    @property
    def references(self) -> tuple[str, ...]:
        """The files whose Python was run to make the expectations, relative to the library's root."""
        return tuple(dict.fromkeys(version.reference for version in self.versions if version.reference))


class Status(Enum):
    PASS = "pass"
    FAIL = "fail"
    NO_KERNEL = "no-kernel"
    UNSUPPORTED = "unsupported"
    UNVERIFIED = "unverified"
    NOT_ADMITTED = "not-admitted"
    LACKING = "lacking"  # the machine has not what the runtime needs for it, such as a locale

    __hash__ = object.__hash__  # the enumeration's own is Python, and a library has a hundred thousand cells


@dataclass(frozen=True, slots=True)
class CaseName:
    """Which case an outcome is of. `refuses`: it expects an error, and proves no value."""

    identity: str
    name: str
    bindings: Mapping[str, str]
    place: Place
    refuses: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case of one body on one runtime.

    `runtime` is e.g. `onnxruntime/off`, `onnxruntime/full`, `reference`; `opset` the default-domain opset it ran at, or
    where it did not run the last one of the body; `body` the digest, empty where no body fits the case; `gap` names the
    row of `runtime-gaps.yaml` that covers a refusal.
    """

    case: CaseName
    opset: int
    body: str
    runtime: str
    status: Status
    message: str = ""
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """Outcomes of one version that differ in their vectors alone: the first of them, and how many they are.

    Those that fail are a kind each, since the vector is what is of interest about them.
    """

    outcome: Outcome
    count: int


def kinds_of(outcomes: Iterable[Outcome]) -> list[Kind]:
    """The outcomes by kind, in the order of the first ones."""
    firsts: dict[tuple[object, ...], Outcome] = {}
    counts: Counter[tuple[object, ...]] = Counter()
    for case, cells in by_case(outcomes):
        types = tuple(case.bindings.items())
        for item in cells:
            failed = case.name if item.status is Status.FAIL else ""
            kind = (case.identity, types, case.refuses)
            key = (*kind, item.opset, item.body, item.runtime, item.status, item.message, failed)
            firsts.setdefault(key, item)
            counts[key] += 1
    return [Kind(item, counts[key]) for key, item in firsts.items()]


def by_case(outcomes: Iterable[Outcome]) -> Iterator[tuple[CaseName, list[Outcome]]]:
    """The outcomes that stand together and are of one case, under it."""
    cells: list[Outcome] = []
    for outcome in outcomes:
        if cells and cells[0].case is not outcome.case:
            yield cells[0].case, cells
            cells = []
        cells.append(outcome)
    if cells:
        yield cells[0].case, cells
