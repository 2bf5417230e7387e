"""Random choices of the generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

Item = TypeVar("Item")
# A production: how often it is wanted, and what writes it; None where nothing in scope suits it.
Production = tuple[float, Callable[[], Any]]


class Draw:
    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.random.randrange(len(items))]

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def first_that_suits(self, productions: Sequence[Production]) -> Any:
        """One production by weight; another where it does not suit; None where none does."""
        left = [production for production in productions if production[0] > 0]
        while left:
            mark = self.random.random() * sum(weight for weight, _ in left)
            index = 0
            while index + 1 < len(left) and mark >= left[index][0]:
                mark -= left[index][0]
                index += 1
            found = left.pop(index)[1]()
            if found is not None:
                return found
        return None
