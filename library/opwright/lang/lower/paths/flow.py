"""Paths through a function: where each ends, and what it knows of its names.

Returns, breaks and continues are hidden names that control flow joins like any other. A path that returns sets
`%returned`; one that breaks or continues sets `%broke` or `%continued`. While all are known to be False the block goes
on; once one is known to be True the rest is not reached; in between, the rest of the block is guarded by an `If` on
none of them being set.

A branch begins as a copy of what surrounds it, which costs next to nothing, and keeps on record what it binds: where
two branches meet only those names are looked at, or a thousand `if`s among thousands of names would cost millions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto

from opwright.lang import ir
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.number_operands import carried
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import POISON, Bindings, Environment, Operand, Poison
from opwright.lang.text.source import Span
from opwright.opsets.records import NOT, OR

RETURNED, BROKE, CONTINUED = "%returned", "%broke", "%continued"
COUNT, PLACE = "%count", "%place"  # how many values are returned, and where
FRAME = "%frame"  # tells the environments of one call of a function from all others
_RESULT, _AT_BREAK = "%result.", "%at_break."
_FLAGS = (RETURNED, BROKE, CONTINUED)
_LAST = 1 << 20  # behind all that a function returns


class State(Enum):
    LIVE = auto()
    MAYBE = auto()
    ENDED = auto()


def is_hidden(name: str) -> bool:
    return name.startswith("%")


def is_flag(name: str) -> bool:
    return name in _FLAGS


def hidden_rank(name: str) -> tuple[int, str]:
    """The order of hidden names: the flags, what is said of the return, its values, what names are at a `break`."""
    known = (*_FLAGS, COUNT, PLACE)
    if name in known:
        return known.index(name), ""
    return (len(known) + int(name.removeprefix(_RESULT)), "") if is_result(name) else (_LAST, name)


def result_name(index: int) -> str:
    return f"{_RESULT}{index}"


def is_result(name: str) -> bool:
    return name.startswith(_RESULT)


def at_break(name: str) -> str:
    """The hidden name for what a name of the author's is at the `break` by which a loop is left."""
    return f"{_AT_BREAK}{name}"


def is_at_break(name: str) -> bool:
    return name.startswith(_AT_BREAK)


def authors_name(name: str) -> str:
    """The name of the author's that a name is, or that a hidden one is of."""
    return name.removeprefix(_AT_BREAK)


def state_of(env: Environment) -> State:
    state = State.LIVE
    for flag in _FLAGS:
        value = env.get(flag, False)
        if value is True:
            return State.ENDED
        if value is not False:
            state = State.MAYBE
    return state


def revive(env: Environment) -> None:
    """The environment where the guard has found that no flag is set."""
    for flag in _FLAGS:
        if flag in env:
            env[flag] = False


def possible_ends(env: Environment) -> tuple[str, ...]:
    """The flags that may be set."""
    return tuple(flag for flag in _FLAGS if env.get(flag, False) is not False)


def end(env: Environment) -> None:
    """The environment where the guard has found that a flag is set: which, if only one can be."""
    possible = possible_ends(env)
    if len(possible) == 1:
        env[possible[0]] = True


# What stands for a number of results that is none, and for a tuple of one, which is not the same as its item.
NOTHING, TUPLE_OF_ONE = -1, -2


def place_of(env: Environment) -> Span | None:
    """Where a path has returned; None where it has not."""
    place = env.get(PLACE)
    match place:
        case (int() as line, int() as column, int() as end_line, int() as end_column):
            return (line, column, end_line, end_column)
    return None


def set_returned(env: Environment, values: tuple[Operand, ...] | None, span: Span, as_tuple: bool = False) -> None:
    env[RETURNED] = True
    env[PLACE] = span
    env[COUNT] = NOTHING if values is None else TUPLE_OF_ONE if as_tuple and len(values) == 1 else len(values)
    for index, value in enumerate(values or ()):
        env[result_name(index)] = value


def set_broke(low: Lowering, env: Environment) -> None:
    """The path leaves a loop by `break`. Notes what those names are that the loop wants to know."""
    env[BROKE] = True
    for name in low.loops.noting[-1]:
        env[at_break(name)] = env[name]


def poison_return(env: Environment, span: Span) -> None:
    """The path has returned, and what it returned is wrong."""
    env[RETURNED] = True
    env[PLACE] = span
    env[COUNT] = POISON


def returned_values(env: Environment) -> tuple[Operand, ...] | None:
    """What a path returned that has returned; None for a plain `return`, and where loops without an end keep every
    path from any. Poisoned where one of them is wrong."""
    count = env.get(COUNT, NOTHING)
    if isinstance(count, Poison):
        raise Poisoned
    if count == NOTHING:
        return None
    count = 1 if count == TUPLE_OF_ONE else count
    assert isinstance(count, int)
    values = tuple(env.get(result_name(index), POISON) for index in range(count))
    if POISON in values:
        raise Poisoned
    return values


def returns_tuple(env: Environment) -> bool:
    """Whether what a path returned that has returned is a tuple in Python: of several values, or of one."""
    return env.get(COUNT) != 1


def set_flags(low: Lowering, env: Environment, flags: Sequence[str], span: Span) -> ir.Value | bool:
    """Whether any of the flags is set, as a BOOL of rank 0 where that is known at run time only."""
    found: ir.Value | None = None
    for flag in flags:
        value = env.get(flag, False)
        if value is True:
            return True
        if value is False:
            continue
        made = carried(low, value, span)
        assert isinstance(made, ir.Value)
        found = made if found is None else _emit(low, OR.name, [found, made], span)
    return False if found is None else found


def none_set(low: Lowering, env: Environment, flags: Sequence[str], span: Span) -> ir.Value | bool:
    """The opposite: whether the path goes on."""
    found = set_flags(low, env, flags, span)
    return not found if isinstance(found, bool) else _emit(low, NOT.name, [found], span)


def goes_on(low: Lowering, env: Environment, span: Span) -> ir.Value:
    """The guard of the rest of a block after which some paths have ended."""
    found = none_set(low, env, _FLAGS, span)
    assert isinstance(found, ir.Value)
    return found


def _emit(low: Lowering, name: str, inputs: list[ir.Value], span: Span) -> ir.Value:
    return as_number(Writer(low, span)(name, *inputs), ir.NumberKind.BOOL)


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
