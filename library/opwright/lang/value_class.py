"""The classes of values that pass from one stage of the compiler to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, field
from operator import attrgetter
from types import FunctionType
from typing import TypeVar, dataclass_transform

Record = TypeVar("Record")
_Equality = Callable[[object, object], bool]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Record]) -> type[Record]:
    """A frozen data class to type checkers. To Python it is a plain slotted one, which is made three times as fast: a
    function of ten lines takes twenty of them, a twentieth of its compile time.

    Its methods are made here: `dataclass` compiles the text of each by itself, and the first call in a process imports
    two dozen of such classes.
    """
    cls.__doc__ = cls.__doc__ or cls.__name__  # else one is made of the signature
    made = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    declared: dict[str, Field[object]] = vars(made)["__dataclass_fields__"]
    for method in (_initialiser(declared.values()), *_methods(made.__qualname__, [*declared])):
        setattr(made, method.__name__, method)
    return made


class _Left:
    """What stands for an argument that is left out, where each call makes the default anew."""


def _initialiser(declared: Iterable[Field[object]]) -> FunctionType:
    """`__init__`, which takes the fields in their order."""
    names: dict[str, object] = {"_left": _Left}
    parameters, lines = ["self"], []
    for number, item in enumerate(declared):
        name, default = item.name, f"_default_{number}"
        value = name
        if item.default_factory is not MISSING:
            names[default] = item.default_factory
            parameters.append(f"{name}=_left")
            value = f"{default}() if {name} is _left else {name}"
        elif item.default is not MISSING:
            names[default] = item.default
            parameters.append(f"{name}={default}")
        else:
            parameters.append(name)
        lines.append(f"    self.{name} = {value}")
    made: dict[str, FunctionType] = {}
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines]), names, made)
    return made["__init__"]


def _methods(label: str, names: list[str]) -> tuple[_Equality, Callable[[object], int], Callable[[object], str]]:
    """What all fields together decide: equality, hash and the text for people."""
    one = attrgetter(names[0])
    values: Callable[[object], tuple[object, ...]] = attrgetter(*names) if len(names) > 1 else lambda of: (one(of),)

    def __eq__(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: object) -> int:
        return hash(values(self))

    def __repr__(self: object) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(names, values(self), strict=True))
        return f"{label}({shown})"

    return __eq__, __hash__, __repr__
