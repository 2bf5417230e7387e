"""A library as it was at a revision of its git repository: the bytes of its specs, and nothing of it is executed."""

from __future__ import annotations

from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.git_revision import Entry, GitRevisionError, contents_of, entries_at
from opwright_build.engine.tree import create, stays_inside

MOST_FILES = 200_000
MOST_BYTES = 1 << 30


def lay_out(root: Path, revision: str, target: Path) -> None:
    """Writes `specs/` of the library at `root`, as it was at that revision, below `target`.

    DiagnosticError (OW619) where there is no git, no such revision, no library in it, or more than is read.
    """
    try:
        entries = entries_at(root, revision, "specs")
        _check(entries)
        for entry, content in zip(entries, contents_of(root, [entry.blob for entry in entries]), strict=True):
            (target / entry.path).parent.mkdir(parents=True, exist_ok=True)
            create(target / entry.path, content)
    except GitRevisionError as error:
        message = f"the library at the revision {revision[:80]!r} cannot be had"
        help_ = "name a commit, a tag or a branch of this repository"
        raise DiagnosticError([Diagnostic("OW619", message, reason=str(error), help=help_)]) from None


def _check(entries: list[Entry]) -> None:
    for entry in entries:
        if not entry.is_file or not stays_inside(entry.path):
            raise GitRevisionError(f"{entry.path!a} is no regular file there")
    if not any(entry.path == "specs/library.yaml" for entry in entries):
        raise GitRevisionError("it has no specs/library.yaml here")
    total = sum(entry.size for entry in entries)
    if len(entries) > MOST_FILES or total > MOST_BYTES:
        raise GitRevisionError(
            f"it has {len(entries):,} files of {total:,} bytes; {MOST_FILES:,} and {MOST_BYTES:,} are read at most"
        )
