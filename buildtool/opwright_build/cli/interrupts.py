"""Ctrl-C and SIGTERM: the command ends at once, with its processes, one line and the exit status of its kind.

No exception is raised: it could come up anywhere, in a callback that swallows it or in the middle of an import. What a
command writes is whole or not there at any moment, since it may be killed as well.
"""

from __future__ import annotations

import contextlib
import os
import signal
from types import FrameType

from opwright_build.report.progress import WIPE
from opwright_build.sandbox.child_processes import end_children

_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


def end_on_signals() -> None:
    """From now on these signals end the process. One that is ignored, as in the background of a shell, stays so."""
    for number in _WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def ignore_signals() -> None:
    """The work is done, and the exit status says how it ended: while Python ends, nothing changes that."""
    for number in _WORDS:
        signal.signal(number, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:
    ignore_signals()
    end_children()
    line = f"{_WORDS[signal.Signals(number)]}\n"
    if os.isatty(2):
        line = WIPE + line
    with contextlib.suppress(OSError):  # nobody reads it
        os.write(2, line.encode())
    os._exit(128 + number)
