"""What `opwright test` and `propose` look at: a built library, or some of its versions, and their vectors."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.workflow.judged.sandboxes import require, warnings
from opwright_build.workflow.opened.session import Session

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, FunctionEntry

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.case_model import CollectedCases
    from opwright_build.verify.cases.kept_answers import KeptAnswers


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: a built library, or `only` the versions of those identities."""

    session: Session
    loaded: LoadedLibrary
    bundle: Bundle
    only: Collection[str] | None

    @property
    def entries(self) -> list[FunctionEntry]:
        functions = self.bundle.index.functions
        return [entry for entry in functions if self.only is None or entry.identity in self.only]

    @property
    def places(self) -> dict[str, Place]:
        """Where each version is specified: its types, or its file."""
        return {version.identity: _place(version.places) for version in self.loaded.versions}

    def sound(self, diagnostics: Iterable[Diagnostic]) -> list[FunctionEntry]:
        """The versions whose own files have none of these errors: of the others, what follows is no news."""
        broken = broken_versions(self.loaded, diagnostics)
        return [entry for entry in self.entries if entry.identity not in broken]


def broken_versions(loaded: LoadedLibrary, diagnostics: Iterable[Diagnostic]) -> set[str]:
    """The identities of the versions whose own files have some of these errors."""
    files = [item.place.file for item in diagnostics if item.place and item.severity is Severity.ERROR]
    folders = {
        version.identity: os.path.relpath(version.folder, loaded.library.root).replace(os.sep, "/")
        for version in loaded.versions
    }
    return {name for name, folder in folders.items() if any(file.startswith(f"{folder}/") for file in files)}


def collect(
    subject: Subject,
    run_oracle: bool,
    sandbox: int = 0,
    only: Collection[str] | None = None,
    kept: KeptAnswers | None = None,
) -> CollectedCases:
    """The vectors of the subject, or of the versions of those identities. With `run_oracle` this is where Python of a
    spec is run, and the user is told.

    `sandbox` is the level without which none is to be run; InfrastructureError where the machine has no such one. What
    `kept` knows the answer of is not asked.
    """
    from opwright_build.verify.cases.collect import collect_cases

    how = "reference.py of each spec is run, in a child process" if run_oracle else "no Python of a spec is run"
    subject.session.reporter.step(f"collecting vectors; {how}")
    interfaces = {entry.identity: entry for entry in subject.bundle.index.functions}
    collected = collect_cases(
        subject.loaded.versions,
        interfaces,
        subject.session.root,
        run_oracle=run_oracle,
        only=subject.only if only is None else only,
        accept=(lambda claim: require(claim, sandbox)) if sandbox else None,
        kept=kept,
    )
    return replace(collected, findings=(*collected.findings, *warnings(collected.sandbox)))


def _place(places: Mapping[str, Place]) -> Place:
    return places["types"] if "types" in places else next(iter(places.values()))
