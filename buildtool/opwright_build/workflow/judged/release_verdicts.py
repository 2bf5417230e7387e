"""Whether what a release would promise passes on its own vectors: what has changed since the last one is verified."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.workflow.judged.judged_library import Subject
from opwright_build.workflow.judged.judged_versions import Judging, judge_versions
from opwright_build.workflow.judged.sandboxes import require_for_workers, warnings
from opwright_build.workflow.opened.session import Session
from opwright_build.workflow.selection.last_runs import note_failures

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, FunctionEntry

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.run.version_verdict import Verdict
    from opwright_build.versions.release_lock import Locks


def changed_since(locks: Locks, bundle: Bundle) -> list[str]:
    """The identities of the versions that a release of the bundle promises anew: those that the lock does not have as
    they are, and those of which a body was accepted since the last release."""
    promised = locks.promised
    promises = {} if promised is None else promised.promises
    return [
        entry.identity
        for entry in bundle.index.functions
        if (promise := promises.get(entry.identity)) is None
        or not _serves_as(entry, promise.entry)
        or any(item.release == locks.domains[entry.domain].release for item in promise.accepted)
    ]


def _serves_as(entry: FunctionEntry, released: FunctionEntry) -> bool:
    from opwright_build.versions.promise import bare

    return replace(bare(entry), deprecated=released.deprecated) == released


def failing(
    session: Session, loaded: LoadedLibrary, bundle: Bundle, identities: Collection[str], sandbox: int
) -> list[Diagnostic]:
    """A finding for each of these versions that fails on its vectors, as `opwright test` runs them all: what is known
    of earlier runs is not run again. `sandbox` is the level without which no Python of a spec is to be run."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.verify.cases.collect import locked_cases
    from opwright_build.verify.run.runtimes import available

    if not identities:
        return []
    if sandbox:
        require_for_workers(session.workers_claim(min(sandbox, 1)), sandbox)
    subject = Subject(session, loaded, bundle, set(identities))
    locked, _ = locked_cases(LibraryFiles(session.root))
    judged = judge_versions(subject, Judging(available(), sandbox=sandbox), locked)
    wrong = {verdict.identity: _wrong(verdict, subject) for verdict in judged.verdicts}
    note_failures(session, wrong, {identity for identity, found in wrong.items() if found})
    failed = (_failing(identity, found, subject.places) for identity, found in wrong.items() if found)
    return [*warnings(judged.sandbox), *failed]


def _wrong(verdict: Verdict, subject: Subject) -> list[Diagnostic]:
    """The errors that `opwright test` tells of the version: what fails, and what no vector proves."""
    from opwright_build.verify.judge.findings import failures, unverified

    firsts = [kind.outcome for kind in verdict.kinds]
    entries = [entry for entry in subject.sound(verdict.diagnostics) if entry.identity == verdict.identity]
    found = [*verdict.diagnostics, *failures(firsts), *unverified(entries, firsts, subject.places)]
    return [item for item in found if item.severity is Severity.ERROR]


def _failing(identity: str, wrong: Sequence[Diagnostic], places: Mapping[str, Place]) -> Diagnostic:
    """The finding: the first of what is wrong with the version, and how much there is besides."""
    first, more = wrong[0], len(wrong) - 1
    rest = f", and {more} more" if more else ""
    return Diagnostic(
        "OW626",
        f"{identity} fails on its own vectors",
        first.place or places.get(identity),
        reason=f"{first.message.removeprefix(f'{identity}: ')}{rest}",
        help="`opwright test --lf` shows all of it; once released, what it computes stays",
        subject=identity,
    )
