"""Checks that a trial which is rolled back leaves nothing behind.

With `OPWRIGHT_CHECK_TRIALS=1` every trial of the tests and of the generated programs is checked: a fingerprint of all
state that lowering can reach is taken before the trial and after its rollback, and a change that went around the trail
fails. That takes time in proportion to the state for each trial, so that it is off otherwise.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from opwright.builder.origins import Origins
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.paths import speculate
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import Environment
from opwright.lang.meaning.resolve import ModuleScope
from opwright.lang.schema_reads import Narrowing
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module
from opwright.lang.trail import Trail
from opwright.opsets.signatures import Signature

# A place: the place that holds it, and how it is reached from there.
Path = tuple["Path | None", object]

_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes))

# What never changes, or is no part of what is lowered; told apart by identity.
_OPAQUE = (
    ast.AST,
    BuiltinFunctionType,
    ElementType,
    Enum,
    FunctionType,
    MethodType,
    Module,
    ModuleScope,  # remembers what module-level names mean: that is the same after a rollback
    ModuleType,
    Narrowing,  # that it was looked at counts, trials included
    Origins,  # remembers the lines that nodes come from: they are the same after a rollback
    Signature,
    Source,
    Trail,
    ir.FunctionReference,
    ir.Operator,
    type,
)

# What a rollback leaves as it is, on purpose.
_LASTING = {
    "_operators",  # a cache of schemas
    "_liveness",  # a cache of what each function reads
    "_makers",  # a cache of which node makes each value
    "_noted",  # after how many marks a name has changed, which are more after the rollback
    "looked_up",  # what the function depends on, trials included
    "data",  # what eager values are, which names around a function hold on to
    "relied_on",  # what a choice followed from, also one whose trial failed for it
    "rank_reads",  # likewise: how often the rank of a list's items was asked for
    "plans",  # what trials have found out about loops
    "first_statements",  # where each of them stands
    "agreed",  # under which types they carry names
    "deepest",  # a bound: how deep graphs have stood, those of trials that failed too
    "run",  # functions that are called, as they were when they were called first
    "existing",  # likewise functions that are protos
}


def check_trials() -> None:
    """Checks each trial from now on, where the environment asks for it."""
    if os.environ.get("OPWRIGHT_CHECK_TRIALS") == "1":
        speculate.watch = watch


def watch(low: Lowering, env: Environment | None) -> Callable[[], None]:
    """Takes the fingerprint before a trial; the result compares it with that after the rollback."""
    before = fingerprint(low, env)

    def compare() -> None:
        after = fingerprint(low, env)
        if before != after:
            shared = enumerate(zip(before, after, strict=False))
            index = next((number for number, (old, new) in shared if old != new), min(len(before), len(after)))
            path = paths(low, env)[: index + 1][-1]
            raise AssertionError(f"a trial was rolled back, and a change of it stayed at or before {path}")

    return compare


def fingerprint(*roots: object) -> list[object]:
    """Every place that can be reached from the roots: a value, or an identity where the object is mutable."""
    return [mark for _, mark in _walk(roots)]


def paths(*roots: object) -> list[str]:
    """Where each place of the fingerprint stands."""
    return [path() for path, _ in _walk(roots)]


def _walk(roots: tuple[object, ...]) -> Iterator[tuple[Callable[[], str], object]]:
    seen: dict[int, int] = {}
    pending: list[tuple[Path, object]] = [((None, number), root) for number, root in enumerate(roots)]
    while pending:
        path, value = pending.pop()
        kind = type(value)
        if kind in _PLAIN:
            yield partial(_text, path), (kind, repr(value) if kind is float else value)
        elif id(value) in seen:
            yield partial(_text, path), seen[id(value)]
        elif _is_opaque(kind):
            yield partial(_text, path), id(value)
        else:
            seen[id(value)] = len(seen)
            yield partial(_text, path), id(value)
            pending.extend(((path, step), part) for step, part in _parts(value))


def _text(path: Path) -> str:
    steps: list[str] = []
    here: Path | None = path
    while here is not None:
        here, step = here
        steps.append(str(step))
    return " ".join(reversed(steps))


@cache
def _is_opaque(kind: type) -> bool:
    ours = issubclass(kind, (list, tuple, dict, set, frozenset)) or kind.__module__.startswith("opwright.")
    return issubclass(kind, _OPAQUE) or not ours


def _parts(value: object) -> list[tuple[object, object]]:
    found: list[tuple[object, object]] = []
    if isinstance(value, dict):
        texts = all(isinstance(key, str) for key in value)
        for key in sorted(value) if texts else value:
            name = key if isinstance(key, (str, int)) else f"{type(key).__name__} {id(key)}"
            found.append(("key", name))
            found.append((f"[{name}]", value[key]))
    elif isinstance(value, (list, tuple)):
        found.append(("length", len(value)))
        found.extend(enumerate(value))
    elif isinstance(value, (set, frozenset)):
        found.append(("items", repr(sorted(item if isinstance(item, int) else id(item) for item in value))))
    for name in (*getattr(value, "__dict__", ()), *_slots(type(value))):
        if name not in _LASTING and hasattr(value, name):
            found.append((f".{name}", getattr(value, name)))
    return found


@cache
def _slots(kind: type) -> tuple[str, ...]:
    found: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        found.extend((slots,) if isinstance(slots, str) else slots)
    return tuple(found)
