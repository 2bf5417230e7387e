"""The names of values and nodes: each once in a model, the same in every run of the same program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from opwright.eager.settings import restore
from opwright.lang import ir
from opwright.lang.trail import Trail

# The scopes that are open, outermost first, each with the builder that it is of.
_OPEN: ContextVar[tuple[tuple[object, str], ...]] = ContextVar("opwright_scopes", default=())


def path_of(owner: object) -> str:
    """The scopes of a builder that are open in this thread or task: `"encoder/layer/"`, or nothing."""
    return "".join(f"{name}/" for builder, name in _OPEN.get() if builder is owner)


@contextmanager
def open_scope(owner: object, name: str) -> Iterator[None]:
    token = _OPEN.set((*_OPEN.get(), (owner, name)))
    try:
        yield
    finally:
        restore(_OPEN, token)


class Names:
    """The names that are taken in one model."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._taken: dict[str, ir.Value | None] = {}
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def take(self, name: str) -> None:
        """What the author has named: nothing else gets the name."""
        self._trail.put(self._taken, name, None)

    def give_up(self, name: str) -> bool:
        """Frees a name for the author, where a value has it that he has not named; False where it is his."""
        holder = self._taken.get(name)
        if holder is not None:
            holder.rename(self.fresh(name, holder), self._trail)
            self._trail.put(self._taken, name, None)
        return holder is not None or name not in self._taken

    def fresh(self, hint: str, holder: ir.Value) -> str:
        """`hint`, or the first of `hint_1`, `hint_2`, ... that is free."""
        name, count = hint, self._counts.get(hint, 0)
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._trail.put(self._counts, hint, count)
        self._trail.put(self._taken, name, holder)
        return name
