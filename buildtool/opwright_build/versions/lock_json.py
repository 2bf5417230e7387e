"""The records of a lock as JSON objects and back: keys are field names, and what a reader assumes is left out.

A lock may have been edited by anybody, so everything is checked against the fields' types as it is read.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Json = Any  # what `json.loads` gives
_T = TypeVar("_T")
_EMPTY: dict[type, object] = {str: "", bool: False, tuple: ()}
_INT64 = 1 << 63
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class MalformedRecordError(ValueError):
    """JSON that is no such record; the text says where and what."""


def to_json(value: object) -> Json:
    """The JSON value of a dataclass, a tuple, a text or a number."""
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if is_dataclass(value) and not isinstance(value, type):
        shown = ((name, getattr(value, name), assumed) for name, assumed in _assumed(type(value)).items())
        return {name: to_json(item) for name, item, assumed in shown if not _is(item, assumed)}
    return value


@cache
def _assumed(kind: type) -> Mapping[str, object]:
    """What stands for each field of a record where its key is left out; MISSING where it must not be."""
    hints = _field_types(kind)
    return {
        field.name: _EMPTY.get(get_origin(hints[field.name]) or hints[field.name], MISSING)
        if field.default is MISSING
        else field.default
        for field in fields(kind)
    }


def _is(item: object, assumed: object) -> bool:
    return type(item) is type(assumed) and item == assumed


def from_json(kind: type[_T], value: Json) -> _T:
    """The value of type `kind`. Keys that it has no field for are passed over. MalformedRecordError."""
    return cast(_T, _read(kind, value, ""))


@cache
def _field_types(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: Json, path: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _read_union(get_args(kind), value, path)
    if origin is tuple:
        return _read_tuple(get_args(kind), value, path)
    if is_dataclass(kind):
        return _read_record(cast(type, kind), value, path)
    if kind is float:
        return _read_float(value, path)
    if kind is int and (isinstance(value, bool) or not isinstance(value, int) or not -_INT64 <= value < _INT64):
        raise _refuse(path, "a number")
    if kind in (str, bool) and not isinstance(value, kind):
        raise _refuse(path, "a text" if kind is str else "true or false")
    return value


def _read_record(kind: type, value: Json, path: str) -> object:
    if not isinstance(value, dict):
        raise _refuse(path, "an object")
    hints = _field_types(kind)
    found: dict[str, object] = {}
    for name, assumed in _assumed(kind).items():
        place = f"{path}.{name}".lstrip(".")
        if name in value:
            found[name] = _read(hints[name], value[name], place)
        elif assumed is MISSING:
            raise MalformedRecordError(f"{place} is missing")
        else:
            found[name] = assumed
    return kind(**found)


def _read_tuple(arguments: tuple[Any, ...], value: Json, path: str) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise _refuse(path, "a list")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_read(arguments[0], item, f"{path}[{index}]") for index, item in enumerate(value))
    if len(arguments) != len(value):
        raise _refuse(path, f"a list of {len(arguments)}")
    return tuple(
        _read(inner, item, f"{path}[{at}]") for at, (inner, item) in enumerate(zip(arguments, value, strict=True))
    )


def _read_union(kinds: tuple[Any, ...], value: Json, path: str) -> object:
    """The first member that the value is one of: those of defaults and choices of attributes."""
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if kind is type(None) or (kind is float and isinstance(value, int)):
            continue  # None is read above, and an INT is not written as a float
        try:
            return _read(kind, value, path)
        except MalformedRecordError:
            continue
    raise _refuse(path, "one of the values that can stand there")


def _read_float(value: Json, path: str) -> float:
    if isinstance(value, dict) and value.get("float") in _WORDS:
        return _WORDS[value["float"]]
    if not isinstance(value, float) or not math.isfinite(value):
        raise _refuse(path, "a number with a fraction")
    return value


def _refuse(path: str, wanted: str) -> MalformedRecordError:
    return MalformedRecordError(f"{path or 'the line'} is not {wanted}")
