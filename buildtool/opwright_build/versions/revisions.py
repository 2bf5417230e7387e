"""A library as it was at a revision of its git repository: the bytes of its specs and of the texts that it names.
Nothing of it is executed."""

from __future__ import annotations

from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.git_revision import Entry, GitRevisionError, contents_of, entries_at
from opwright_build.engine.tree import create, stays_inside
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import LIBRARY_FILE, SPECS

MOST_FILES = 200_000
MOST_BYTES = 1 << 30


def lay_out(root: Path, revision: str, target: Path) -> None:
    """Writes `specs/` of the library at `root`, as it was at that revision, below `target`, and the files beside it
    that its library.yaml names.

    DiagnosticError (OW619) where there is no git, no such revision, no library in it, or more than is read.
    """
    try:
        specs = entries_at(root, revision, f"{SPECS}/")
        if not any(entry.path == LIBRARY_FILE for entry in specs):
            raise GitRevisionError(f"it has no {LIBRARY_FILE} here")
        _write(root, specs, target)
        named = _named_files(target)
        if named:
            _write(root, entries_at(root, revision, *named), target)
    except GitRevisionError as error:
        message = f"the library at the revision {revision[:80]!r} cannot be had"
        raise DiagnosticError([Diagnostic("OW619", message, reason=str(error), help=error.help)]) from None


def _named_files(root: Path) -> list[str]:
    """The files beside `specs/` that the library's wheels bring. What is wrong with library.yaml, its build tells."""
    try:
        library = read_library(LibraryFiles(root))
    except DiagnosticError:
        return []
    named = (path for package in library.packages for path in package.about.files)
    return [path for path in dict.fromkeys(named) if not path.startswith(f"{SPECS}/")]


def _write(root: Path, entries: list[Entry], target: Path) -> None:
    _check(entries)
    for entry, content in zip(entries, contents_of(root, [entry.blob for entry in entries]), strict=True):
        (target / entry.path).parent.mkdir(parents=True, exist_ok=True)
        create(target / entry.path, content)


def _check(entries: list[Entry]) -> None:
    for entry in entries:
        if entry.is_submodule:
            raise entry.refused_submodule()
        if not entry.is_file or not stays_inside(entry.path):
            raise GitRevisionError(f"{entry.path!a} is no regular file there")
    total = sum(entry.size for entry in entries)
    if len(entries) > MOST_FILES or total > MOST_BYTES:
        raise GitRevisionError(
            f"it has {len(entries):,} files of {total:,} bytes; {MOST_FILES:,} and {MOST_BYTES:,} are read at most"
        )
