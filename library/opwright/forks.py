"""Locks and `os.fork`: a child has only the thread that forked, and a lock that another one held stays held there."""

from __future__ import annotations

import os
from threading import RLock
from time import sleep
from typing import Any

_LOCKS: list[Any] = []
_PAUSE = 0.0005  # seconds


def lock_across_forks() -> Any:
    """A lock for what takes a moment: a fork waits until no other thread holds it, so that the child finds it free, and
    what it guards whole. Each is kept as long as the process."""
    made = RLock()
    _LOCKS.append(made)
    return made


def _take_all() -> None:
    """Never waits with one in hand: a thread that has another may want that one, as finalizers run anywhere."""
    while True:
        taken = []
        for lock in _LOCKS:
            if not lock.acquire(blocking=False):
                break
            taken.append(lock)
        else:
            return
        for lock in taken:
            lock.release()
        sleep(_PAUSE)


def _leave_all() -> None:
    for lock in _LOCKS:
        lock.release()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=_take_all, after_in_parent=_leave_all, after_in_child=_leave_all)
