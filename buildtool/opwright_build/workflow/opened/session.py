"""A library folder opened for work: its root, its engine, its cache and its lock."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import opwright
from opwright.diagnostics.diagnostic import Diagnostic, Severity

import opwright_build
from opwright_build.engine.action import Failed
from opwright_build.engine.action_pool import LIMIT, ActionPool, Deliver, Worker
from opwright_build.engine.environment import environment_digest, environment_parts, sources_digest
from opwright_build.engine.folder_lock import folder_lock
from opwright_build.engine.hints import FileHints
from opwright_build.engine.log import ActionLog
from opwright_build.engine.machine import machine_identity
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.publish import Publisher
from opwright_build.engine.read_stamps import ReadStamps
from opwright_build.engine.run import Engine
from opwright_build.engine.seal import Seal
from opwright_build.engine.sources import CODE, FolderSources, OverlaySources, Sources
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.store import SHARED, LocalStore, Store
from opwright_build.engine.system_errors import cannot_be, reason_of
from opwright_build.engine.tree import Tree, sweep
from opwright_build.engine.user_secret import UserSeal, user_seal
from opwright_build.report.course import Advance, Stage
from opwright_build.report.reporter import Reporter
from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.excerpt_text import library_text
from opwright_build.workflow.opened.foreign_module import GENERATED, foreign_module
from opwright_build.workflow.opened.limits import VECTOR_LIMIT
from opwright_build.workflow.opened.timings import TimedReporter, Timings
from opwright_build.workflow.opened.transaction import JOURNAL, Transaction

if TYPE_CHECKING:
    from opwright_build.engine.shared_store import SharedStore
    from opwright_build.sandbox.levels import Claim
    from opwright_build.verify.run.isolation import Workers
    from opwright_build.verify.run.worker_process import Surroundings
    from opwright_build.workflow.opened.session_cluster import SessionCluster

SERVE = "opwright_build.engine.action_server:serve_actions"
WORK = ".opwright"
LOG = "actions.json"
BUILD_RUN = "build-run.json"  # what the last build that ran anything ran, and how long each action took
LAST_RUN = "run.json"  # what the last run of `test` or `propose` came to, for people and other programs
READ_STAMPS = "reads.stamps"  # what the system said of the files that the library rests on
OWN_FILES = (
    "lock",
    "hints.json",
    LOG,
    "outputs.json",
    LAST_RUN,
    JOURNAL,
    "built.json",
    "failed.json",
    BUILD_RUN,
    "versions.table",
    "versions.lines",
    READ_STAMPS,
)  # in that folder
OUTPUTS = ("dist", "library")
WAITING = "another opwright is at work in this folder; waiting for it to end"
SHARED_MODE = "OPWRIGHT_SHARED_CACHE_MODE"  # of the environment
BAD_SHARED = "OW917"  # that they make no sense, or the keys
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)  # what a folder answers that others may write to
INSTALLED = "installed"  # the kind of source that is the bundle of an installed library
MODULE = "module"  # the kind of source that says whether a module is installed that no build wrote
# What the bytes of a build can depend on, apart from the build tool itself.
DISTRIBUTIONS = ("jinja2", "markupsafe", "mpmath", "numpy", "onnx", "protobuf", "pydantic", "pydantic-core", "pyyaml")
REGISTRY = {
    "compile": "opwright_build.workflow.compiled.compiling:compile_action",
    "package": "opwright_build.workflow.built.packaging:package_action",
}
SAME = {CODE: "opwright_build.workflow.compiled.same_code:same_code"}


@dataclass(frozen=True, slots=True)
class Options:
    """How to work: where the cache is (a folder, by default in the library, or the URL of a shared one behind that),
    what not to trust, and the names of the packages to work on, none for all of them. `asked` says which functions to
    work on. `jobs` is how many processes work, None for one a processor where that is worth it; `action_limit`
    and `vector_limit` are in seconds; with `timings` the end says where the time went. `executor` is the address of a
    cluster that works in place of processes. `reads_only`: nothing in the library's folder is to change, so that it
    may be one that this user cannot write to."""

    cache: Path | str | None = None
    rehash: bool = False
    rerun: bool = False
    packages: tuple[str, ...] = ()
    asked: Asked = field(default_factory=Asked)
    jobs: int | None = None
    action_limit: float = LIMIT
    vector_limit: float = VECTOR_LIMIT
    timings: bool = False
    executor: str = ""
    reads_only: bool = False


@dataclass(slots=True)
class ActionCount:
    """What became of the actions of a session, told as it happens."""

    reporter: Reporter
    timings: Timings
    expected: int = 0
    seen: int = 0
    run: int = 0
    failed: int = 0
    ran: list[Result] = field(default_factory=list)

    def __call__(self, result: Result) -> None:
        self.seen += 1
        self.run += not result.cached
        fields = {"action": result.action.label, "kind": result.action.kind, "cached": result.cached}
        self.reporter.event("action", {**fields, "why": list(result.why)})
        if not result.cached:
            self.ran.append(result)
            self.failed += isinstance(result.outcome, Failed)
            if result.action.kind in REGISTRY:  # the time of those that have others is that of the others
                self.timings.took(result.action.kind, result.action.label, result.seconds)
            told = Advance(Stage.COMPILE, self.seen, max(self.expected, self.seen), self.failed, result.action.label)
            self.reporter.advance(told)


@dataclass(frozen=True, slots=True)
class Session:
    """`environment` enters every action's key; `count` follows the actions as they end; `user` seals what is kept
    of the folder; `cache` is where this machine's results are.
    `packages` are the names of the packages to work on as they were asked for, none for all of them; `asked` says which
    functions. `sources` and `log` are those of the engine; `jobs` is how many processes may work, `cluster` what works
    in place of them. `vector_limit` is in seconds. `timings` are of this session; `shows_timings`: they are told at its
    end."""

    root: Path
    tree: Tree
    engine: Engine
    store: Store
    cache: Path
    environment: str
    publisher: Publisher
    count: ActionCount
    reporter: Reporter
    user: UserSeal
    transaction: Transaction
    sources: Sources
    log: ActionLog
    jobs: int
    vector_limit: float
    timings: Timings
    shows_timings: bool = False
    packages: tuple[str, ...] = ()
    asked: Asked = field(default_factory=Asked)
    cluster: SessionCluster | None = None

    def source_text(self, file: str) -> str | None:
        """The text of a file of the library, for excerpts in findings; None when it cannot be had."""
        return library_text(self.root)(file)

    def state(self, name: str) -> StateFile:
        """A file of the working folder, one of OWN_FILES."""
        return StateFile(self.root / WORK / name, folder_seal(self.user))

    @property
    def workers(self) -> Workers:
        """What runs tasks of verification: so many processes, or the cluster."""
        return self.jobs if self.cluster is None else self.cluster.tasks

    def workers_claim(self, level: int = 0) -> Claim:
        """The sandbox of these workers; on a cluster those below `level` do nothing."""
        if self.cluster is not None:
            if level:
                self.cluster.require(level)
            return self.cluster.claim
        from opwright_build.verify.run.worker_sandbox import claim

        return claim()

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the engine and the cache had to say."""
        return [*self.user.warnings, *self.store.warnings, *self.engine.warnings]


