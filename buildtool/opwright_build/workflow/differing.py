"""`opwright diff`: how the library differs from its lock, from a revision, or from a library that was built."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors

from opwright_build.report.quiet import QuietReporter
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.library import build_library, read_packages
from opwright_build.workflow.released import judge_pairs
from opwright_build.workflow.session import Options, Session, cache_folder, open_session
from opwright_build.workflow.task import finish, on_library
from opwright_build.workflow.writing import write_file

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, FunctionEntry

    from opwright_build.versions.change import Change
    from opwright_build.versions.promise import Promised

GIT = "git:"
LOCK = "lock"


@dataclass(frozen=True, slots=True)
class _State:
    """One side: what it promises, and its bodies."""

    promised: Promised
    bundle: Bundle


def diff(path: Path, against: str, notes: Path | None, reporter: Reporter, options: Options, started: float) -> int:
    """Compares the library around `path`. Exit status 1 where something breaks what worked."""
    return on_library(path, reporter, options, lambda session: _diff(session, against, notes, options, started))


def _diff(session: Session, against: str, notes: Path | None, options: Options, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.versions.change import Kind
    from opwright_build.versions.notes import levels, release_notes
    from opwright_build.versions.numeric import with_values
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.promise_changes import compare
    from opwright_build.versions.release_findings import SpecPlaces, breaking

    library = build_library(session, locked=False)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {"against": against, "levels": levels(())})
    bundles = read_packages(session, library)
    loaded = load_library(session.root, only=[bundle.index.library for bundle in bundles])
    new = [_State(promised_by(bundle.index), bundle) for bundle in bundles]
    changes: list[Change] = []
    texts: list[str] = []
    findings: list[Diagnostic] = []
    for before, after in _paired(_others(session, against, options, new), new, against):
        found = compare(before.promised, after.promised)
        differing = [change.identity for change in found if change.kind is Kind.BODY]
        verdicts = judge_pairs(
            session, loaded, (before.promised, before.bundle), (after.promised, after.bundle), differing
        )
        found = with_values(found, verdicts)
        findings += breaking(found, before.promised.origin, SpecPlaces(loaded, session.tree.read))
        changes += found
        names = after.promised.library, after.promised.version
        texts.append(release_notes(*names, before.promised.version, found, ()))
    for change in changes:
        session.reporter.event("change", change_json(change))
    if changes:
        session.reporter.table(_table(changes))
    lines = [] if changes else [f"nothing that users see differs from {against}"]
    if notes is not None:
        write_file(notes, "\n".join(texts).encode())
        lines.append(f"wrote {notes}")
    counts = levels(changes)
    if changes:
        breaks = counts.pop("breaking")
        shown = ", ".join(f"{number} {level}" for level, number in counts.items() if number)
        lines.insert(0, f"{counted(len(changes), 'change')} since {against}: {shown}; {breaks} breaking; {{seconds}}")
    fields = {"against": against, "levels": levels(changes)}
    return finish(session, started, findings, "\n".join(lines), fields)


def change_json(change: Change) -> dict[str, Any]:
    """The event `change`."""
    return {
        "function": change.identity,
        "kind": change.kind.word,
        "level": change.level.value,
        "breaking": change.breaks,
        "what": change.what,
        "before": change.before,
        "after": change.after,
        "text": change.explain(),
    }


def _table(changes: Sequence[Change]) -> str:
    rows = [
        [
            change.level.value,
            "breaking" if change.breaks else "compatible",
            change.identity or "(the library)",
            change.explain(),
        ]
        for change in changes
    ]
    return text_table(["level", "effect", "function", "change"], rows)


def _paired(old: Sequence[_State], new: Sequence[_State], against: str) -> list[tuple[_State, _State]]:
    """The packages of both sides that are the same one; a single one on each side is, whatever it is called."""
    if len(old) == 1 and len(new) == 1:
        return [(old[0], new[0])]
    names = {state.promised.library: state for state in old}
    pairs = [(names[state.promised.library], state) for state in new if state.promised.library in names]
    if not pairs:
        known = ", ".join(sorted(names)) or "nothing"
        message = f"{against} has none of the packages that were asked for"
        raise DiagnosticError([Diagnostic("OW619", message, reason=f"it has {known}", help="choose one with -p")])
    return pairs


def _others(session: Session, against: str, options: Options, new: Sequence[_State]) -> list[_State]:
    """The other side. DiagnosticError (OW619) where it cannot be had."""
    if against == LOCK:
        return _locked(session, new)
    if against.startswith(GIT):
        return _revision(session, against.removeprefix(GIT), options)
    from opwright.bundle.read import find_bundle

    from opwright_build.versions.promise import promised_by

    bundle = find_bundle(against)
    return [_State(promised_by(bundle.index, against), bundle)]


def _locked(session: Session, new: Sequence[_State]) -> list[_State]:
    from opwright_build.versions.bundles import bundle_of
    from opwright_build.versions.release_lock import read_locks, read_text, text_path

    states: list[_State] = []
    found: list[Diagnostic] = []

    def bodies_of(entry: FunctionEntry) -> Mapping[str, bytes]:
        data = session.tree.read(text_path(entry))
        bodies, findings = ({}, []) if data is None else read_text(data, entry)
        found.extend(findings)
        return bodies

    for state in new:
        locks, damaged = read_locks(session.tree.read, list(state.promised.emitted))
        found += damaged
        released = locks.promised
        if released is not None:
            states.append(_State(released, bundle_of(released, released.promises, bodies_of, state.bundle)))
    if has_errors(found):
        raise DiagnosticError(found)
    if not states:
        help_ = "`opwright release VERSION` makes the first release"
        raise DiagnosticError([Diagnostic("OW619", "there is no lock: nothing has been released", help=help_)])
    return states


def _revision(session: Session, revision: str, options: Options) -> list[_State]:
    """The library as it was, built from the bytes that git has of its specs in a scratch folder, with our cache."""
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.revisions import lay_out

    session.reporter.step(f"building the library as it was at {revision}")
    with tempfile.TemporaryDirectory(prefix="opwright-diff-") as scratch:
        root = Path(scratch).resolve() / "library"
        root.mkdir()
        lay_out(session.root, revision, root)
        cache = cache_folder(options, session.root).absolute()
        with open_session(root, QuietReporter(), Options(cache, packages=options.packages)) as other:
            built = build_library(other, locked=False)
            if not built.good:
                first = next(item for item in built.diagnostics if item.severity is Severity.ERROR)
                message = f"the library at {revision} does not build with this opwright"
                reason = f"{first.place or 'specs/'}: {first.message}"
                raise DiagnosticError([Diagnostic("OW619", message, reason=reason, help="compare with its bundle")])
            bundles = read_packages(other, built)
    return [_State(promised_by(bundle.index, revision), bundle) for bundle in bundles]
