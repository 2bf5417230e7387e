"""What selectors ask of an open library: who calls what, what has changed since the last build or a revision, and which
versions failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from opwright_build.engine.action import Action
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.sources import CODE, FILE
from opwright_build.workflow.compiled.compiling import LIBRARY, compile_versions
from opwright_build.workflow.compiled.libraries_called import libraries_called
from opwright_build.workflow.opened.session import Session
from opwright_build.workflow.selection.candidate import Candidate
from opwright_build.workflow.selection.chosen import Calls
from opwright_build.workflow.selection.language import MODIFIED
from opwright_build.workflow.selection.last_runs import BUILT, failed_versions
from opwright_build.workflow.selection.since_revision import changed_since

if TYPE_CHECKING:
    from opwright_build.spec.model import LoadedLibrary

_ENTRY = f"{LIBRARY}:entry/"
_FILE = f"{FILE}:"
_SPECS = "specs"


@dataclass(frozen=True)
class LibraryKnowledge:
    """Answers about `loaded`, each found when it is first asked for. Compiling goes through the cache."""

    session: Session
    loaded: LoadedLibrary

    @property
    def calls(self) -> Calls:
        return self._calls

    def in_state(self, state: str, candidate: Candidate) -> bool:
        if state == MODIFIED:
            return self._is_touched(candidate, self._modified) or self._has_new_vectors(candidate)
        return candidate.identity in self._failed

    def changed_since(self, revision: str, candidate: Candidate) -> bool:
        files = self._revisions.get(revision)
        if files is None:
            files = changed_since(self.session.root, revision, _SPECS, self._files)
            self._revisions[revision] = files
        return self._is_touched(candidate, files)

    def _is_touched(self, candidate: Candidate, files: Collection[str]) -> bool:
        """Whether one of the files is the version's: in its folder, of its domain or library, or read by its source."""
        if f"{_SPECS}/library.yaml" in files or f"{_SPECS}/{candidate.domain}/domain.yaml" in files:
            return True
        if any(file.startswith(f"{candidate.folder}/") for file in files):
            return True
        if not any(file.endswith(".py") for file in files):
            return False
        result = self._compiled.get(candidate.identity)
        return result is not None and any(_read_file(read.name) in files for read in result.reads)

    def _has_new_vectors(self, candidate: Candidate) -> bool:
        """Whether what the version was last judged by, such as its vectors, is otherwise now."""
        entry = self.session.log.previous(f"verify {candidate.identity}")
        reads = [] if entry is None else entry["reads"]
        return any(name.startswith(_FILE) and self.session.sources.digest(name) != digest for name, digest in reads)

    @cached_property
    def _compiled(self) -> Mapping[str, Result]:
        reader = Reader(Action("select", "select", {}, {}, ""), {}, self.session.store, self.session.sources)
        others = libraries_called(reader, self.loaded)
        return compile_versions(self.session.engine, self.loaded, self.session.environment, others)

    @cached_property
    def _calls(self) -> Calls:
        return {
            identity: tuple(read.name.removeprefix(_ENTRY) for read in result.reads if read.name.startswith(_ENTRY))
            for identity, result in self._compiled.items()
        }

    @cached_property
    def _files(self) -> list[str]:
        listing = self.session.sources.read(f"list:{_SPECS}") or b""
        names = [line.partition("\t")[0] for line in listing.decode("utf-8", "surrogateescape").split("\n")]
        return [f"{_SPECS}/{name}" for name in names if name]

    @cached_property
    def _revisions(self) -> dict[str, set[str]]:
        return {}

    @cached_property
    def _modified(self) -> set[str]:
        """The files that the last whole build read and that are otherwise now, and those that it did not know."""
        built = self.session.state(BUILT).load()
        records = self.session.store.records(str(built["key"])) if "key" in built else ()
        reads = next((record.reads for record in records if record.trace == built["trace"]), None)
        if reads is None:
            return set(self._files)
        sources = self.session.sources
        changed = {_read_file(read.name) for read in reads if sources.digest(read.name) != read.digest}
        known = {read.name for read in reads}
        return changed | {file for file in self._files if _is_input(file) and f"{_FILE}{file}" not in known} - {""}

    @cached_property
    def _failed(self) -> frozenset[str]:
        return failed_versions(self.session)


def _read_file(name: str) -> str:
    """The path of a file that was read, whatever counts of it."""
    kind, _, path = name.partition(":")
    return path if kind in (FILE, CODE) else ""


def _is_input(file: str) -> bool:
    """Whether a build would have read the file: a spec of a function that is new."""
    return file.endswith("/spec.yaml")
