"""Running actions: what is in the cache is taken from there, the rest goes to the executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from types import MappingProxyType

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity

from opwright_build.engine.action import (
    Action,
    Done,
    Failed,
    Outcome,
    PackedReads,
    Read,
    Record,
    Unsupported,
    pack_reads,
)
from opwright_build.engine.action_pool import Inline, Pool
from opwright_build.engine.content_digest import digest_bytes, is_digest
from opwright_build.engine.executors import InlineExecutor
from opwright_build.engine.log import ActionLog, reasons
from opwright_build.engine.mutual_actions import Event, MutualActions, Performer, Result
from opwright_build.engine.perform import Performed, perform
from opwright_build.engine.read_stamps import ReadStamps
from opwright_build.engine.reader import Reader
from opwright_build.engine.sources import REFUSED, NotYetError, OverlaySources, Sources, digest_now
from opwright_build.engine.store import RECORDS_PER_KEY, Store
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.engine.waiting_actions import RunContext

NOTHING: Mapping[str, str] = MappingProxyType({})


class Engine:
    """Runs actions of registered kinds.

    `registry` maps each kind to its function as `module:name`; it is imported on the first miss, so a build that
    finds everything in the cache imports nothing. `same` maps kinds of sources to functions, named likewise, that say
    whether the bytes that were read and those of now are one for readers of that kind. `rerun` runs every action
    although its result is known, and reports results that differ. `watch` is told of every result. `stamps` are those
    of the reads of a composite that held last.
    """

    def __init__(
        self,
        registry: Mapping[str, str],
        store: Store,
        sources: Sources,
        log: ActionLog,
        *,
        executor: Executor | None = None,
        pool: Pool | None = None,
        same: Mapping[str, str] = NOTHING,
        rerun: bool = False,
        watch: Callable[[Result], None] = lambda result: None,
        stamps: ReadStamps | None = None,
    ) -> None:
        self._registry = registry
        self._same = same
        self._store = store
        self._sources = sources
        self._log = log
        self._executor = executor or InlineExecutor()
        self._pool = pool
        self._rerun = rerun
        self._watch = watch
        self._stamps = stamps
        self._composites: dict[str, CompositeFunction] = {}
        self._makers: dict[str, Action] = {}  # what makes those outputs again that are not kept, by digest
        self.warnings: list[Diagnostic] = []

    def run(self, actions: Sequence[Action]) -> list[Result]:
        """The results of independent actions, in their order. Whatever an action raises, except findings, is raised."""
        pending: list[tuple[int, Future[Performed]]] = []
        results: list[Result | None] = [self._look_up(action) for action in actions]
        for index, action in enumerate(actions):
            if results[index] is None:
                target = self._registry[action.kind]
                inputs = self._store.held(action.inputs.values())
                given = (target, action, inputs, self._store, self._sources)
                pending.append((index, self._executor.submit(perform, *given)))
        for index, future in pending:
            results[index] = self._keep(actions[index], future.result())
        finished = [result for result in results if result is not None]
        for result in finished:
            self._watch(result)
        return finished

    def look_up(self, action: Action, output: str) -> bytes | None:
        """An output of an action that the caller computes itself, where it is known; else see `keep`."""
        result = self._look_up(action)
        if result is None or not isinstance(result.outcome, Done) or output not in result.outcome.outputs:
            return None
        return self._store.get_output(action.key, result.outcome.outputs[output])

    def keep(self, action: Action, output: str, data: bytes, reads: Iterable[Read]) -> None:
        """Stores what the caller has computed for an action that was not known, and what it read."""
        digest = digest_bytes(data)
        self._keep(action, Performed(Record(Done({output: digest}), tuple(reads)), {digest: data}))

    def expect(self, actions: Iterable[Action]) -> None:
        """Says that these are looked up next: what a shared cache has of those that are not known here is fetched
        meanwhile."""
        if not self._rerun:
            self._store.expect([action.key for action in actions], self._may_hold)

    def expect_to_recall(self, actions: Iterable[Action]) -> None:
        """The same for `recall`, which looks everywhere."""
        if not self._rerun:
            self._store.expect([action.key for action in actions], lambda record: False)

    def recall(self, action: Action, output: str) -> list[bytes]:
        """What `note` has stored for an action lately, the latest first: parts that may be of use again, each under a
        key of its own that says what it rests on."""
        if self._rerun:
            return []
        found: list[bytes] = []
        for record in islice(self._store.records(action.key), RECORDS_PER_KEY):
            if isinstance(record.outcome, Done):
                data = self._store.get(record.outcome.outputs[output])
                if data is not None:
                    self._store.used(action.key, record)
                    found.append(data)
        return found

    def note(self, action: Action, output: str, data: bytes) -> None:
        """Stores parts for `recall`. Any number of them hold at a time, so they are told apart by their bytes."""
        digest = digest_bytes(data)
        record = Record(Done({output: digest}), (Read(f"{output}:{digest}", digest),))
        self._store.add_record(action.key, record, {digest: data})

    def run_composite(self, action: Action, function: CompositeFunction) -> Result:
        """The result of an action that runs others. It stays in this process, and so do its reads and failures.

        The function takes over the others' reads (`Reader.depends`). A failure is not kept: its parts are, and what
        it came from may lie outside of what was read.
        """
        self._composites[action.kind] = function
        result = self._look_up(action) or self._run_here(action)
        self._watch(result)
        return result

    def run_given(self, action: Action, function: CompositeFunction) -> Result:
        """Runs an action that is not known by another function than that of its kind, which gives the same."""
        result = self._run_composite_here(action, function)
        self._watch(result)
        return result

    def input(self, action: Action, name: str) -> bytes:
        """The bytes of an action's input, which this process has put. KeyError when they are not at hand."""
        data = self._store.get(action.inputs[name])
        if data is None:
            raise KeyError(name)
        return data

    @property
    def runs_all(self) -> bool:
        """Whether every action runs, whatever is known."""
        return self._rerun

    def over(self, kind: str, lookup: Callable[[str], bytes | None]) -> Engine:
        """This engine, with sources `kind:name` that the caller computes from what it has read itself."""
        engine = Engine(
            self._registry,
            self._store,
            OverlaySources(self._sources, kind, lookup),
            self._log,
            executor=self._executor,
            pool=self._pool,
            same=self._same,
            rerun=self._rerun,
            watch=self._watch,
            stamps=self._stamps,
        )
        engine.warnings = self.warnings
        return engine

    def run_mutual(
        self,
        actions: Mapping[str, Action],
        kind: str,
        lookup: Callable[[str, Mapping[str, Result]], bytes | None],
        cycle: Callable[[Sequence[str]], Outcome],
        only: Collection[str] | None = None,
        expected: Callable[[str], Sequence[str]] = lambda name: (),
    ) -> dict[str, Result]:
        """The results of actions that read one another's results, by name, in the order of `actions`.

        An action reads the source `kind:question`; `lookup` answers it from the results so far, and raises
        NotYetError with the name of the action that it lacks (see `mutual_actions`). Of actions that wait for one
        another in a circle the outcome of each is what `cycle` says of the circle's names, and it is not kept. With
        `only` those of these names are run, and what they ask for. `expected` names sources that an action is sure to
        read: they go with it to the process that runs it.
        """
        results: dict[str, Result] = {}
        engine = self.over(kind, lambda question: lookup(question, results))

        def start(missing: Mapping[str, Action]) -> Performer:
            sizes = {name: sum(engine._size(source) for source in expected(name)) for name in missing}
            context = RunContext(engine._registry, engine._store, engine._sources, expected, sizes)
            return Inline(context) if self._pool is None else self._pool.performer(context)

        engine.expect(action for name, action in actions.items() if only is None or name in only)
        MutualActions(
            actions,
            results,
            find=engine._look_up,
            keep=engine._keep,
            tell=engine._watch,
            cycle=cycle,
            start=start,
        ).run(only)
        return {name: results[name] for name in actions if name in results}

    def prepare(self, label: str, actions: int) -> None:
        """Says that so many actions are to run soon where the action of that label has never run here."""
        if self._pool is not None and self._log.previous(label) is None:
            self._pool.prepare(actions)

    def known(self, action: Action) -> Result | None:
        """What is known of an action; it does not run."""
        return self._look_up(action)

    def why(self, action: Action) -> tuple[str, ...]:
        """Why an action whose result is not known would run."""
        return reasons(action, self._log.previous(action.label), self._log, self._sources)

    def plan_mutual(
        self,
        actions: Mapping[str, Action],
        kind: str,
        lookup: Callable[[str, Mapping[str, Result]], bytes | None],
        only: Collection[str] | None = None,
    ) -> Planned:
        """What `run_mutual` would run for the same arguments."""
        results: dict[str, Result] = {}
        engine = self.over(kind, lambda question: lookup(question, results))
        missing: dict[str, Action] = {}

        def start(found: Mapping[str, Action]) -> Performer:
            missing.update(found)
            return _Idle()

        planner = MutualActions(
            actions,
            results,
            find=engine._look_up,
            keep=engine._keep,
            tell=lambda result: None,
            cycle=lambda circle: Unsupported("they wait for one another"),
            start=start,
        )
        planner.run(only)
        order = [name for name in actions if name in missing]
        return Planned({name: engine.why(missing[name]) for name in order}, planner.waiting, len(results))

    def put(self, data: bytes) -> str:
        """Holds bytes that an action is to have as an input, in this process: who asks for it again has them again."""
        return self._store.hold(data)

    def fetch(self, result: Result, name: str) -> bytes:
        """One output's bytes. When the store does not have them the action runs again, or that one of its parts which
        makes them. KeyError without such an output, DiagnosticError where what has been done cannot be done again, or
        (OW932) gives something else: its bytes would stand beside those of before."""
        if not isinstance(result.outcome, Done):
            raise KeyError(name)
        data = self._output(result.action, result.outcome, name)
        if data is not None:
            return data
        again = self._run_here(result.action)
        if not isinstance(again.outcome, Done):
            raise _undone(again, name)
        digest = result.outcome.outputs[name]
        if again.outcome.outputs.get(name) != digest:
            raise DiagnosticError([_changed_meanwhile(result.action)])
        data = self._output(again.action, again.outcome, name)
        if data is None and digest in self._makers:
            made = self._run_here(self._makers[digest])
            if not isinstance(made.outcome, Done):
                raise _undone(made, name)
            data = self._store.get(digest)
        if data is None:
            raise KeyError(name)
        return data

    def _output(self, action: Action, outcome: Done, name: str) -> bytes | None:
        """An output where it is at hand. Of one that is not kept no record has the bytes, here or in a shared cache."""
        digest = outcome.outputs[name]
        return self._store.get(digest) if name in outcome.unkept else self._store.get_output(action.key, digest)

    def _look_up(self, action: Action) -> Result | None:
        """The known outcome whose reads all still hold and whose outputs are all there."""
        if self._rerun:
            return None
        for record in self._store.records(action.key):
            if self._all_hold(record.reads) and self._complete(record):
                self._log.found(action, record)
                self._store.used(action.key, record)
                self._remember_maker(action, record.outcome)
                if self._stamps is not None and action.kind in self._composites:
                    self._stamps.note(record.reads)
                return Result(action, record.outcome, record.reads, cached=True)
        return None

    def _all_hold(self, reads: Sequence[Read]) -> bool:
        """Whether all sources are as they were read. Of many, as those of a library, few are looked at one by one."""
        if self._stamps is not None and isinstance(reads, PackedReads):
            changed = self._stamps.changed(reads.digest)
            if changed is not None:
                return not changed  # they are of a composite: files count with all their bytes
            if not self._stamps.may_hold(reads):
                return False
        return all(map(self._holds, reads))

    def changed(self, action: Action, trace: str) -> tuple[PackedReads, Mapping[str, str | None]] | None:
        """The reads of the record of an action that has this trace, and which of them are something else now, by name;
        None where there is no such record."""
        for record in self._store.records(action.key):
            reads = pack_reads(record.reads)
            if reads.digest == trace:
                changed = None if self._stamps is None else self._stamps.changed(reads.digest)
                if changed is None:
                    now = ((name, digest, self._sources.digest(name)) for name, digest in reads)
                    changed = {name: after for name, before, after in now if after != before}
                return reads, changed
        return None

    def _holds(self, read: Read) -> bool:
        """Whether a source is as it was read, as far as that counts."""
        now = digest_now(self._sources, read.name)
        if now == read.digest:
            return True
        same = self._same.get(read.name.partition(":")[0])
        if same is None or now is None or now == REFUSED or read.digest is None:
            return False
        before = self._store.get(read.digest) if is_digest(read.digest) else None
        module, _, name = same.partition(":")
        compare: Callable[[bytes, bytes], bool] = getattr(import_module(module), name)
        return before is not None and compare(before, self._sources.read(read.name) or b"")

    def _may_hold(self, record: Record) -> bool:
        """Whether a record holds, as far as that can be said now: others may have to run first."""
        try:
            return self._all_hold(record.reads) and self._complete(record)
        except NotYetError:
            return True

    def _run_here(self, action: Action) -> Result:
        """Runs an action in this process, whatever is known of it."""
        function = self._composites.get(action.kind)
        if function is None:
            inputs = self._store.held(action.inputs.values())
            return self._keep(action, perform(self._registry[action.kind], action, inputs, self._store, self._sources))
        return self._run_composite_here(action, function)

    def _run_composite_here(self, action: Action, function: CompositeFunction) -> Result:
        begun = time.perf_counter()
        reader = Reader(action, {}, self._store, self._sources)
        try:
            outcome = function(reader, self)
        except InfrastructureError:
            raise
        except DiagnosticError as error:
            outcome = Failed(error.diagnostics)
        performed = Performed(Record(outcome, reader.reads), reader.made, time.perf_counter() - begun)
        result = self._keep(action, performed, put=isinstance(outcome, Done))
        if self._stamps is not None and isinstance(outcome, Done) and action.kind in self._composites:
            self._stamps.note(performed.record.reads)
        return result

    def _size(self, source: str) -> int:
        try:
            return len(self._sources.read(source) or b"")
        except DiagnosticError:  # told where it is asked for
            return 0

    def _complete(self, record: Record) -> bool:
        if not isinstance(record.outcome, Done):
            return True
        return all(self._store.has(digest) for digest in record.outcome.kept().values())

    def _remember_maker(self, action: Action, outcome: Outcome) -> None:
        if isinstance(outcome, Done) and action.kind not in self._composites:
            self._makers.update((outcome.outputs[name], action) for name in outcome.unkept if name in outcome.outputs)

    def _keep(self, action: Action, performed: Performed, put: bool = True) -> Result:
        record = performed.record
        why = reasons(action, self._log.previous(action.label), self._log, self._sources, record.reads)
        if put and not self._store.add_record(action.key, record, performed.made):
            self.warnings.append(_nondeterministic(action))
        self._log.ran(action, record, why, performed.seconds)
        return Result(action, record.outcome, record.reads, cached=False, why=why, seconds=performed.seconds)


