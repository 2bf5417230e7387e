"""A part of the matrix in place of all of it: one or two bodies of each variant, which a gate can afford.

Bodies of one variant differ by the versions of their operators, and most of what a session costs is to load it. So of
each variant the newest body that all runtimes take is run, and of a sixth of the variants one of the others. Both are
drawn from the names, so that they stay the same, and the variants of a library together come to all opsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from zlib import crc32

from opwright.bundle.format import BodyEntry, FunctionEntry

from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.run.runtimes import Runtime, newest_accepted

ANOTHER_OF = 6  # of so many variants one has a second body

_Which = tuple[tuple[tuple[str, str], ...], int]  # a variant, and the first opset of a body


class Spread:
    """Which bodies are run on these runtimes."""

    def __init__(self, runtimes: Sequence[Runtime]) -> None:
        self._runtimes = runtimes
        self._chosen: dict[str, frozenset[_Which]] = {}
        self._is_taken = cache(self._takes)

    def has(self, entry: FunctionEntry, body: BodyEntry) -> bool:
        """Whether the body is among them."""
        if entry.identity not in self._chosen:
            self._chosen[entry.identity] = frozenset(self._of(entry))
        return _which(body) in self._chosen[entry.identity]

    def of(self, entry: FunctionEntry) -> tuple[BodyEntry, ...]:
        """Those of a version, in their order."""
        return tuple(body for body in entry.bodies if self.has(entry, body))

    def _of(self, entry: FunctionEntry) -> list[_Which]:
        variants: dict[tuple[tuple[str, str], ...], list[BodyEntry]] = {}
        for body in entry.bodies:
            variants.setdefault(body.variant, []).append(body)
        found: list[_Which] = []
        for variant, bodies in variants.items():
            bodies.sort(key=lambda item: item.first_opset)
            taken = [body for body in bodies if self._is_taken(body.first_opset, body.last_opset)]
            newest = (taken or bodies)[-1]
            others = [body for body in bodies if body is not newest]
            found.append(_which(newest))
            drawn = crc32(f"{entry.identity} {variant}".encode())
            if others and drawn % ANOTHER_OF == 0:
                found.append(_which(others[drawn // ANOTHER_OF % len(others)]))
        return found

    def _takes(self, first: int, last: int) -> bool:
        return not any(isinstance(newest_accepted(item, first, last), Refusal) for item in self._runtimes)


def _which(body: BodyEntry) -> _Which:
    return body.variant, body.first_opset
