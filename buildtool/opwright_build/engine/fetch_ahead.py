"""What will be asked for soon is fetched before, several at a time, a bounded number ahead of who asks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Generic, TypeVar

AT_ONCE = 16  # requests
AHEAD = 64  # of those that are fetched, or are being fetched, and nobody has asked for yet

T = TypeVar("T")


class FetchAhead(Generic[T]):
    """Calls `fetch` for names in threads of its own, which do not keep the process alive.

    An error is raised where that name is taken; after one nothing more is fetched ahead, since the next would fail as
    well. Names are taken in one thread.
    """

    def __init__(self, fetch: Callable[[str], T], at_once: int = AT_ONCE, ahead: int = AHEAD) -> None:
        self._fetch = fetch
        self._at_once = at_once
        self._ahead = ahead
        self._changed = Condition()
        self._order: deque[str] = deque()
        self._waiting: set[str] = set()  # those of them that are still to be fetched
        self._fetched: dict[str, Future[T]] = {}  # and those that are being fetched
        self._threads = 0
        self._ended = False

    def expect(self, names: Iterable[str]) -> None:
        """These are asked for next, in about this order; what was expected before and not begun is not any more."""
        with self._changed:
            if self._ended:
                return
            self._order = deque(name for name in dict.fromkeys(names) if name not in self._fetched)
            self._waiting = set(self._order)
            while self._threads < min(self._at_once, len(self._waiting)):
                self._threads += 1
                Thread(target=self._work, daemon=True).start()
            self._changed.notify_all()

    def take(self, name: str) -> T | None:
        """What was fetched for a name, once: waits where it is being fetched. None for one that was not begun, which is
        not fetched any more."""
        with self._changed:
            future = self._fetched.pop(name, None)
            self._waiting.discard(name)
            self._changed.notify_all()
        return None if future is None else future.result()

    def close(self) -> None:
        """Nothing more is begun, and what was fetched is dropped. What is under way is left to end by itself."""
        with self._changed:
            self._ended = True
            self._waiting.clear()
            self._fetched.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (begun := self._next()) is not None:
            name, future = begun
            try:
                future.set_result(self._fetch(name))
            except BaseException as error:  # handed to who takes it
                with self._changed:
                    self._waiting.clear()
                future.set_exception(error)

    def _next(self) -> tuple[str, Future[T]] | None:
        """The next name, when there is room for it. None ends a thread: nothing is left."""
        with self._changed:
            while self._waiting and len(self._fetched) >= self._ahead:
                self._changed.wait()
            if not self._waiting:
                self._threads -= 1
                return None
            name = self._order.popleft()
            while name not in self._waiting:
                name = self._order.popleft()
            self._waiting.remove(name)
            future: Future[T] = Future()
            self._fetched[name] = future
            return name, future