@dataclass(frozen=True, slots=True)
class Planned:
    """What would run, with why; those that wait for the result of another one, which decides; how many are known."""

    missing: Mapping[str, tuple[str, ...]]
    waiting: Mapping[str, str]
    known: int


class _Idle:
    """Runs nothing."""

    def add(self, name: str, action: Action, urgent: bool) -> None:
        """It is not to run."""

    def hasten(self, name: str) -> None:
        """Nor sooner."""

    def next(self) -> Event | None:
        return None


def _undone(again: Result, name: str) -> Exception:
    """Why an action that was good before is not good again: meanwhile a file or the cache has changed."""
    return DiagnosticError(again.outcome.diagnostics) if isinstance(again.outcome, Failed) else KeyError(name)


CompositeFunction = Callable[[Reader, Engine], Outcome]


def _changed_meanwhile(action: Action) -> Diagnostic:
    return Diagnostic(
        code="OW932",
        message=f"{action.label}: its files changed while it was built",
        reason="what was made first is not kept, and what is made now is something else",
        help="nothing was written: run the command again",
    )


def _nondeterministic(action: Action) -> Diagnostic:
    return Diagnostic(
        code="OW903",
        message=f"{action.label}: another result than before for the same inputs",
        reason="a result that depends on more than its inputs breaks caches and reproducible builds",
        help="the first result stays; delete .opwright/cache and build again; if it comes back, please report it to us",
        severity=Severity.WARNING,
    )
