"""Which variant of a function a call means, and what the variants are called.

A variant's key is a list of (axis, value) in declaration order (see `lang/facts.py` for the axes). The compiler, the
linker and `OnnxFunction` all choose with `match_variants` and name with `overload_of` and `portable_name`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import Generic, NoReturn, Protocol, TypeVar
from urllib.parse import unquote

Key = tuple[tuple[str, str], ...]

OTHER = "other"  # a rank that no other variant names
NOT = "not:"  # `not:3|4`: a rank that is none of these, where some of them have no variant at all


class Profile(Enum):
    """The two ways in which a model tells the variants of a function apart.

    `portable` is right everywhere. `overload` needs IR 10 and onnxruntime 1.27: older ones run the last function of the
    name, as the reference evaluator does.
    """

    PORTABLE = "portable"  # by name
    OVERLOAD = "overload"  # by overload, but of those that functions call: no runtime finds them there

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        """ValueError that names the profiles."""
        raise ValueError(f"`profile` is {' or '.join(repr(item.value) for item in cls)}, not {value!r}")


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


class VariantTable(Generic[Variant]):
    """Variants to choose among. Whoever chooses among the same ones often keeps it: their keys are read once."""

    __slots__ = ("_all", "_keys", "_others", "_values", "_without", "variants")

    def __init__(self, variants: Sequence[Variant]) -> None:
        self.variants = variants
        self._all = (1 << len(variants)) - 1  # sets of variants are bits
        self._values: dict[str, dict[str, int]] = {}  # by axis and value, the variants that have it
        for position, item in enumerate(variants):
            for axis, value in item.variant:
                having = self._values.setdefault(axis, {})
                having[value] = having.get(value, 0) | 1 << position
        self._without = {axis: self._all & ~_union(having.values()) for axis, having in self._values.items()}
        self._others = [position for position, item in enumerate(variants) if _has_other(item.variant)]
        self._keys = [dict(item.variant) for item in variants] if self._others else []

    def match(self, known: Known) -> Match[Variant]:
        """Compares each key with the facts of a call. More than one fits only where a fact is missing."""
        facts = {axis: known(axis) for axis in self._values}
        kept = self._all
        for axis, actual in facts.items():
            if actual is not None:
                values = self._values[axis].items()
                kept &= self._without[axis] | _union(having for value, having in values if _fits(value, actual))
        for position in self._others:
            key = self.variants[position].variant
            if kept >> position & 1 and any(_is_meant(exact, key, facts) for exact in self._keys):
                kept &= ~(1 << position)
        fitting = tuple(item for position, item in enumerate(self.variants) if kept >> position & 1)
        open_axes = dict.fromkeys(axis for item in fitting for axis, _ in item.variant if facts[axis] is None)
        return Match(fitting, tuple(open_axes))


def match_variants(variants: Sequence[Variant], known: Known) -> Match[Variant]:
    """What a `VariantTable` of them gives."""
    return VariantTable(variants).match(known)


def _union(sets: Iterable[int]) -> int:
    found = 0
    for item in sets:
        found |= item
    return found


def _has_other(key: Key) -> bool:
    return any(value == OTHER for _, value in key)


def _fits(value: str, actual: tuple[str, ...]) -> bool:
    if value in actual or value == OTHER:
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


def portable_name(name: str, key: Key, since_version: int = 0) -> str:
    """The variant in the name: `Clip__min_present__max_absent`, of another version `Swish__since_1__T_float`.

    Letters, digits and `_` alone (besides what `name` has), and two keys or versions never give one name. `__` stands
    before each pair, and the last `_` of a pair before its value. `x.rank` becomes `x_rank`. Any other character is
    `X` and two hexadecimal digits for each byte of its UTF-8 form, as is what would be mistaken for one of these signs:
    an `_` in a value, two of them in an axis, an `X` before such digits.
    """
    version = [f"since_{since_version}"] if since_version else []
    return "__".join([name, *version, *(f"{_axis_name(axis)}_{_value_name(value)}" for axis, value in key)])


def possible_bases(name: str) -> list[str]:
    """The names of functions of which this may be a variant's name, its own first."""
    return [name, *(name[: match.start()] for match in re.finditer("(?<=.)(?=__)", name))]


def name_of_overload(name: str, overload: str) -> str:
    """The name that stands for a name and an overload: that of `portable_name` where `overload_of` made the overload,
    else with the whole overload as one sign without `_`: `add__Tensor`."""
    if not overload:
        return name
    first, _, rest = overload.partition(",")
    since = first[1:] if first.startswith("@") and first[1:].isdecimal() and first.isascii() else ""
    pairs = [pair.partition("=") for pair in ((rest if since else overload).split(",") if rest or not since else ())]
    key = tuple((axis, unquote(value)) for axis, _, value in pairs)
    if overload == ",".join(filter(None, (since and f"@{int(since)}", overload_of(key)))):
        return portable_name(name, key, int(since or 0))
    return f"{name}__{_value_name(overload)}"


_RANK, _RANK_NAME = ".rank", "_rank"  # the end of the axis of an input's rank, and in names
_EMPTY = "XFF"  # no byte of UTF-8
_ESCAPE_LIKE = re.compile("X(?=[0-9A-F]{2})")
_NOT_IN_VALUES = re.compile("[^0-9A-Za-z]")
_NOT_IN_AXES = re.compile("[^0-9A-Za-z_]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")


def _axis_name(axis: str) -> str:
    if axis == "since":
        return _hexadecimal("s") + "ince"
    start, end = axis, ""
    if axis.endswith(_RANK):
        start, end = axis.removesuffix(_RANK), _RANK_NAME
    elif axis.endswith(_RANK_NAME):
        start, end = axis.removesuffix(_RANK_NAME), f"{_hexadecimal('_')}rank"
    return _escaped(start, _NOT_IN_AXES) + end


def _value_name(value: str) -> str:
    return _escaped(value, _NOT_IN_VALUES) if value else _EMPTY


def _escaped(text: str, unwanted: re.Pattern[str]) -> str:
    found = _ESCAPE_LIKE.sub(_hexadecimal("X"), text)
    return unwanted.sub(lambda match: _hexadecimal(match[0]), found)


def _hexadecimal(char: str) -> str:
    return "".join(f"X{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
