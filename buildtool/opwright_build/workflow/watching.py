"""`--watch`: a command again and again, whenever a file of specs/ has changed. Looking is enough: no file is read."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from opwright.diagnostics.exits import Exit
from opwright.standard_output import is_lost

from opwright_build.spec.library_root import find_library

_LEAST = 0.3  # seconds between two looks
_SHARE = 10.0  # of the time that a look takes, so that looking takes a tenth of a processor at most

Stamps = dict[str, tuple[int, int, int]]


def watch(path: Path, command: Callable[[], int], tell: Callable[[str], None]) -> int:
    """Runs the command, and again after each change. Its findings do not end that; what is no library does.

    A change while the command runs counts. Ends with the process (Ctrl-C), or with the status of the first run where
    that was told that the words make no sense: later it is a change that they make none after, such as a file that is
    about to be replaced. Ends also when who reads what the runs tell has gone.
    """
    specs = find_library(path) / "specs"
    runs = 0
    while True:
        before = stamps(specs)
        status, runs = command(), runs + 1
        if (status == Exit.USAGE and runs == 1) or is_lost(sys.stdout):
            return status
        tell("watching specs/; Ctrl-C ends it")
        _wait_for_change(specs, before)


def _wait_for_change(specs: Path, before: Stamps) -> None:
    """Returns when something is otherwise than before, and has stayed so for one look: editors write in steps."""
    seen = before
    while True:
        begun = time.perf_counter()
        now = stamps(specs)
        if now == seen != before:
            return
        seen = now
        time.sleep(max(_LEAST, _SHARE * (time.perf_counter() - begun)))


def stamps(folder: Path) -> Stamps:
    """What the system says of each file below a folder, hidden ones aside."""
    found: Stamps = {}
    pending = [os.fspath(folder)]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.name == "__pycache__":
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        status = entry.stat()
                        found[entry.path] = (status.st_size, status.st_mtime_ns, status.st_ino)
        except OSError:  # it was removed in the meantime, which the next look sees
            continue
    return found
