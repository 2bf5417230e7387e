"""The verification matrix: version x element types x opset class x runtime x vector.

Each body runs at the newest opset of its class that the runtime accepts, through the domain that its library emits it
in. Cases that can share a session do. The order of the outcomes is that of the cases, then bodies, then runtimes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from opwright.bundle.call_interface import outputs_of
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry

from opwright_build.verify.case_model import Case, CaseName, Kind, Outcome, Status
from opwright_build.verify.cases.making import case_on
from opwright_build.verify.facts.gaps import REFUSALS, Gap, GapIndex
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.run.batches import Batch, Result, Vector
from opwright_build.verify.run.case_bodies import Bodies, refused_types
from opwright_build.verify.run.instantiated import BodyFunctions, Instantiated
from opwright_build.verify.run.isolation import Task, Workers, run_tasks
from opwright_build.verify.run.kept_results import KeptResults, run_key
from opwright_build.verify.run.models import Signature, signature_of, taken_by
from opwright_build.verify.run.packs import Candidate, Pack, packed
from opwright_build.verify.run.runtimes import Runtime, Tells, available, newest_accepted
from opwright_build.verify.run.spread import Spread

MAX_VECTORS = 500  # in one batch: what a crash makes run again, and what a time limit has to cover


@dataclass(frozen=True, slots=True)
class Known:
    """How many of the `total` outcomes are known, and how many of these are failures; and by version the seconds that
    the last ones took."""

    done: int
    total: int
    failed: int
    seconds: Mapping[str, float]


def verify_cases(
    bundle: Bundle,
    cases: Sequence[Case],
    *,
    runtimes: Sequence[Runtime] | None = None,
    spread: Spread | None = None,
    fits_opset: Callable[[int], bool] = lambda opset: True,
    workers: Workers = 1,
    timeout: float = 120.0,
    progress: Callable[[Known], None] | None = None,
    instantiated: BodyFunctions | None = None,
    kept: KeptResults | None = None,
) -> list[Outcome]:
    """Every case on every body of its version, or on those of a spread, where the opset at which it runs fits, on every
    runtime (by default: all that are installed).

    `workers` processes run the batches, or who else runs tasks; 0 runs them here, unprotected from crashes. `timeout`
    is in seconds and for each batch. `progress` is told as outcomes become known. Cases of functions that the bundle
    does not hold have no outcomes. `instantiated` are the functions that others have made of the bundle. What `kept`
    knows is not run; it is told all that is found.
    """
    functions = BodyFunctions(bundle) if instantiated is None else instantiated
    plan = Plan(functions, bundle.index.functions, available() if runtimes is None else runtimes, spread, fits_opset)
    for case in cases:
        plan.add(case)
    results = _run(plan, workers, timeout, progress, KeptResults({}) if kept is None else kept)
    outcomes = []
    for cell in plan.cells:
        status, message = (cell.status, cell.message) if cell.batch is None else results[cell.batch][cell.position]
        outcomes.append(Outcome(cell.case, cell.opset, cell.body, cell.runtime, status, message))
    return outcomes


def with_gaps(outcomes: Iterable[Outcome], gaps: Sequence[Gap]) -> Iterator[Outcome]:
    """The outcomes, each refusal with the row that covers it."""
    rows = GapIndex(gaps)
    for outcome in outcomes:
        row = rows.find(outcome) if outcome.status in REFUSALS else None
        yield outcome if row is None else replace(outcome, gap=str(row))


def passing_batches(
    bundle: Bundle,
    entries: Sequence[FunctionEntry],
    cases: Sequence[Case],
    *,
    runtimes: Sequence[Runtime],
    workers: Workers,
) -> dict[tuple[str, int], list[Batch]]:
    """The vectors that pass, in batches by (identity, position of the body in its entry).

    `entries` are the versions to run, with the bodies wanted; `bundle` holds what they call. The batches of the first
    runtime come first, and those with many vectors before those with few.
    """
    plan = Plan(BodyFunctions(bundle), entries, runtimes)
    for case in cases:
        plan.add(case)
    results = _run(plan, workers, 120.0, None, KeptResults({}))
    order = {runtime.name: position for position, runtime in enumerate(runtimes)}
    found: dict[tuple[str, int], list[Batch]] = {}
    for draft, answers in zip(plan.drafts, results, strict=True):
        passed = [vector for vector, (status, _) in zip(draft.vectors, answers, strict=True) if status is Status.PASS]
        if passed:
            found.setdefault((draft.identity, draft.position), []).append(draft.batch(passed))
    for batches in found.values():
        batches.sort(key=lambda batch: (order[batch.runtime], -len(batch.vectors)))
    return found


def _run(
    plan: Plan, workers: Workers, timeout: float, progress: Callable[[Known], None] | None, kept: KeptResults
) -> list[list[Result]]:
    """The results of every batch: large ones in pieces, those that call the same content alike in one session, and a
    vector that several have in common run once, or not at all where its result is known."""
    shared: dict[tuple[object, ...], _Shared] = {}
    for index, draft in enumerate(plan.drafts):
        key = (draft.runtime, draft.same, draft.signature, draft.outputs)
        if key not in shared:
            shared[key] = _Shared(draft)
        shared[key].add(index, draft)
    results = [[(Status.PASS, "")] * len(draft.vectors) for draft in plan.drafts]

    def take(run: _Run, result: Result) -> None:
        for number, position in run.places:
            results[number][position] = result
            kept.use(plan.drafts[number].identity, run.key, result)

    candidates: list[Candidate] = []
    owners: list[list[_Run]] = []
    for item in shared.values():
        members: list[_Run] = []
        for run in item.runs.values():
            result = kept.find(run.key)
            if result is None:
                members.append(run)
            else:
                take(run, result)
        for start in range(0, len(members), MAX_VECTORS):
            part = members[start : start + MAX_VECTORS]
            batch = item.draft.batch([run.vector for run in part])
            candidates.append(Candidate(len(candidates), batch, item.draft.made))
            owners.append(part)
    alone, packs = packed(candidates, MAX_VECTORS)
    tasks: list[Task] = [candidates[position].batch for position in alone]
    tasks += [Pack(tuple(candidates[position].batch for position in pack)) for pack in packs]
    owned = [[run for position in group for run in owners[position]] for group in (*([item] for item in alone), *packs)]
    known = sum(cell.batch is None for cell in plan.cells) + kept.reused
    failed = sum(cell.batch is None and cell.status is Status.FAIL for cell in plan.cells)

    def report(number: int, result: Sequence[Sequence[str]], seconds: float) -> None:
        nonlocal known, failed
        runs = owned[number]
        known += sum(len(run.places) for run in runs)
        failed += sum(len(run.places) for run, (word, _) in zip(runs, result, strict=True) if word == Status.FAIL.value)
        if progress is not None:
            took = Counter(plan.drafts[run.places[0][0]].identity for run in runs)
            shares = {identity: seconds * count / len(runs) for identity, count in took.items()}
            progress(Known(known, len(plan.cells), failed, shares))

    answered = run_tasks(tasks, workers=workers, timeout=timeout, progress=report)
    for runs, answers in zip(owned, answered, strict=True):
        for run, (status, message) in zip(runs, answers, strict=True):
            take(run, (Status(status), message))
    return results


@dataclass(slots=True)
class _Cell:
    """One outcome to be: known at once (`batch` None), or the result at `position` of a batch."""

    case: CaseName
    opset: int
    body: str
    runtime: str
    batch: int | None = None
    position: int = 0
    status: Status = Status.PASS
    message: str = ""


@dataclass(slots=True)
class _Draft:
    """A batch while it is being filled, for the body at `position` in the entry of `identity`."""

    identity: str
    position: int
    runtime: str
    opset: int
    made: Instantiated
    same: str  # drafts of which it is the same run the same, where they are called alike
    signature: Signature
    outputs: tuple[str, ...]
    vectors: list[Vector] = field(default_factory=list)

    def batch(self, vectors: Sequence[Vector]) -> Batch:
        return Batch(self.runtime, self.opset, self.made.functions, self.signature, self.outputs, tuple(vectors))


_Place = tuple[int, int]  # of a result: the number of its draft, and its position there


@dataclass(slots=True)
class _Run:
    """A vector that is run once, and all places that its result is for. `key` covers all that it rests on."""

    key: str
    vector: Vector
    places: list[_Place]


class _Shared:
    """What the vectors of several drafts are run on, with each vector once. Its digest says all that is judged."""

    def __init__(self, draft: _Draft) -> None:
        self.draft = draft
        self.runs: dict[tuple[str, tuple[int, ...]], _Run] = {}
        self._called = repr((draft.runtime, draft.same, draft.signature, draft.outputs))

    def add(self, number: int, draft: _Draft) -> None:
        for position, vector in enumerate(draft.vectors):
            which = (vector.case.digest, vector.taken)
            if which not in self.runs:
                self.runs[which] = _Run(run_key((self._called, *which)), vector, [])
            self.runs[which].places.append((number, position))


class Plan:
    """What is to be run: cells in order, batches of those that share a session."""

    def __init__(
        self,
        instantiated: BodyFunctions,
        entries: Iterable[FunctionEntry],
        runtimes: Sequence[Runtime],
        spread: Spread | None = None,
        fits_opset: Callable[[int], bool] = lambda opset: True,
    ) -> None:
        self.cells: list[_Cell] = []
        self.drafts: list[_Draft] = []
        self._instantiated = instantiated
        self._runtimes = runtimes
        self._spread = spread
        self._fits_opset = fits_opset
        self._entries = {entry.identity: entry for entry in entries}
        self._bodies: dict[str, Bodies] = {}
        # Bodies of one entry may be equal; positions by identity spare comparing them field by field.
        self._positions = {
            id(body): position for entry in self._entries.values() for position, body in enumerate(entry.bodies)
        }
        self._opsets: dict[tuple[str, int, int], int | Refusal] = {}
        self._drafts: dict[tuple[object, ...], int] = {}
        self._judged: tuple[Case, dict[str, Case]] | None = None  # the last case, by runtime

    def add(self, case: Case) -> None:
        entry = self._entries.get(case.identity)
        if entry is None:
            return
        if case.identity not in self._bodies:
            self._bodies[case.identity] = Bodies(entry)
        bodies = self._bodies[case.identity].of(case)
        name = CaseName(case.identity, case.name, case.bindings, case.place, bool(case.error))
        if not bodies:
            for runtime in self._runtimes:
                message = "no body of the version is meant for such a call"
                self.cells.append(_Cell(name, 0, "", runtime.name, status=Status.FAIL, message=message))
        if self._spread is not None:  # the bodies for a case may be none of those: then it runs on all of its own
            bodies = [body for body in bodies if self._spread.has(entry, body)] or bodies
        for body in bodies:
            self._add_body(entry, body, case, name)

    def _add_body(self, entry: FunctionEntry, body: BodyEntry, case: Case, name: CaseName) -> None:
        at = [(runtime, self._opset(runtime, body)) for runtime in self._runtimes]
        at = [(runtime, opset) for runtime, opset in at if self._fits_opset(_number(opset, body))]
        if not at:
            return
        refused, surplus = refused_types(body, case), _unstated(entry, body, case)
        signature = signature_of(entry, body, case)
        taken = taken_by(entry, body, case)
        for runtime, opset in at:
            cell = _Cell(name, _number(opset, body), body.body, runtime.name)
            self.cells.append(cell)
            if refused:
                cell.status, cell.message = Status.NOT_ADMITTED, f"its operators do not take {refused}"
            elif surplus:
                cell.status, cell.message = Status.FAIL, surplus
            elif isinstance(opset, Refusal):
                cell.status, cell.message = opset.status, opset.reason
            else:
                cell.batch = self._draft(entry, body, runtime, opset, signature)
                vectors = self.drafts[cell.batch].vectors
                cell.position = len(vectors)
                vectors.append(Vector(self._judged_on(case, runtime.name), taken))

    def _judged_on(self, case: Case, runtime: str) -> Case:
        """The case as this runtime is judged by it, made once for all bodies."""
        if self._judged is None or self._judged[0] is not case:
            self._judged = case, {}
        found = self._judged[1]
        if runtime not in found:
            found[runtime] = case_on(case, runtime)
        return found[runtime]

    def _opset(self, runtime: Runtime, body: BodyEntry) -> int | Refusal:
        key = (runtime.name, body.first_opset, body.last_opset)
        if key not in self._opsets:
            self._opsets[key] = newest_accepted(runtime, body.first_opset, body.last_opset)
        return self._opsets[key]

    def _draft(self, entry: FunctionEntry, body: BodyEntry, runtime: Runtime, opset: int, signature: Signature) -> int:
        """The batch that such a call goes into: as many calls as the runtime lets share a session."""
        if runtime.tells is not Tells.RANKS:
            signature = signature.without_ranks()
        called: object = signature
        if runtime.tells is Tells.NOTHING:
            called = (tuple(item is None for item in signature.inputs), signature.attributes)
        key = (entry.identity, id(body), runtime.name, opset, called)
        if key not in self._drafts:
            self._drafts[key] = len(self.drafts)
            made = self._instantiated.of(entry, body, opset)
            outputs, position = outputs_of(entry, body), self._positions[id(body)]
            same = made.computation if runtime.tells is Tells.NOTHING else made.operators
            self.drafts.append(_Draft(entry.identity, position, runtime.name, opset, made, same, signature, outputs))
        return self._drafts[key]


def _unstated(entry: FunctionEntry, body: BodyEntry, case: Case) -> str:
    """What is wrong where a case expects fewer outputs than the body gives of a variadic one; empty where nothing is.
    Of others, a stored call may leave out the last ones."""
    if case.expected is None or not entry.outputs or not entry.outputs[-1].variadic:
        return ""
    given = len(outputs_of(entry, body))
    return f"{given} outputs, expected {len(case.expected)}" if len(case.expected) < given else ""


def _number(opset: int | Refusal, body: BodyEntry) -> int:
    """The opset at which a body runs, or the last one that it is for where that is refused."""
    return body.last_opset if isinstance(opset, Refusal) else opset


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: one version and one type of its widest type variable, outcomes by runtime and status."""

    identity: str
    types: tuple[tuple[str, str], ...]
    counts: Mapping[str, Mapping[Status, int]]


def rows_of(kinds: Iterable[Kind], entries: Iterable[FunctionEntry]) -> list[Row]:
    """The table, in the order in which versions and types first occur; `entries` say which variable is the widest."""
    widest = {entry.identity: max(entry.types, key=lambda item: len(item[1]), default=("",))[0] for entry in entries}
    found: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Counter[Status]]] = {}
    for item in kinds:
        case = item.outcome.case
        types = tuple((name, kind) for name, kind in case.bindings.items() if name == widest[case.identity])
        counts = found.setdefault((case.identity, types), {})
        counts.setdefault(item.outcome.runtime, Counter())[item.outcome.status] += item.count
    return [Row(identity, types, counts) for (identity, types), counts in found.items()]
