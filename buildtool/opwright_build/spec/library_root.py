"""Where a library is: its folder, found upward from a path of it. Little is imported: every command begins here."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place

from opwright_build.engine.system_errors import kind_of, reason_of

SPECS = "specs"
LIBRARY_FILE = f"{SPECS}/library.yaml"


def existing(start: Path) -> Path:
    """The absolute path of what stands there. DiagnosticError when there is nothing: a name that is misspelt below a
    library does not mean the whole of it."""
    absolute = Path(os.path.abspath(start))
    if not absolute.exists():
        raise DiagnosticError([Diagnostic("OW110", f"there is no file or folder {start}")])
    return absolute


def find_library(start: Path) -> Path:
    """The nearest folder, from `start` upward, that holds specs/library.yaml. DiagnosticError when there is none, or no
    `start`, or something else than a file has that name."""
    found = library_around(existing(start))
    if found is None:
        message = f"no {LIBRARY_FILE} here or in a folder above"
        way_out = "`opwright new function com.acme/Swish` begins a library in the current folder."
        raise DiagnosticError([Diagnostic("OW110", message, help=way_out)])
    return found


def library_around(absolute: Path) -> Path | None:
    """The same of an absolute path, where nothing need stand yet; None when there is none."""
    for folder in (absolute, *absolute.parents):
        try:
            status = os.lstat(folder / LIBRARY_FILE)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise DiagnosticError([_not_read("cannot be read", reason_of(error))]) from None
        if not (folder / LIBRARY_FILE).is_file():
            nowhere = " that leads to no file" if stat.S_ISLNK(status.st_mode) else ", not a file"
            raise DiagnosticError([_not_read(f"is {kind_of(status)}{nowhere}", "")])
        return folder
    return None


def _not_read(what: str, reason: str) -> Diagnostic:
    help_ = "put the file of the library there, or remove what has its name"
    return Diagnostic("OW115", f"{LIBRARY_FILE} {what}", Place(LIBRARY_FILE), reason=reason, help=help_)
