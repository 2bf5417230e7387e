"""What a path knows of its names, and which of them it has bound.

A branch begins as a copy of what surrounds it, which costs next to nothing, and keeps on record what it binds: where
two branches meet only those names are looked at, or a thousand `if`s among thousands of names would cost millions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from opwright.lang.lower.flow import hidden_rank, is_hidden
from opwright.lang.lower.operands import Bindings, Environment, Operand


class Branch(dict[str, Operand]):
    """An environment that starts as `outer` was and knows which of its names have been bound or deleted since."""

    __slots__ = ("changed",)

    def __init__(self, outer: Environment) -> None:
        super().__init__(outer)
        self.changed: dict[str, None] = {}

    def __setitem__(self, name: str, operand: Operand) -> None:
        self.changed[name] = None
        super().__setitem__(name, operand)

    def __delitem__(self, name: str) -> None:
        self.changed[name] = None
        super().__delitem__(name)

    def update(self, other: Bindings = (), /, **operands: Operand) -> None:
        for name, operand in dict(other, **operands).items():
            self[name] = operand

    def clear(self) -> None:
        self.changed.update(dict.fromkeys(self))
        super().clear()


class EnvironmentCopy:
    """What an environment holds at one moment, for a trial that may bind other things in it."""

    __slots__ = ("_changed", "_env", "_operands")

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._operands = dict(env)
        self._changed = dict(env.changed) if isinstance(env, Branch) else None

    def restore(self) -> None:
        dict.clear(self._env)
        dict.update(self._env, self._operands)
        if isinstance(self._env, Branch) and self._changed is not None:
            self._env.changed.clear()
            self._env.changed.update(self._changed)


def changed_names(branches: Iterable[Branch], positions: Mapping[str, int]) -> list[str]:
    """What any of the branches has bound or deleted, in the order in which the function first binds its names. Those
    that a refused statement takes from elsewhere follow."""
    names = dict.fromkeys(name for branch in branches for name in branch.changed)
    if len(names) < 2:
        return list(names)

    def rank(name: str) -> tuple[int, str]:
        if name in positions:
            return positions[name], ""
        place, hidden = hidden_rank(name) if is_hidden(name) else (-1, name)
        return len(positions) + 1 + place, hidden

    return sorted(names, key=rank)
