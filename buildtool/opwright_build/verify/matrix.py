"""The verification matrix: version x element types x opset class x runtime x vector.

Each body runs at the newest opset of its class that the runtime accepts, through the domain that its library emits it
in. Cases that can share a session do. The order of the outcomes is that of the cases, then bodies, then runtimes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from onnx import FunctionProto
from opwright.bundle.call_interface import outputs_of
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.link.instantiate import instantiate

from opwright_build.verify.batches import Batch, Vector
from opwright_build.verify.case_bodies import Bodies, refused_types
from opwright_build.verify.case_model import Case, CaseName, Outcome, Status, by_case
from opwright_build.verify.gaps import REFUSALS, Gap, GapIndex
from opwright_build.verify.isolation import run_tasks
from opwright_build.verify.models import Signature, arguments_of, signature_of
from opwright_build.verify.refusals import Refusal
from opwright_build.verify.runtimes import Runtime, Tells, available, newest_accepted

MAX_VECTORS = 500  # in one batch: what a crash makes run again, and what a time limit has to cover


def verify_cases(
    bundle: Bundle,
    cases: Sequence[Case],
    *,
    runtimes: Sequence[Runtime] | None = None,
    workers: int = 1,
    timeout: float = 120.0,
    progress: Callable[[int, int], None] | None = None,
    instantiated: BodyFunctions | None = None,
) -> list[Outcome]:
    """Every case on every body of its version on every runtime (by default: all that are installed).

    `workers` processes run the batches; 0 runs them here, unprotected from crashes. `timeout` is in seconds and for
    each batch. `progress` is called with the number of outcomes known and their total. Cases of functions that the
    bundle does not hold have no outcomes. `instantiated` are the functions that others have made of the bundle.
    """
    functions = BodyFunctions(bundle) if instantiated is None else instantiated
    plan = Plan(functions, bundle.index.functions, available() if runtimes is None else runtimes)
    for case in cases:
        plan.add(case)
    results = _run(plan, workers, timeout, progress)
    outcomes = []
    for cell in plan.cells:
        status, message = (cell.status, cell.message) if cell.batch is None else results[cell.batch][cell.position]
        outcomes.append(Outcome(cell.case, cell.opset, cell.body, cell.runtime, status, message))
    return outcomes


def with_gaps(outcomes: Iterable[Outcome], gaps: Sequence[Gap]) -> list[Outcome]:
    """The outcomes, each refusal with the row that covers it."""
    rows = GapIndex(gaps)
    found = []
    for outcome in outcomes:
        row = rows.find(outcome) if outcome.status in REFUSALS else None
        found.append(outcome if row is None else replace(outcome, gap=str(row)))
    return found


def passing_batches(
    bundle: Bundle,
    entries: Sequence[FunctionEntry],
    cases: Sequence[Case],
    *,
    runtimes: Sequence[Runtime],
    workers: int,
) -> dict[tuple[str, int], list[Batch]]:
    """The vectors that pass, in batches by (identity, position of the body in its entry).

    `entries` are the versions to run, with the bodies wanted; `bundle` holds what they call. The batches of the first
    runtime come first, and those with many vectors before those with few.
    """
    plan = Plan(BodyFunctions(bundle), entries, runtimes)
    for case in cases:
        plan.add(case)
    results = _run(plan, workers, 120.0, None)
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
    plan: Plan, workers: int, timeout: float, progress: Callable[[int, int], None] | None
) -> list[list[tuple[Status, str]]]:
    """The results of every batch: large ones in pieces, those that call the same content alike in one session."""
    shared: dict[tuple[object, ...], list[tuple[int, Vector]]] = {}
    for index, draft in enumerate(plan.drafts):
        key = (draft.runtime, draft.opset, draft.content, draft.signature, draft.outputs)
        shared.setdefault(key, []).extend((index, vector) for vector in draft.vectors)
    pieces: list[Batch] = []
    owners: list[list[int]] = []
    for members in shared.values():
        for start in range(0, len(members), MAX_VECTORS):
            part = members[start : start + MAX_VECTORS]
            pieces.append(plan.drafts[members[0][0]].batch([vector for _, vector in part]))
            owners.append([index for index, _ in part])
    known = sum(cell.batch is None for cell in plan.cells)
    sizes = iter([len(piece.vectors) for piece in pieces])

    def report(done: int) -> None:
        nonlocal known
        known += sum(next(sizes) for _ in range(done))
        if progress is not None:
            progress(known, len(plan.cells))

    results: list[list[tuple[Status, str]]] = [[] for _ in plan.drafts]
    answered = run_tasks(pieces, workers=workers, timeout=timeout, progress=report)
    for part_owners, answers in zip(owners, answered, strict=True):
        for owner, (status, message) in zip(part_owners, answers, strict=True):
            results[owner].append((Status(status), message))
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
    functions: tuple[bytes, ...]
    content: int
    signature: Signature
    outputs: tuple[str, ...]
    vectors: list[Vector] = field(default_factory=list)

    def batch(self, vectors: Sequence[Vector]) -> Batch:
        return Batch(self.runtime, self.opset, self.functions, self.signature, self.outputs, tuple(vectors))


class Plan:
    """What is to be run: cells in order, batches of those that share a session."""

    def __init__(
        self, instantiated: BodyFunctions, entries: Iterable[FunctionEntry], runtimes: Sequence[Runtime]
    ) -> None:
        self.cells: list[_Cell] = []
        self.drafts: list[_Draft] = []
        self._instantiated = instantiated
        self._runtimes = runtimes
        self._entries = {entry.identity: entry for entry in entries}
        self._bodies: dict[str, Bodies] = {}
        # Bodies of one entry may be equal; positions by identity spare comparing them field by field.
        self._positions = {
            id(body): position for entry in self._entries.values() for position, body in enumerate(entry.bodies)
        }
        self._opsets: dict[tuple[str, int, int], int | Refusal] = {}
        self._drafts: dict[tuple[object, ...], int] = {}

    def add(self, case: Case) -> None:
        entry = self._entries.get(case.identity)
        if entry is None:
            return
        if case.identity not in self._bodies:
            self._bodies[case.identity] = Bodies(entry)
        bodies = self._bodies[case.identity].of(case)
        name = CaseName(case.identity, case.name, case.bindings, case.place)
        if not bodies:
            for runtime in self._runtimes:
                message = "no body of the version is meant for such a call"
                self.cells.append(_Cell(name, 0, "", runtime.name, status=Status.FAIL, message=message))
        for body in bodies:
            self._add_body(entry, body, case, name)

    def _add_body(self, entry: FunctionEntry, body: BodyEntry, case: Case, name: CaseName) -> None:
        refused = refused_types(body, case)
        signature = signature_of(entry, body, case)
        vector = Vector(case, arguments_of(entry, body, case))
        for runtime in self._runtimes:
            opset = self._opset(runtime, body)
            cell = _Cell(name, body.last_opset if isinstance(opset, Refusal) else opset, body.body, runtime.name)
            self.cells.append(cell)
            if refused:
                cell.status, cell.message = Status.NOT_ADMITTED, f"its operators do not take {refused}"
            elif isinstance(opset, Refusal):
                cell.status, cell.message = opset.status, opset.reason
            else:
                cell.batch = self._draft(entry, body, runtime, opset, signature)
                vectors = self.drafts[cell.batch].vectors
                cell.position = len(vectors)
                vectors.append(vector)

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
            self.drafts.append(
                _Draft(entry.identity, position, runtime.name, opset, made.functions, made.content, signature, outputs)
            )
        return self._drafts[key]


@dataclass(frozen=True, slots=True)
class Instantiated:
    """A body and its callees as serialised functions of the domain that the library emits them in, the body last.

    `content` is the same number for bodies that differ in documentation and metadata alone.
    """

    functions: tuple[bytes, ...]
    content: int


class BodyFunctions:
    """The bodies of a bundle as functions, each made once for an opset."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self._mirrors = {domain.name: domain.mirror for domain in bundle.index.domains}
        self._made: dict[tuple[str, int, int], Instantiated] = {}
        self._contents: dict[tuple[bytes, ...], int] = {}

    def of(self, entry: FunctionEntry, body: BodyEntry, opset: int) -> Instantiated:
        key = (entry.identity, id(body), opset)
        if key not in self._made:
            index, domain = self.bundle.index, self._mirrors.get(entry.domain, entry.domain)
            functions = instantiate(index, self.bundle.bodies, entry, body, opset=opset, domain=domain)
            serialised = tuple(function.SerializeToString() for function in functions)
            bare = tuple(map(_bare, functions))
            self._made[key] = Instantiated(serialised, self._contents.setdefault(bare, len(self._contents)))
        return self._made[key]


def _bare(function: FunctionProto) -> bytes:
    """The bytes of a function without what tells no runtime anything."""
    function.ClearField("doc_string")
    function.ClearField("metadata_props")
    return function.SerializeToString()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: one version and one type of its widest type variable, outcomes by runtime and status."""

    identity: str
    types: tuple[tuple[str, str], ...]
    counts: Mapping[str, Mapping[Status, int]]


def rows_of(outcomes: Iterable[Outcome], entries: Iterable[FunctionEntry]) -> list[Row]:
    """The table, in the order in which versions and types first occur; `entries` say which variable is the widest."""
    widest = {entry.identity: max(entry.types, key=lambda item: len(item[1]), default=("",))[0] for entry in entries}
    found: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, Counter[Status]]] = {}
    for case, cells in by_case(outcomes):
        types = tuple((name, kind) for name, kind in case.bindings.items() if name == widest[case.identity])
        counts = found.setdefault((case.identity, types), {})
        for outcome in cells:
            counts.setdefault(outcome.runtime, Counter())[outcome.status] += 1
    return [Row(identity, types, counts) for (identity, types), counts in found.items()]
