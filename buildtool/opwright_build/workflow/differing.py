"""`opwright diff`: how the library differs from its lock, from a revision, or from a library that was built."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors

from opwright_build.report.quiet import QuietReporter
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.built.library import build_library, read_packages
from opwright_build.workflow.built.lock_comparison import ownerless_locks
from opwright_build.workflow.built.released_bodies import judge_pairs
from opwright_build.workflow.locking import locks_of_package
from opwright_build.workflow.opened.session import Options, Session, open_session
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.opened.writing import write_file

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.versions.change import Change
    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.versions.promise import Promise, Promised
    from opwright_build.versions.release_lock import Locks

GIT = "git:"
LOCK = "lock"


@dataclass(frozen=True, slots=True)
class _State:
    """One side: what it promises, its bodies, and the locks that say so where it is the last release."""

    promised: Promised
    bundle: Bundle
    locks: Locks | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """A change, and the finding that it is; None where it is compatible."""

    change: Change
    finding: Diagnostic | None

    @property
    def effect(self) -> str:
        if self.change.breaks:
            return "breaking"
        if self.change.undecided:
            return "undecided"
        return "compatible" if self.finding is None else "refused"


def diff(path: Path, against: str, notes: Path | None, reporter: Reporter, options: Options, started: float) -> int:
    """Compares the library around `path`. Exit status 1 where something breaks what worked or may do so, and where the
    lock, compared with that, does not allow it."""
    reading = replace(options, reads_only=True)
    return on_library(path, reporter, reading, lambda session: _diff(session, against, notes, options, started))


def _diff(session: Session, against: str, notes: Path | None, options: Options, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.versions.change import Kind
    from opwright_build.versions.notes import levels, release_notes
    from opwright_build.versions.numeric import with_values
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.promise_changes import compare

    library = build_library(session, locked=False)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {"against": against, "levels": levels(())})
    bundles = read_packages(session, library)
    loaded = load_library(session.root, only=[bundle.index.library for bundle in bundles])
    beside = {package.name: loaded.library.domains_beside(package) for package in loaded.library.packages}
    new = [_State(promised_by(item.index, elsewhere=beside[item.index.library]), item) for item in bundles]
    told: list[_Told] = []
    texts: list[str] = []
    for before, after in _pairs(session, against, options, loaded, new):
        found = compare(before.promised, after.promised)
        differing = [change.identity for change in found if change.kind is Kind.BODY]
        verdicts = judge_pairs(
            session, loaded, (before.promised, before.bundle), (after.promised, after.bundle), differing
        )
        found = with_values(found, verdicts)
        told += _told(found, verdicts, before, after, loaded, session)
        names = after.promised.library, after.promised.version
        texts.append(release_notes(*names, before.promised.version, found, ()))
    changes = [item.change for item in told]
    for item in told:
        session.reporter.event("change", _event(item))
    if changes:
        session.reporter.table(_table(told))
    lines = [] if changes else [f"nothing that users see differs from {against}"]
    if notes is not None:
        write_file(notes, "\n".join(texts).encode())
        lines.append(f"wrote {notes}")
    counts = levels(changes)
    if changes:
        breaks = counts.pop("breaking")
        shown = ", ".join(f"{number} {level}" for level, number in counts.items() if number)
        effects = [item.effect for item in told]
        others = ((word, effects.count(word)) for word in ("refused", "undecided"))
        shown = ", ".join([f"{shown}; {breaks} breaking", *(f"{number} {word}" for word, number in others if number)])
        lines.insert(0, f"{counted(len(changes), 'change')} since {against}: {shown}; {{seconds}}")
    fields = {"against": against, "levels": levels(changes)}
    findings = [item.finding for item in told if item.finding is not None]
    return finish(session, started, findings, "\n".join(lines), fields)


def _told(
    changes: Sequence[Change],
    verdicts: Mapping[str, NumericVerdict],
    before: _State,
    after: _State,
    loaded: LoadedLibrary,
    session: Session,
) -> list[_Told]:
    """The changes with their findings; those that a build makes of the lock among them, so that both agree."""
    from opwright_build.versions.release_findings import SpecPlaces, broken_promises, finding_of

    locks, origin = before.locks, before.promised.origin
    places = SpecPlaces(loaded, session.tree.read, locks.place if locks is not None else None)
    found: list[_Told] = []
    for change in changes:
        refused: Diagnostic | None = None
        if locks is not None:
            refused = next(broken_promises([change], before.promised, after.promised, places, locks), None)
        found.append(_Told(change, finding_of(change, origin, places, refused, verdicts.get(change.identity))))
    return found


def _event(told: _Told) -> dict[str, Any]:
    """The event `change`."""
    change = told.change
    return {
        "function": change.identity,
        "kind": change.kind.word,
        "level": change.level.value,
        "breaking": change.breaks,
        "effect": told.effect,
        "what": change.what,
        "before": change.before,
        "after": change.after,
        "text": change.explain(),
    }


def _table(told: Sequence[_Told]) -> str:
    rows = [
        [item.change.level.value, item.effect, item.change.identity or "(the library)", item.change.explain()]
        for item in told
    ]
    return text_table(["level", "effect", "function", "change"], rows)


def _paired(
    old: Sequence[_State], new: Sequence[_State], against: str, packages: Collection[str]
) -> list[tuple[_State, _State]]:
    """The packages of both sides that are the same one; a single one on each side is, whatever it is called, where the
    library has no package of that name beside it. `packages` are the names of all that the library has."""
    names = {state.promised.library: state for state in old}
    if len(old) == 1 and len(new) == 1 and names.keys().isdisjoint({*packages} - {new[0].promised.library}):
        return [(old[0], new[0])]
    pairs: list[tuple[_State, _State]] = []
    for state in new:
        same = names.get(state.promised.library)
        before = _with_domains_of(state, same, [item for item in old if item is not same])
        pairs += [] if before is None else [(before, state)]
    if not pairs:
        known = ", ".join(sorted(names)) or "nothing"
        message = f"{against} has none of the packages that were asked for"
        raise UsageError([Diagnostic("OW619", message, reason=f"it has {known}", help="choose one with -p")])
    return pairs


def _with_domains_of(now: _State, before: _State | None, others: Sequence[_State]) -> _State | None:
    """What a package was, with the functions of the domains that other packages had then and it has now, which their
    locks have, too. None where there was nothing of it."""
    from opwright.bundle.join import join_bundles

    from opwright_build.versions.promise import Promised, by_identity

    taken = [(item, name) for item in others for name in item.promised.domains if name in now.promised.domains]
    if before is None and not taken:
        return None
    origin = (before or taken[0][0]).promised.origin
    was = Promised("", "", "", {}, {}, {}, origin) if before is None else before.promised
    moved = (
        promise for item, name in taken for promise in item.promised.promises.values() if promise.entry.domain == name
    )
    promised = replace(
        was,
        emitted={**was.emitted, **{name: item.promised.emitted[name] for item, name in taken}},
        versions={**was.versions, **{name: item.promised.versions[name] for item, name in taken}},
        promises=by_identity((*was.promises.values(), *moved)),
        elsewhere={**was.elsewhere, **{name: item.promised.library for item, name in taken}},
    )
    bundles = {id(item): item.bundle for item in (before, *(item for item, _ in taken)) if item is not None}
    return _State(promised, join_bundles([*bundles.values()]))


def _pairs(
    session: Session, against: str, options: Options, loaded: LoadedLibrary, new: Sequence[_State]
) -> list[tuple[_State, _State]]:
    """Each package with its other side. DiagnosticError (OW619) where that cannot be had."""
    if against == LOCK:
        return _locked(session, loaded, new)
    packages = [package.name for package in loaded.library.packages]
    if against.startswith(GIT):
        return _paired(_revision(session, against.removeprefix(GIT), options, new), new, against, packages)
    from opwright.bundle.read import find_bundle

    from opwright_build.versions.promise import promised_by

    bundle = find_bundle(against)
    return _paired([_State(promised_by(bundle.index, against), bundle)], new, against, packages)


def _locked(session: Session, loaded: LoadedLibrary, new: Sequence[_State]) -> list[tuple[_State, _State]]:
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_root import SPECS
    from opwright_build.versions.bundles import bundle_of
    from opwright_build.versions.release_lock import read_locks, read_text, text_path

    states: list[tuple[_State, _State]] = []
    folders = LibraryFiles(session.root).folders(SPECS)
    found = ownerless_locks(loaded, session.tree.read, folders)
    every = read_locks(session.tree.read, folders)[0].promised  # bodies call those of other packages

    def bodies_of(promise: Promise) -> Mapping[str, bytes]:
        data = session.tree.read(text_path(promise.entry))
        bodies, findings = ({}, []) if data is None else read_text(data, promise)
        found.extend(findings)
        return bodies

    for state in new:
        package = loaded.library.package(state.promised.library)
        locks, damaged = locks_of_package(session, loaded.library, package)
        found += damaged
        released = locks.promised
        if released is not None and every is not None:
            bundle = bundle_of(every, released.promises, bodies_of, state.bundle)
            states.append((_State(released, bundle, locks), state))
    if has_errors(found):
        raise DiagnosticError(found)
    if not states:
        help_ = "`opwright release VERSION` makes the first release"
        raise DiagnosticError([Diagnostic("OW619", "there is no lock: nothing has been released", help=help_)])
    return states


def _revision(session: Session, revision: str, options: Options, new: Sequence[_State]) -> list[_State]:
    """The library as it was, built from the bytes that git has of its specs in a scratch folder, with our cache. Where
    some packages are asked for, those are built that had their names or their domains."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.revisions import lay_out

    session.reporter.step(f"building the library as it was at {revision}")
    with tempfile.TemporaryDirectory(prefix="opwright-diff-") as scratch:
        root = Path(scratch).resolve() / "library"
        root.mkdir()
        try:
            lay_out(session.root, revision, root)
        except DiagnosticError as error:  # nothing is wrong with the library that is here
            raise UsageError(error.diagnostics) from None
        cache = session.cache.absolute()
        packages = _packages_then(root, new) if options.packages else ()
        with open_session(root, QuietReporter(), Options(cache, packages=packages)) as other:
            built = build_library(other, locked=False)
            if not built.good:
                first = next(item for item in built.diagnostics if item.severity is Severity.ERROR)
                message = f"the library at {revision} does not build with this opwright"
                reason = f"{first.place or 'specs/'}: {first.message}"
                raise DiagnosticError([Diagnostic("OW619", message, reason=reason, help="compare with its bundle")])
            bundles = read_packages(other, built)
        library = read_library(LibraryFiles(root))
        beside = {package.name: library.domains_beside(package) for package in library.packages}
    return [_State(promised_by(item.index, revision, beside[item.index.library]), item) for item in bundles]


def _packages_then(root: Path, new: Sequence[_State]) -> tuple[str, ...]:
    """The packages of the library at `root` that have the names of these, or domains of them; none where it cannot be
    read, which building it says."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library

    names = {state.promised.library for state in new}
    domains = {name for state in new for name in state.promised.domains}
    try:
        packages = read_library(LibraryFiles(root)).packages
    except DiagnosticError:
        return ()
    return tuple(item.name for item in packages if item.name in names or not domains.isdisjoint(item.domains))