@contextmanager
def open_session(root: Path, reporter: Reporter, options: Options) -> Iterator[Session]:
    """Opens the library at `root`. One session at a time: a second one waits. Hints and log are saved at the end.

    Where the folder cannot be written to, work that only reads goes on without lock and records, in a cache for it
    alone. DiagnosticError (OW520, OW521) when the working folder or a file of ours in it is a link, a pipe or a device.
    """
    work, tree = root / WORK, Tree(root)
    _require_own_places(tree)
    with ExitStack() as stack:
        user = user_seal()
        records, cache = user, cache_folder(options, root)
        try:
            stack.enter_context(folder_lock(work / "lock", partial(reporter.step, WAITING)))
        except OSError as error:
            if not options.reads_only or error.errno not in _READ_ONLY or (work / JOURNAL).exists():
                help_ = "the build keeps its lock, cache and records in that folder of the library"
                raise cannot_be("written", WORK, error, help_) from error
            records = UserSeal(None, (*user.warnings, _without_records(error)))
            if cache == root / WORK / "cache":
                cache = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="opwright-cache-")))
        else:
            sweep(work, OWN_FILES)
        store = LocalStore(cache, user.seal)
        with _session(tree, records, store, reporter, options) as session:
            yield session


@contextmanager
def _session(tree: Tree, user: UserSeal, local: LocalStore, reporter: Reporter, options: Options) -> Iterator[Session]:
    """The session in a folder that no other one works in, or that is only read."""
    root, work, here = tree.root, tree.root / WORK, folder_seal(user)
    transaction = Transaction(tree, work, here)
    transaction.finish()
    hints = FileHints(StateFile(work / "hints.json", here), rehash=options.rehash)
    parts = own_environment(hints)
    log = ActionLog(StateFile(work / LOG, here), parts)
    store = _with_shared(local, options)
    timings = Timings()
    timed = TimedReporter(reporter, timings)
    count = ActionCount(timed, timings)
    sources = _sources(root, hints)
    cluster = _cluster(options, timed)
    processes = _processes(options)
    pool = processes if cluster is None else cluster.pool
    stamps = ReadStamps(StateFile(work / READ_STAMPS, here), root, hints, sources, options.rehash)
    engine = Engine(
        REGISTRY, store, sources, log, pool=pool, same=SAME, rerun=options.rerun, watch=count, stamps=stamps
    )
    publisher = Publisher(root, OUTPUTS, StateFile(work / "outputs.json", here), hints, _generated)
    try:
        environment = environment_digest(parts)
        yield Session(
            root,
            tree,
            engine,
            store,
            local.root,
            environment,
            publisher,
            count,
            timed,
            user,
            transaction,
            sources,
            log,
            processes.jobs,
            options.vector_limit,
            timings,
            options.timings,
            options.packages,
            options.asked,
            cluster,
        )
    finally:
        processes.close()
        if cluster is not None:
            cluster.close()
        store.close()
        hints.save()
        stamps.save()
        log.save()


