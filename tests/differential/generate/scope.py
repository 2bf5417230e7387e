"""What is in scope at a point of a generated program, and which names may be given which types there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.differential.generate.types import (
    FLOATS,
    INTEGERS,
    Axes,
    Items,
    Listed,
    Loose,
    Maybe,
    Number,
    Tensor,
    Text,
    Type,
    Weak,
    join,
    meets,
)

LOCALS = ("a", "b", "c", "d", "e", "s", "t", "u")


class Scope:
    """The names that surely have a value, and what a statement here may do to them.

    `kept` names may be assigned a value of their own type only (a loop carries them), `locked` names not at all.
    `gone` names have a value on some paths; nobody reads them, and loops do not use them again.
    """

    def __init__(self, elements: dict[str, tuple[str, ...]]) -> None:
        self.names: dict[str, Type] = {}
        self.elements = elements  # what each type variable admits here
        self.kept: frozenset[str] = frozenset()
        self.locked: frozenset[str] = frozenset()
        self.gone: set[str] = set()
        self.given: frozenset[str] = frozenset()  # the names that still stand for the parameter of that name
        self.loops = 0
        self.depth = 0

    def copy(self) -> Scope:
        other = Scope(self.elements)
        other.names = dict(self.names)
        other.kept, other.locked, other.gone = self.kept, self.locked, set(self.gone)
        other.given = self.given
        other.loops, other.depth = self.loops, self.depth
        return other

    def without(self, name: str) -> Scope:
        """The scope before a name was bound."""
        other = self.copy()
        other.forget(name)
        return other

    # ------------------------------------------------------------------------------------------------- questions

    def admitted(self, element: str) -> tuple[str, ...]:
        return self.elements.get(element, (element,))

    def is_float(self, element: str) -> bool:
        return all(item in FLOATS for item in self.admitted(element))

    def is_integer(self, element: str) -> bool:
        return all(item in INTEGERS for item in self.admitted(element))

    def is_numeric(self, element: str) -> bool:
        return all(item != "bool" for item in self.admitted(element))

    def meets(self, number: Number, element: str) -> bool:
        return all(meets(number, item) for item in self.admitted(element))

    def find(self, wanted: Callable[[Type], bool]) -> list[str]:
        return [name for name, type_ in self.names.items() if wanted(type_)]

    def tensors(self, element: str, shapes: frozenset[str] | None = None) -> list[str]:
        return self.find(
            lambda type_: (
                isinstance(type_, Tensor) and type_.element == element and (shapes is None or type_.shape in shapes)
            )
        )

    def all_tensors(self) -> Iterator[tuple[str, Tensor]]:
        for name, type_ in self.names.items():
            if isinstance(type_, Tensor):
                yield name, type_

    # ----------------------------------------------------------------------------------------------- assignments

    def targets(self, value: Type, fresh: tuple[str, ...] = LOCALS) -> list[str]:
        """The names that may be given a value of this type here."""
        found = [name for name in fresh if name not in self.names and not (self.loops and name in self.gone)]
        for name, type_ in self.names.items():
            if name in self.locked or isinstance(type_, (Axes, Listed, Maybe, Text)):
                continue
            if name not in self.kept or self.may_become(type_, value):
                found.append(name)
        return [name for name in found if name not in self.locked]

    def may_become(self, type_: Type, value: Type) -> bool:
        """Whether a value keeps to the type under which a loop carries a name."""
        match type_, value:
            case Number(), Number():
                return type_.kind == value.kind and type_.value is None
            case Tensor(), Tensor():
                return type_.element == value.element and type_.shape in (value.shape, "any")
            case Loose(), Tensor() | Loose():
                return type_.element == value.element
            case Weak(), Tensor() | Weak():
                return type_.element == value.element and type_.shape in (value.shape, "any")
            case Weak(), Number():
                return self.meets(value, type_.element)
            case Items(), Items() if len(type_.items) == len(value.items):
                return all(self.may_become(one, other) for one, other in zip(type_.items, value.items, strict=True))
        return False

    def bind(self, name: str, value: Type) -> None:
        if name not in self.kept:
            self.names[name] = value
            self.gone.discard(name)
        self.given -= {name}

    def forget(self, name: str) -> None:
        self.names.pop(name, None)
        self.given -= {name}

    def widen(self, name: str) -> None:
        """The type under which a loop carries a name: any shape, no known value."""
        self.names[name] = widened(self.names[name])

    def merge(self, first: Scope, second: Scope) -> None:
        """After two paths that both come here."""
        names = dict.fromkeys([*first.names, *second.names])
        self.gone |= first.gone | second.gone
        self.given = first.given & second.given
        merged: dict[str, Type] = {}
        for name in names:
            one, other = first.names.get(name), second.names.get(name)
            both = None if one is None or other is None else join(one, other, self.meets)
            if both is None:
                self.gone.add(name)
            else:
                merged[name] = both
        self.names = merged
        self.given &= frozenset(merged)


def widened(type_: Type) -> Type:
    match type_:
        case Number():
            return Number(type_.kind)
        case Tensor():
            return Tensor(type_.element, "any")
        case Weak():
            return Weak(type_.element, "any")
        case Items():
            return Items(tuple(widened(item) for item in type_.items))
    return type_
