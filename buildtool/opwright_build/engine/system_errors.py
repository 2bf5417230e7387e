"""Errors of the machine, and what its system says of a file that it does not give, take or remove."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


class InfrastructureError(DiagnosticError):
    """The machine, not the input, is at fault: disk full, no permission, cache out of reach."""


def kind_of(status: os.stat_result) -> str:
    """What stands there, in a word."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), "a device")


def reason_of(error: OSError) -> str:
    """Why: what stands in the place of a folder, else in the words of the system. Without them there is the kind of
    the error."""
    in_the_way = ""
    if isinstance(error, FileExistsError | NotADirectoryError) and isinstance(error.filename, str | os.PathLike):
        in_the_way = _in_place_of_a_folder(Path(error.filename))
    return in_the_way or error.strerror or type(error).__name__


def _in_place_of_a_folder(path: Path) -> str:
    for part in (*reversed(path.parents), path):
        try:
            status = os.lstat(part)
        except OSError:
            return ""
        if not part.is_dir():
            return f"{part.name} is {kind_of(status)}, not a folder"
    return ""


def cannot_be(done: str, what: object, error: OSError, help: str = "") -> InfrastructureError:
    """A file or folder cannot be `done`, such as written (OW905)."""
    return InfrastructureError([Diagnostic("OW905", f"{what} cannot be {done}: {reason_of(error)}", help=help)])
