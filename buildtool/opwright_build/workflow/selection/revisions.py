"""What has changed below a folder since a revision of git. Nothing that the repository names is run.

`git diff` may run programs that the folder's own configuration names: a file-system monitor, filters, drivers, helpers
of remotes. So git only lists the revision's files, and they are compared here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.tree import read_regular
from opwright_build.workflow.status import UsageError

_SECONDS = 60
_MOST_BYTES = 1 << 28
_SHA256 = 64  # digits of a blob's name in a repository of SHA-256
_FILE_MODES = (b"100644", b"100755")


def changed_since(root: Path, revision: str, folder: str, present: Iterable[str]) -> set[str]:
    """The files below `folder` that differ from the revision's, are new or are gone; relative to `root`.

    `present` are the files that are there now. Lines that end as on Windows count as equal. UsageError (OW533) where
    git cannot tell.
    """
    before = _listed(root, revision, folder)
    now = set(present)
    changed = now ^ before.keys()
    return changed | {path for path in now & before.keys() if not _is_blob(root / path, before[path])}


def _listed(root: Path, revision: str, folder: str) -> dict[str, str]:
    """The blobs of the revision below the folder, by path."""
    program = shutil.which("git")
    if program is None:
        raise _unknown(revision, "git is not installed", "")
    inside = os.path.realpath(program).startswith(f"{os.path.realpath(root)}{os.sep}")
    if inside or not os.path.isabs(program):
        raise _unknown(revision, "the git on PATH lies in the library's folder, from which nothing is run", "")
    command = [program, "--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "core.hooksPath="]
    command += ["ls-tree", "-r", "-z", "--end-of-options", revision, f"{folder}/"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    limits = {
        "LC_ALL": "C",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    try:
        ran = subprocess.run(
            command,
            cwd=root,
            env={**kept, **limits},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise _unknown(revision, str(error), "") from error
    if ran.returncode:
        text = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise _unknown(
            revision, text[-1] if text else f"git ends with {ran.returncode}", "name a commit, tag or branch"
        )
    found: dict[str, str] = {}
    for line in ran.stdout.split(b"\0"):
        head, tab, path = line.partition(b"\t")
        if tab and head.split()[0] in _FILE_MODES:
            found[path.decode("utf-8", "surrogateescape")] = head.split()[2].decode("ascii")
    return found


def _is_blob(path: Path, name: str) -> bool:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return False
        data = read_regular(path)
    except OSError:
        return False
    return name in (_blob(data, name), _blob(data.replace(b"\r\n", b"\n"), name))


def _blob(data: bytes, like: str) -> str:
    kind = "sha256" if len(like) == _SHA256 else "sha1"
    return hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _unknown(revision: str, reason: str, help_: str) -> UsageError:
    message = f"what has changed since {revision} is not known"
    return UsageError([Diagnostic("OW533", message, reason=reason, help=help_)])
