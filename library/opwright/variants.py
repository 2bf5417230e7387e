"""Which variant of a function a call means, and what the variants are called.

A variant's key is a list of (axis, value) in declaration order (see `lang/facts.py` for the axes). The compiler, the
linker and `OnnxFunction` all choose with `match_variants` and name with `overload_of` and `portable_name`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

Key = tuple[tuple[str, str], ...]

OTHER = "other"  # a rank that no variant beside this one names
NOT = "not:"  # `not:3|4`: a rank that is none of these, where some of them have no variant at all


class Keyed(Protocol):
    """Whatever has a variant's key: a body in a bundle, a compiled function."""

    @property
    def variant(self) -> Key: ...


Variant = TypeVar("Variant", bound=Keyed)

# The spellings under which a key may name what is known on an axis; None when nothing is known.
Known = Callable[[str], tuple[str, ...] | None]


class Match(Generic[Variant]):
    """The variants against which nothing known speaks, and the axes of theirs about which nothing is known."""

    __slots__ = ("fitting", "open_axes")

    def __init__(self, fitting: tuple[Variant, ...], open_axes: tuple[str, ...]) -> None:
        self.fitting = fitting
        self.open_axes = open_axes


def match_variants(variants: Sequence[Variant], known: Known) -> Match[Variant]:
    """Compares each key with the facts of a call. More than one fits only where a fact is missing."""
    facts = {axis: known(axis) for axis in dict.fromkeys(axis for item in variants for axis, _ in item.variant)}
    keys = [dict(item.variant) for item in variants]
    kept = tuple(
        item
        for item in variants
        if all(_fits(value, facts[axis]) for axis, value in item.variant)
        and not any(_is_meant(exact, item.variant, facts) for exact in keys)
    )
    open_axes = dict.fromkeys(axis for item in kept for axis, _ in item.variant if facts[axis] is None)
    return Match(kept, tuple(open_axes))


def _fits(value: str, actual: tuple[str, ...] | None) -> bool:
    if actual is None or value in actual or value == OTHER:
        return True
    return value.startswith(NOT) and not any(item in value.removeprefix(NOT).split("|") for item in actual)


def _is_meant(exact: dict[str, str], key: Key, facts: dict[str, tuple[str, ...] | None]) -> bool:
    """Whether `exact` names the very value of an axis on which `key` has `other`, where they agree on all the rest.

    It may be that neither of them is for the call: then the value is one that has no variant.
    """
    named = False
    for axis, value in key:
        other = exact.get(axis, value)
        if other == value:
            continue
        if value != OTHER or other not in (facts[axis] or ()):
            return False
        named = True
    return named


def one_of(match: Match[Variant], content: Callable[[Variant], Hashable]) -> Variant | None:
    """The variant to use: the only one that fits, or the first of several that are the same; None where they differ."""
    if not match.fitting or len({content(item) for item in match.fitting}) > 1:
        return None
    return match.fitting[0]


# --------------------------------------------------------------------------------------------------- names


def labels(keys: Sequence[Key], contents: Sequence[Hashable]) -> list[Key]:
    """What each variant is named by: the key of the first one that is equal to it; nothing where all are equal."""
    if len(set(contents)) <= 1:
        return [()] * len(keys)
    first: dict[Hashable, Key] = {}
    for key, content in zip(keys, contents, strict=True):
        first.setdefault(content, key)
    return [first[content] for content in contents]


def overload_of(key: Iterable[tuple[str, str]]) -> str:
    """`axis=value` pairs in declaration order, joined by commas: the overload of a FunctionProto."""
    return ",".join(f"{axis}={_plain(value)}" for axis, value in key)


def _plain(value: str) -> str:
    """The value without anything that separates pairs or that a name cannot hold, percent-encoded as in an URL."""
    if all(_is_plain(char) for char in value):
        return value
    return "".join(chr(byte) if _is_plain(chr(byte)) else f"%{byte:02X}" for byte in value.encode())


def _is_plain(char: str) -> bool:
    return "!" <= char <= "~" and char not in "%,=@"


def portable_name(name: str, overload: str) -> str:
    """The variant in the name, for consumers that ignore overloads: `Clip__min_absent__max_present`."""
    return name + "".join(f"__{_identifier(part)}" for part in overload.split(",")) if overload else name


def _identifier(part: str) -> str:
    """An identifier's characters alone; the others as their code point, so that different parts stay different."""
    if part.startswith("@"):
        part = f"since={part[1:]}"
    return "".join(
        char if char.isalnum() and char.isascii() else "_" if char == "=" else _escape(char) for char in part
    )


def _escape(char: str) -> str:
    return "_" if char == "_" else f"_x{ord(char):x}_"
