"""What a library's git repository holds at a revision; nothing that a repository names is run.

`git diff`, `git checkout` and their like may run programs that the repository's own configuration names: monitors,
hooks, filters, drivers, transports. `ls-tree` and `cat-file` run none, and what they could reach is turned off.
The configuration of the user and the machine counts: it says, for instance, whose repositories are safe to read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path

_TIMEOUT = 60.0  # seconds, for one call of git
_OFF = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "core.pager=cat")
_LIMITS = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "",
}
_FILE_MODES = ("100644", "100755")


class GitRevisionError(Exception):
    """Why a revision cannot be read, and what to do."""

    def __init__(self, reason: str, help_: str = "name a commit, a tag or a branch of this repository") -> None:
        self.help = help_
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a revision's tree."""

    path: str  # below the folder that git was asked in; bytes that are no UTF-8 as surrogates
    blob: str  # the name of its object
    size: int  # bytes; 0 for what is no file
    is_file: bool  # a regular file: no link, no submodule
    is_submodule: bool = False

    def refused_submodule(self) -> GitRevisionError:
        """Why a submodule is not read: its files are in another repository, which need not be at hand."""
        help_ = "`diff` takes a bundle, too; `-s state:modified` tells what has changed since the last build"
        return GitRevisionError(f"{self.path!a} is a submodule there, and submodules are not followed", help_)


def entries_at(root: Path, revision: str, *paths: str) -> list[Entry]:
    """What the paths stand for at that revision, in git's order: a folder, with a `/` at its end, for all below it.
    GitRevisionError where git cannot tell."""
    if not revision or revision.startswith("-") or not revision.isprintable():
        raise GitRevisionError("a revision has no such name")
    try:
        commit = _git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except GitRevisionError as error:
        if not _is_shallow(root):
            raise
        help_ = "this clone is shallow: `git fetch --unshallow` brings the commits and tags that it lacks"
        raise GitRevisionError(str(error), help_) from None
    tree = commit.decode("ascii", "replace").strip()
    listed = _git(root, "ls-tree", "-r", "-z", "-l", tree, "--", *paths)
    return [_entry(row) for row in listed.split(b"\0") if row]


def _is_shallow(root: Path) -> bool:
    try:
        return _git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
    except GitRevisionError:
        return False


def commit_with(root: Path, files: Mapping[str, bytes], folder: str) -> str:
    """The commit that is checked out, where it holds these files with these bytes, and nothing else below `folder`;
    empty where it does not, and where git cannot tell."""
    try:
        commit = _git(root, "rev-parse", "--verify", "HEAD^{commit}").decode("ascii", "replace").strip()
        beside = [path for path in files if not path.startswith(f"{folder}/")]
        listed = _git(root, "ls-tree", "-r", "-z", "-l", commit, "--", f"{folder}/", *beside)
    except GitRevisionError:
        return ""
    entries = [_entry(row) for row in listed.split(b"\0") if row]
    digest = sha1 if len(commit) == 40 else sha256
    here = {path: digest(b"blob %d\0" % len(data) + data).hexdigest() for path, data in files.items()}
    return commit if {entry.path: entry.blob for entry in entries} == here else ""


def contents_of(root: Path, blobs: Sequence[str]) -> Iterator[bytes]:
    """The bytes of these objects, in their order. GitRevisionError where git does not have them."""
    data = _git(root, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs).encode())
    at = 0
    for blob in blobs:  # each is a line that ends in the size, then the bytes and the end of a line
        end = data.find(b"\n", at)
        size = data[at:end].rpartition(b" ")[2] if end >= 0 else b""
        if not size.isdigit():
            raise GitRevisionError(f"the object {blob} is not in the repository")
        yield data[end + 1 : end + 1 + int(size)]
        at = end + 1 + int(size) + 1


def _entry(row: bytes) -> Entry:
    head, _, path = row.partition(b"\t")
    mode, kind, blob, size = head.decode("ascii", "replace").split()
    is_file = kind == "blob" and mode in _FILE_MODES
    name = path.decode("utf-8", "surrogateescape")
    return Entry(name, blob, int(size) if is_file else 0, is_file, is_submodule=kind == "commit")


def _git(root: Path, *words: str, given: bytes = b"") -> bytes:
    command = [_program(root), "--no-pager"]
    for setting in _OFF:
        command += ["-c", setting]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _LIMITS
    try:
        done = subprocess.run(
            [*command, *words], cwd=root, env=environment, input=given, capture_output=True, timeout=_TIMEOUT
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise GitRevisionError(f"git does not answer: {type(error).__name__}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitRevisionError(said[-1] if said else f"git ends with {done.returncode}")
    return done.stdout


def _program(root: Path) -> str:
    """Git of the machine; nothing is run from the folder that is looked at."""
    program = shutil.which("git")
    if program is None:
        raise GitRevisionError("git is not installed")
    inside = os.path.realpath(program).startswith(f"{os.path.realpath(root)}{os.sep}")
    if inside or not os.path.isabs(program):
        raise GitRevisionError("the git on PATH lies in the library's folder, from which nothing is run")
    return program
