"""Which lists a function has made itself, which names may stand for one and the same list, and which iterators have
been run over.

`append` changes a list in Python; in a graph it makes another one, which the name stands for from then on. That is the
same as long as no other name stands for the changed list. Objects are told apart by identity; those whose identity is
noted are kept, so that none is given out twice. A list says itself who has made it: it is gone once it has changed, or
a loop that is unrolled would keep each list that it makes longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.state.aggregates import taken_apart
from opwright.lang.meaning.objects import NestedObject, PartialObject
from opwright.lang.meaning.operands import Operand, StaticDict, StaticIterator
from opwright.lang.meaning.static import StaticList
from opwright.lang.trail import Trail
from opwright.lang.value_class import record

Made = TypeVar("Made")

HOLDERS = (tuple, NestedObject, PartialObject, StaticDict)  # what holds lists: a function its defaults


@record
class Borrowed:
    """What callers have given to the helpers that are being lowered, and the identities of the lists in it."""

    operands: tuple[Operand, ...]
    identities: frozenset[int]


class Ownership:
    """The lists and sequences of one lowering."""

    __slots__ = ("_borrowed", "_kept", "_maker", "_names", "_run_over", "_sources", "_trail", "iterators")

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._maker = object()
        self._borrowed = Borrowed((), frozenset())
        self._kept: dict[int, object] = {}
        self._sources: dict[int, frozenset[int]] = {}
        self._names: dict[str, None] = {}
        self.iterators: dict[int, StaticIterator] = {}  # by their identities
        self._run_over: set[int] = set()

    def made(self, value: Made) -> Made:
        """Notes a list that the function makes itself, so that no other code can see it change."""
        _note_maker.of(value)(value, self._maker)
        return value

    def derived(self, value: object, *sources: object) -> None:
        """Notes that `value` is one of `sources`, which one control flow decides."""
        for item in (value, *sources):
            self._trail.put(self._kept, id(item), item)
        origins = frozenset[int]().union(*(self.identities(source) for source in sources))
        self._trail.put(self._sources, id(value), origins)

    def identities(self, value: object) -> frozenset[int]:
        """Every list that the value may be."""
        return self._sources.get(id(value), frozenset()) | {id(value)}

    def owns(self, value: object, inputs: Sequence[object]) -> bool:
        """Whether every list that the value may be was made by the function itself, by its code or by an operator."""
        foreign = self._borrowed.identities.union(map(id, inputs))
        for item in self._sources.get(id(value), frozenset({id(value)})):
            if item in foreign:
                return False
            if item != id(value) and item in self._sources:
                continue  # where paths met before: what it may be is told too
            origin = self._kept.get(item, value)
            if not _is_made_by.of(origin)(origin, self._maker):
                return False
        return True

    def borrow(self, operands: Iterable[Operand]) -> Borrowed:
        """Marks what a helper is given as its caller's; gives what was so marked before, for `give_back`."""
        before, given = self._borrowed, tuple(operands)
        identities = before.identities.union(*(self._held(operand) for operand in given))
        self._borrowed = Borrowed((*before.operands, *given), identities)
        return before

    def give_back(self, before: Borrowed) -> None:
        self._borrowed = before

    def bound(self, name: str) -> None:
        """Notes that the name stands for a list, or for something that holds one."""
        self._trail.put(self._names, name, None)

    def other_name(self, env: Mapping[str, Operand], name: str, value: object) -> str | None:
        """A name besides `name` that may stand for the same list, or for something that holds it."""
        wanted = self.identities(value)
        for other in self._names:
            if other != name and not wanted.isdisjoint(self._held(env.get(other))):
                return other
        return None

    def hands_out(self, iterator: StaticIterator) -> StaticIterator:
        """Notes an iterator that is made."""
        self._trail.put(self.iterators, id(iterator), iterator)
        return iterator

    def run_over(self, iterator: StaticIterator) -> bool:
        """Notes that the items of an iterator are taken; whether they still were there."""
        is_left = id(iterator) not in self._run_over
        self._trail.add(self._run_over, id(iterator))
        return is_left

    def waiting(self) -> StaticIterator | None:
        """An iterator that no name stands for, and whose items have not been taken."""
        return next(
            (item for key, item in self.iterators.items() if key not in self._run_over and not item.noted), None
        )

    def iterator_in(self, operand: Operand) -> StaticIterator | None:
        """An iterator that a list, or another thing that has parts, holds; or that it is."""
        known = map(self.iterators.get, map(id, _parts(operand) if self.iterators else ()))
        return next((item for item in known if item is not None), None)

    def reads_late(self, operand: Operand) -> bool:
        """Whether it is, or holds, an iterator, or a function that sees the names around it as they are when it is
        called."""
        return any(id(item) in self.iterators or _is_nested.of(item)(item) for item in _parts(operand))

    def _held(self, operand: Operand) -> set[int]:
        return {each for item in _parts(operand) if _is_list.of(item)(item) for each in self.identities(item)}


def _parts(operand: Operand) -> Iterator[Operand]:
    """An operand, and all that it is made of."""
    pending = [operand]
    while pending:
        item = pending.pop()
        yield item
        whole = taken_apart(item)
        pending.extend(() if whole is None else whole.parts)


_note_maker: Operation[object, [object], None] = Operation(lambda value, maker: None)


@_note_maker.on(StaticList)
def _note_maker_of_list(value: StaticList, maker: object) -> None:
    value.maker = maker


_is_made_by: Operation[object, [object], bool] = Operation(lambda value, maker: True)  # operators make sequences
_is_made_by.on(StaticList)(lambda value, maker: value.maker is maker)
_is_nested: Operation[object, [], bool] = Operation(lambda item: False)
_is_nested.on(NestedObject)(lambda item: True)
_is_list: Operation[object, [], bool] = Operation(lambda item: False)
_is_list.on(tuple, ir.Value)(lambda item: True)
