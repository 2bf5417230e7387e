"""Answers of references by what was asked, so that none is asked twice the same."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping

LARGEST = 1 << 16  # bytes of an answer that is kept
_HEAD = struct.Struct("<32sQ")


class KeptAnswers:
    """Answers by the digests of reference and question, with those of earlier runs where `recall` has them.

    The digest of a question covers the reference's text, the function and all that it is given; the machine is the
    caller's to tell apart. Failures are not kept.
    """

    def __init__(self, recall: Callable[[str], Iterable[bytes]] = lambda reference: ()) -> None:
        self._recall = recall
        self._known: dict[str, dict[bytes, bytes]] = {}
        self._used: dict[str, dict[bytes, bytes]] = {}
        self._new: set[str] = set()

    def find(self, reference: str, question: bytes) -> bytes | None:
        if reference not in self._known:
            self._known[reference] = {key: answer for data in self._recall(reference) for key, answer in _decode(data)}
        answer = self._known[reference].get(question)
        if answer is not None:
            self._used.setdefault(reference, {})[question] = answer
        return answer

    def add(self, reference: str, question: bytes, answer: bytes) -> None:
        """Keeps what a question that was not known has been answered."""
        self._known[reference][question] = answer
        if len(answer) <= LARGEST:
            self._used.setdefault(reference, {})[question] = answer
            self._new.add(reference)

    def changed(self) -> Mapping[str, bytes]:
        """By reference what `recall` is to give from now on, where that is more than it gave."""
        return {reference: _encode(self._used[reference]) for reference in sorted(self._new)}


def _encode(answers: Mapping[bytes, bytes]) -> bytes:
    return b"".join(_HEAD.pack(key, len(answer)) + answer for key, answer in answers.items())


def _decode(data: bytes) -> Iterable[tuple[bytes, bytes]]:
    """What `_encode` wrote."""
    position = 0
    while position < len(data):
        key, length = _HEAD.unpack_from(data, position)
        position += _HEAD.size
        yield key, data[position : position + length]
        position += length
