"""Whether a release comes out the same where it is built again: in another folder, by another process, from nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic

import opwright_build
from opwright_build.engine.store import SHARED
from opwright_build.engine.tree import create, read_regular
from opwright_build.publication.artefacts import Release

LIMIT_SECONDS = 6 * 3600
_MASK = 0o077
_LINES, _MOST_CHARACTERS = 5, 300  # of what a process that died has written
# What must not decide a byte, set to what it is not here.
_OTHERWISE = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "4711", "NO_COLOR": "1"}


def rebuilt_otherwise(release: Release, root: Path) -> list[Diagnostic]:
    """A finding where the sources that are published, built again, give other files than the release's.

    The second build has no cache, another umask, time zone and hash seed, and no SOURCE_DATE_EPOCH.
    """
    name = release.index.library
    with tempfile.TemporaryDirectory(prefix="opwright-rebuild-") as made:
        folder = Path(made).resolve() / "elsewhere" / name
        for path, data in release.sources.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            create(folder / path, data)
        done = _run(["publish", str(folder), "-p", name, "--json"], folder)
        if done.returncode:
            return [_other(name, f"what is published cannot be built: {_first_error(done)}")]
        differing = [
            item.name for item in release.artefacts if _bytes_of(folder / release.folder / item.name) != item.data
        ]
    return [_other(name, f"other bytes: {', '.join(differing)}")] if differing else []


def _run(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    places = [str(Path(opwright_build.__file__).parents[1]), *(entry for entry in sys.path if entry)]
    environment = {name: text for name, text in os.environ.items() if name not in (SHARED, "SOURCE_DATE_EPOCH")}
    environment |= {**_OTHERWISE, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places))}
    command = [sys.executable, "-m", "opwright_build", *words]
    return subprocess.run(
        command,
        cwd=folder.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        umask=_MASK if os.name == "posix" else -1,
    )


def _first_error(done: subprocess.CompletedProcess[str]) -> str:
    """What the other build says; the end of what its process wrote, where that died before it could tell."""
    for line in done.stdout.splitlines():
        try:
            told = json.loads(line)
        except ValueError:  # it was killed while it wrote
            break
        if told["event"] == "finding" and told["finding"]["severity"] == "error":
            return str(told["finding"]["message"])
    said = " / ".join(line.strip()[:_MOST_CHARACTERS] for line in done.stderr.splitlines()[-_LINES:] if line.strip())
    return f"it ends with status {done.returncode}{f': {said}' if said else ''}"


def _bytes_of(path: Path) -> bytes | None:
    return read_regular(path) if path.is_file() else None


def _other(name: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "OW662",
        f"{name} is not the same where it is built again",
        reason=reason,
        help="name what the build needs below specs/, in files that are not hidden, and run `opwright publish` again",
    )
