"""Tasks as messages to one process. Bodies and cases, which many tasks hold, go to it once."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from opwright_build.verify.case_model import Case

_SENT_ONCE = (bytes, Case)


class Sender:
    """Makes the messages to one process, which reads them in their order."""

    def __init__(self) -> None:
        self._sent: list[object] = []  # kept alive: an object is known by its `id`
        self._numbers: dict[int, int] = {}

    def message(self, tasks: Sequence[object]) -> bytes:
        """What the process has not been sent, with how much it has; then the tasks."""
        known = len(self._sent)
        text = io.BytesIO()
        _Pickler(text, self._number).dump(list(tasks))
        return pickle.dumps((known, self._sent[known:]), protocol=pickle.HIGHEST_PROTOCOL) + text.getvalue()

    def _number(self, value: object) -> int:
        number = self._numbers.setdefault(id(value), len(self._sent))
        if number == len(self._sent):
            self._sent.append(value)
        return number


class Receiver:
    """Reads the messages of one sender, or of several, one after the other. ValueError where one was lost."""

    def __init__(self) -> None:
        self._known: list[object] = []

    def tasks(self, message: bytes) -> list[Any]:
        stream = io.BytesIO(message)
        known, new = pickle.load(stream)
        if known > len(self._known):
            raise ValueError(f"{known} bodies and cases were to be known, and {len(self._known)} are")
        self._known[known:] = new
        found: list[Any] = _Unpickler(stream, self._known).load()
        return found


class _Pickler(pickle.Pickler):
    def __init__(self, stream: BinaryIO, number: Callable[[object], int]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._number = number

    def persistent_id(self, value: object) -> int | None:
        return self._number(value) if type(value) in _SENT_ONCE else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: BinaryIO, known: Sequence[object]) -> None:
        super().__init__(stream)
        self._known = known

    def persistent_load(self, number: int) -> object:
        return self._known[number]
