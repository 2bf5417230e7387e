"""The cages that there are, and which level each one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cage:
    """Which mechanisms a cage has; `level` is what is claimed of it."""

    name: str
    level: int
    namespaces: bool
    landlock: bool
    system_calls: bool


# In the order in which they are tried. Namespaces and Landlock hold without the filter, which not every container has.
CAGES = (
    Cage("namespaces, Landlock and a system call filter", 2, namespaces=True, landlock=True, system_calls=True),
    Cage("namespaces and Landlock", 2, namespaces=True, landlock=True, system_calls=False),
    Cage("Landlock and a system call filter", 1, namespaces=False, landlock=True, system_calls=True),
    Cage("limits", 0, namespaces=False, landlock=False, system_calls=False),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """The cage that holds, and for each one that was tried before it, by name, why that one is not claimed."""

    cage: Cage
    declined: tuple[tuple[str, str], ...] = ()


def without(cages: Sequence[Cage], why: str) -> Claim:
    """Where no cage is to be had."""
    return Claim(CAGES[-1], tuple((cage.name, why) for cage in cages if cage.level))
