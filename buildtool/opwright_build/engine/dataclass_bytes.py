"""Frozen dataclasses as bytes and back, so that one action's result can be another one's input.

Fields are encoded by their declared types; mappings keep their order. Paths must be relative.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
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


def _encode(value: object) -> Json:
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
            return [[_encode(key), _encode(item)] for key, item in value.items()]
        case tuple() | list():
            return [_encode(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [_encode(getattr(value, field.name)) for field in fields(value)]
    raise TypeError(f"no encoding for {type(value).__name__}")


@cache
def _field_types(kind: type) -> tuple[Any, ...]:
    hints = get_type_hints(kind)
    return tuple(hints[field.name] for field in fields(kind))


def _decode(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(kind), value)
    if origin is tuple:
        arguments = get_args(kind)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_decode(arguments[0], item) for item in value)
        return tuple(_decode(argument, item) for argument, item in zip(arguments, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, item = get_args(kind)
        return {_decode(key, left): _decode(item, right) for left, right in value}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return [_decode(get_args(kind)[0], item) for item in value]
    if is_dataclass(kind):
        return cast(type, kind)(
            *(_decode(hint, item) for hint, item in zip(_field_types(cast(type, kind)), value, strict=True))
        )
    if isinstance(kind, type) and issubclass(kind, Enum | Path):
        return kind(value)
    if isinstance(value, dict):
        return bytes.fromhex(value["bytes"]) if "bytes" in value else float(value["float"])
    return value


def _decode_union(kinds: tuple[Any, ...], value: Any) -> Any:
    """The member is told by the value itself; of several dataclasses in one union none could be told apart."""
    if value is None:
        return None
    members = [kind for kind in kinds if kind is not type(None)]
    if len(members) == 1:
        return _decode(members[0], value)
    structured = [kind for kind in members if is_dataclass(kind)]
    if structured:
        raise TypeError(f"a union of {len(members)} types with dataclasses among them cannot be decoded")
    if isinstance(value, list):
        return tuple(_decode(object, item) for item in value)
    return _decode(object, value)