def _require_own_places(tree: Tree) -> None:
    for name in (WORK, f"{WORK}/cache"):
        tree.require_folder(name)
    for name in OWN_FILES:
        tree.require_file(f"{WORK}/{name}")


def _sources(root: Path, hints: FileHints) -> Sources:
    """What actions read: files of the folder, and what is installed."""
    folder = OverlaySources(FolderSources(root, hints), MODULE, lambda name: foreign_module(name, root))
    return OverlaySources(folder, INSTALLED, _installed)


def _processes(options: Options) -> ActionPool:
    jobs = options.jobs or processors()
    return ActionPool(_worker_starter(), jobs, limit=options.action_limit, wanted=options.jobs is not None)


def cache_folder(options: Options, root: Path) -> Path:
    """Where this machine's results of the library at `root` are kept."""
    return root / WORK / "cache" if options.cache is None or is_url(options.cache) else Path(options.cache)


def is_url(where: Path | str) -> bool:
    """Whether it is the place of a shared cache, not of this machine's."""
    return "://" in str(where)


def open_shared(options: Options) -> SharedStore | None:
    """The shared cache that `--cache URL` or the environment names, if any. DiagnosticError: OW917 for its settings,
    OW918 where it is out of reach."""
    chosen = str(options.cache) if options.cache is not None and is_url(options.cache) else ""
    where, mode = chosen or os.environ.get(SHARED, ""), os.environ.get(SHARED_MODE, "")
    if not where:
        return None
    from opwright_build.engine.shared_store import SharedStore
    from opwright_build.engine.signing import keys_of_this_user, refused
    from opwright_build.workflow.opened.shared_place import open_files

    if mode not in ("", "read"):
        raise refused(f"{SHARED_MODE} is not known", "it is `read`, or not set: then a signing key writes")
    keys = keys_of_this_user()
    return SharedStore(open_files(where), keys, writes=mode != "read")


def _with_shared(local: LocalStore, options: Options) -> Store:
    """This machine's store, with the one behind it that is shared."""
    shared = open_shared(options)
    if shared is None:
        return local
    from opwright_build.engine.shared_store import LayeredStore

    return LayeredStore(local, shared)


def _cluster(options: Options, reporter: Reporter) -> SessionCluster | None:
    if not options.executor:
        return None
    from opwright_build.workflow.opened.session_cluster import SessionCluster

    return SessionCluster(options.executor, DISTRIBUTIONS, options.jobs, options.action_limit, reporter.step)


def processors() -> int:
    """How many we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _worker_starter() -> Callable[[Deliver], Worker]:
    """Starts workers as those of verification are; found out once what that takes."""

    @cache
    def surroundings() -> Surroundings:
        from opwright_build.verify.run.worker_process import Surroundings

        return Surroundings.here()

    def start(deliver: Deliver) -> Worker:
        from opwright_build.verify.run.worker_process import WorkerProcess

        return WorkerProcess(surroundings(), deliver, SERVE)

    return start


def folder_seal(user: UserSeal) -> Seal | None:
    """The seal of what is known of a folder's files: unlike results, that is true on this machine alone."""
    return None if user.seal is None else user.seal.bound_to(machine_identity())


def _without_records(error: OSError) -> Diagnostic:
    return Diagnostic(
        "OW925",
        f"results are kept for this run alone: {WORK} cannot be written",
        reason=reason_of(error),
        help="nothing to do where the library is only read; `--cache FOLDER` keeps results elsewhere",
        severity=Severity.NOTE,
    )


def _installed(name: str) -> bytes | None:
    from opwright_build.workflow.opened.installed_library import installed_library

    return installed_library(name)


def _generated(path: str, data: bytes) -> bool:
    """Whether a file is a build's to overwrite: all of dist/ is, elsewhere those that say so themselves."""
    return path.startswith("dist/") or GENERATED in data


def own_environment(hints: FileHints) -> dict[str, str]:
    """The parts of the environment that every action's key has."""
    return environment_parts(_own_sources_digest(hints), DISTRIBUTIONS)


_read_at_first: list[str] = []


def _own_sources_digest(hints: FileHints) -> str:
    """That of this process's first look at them: it is what stood there then that is imported and works here."""
    if not _read_at_first:
        _read_at_first.append(sources_digest(_own_sources(), hints))
    return _read_at_first[0]


def _own_sources() -> list[Path]:
    """The folders whose sources decide what a build yields: the language and the build tool."""
    return [Path(folder) for package in (opwright, opwright_build) for folder in package.__path__]
