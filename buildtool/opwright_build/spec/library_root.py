"""Where a library is: its folder, found upward from a path of it. Little is imported: every command begins here."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

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
    `start`."""
    absolute = existing(start)
    for folder in (absolute, *absolute.parents):
        if (folder / LIBRARY_FILE).is_file():
            return folder
    message = f"no {LIBRARY_FILE} here or in a folder above"
    way_out = "`opwright new function com.acme/Swish` begins a library in the current folder."
    raise DiagnosticError([Diagnostic("OW110", message, help=way_out)])
