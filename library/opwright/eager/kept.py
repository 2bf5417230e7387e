"""A bounded cache: the least recently used entry is evicted first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

from opwright.forks import lock_across_forks


class Keepable(Protocol):
    used: bool  # set by the user of the entry

    def drop(self) -> None:
        """It is no longer kept."""
        ...


Item = TypeVar("Item", bound=Keepable)


class Kept(Generic[Item]):
    """At most `most` items by key. `get` is a dictionary's; the caller says `item.used = True`, which costs nothing.

    By second chance: of the oldest items the first one goes that has not been used since it was last looked at.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._lock = lock_across_forks()
        self.get = self._items.get
        self.values = self._items.values

    def __len__(self) -> int:
        return len(self._items)

    def keep(self, key: Hashable, item: Item) -> None:
        """Room is made before the item is there: it is not the one to go, however much the others are used."""
        with self._lock:
            while len(self._items) >= self.most and key not in self._items:
                oldest, found = self._items.popitem(last=False)
                if found.used:
                    found.used = False
                    self._items[oldest] = found
                else:
                    found.drop()
            self._items[key] = item

    def clear(self) -> None:
        with self._lock:
            for item in self._items.values():
                item.drop()
            self._items.clear()
