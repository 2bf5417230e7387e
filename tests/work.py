"""The cost of a piece of work as a number that is the same on every machine; tests make no assertion about time.

What may hang, given hostile input, runs under `ends`: a limit far beyond what it needs, so that a test that hangs fails
with the input that it hangs on.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 120  # seconds of processor time


def calls_of(step: Callable[[], object]) -> int:
    """How many functions a step calls, those of Python and of C."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        step()
    finally:
        sys.setprofile(before)
    return count


@contextmanager
def ends(what: object = "") -> Iterator[None]:
    """Fails what is still running after `PATIENCE`; no limit where the system has no such timer."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it does not come to an end: {what!r}")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
