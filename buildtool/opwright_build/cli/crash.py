"""What a user sees of a bug of ours: one line, and a file to send us."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from opwright.diagnostics.diagnostic import DiagnosticError

from opwright_build.engine.tree import Tree, write_whole

WORK = ".opwright"
OUR_BUG = 4
ISSUES = "the project's issue tracker"


def report_crash(words: Sequence[str], error: BaseException) -> int:
    """Writes the traceback to a file, says where it is, and gives exit status 4. Never raises."""
    text = _report(words, error)
    path = _write(text)
    print(f"opwright: a bug of ours, not a mistake of yours: {type(error).__name__}: {error}", file=sys.stderr)
    if path is not None:
        print(f"  help: please send {path} to {ISSUES}", file=sys.stderr)
    else:
        print(text, file=sys.stderr)
    return OUR_BUG


def _report(words: Sequence[str], error: BaseException) -> str:
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return f"opwright {' '.join(words)}\n{machine}\n\n{''.join(traceback.format_exception(error))}"


def _write(text: str) -> str | None:
    """The file's path as it is to be shown; None when it could be written nowhere."""
    name = f"crash-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}.txt"
    for folder in (_library_folder(), Path(tempfile.gettempdir())):
        if folder is None:
            continue
        try:
            if folder.name == WORK:
                Tree(folder.parent).require_file(f"{WORK}/{name}")
            write_whole(folder / name, text.encode("utf-8", "backslashreplace"))
        except (OSError, DiagnosticError):
            continue
        return os.path.relpath(folder / name) if folder.name == WORK else str(folder / name)
    return None


def _library_folder() -> Path | None:
    try:
        here = Path.cwd()
    except OSError:  # it has been removed
        return None
    for folder in (here, *here.parents):
        if (folder / "specs" / "library.yaml").is_file():
            return folder / WORK
    return None
