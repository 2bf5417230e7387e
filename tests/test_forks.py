"""A child of `os.fork` finds our locks free, whatever other threads were at."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import sleep

import opwright
import pytest
from opwright import compile_source
from opwright.eager.kept import Kept
from opwright.live import source_text

HELD = 0.1  # seconds, after the fork has begun
PATIENCE = 20  # seconds, of a child that waits for ever


class Slow:
    """What takes its time, in the hands of another thread."""

    def __init__(self) -> None:
        self.begun = Event()
        self.used = False

    def drop(self) -> None:
        self.begun.set()
        sleep(HELD)


def child_does(step: Callable[[], object], while_another: Callable[[], object], begun: Event) -> int:
    """How a child ends that is forked while another thread is at something."""
    other = Thread(target=while_another)
    other.start()
    begun.wait()
    child = os.fork()
    if not child:
        signal.alarm(PATIENCE)
        try:
            step()
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    other.join()
    return status


pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_what_is_kept() -> None:
    kept: Kept[Slow] = Kept(1)
    slow = Slow()
    kept.keep("a", slow)
    assert child_does(lambda: kept.keep("c", Slow()), lambda: kept.keep("b", Slow()), slow.begun) == 0
    kept.keep("d", Slow())  # free in the parent, too


def test_texts_that_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    keep_text = source_text.keep_text

    def keep(*args: object) -> None:
        if not slow.begun.is_set():
            slow.drop()
        keep_text(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(source_text, "keep_text", keep)
    text = "def f(x):\n    return x + {}\n"
    compiled = [lambda index=index: compile_source(text.format(index), "f") for index in (1, 2)]
    assert child_does(compiled[0], compiled[1], slow.begun) == 0


def test_no_property_of_the_library_has_a_lock() -> None:
    """`functools.cached_property` has one in Python 3.11, for all objects of a class."""
    texts = {path: path.read_text(encoding="utf-8") for path in Path(opwright.__file__).parent.rglob("*.py")}
    assert not [path for path, text in texts.items() if "cached_property" in text]
