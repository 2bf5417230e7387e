"""The processes that this one has started and that must not outlive it, with their scratch folders.

What ends this process at once, in a signal's handler, ends them first. Standard library alone: the handler is there
before anything else is imported.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys

_children: dict[int, tuple[str, bool]] = {}


def register_child(process: int, scratch: str, *, group: bool = False) -> None:
    """A process was started, with a folder of its own; `group`: it leads a process group, which ends with it."""
    _children[process] = (scratch, group)


def forget_child(process: int) -> None:
    """It has ended and was waited for: its number may be another's by now."""
    _children.pop(process, None)


def end_children() -> None:
    """Ends all of them, and removes their folders. For a process that ends itself right afterwards."""
    found = list(_children.items())
    for process, (_, group) in found:
        with contextlib.suppress(OSError):
            _kill(process, group)
    for _, (scratch, _) in found:
        shutil.rmtree(scratch, ignore_errors=True)


def _kill(process: int, group: bool) -> None:
    if sys.platform == "win32":
        os.kill(process, signal.SIGTERM)  # which is TerminateProcess there
    elif group:
        os.killpg(process, signal.SIGKILL)
    else:
        os.kill(process, signal.SIGKILL)
