"""Frozen dataclasses as bytes and back, so that one action's result can be another one's input.

Fields are encoded by their declared types; mappings keep their order. Paths must be relative.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from opwright_build.engine.content_digest import Json

T = TypeVar("T")


def encode_value(value: object) -> bytes:
    """The one encoding of a value. TypeError on what is neither plain data nor a dataclass of such."""
    return json.dumps(_encode(value), separators=(",", ":"), allow_nan=False).encode("ascii")


def decode_value(kind: type[T], data: bytes) -> T:
    """The value of type `kind` that `encode_value` wrote."""
    return cast(T, _decode(kind, json.loads(data)))


_PLAIN = frozenset((type(None), bool, int, str))


def _encode(value: object) -> Json:
    kind = type(value)
    if kind in _PLAIN:
        return cast(Json, value)
    if kind is tuple or kind is list:
        return _encode_each(cast(Sequence[object], value))
    fields_of = _reader_of_fields(cast(type, kind))
    if fields_of is not None:
        return _encode_each(fields_of(value))
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": repr(value)}
        case bytes():
            return {"bytes": value.hex()}
        case Enum():
            return cast(Json, value.value)
        case Path():
            if value.is_absolute():
                raise TypeError(f"an absolute path must not travel between actions: {value}")
            return value.as_posix()
        case Mapping():
            return [_encode_each(pair) for pair in value.items()]
        case tuple() | list():
            return _encode_each(value)
    raise TypeError(f"no encoding for {type(value).__name__}")


def _encode_each(values: Sequence[Any]) -> list[Json]:
    # (Most are texts and numbers, for which a call takes longer than the rest.)
    return [item if type(item) in _PLAIN else _encode(item) for item in values]


@cache
def _reader_of_fields(kind: type) -> Callable[[object], Sequence[object]] | None:
    """What gives the fields of a dataclass that is nothing else; None for other types."""
    if not is_dataclass(kind) or issubclass(
        kind, bool | int | str | float | bytes | Enum | Path | Mapping | tuple | list
    ):
        return None
    names = [field.name for field in fields(kind)]
    if len(names) < 2:  # of which `attrgetter` gives no tuple
        return lambda value: [getattr(value, name) for name in names]
    return attrgetter(*names)


_Decoder = Callable[[Any], Any]


def _decode(kind: Any, value: Any) -> Any:
    return _decoder(kind)(value)


def _same(value: Any) -> Any:
    return value


def _special(value: Any) -> Any:
    """What JSON has no form for stands in an object."""
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"]) if "bytes" in value else float(value["float"])
    return value


@cache
def _decoder(kind: Any) -> _Decoder:
    """What decodes values of a type, made once."""
    origin = get_origin(kind)
    arguments = get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_decoder(arguments)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            item = _decoder(arguments[0])
            return tuple if item is _same else lambda value: tuple([item(part) for part in value])
        items = [_decoder(argument) for argument in arguments]
        return lambda value: tuple([each(part) for each, part in zip(items, value, strict=True)])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, item = map(_decoder, arguments)
        return lambda value: {key(left): item(right) for left, right in value}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        item = _decoder(arguments[0])
        return lambda value: [item(part) for part in value]
    if is_dataclass(kind):
        return _dataclass_decoder(cast(type, kind))
    if isinstance(kind, type) and issubclass(kind, Enum | Path):
        return kind
    return _same if kind in _PLAIN else _special


def _dataclass_decoder(kind: type) -> _Decoder:
    made: list[_Decoder] = []  # on the first use, since a type may have fields of itself

    def decode(value: Any) -> Any:
        if not made:
            hints = get_type_hints(kind)
            made.extend(_decoder(hints[field.name]) for field in fields(kind))
        return kind(*[each(part) for each, part in zip(made, value, strict=True)])

    return decode


def _union_decoder(kinds: tuple[Any, ...]) -> _Decoder:
    """The member is told by the value itself; of several dataclasses in one union none could be told apart."""
    members = [kind for kind in kinds if kind is not type(None)]
    if len(members) == 1:
        item = _decoder(members[0])
        return lambda value: None if value is None else item(value)
    if any(is_dataclass(kind) for kind in members):
        raise TypeError(f"a union of {len(members)} types with dataclasses among them cannot be decoded")
    return lambda value: tuple(map(_special, value)) if isinstance(value, list) else _special(value)
