"""`opwright search`: which libraries have a function, of those that are installed and those that indexes list."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from opwright.bundle.installed import installed_libraries
from opwright.bundle.normal_name import normal_name
from opwright.bundle.read import read_bundle_file
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.diagnostics.exits import Exit
from opwright.suggest import close_or

from opwright_build.publication.index_place import IndexPlace
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import text_table
from opwright_build.workflow.opened.task import reporting

INDEXES = "OPWRIGHT_INDEXES"  # of the environment: addresses and folders, with blanks between them
INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class FoundFunction:
    """A function of a library, and where that is: INSTALLED, or the name of an index."""

    identity: str
    library: str
    version: str
    place: str


def index_places(names: Sequence[str]) -> list[IndexPlace]:
    """The indexes that are asked: those named, else those of the environment."""
    return [IndexPlace(name) for name in names or os.environ.get(INDEXES, "").split()]


def search(pattern: str, indexes: Sequence[str], reporter: Reporter, started: float) -> int:
    """Lists the functions that the pattern fits: `Foo`, `com.acme::Foo`, `com.acme::Foo@2`, with `*`, in any case."""

    def task() -> int:
        damaged: list[Diagnostic] = []
        places = index_places(indexes)
        known = [*_installed(damaged), *_listed(places)]
        found = [item for item in known if _fits(pattern, item.identity)]
        if not found:
            raise DiagnosticError([_nothing(pattern, known, places)])
        for item in found:
            told = {"function": item.identity, "library": item.library, "version": item.version, "place": item.place}
            reporter.event("function", told)
        rows = [(item.identity, item.library, item.version, item.place) for item in found]
        reporter.table(text_table(("function", "library", "release", "where"), rows))
        reporter.findings(damaged, lambda file: None)
        counts = {"exit": int(Exit.GOOD), "errors": 0, "warnings": len(damaged)}
        reporter.summary("", {"found": len(found), "seconds": round(time.perf_counter() - started, 3), **counts})
        return Exit.GOOD

    return reporting(reporter, task)


def _installed(damaged: list[Diagnostic]) -> Iterator[FoundFunction]:
    """Those of what is installed; a library that cannot be read is a warning, since others can be told."""
    for _, path in installed_libraries():
        try:
            index = read_bundle_file(path).index
        except DiagnosticError as error:
            damaged += (replace(item, severity=Severity.WARNING) for item in error.diagnostics)
            continue
        for identity in index.table.identities():
            yield FoundFunction(identity, index.library, index.version, INSTALLED)


def _listed(places: Iterable[IndexPlace]) -> Iterator[FoundFunction]:
    """Of each library the newest release that has the function."""
    for place in places:
        newest: dict[tuple[str, str], FoundFunction] = {}
        for release in sorted(place.releases(), key=lambda item: (normal_name(item.library), item.numbers)):
            for identity in release.functions:
                newest[identity, normal_name(release.library)] = FoundFunction(
                    identity, release.library, release.version, place.name
                )
        yield from newest.values()


def _fits(pattern: str, identity: str) -> bool:
    wanted = pattern.lower()
    domain, _, function = identity.lower().partition("::")
    name = function.partition("@")[0]
    full = f"{domain}::{function}" if "@" in wanted else f"{domain}::{name}"
    return fnmatchcase(full, wanted if "::" in wanted else f"*::{wanted}")


def _nothing(pattern: str, found: Sequence[FoundFunction], places: Sequence[IndexPlace]) -> Diagnostic:
    names = {item.identity.partition("@")[0] for item in found}
    known = names | {name.partition("::")[2] for name in names}
    help_ = close_or(pattern, known, f"--index, or {INDEXES}, names further indexes")
    asked = ", ".join(["the installed libraries", *(place.name for place in places)])
    return Diagnostic("OW673", f"no function is called {pattern[:200]}", reason=f"asked were {asked}", help=help_)
