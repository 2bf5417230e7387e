"""What an object is, without asking the object."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

_Kind = TypeVar("_Kind")


def is_of(value: object, kind: type[_Kind]) -> TypeGuard[_Kind]:
    """As isinstance, which would also ask the value itself for its class: that may raise anything."""
    return issubclass(type(value), kind)
