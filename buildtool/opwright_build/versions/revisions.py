"""A library as it was at a revision of its git repository: the bytes of its specs, and nothing of it is executed.

Objects are read one by one (`ls-tree`, `cat-file`), which runs no hooks, filters, drivers or transports; configuration
of the user and the system is left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.tree import create, stays_inside

MOST_FILES = 200_000
MOST_BYTES = 1 << 30
_TIMEOUT = 60.0  # seconds, for one call of git
_REGULAR = ("100644", "100755")
_OPTIONS = (
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "core.pager=cat",
)
_KEPT = ("PATH", "SYSTEMROOT", "HOME")  # HOME: git asks whose the repository is


def lay_out(root: Path, revision: str, target: Path) -> None:
    """Writes `specs/` of the library at `root`, as it was at that revision, below `target`.

    DiagnosticError (OW619) where there is no git, no such revision, no library in it, or more than is read.
    """
    if not revision or revision.startswith("-") or not revision.isprintable():
        raise DiagnosticError([_none(revision, "a revision has no such name")])
    git = shutil.which("git")
    if git is None:
        raise DiagnosticError([_none(revision, "git is not installed")])
    commit = _run(git, root, revision, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    tree = commit.decode("ascii", "replace").strip()
    listed = _run(git, root, revision, "ls-tree", "-r", "-z", "-l", tree, "--", "specs/")
    files: list[tuple[str, str, int]] = []
    for entry in listed.split(b"\0"):
        if entry:
            head, _, path = entry.partition(b"\t")
            mode, kind, blob, size = head.decode("ascii", "replace").split()
            shown = path.decode("utf-8", "surrogateescape")
            if kind != "blob" or mode not in _REGULAR or not stays_inside(shown):
                raise DiagnosticError([_none(revision, f"{shown!a} is no regular file there")])
            files.append((shown, blob, int(size)))
    total = sum(size for _, _, size in files)
    if not any(path == "specs/library.yaml" for path, _, _ in files):
        raise DiagnosticError([_none(revision, "it has no specs/library.yaml here")])
    if len(files) > MOST_FILES or total > MOST_BYTES:
        reason = f"it has {len(files):,} files of {total:,} bytes; {MOST_FILES:,} and {MOST_BYTES:,} are read at most"
        raise DiagnosticError([_none(revision, reason)])
    request = "".join(f"{blob}\n" for _, blob, _ in files).encode()
    data = _run(git, root, revision, "cat-file", "--batch", given=request)
    for (name, _, _), content in zip(files, _contents(data), strict=True):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        create(target / name, content)


def _contents(data: bytes) -> Iterator[bytes]:
    """The blobs of what `cat-file --batch` writes: a line that ends in the size, then the bytes and a line's end."""
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        size = int(data[at:end].split()[-1])
        yield data[end + 1 : end + 1 + size]
        at = end + size + 2


def _run(git: str, root: Path, revision: str, *words: str, given: bytes = b"") -> bytes:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            [git, *_OPTIONS, *words], cwd=root, env=environment, input=given, capture_output=True, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DiagnosticError([_none(revision, f"git does not answer: {type(error).__name__}")]) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DiagnosticError([_none(revision, said[-1] if said else f"git ends with {done.returncode}")])
    return done.stdout


def _none(revision: str, reason: str) -> Diagnostic:
    message = f"the library at the revision {revision[:80]!r} cannot be had"
    return Diagnostic("OW619", message, reason=reason, help="name a commit, a tag or a branch of this repository")
