"""Operations on operands by their class: a table of rules, and one for every other class.

An operation is a function of its operand's class, which is often one of Python's own (`int`, `tuple`), so it cannot be
a method. A rule stands beside the operation for operands that are known there; a new kind of operand registers its own
rules in the file of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

Operand = TypeVar("Operand")
Kind = TypeVar("Kind")
Rest = ParamSpec("Rest")
Result = TypeVar("Result")
Rule = TypeVar("Rule")


def by_class(table: dict[type, Rule], kind: type) -> Rule | None:
    """What a table has for a class, or for the nearest that it is derived from, which is noted there then."""
    found = table.get(kind)
    if found is None:
        found = next((table[base] for base in kind.__mro__ if base in table), None)
        if found is not None:
            table[kind] = found
    return found


class Operation(Generic[Operand, Rest, Result]):
    """What is done by an operand's class. A class without a rule takes that of its nearest base class."""

    __slots__ = ("_otherwise", "_rules")

    def __init__(self, otherwise: Callable[Concatenate[Operand, Rest], Result]) -> None:
        self._otherwise = otherwise
        self._rules: dict[type, Callable[Concatenate[Operand, Rest], Result]] = {}

    def on(
        self, *classes: type[Kind]
    ) -> Callable[[Callable[Concatenate[Kind, Rest], Result]], Callable[Concatenate[Kind, Rest], Result]]:
        """Registers the rule for operands of these classes."""

        def register(rule: Callable[Concatenate[Kind, Rest], Result]) -> Callable[Concatenate[Kind, Rest], Result]:
            for class_ in classes:
                # The table gives a rule to operands of its class alone, which its type cannot say.
                self._rules[class_] = cast("Callable[Concatenate[Operand, Rest], Result]", rule)
            return rule

        return register

    def of(self, operand: Operand) -> Callable[Concatenate[Operand, Rest], Result]:
        """The rule for an operand."""
        found = by_class(self._rules, type(operand))
        if found is None:
            found = self._rules[type(operand)] = self._otherwise
        return found
