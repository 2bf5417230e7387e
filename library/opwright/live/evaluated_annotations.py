"""The annotations of a live function: Python has evaluated them already."""

from __future__ import annotations

import ast
import collections.abc
import types
import typing
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from opwright.lang.meaning.annotations import (
    SCALARS,
    Annotation,
    TensorAnnotation,
    make_literal,
    make_map,
    make_optional,
    make_optional_value,
    make_sequence,
    make_union,
    read_annotation,
)
from opwright.types import Graph, Map, OptionalValue, Tensor

_SCALAR_TYPES = {int: "int", float: "float", str: "str", bool: "bool"}
_SEQUENCE_TYPES = (list, tuple, collections.abc.Sequence, collections.abc.Iterable)
_OWN_TYPES = (Graph, Map, OptionalValue)
_DEEPEST = 100
# What is known of classes of tensors, by their identity: all of one element type have one hash. Each is kept here, as
# `opwright.types` does, so that nothing else gets its identity.
_TENSORS: dict[int, tuple[type, Annotation]] = {}
_NOT_ANNOTATED = Annotation(None)


def annotation_reader(function: FunctionType) -> Callable[[ast.arg], Annotation | None]:
    """Reads the annotation of each parameter from what Python made of it."""
    annotations = function.__annotations__
    if not annotations:
        return lambda argument: _NOT_ANNOTATED

    def read(argument: ast.arg) -> Annotation | None:
        if argument.arg not in annotations:
            return _NOT_ANNOTATED
        return read_object(annotations[argument.arg], function)

    return read


def read_returns(function: FunctionType) -> tuple[TensorAnnotation | None, ...] | None:
    """The type of each output; None where nothing is declared."""
    if "return" not in function.__annotations__:
        return None
    value = _evaluated(function.__annotations__["return"], function)
    if value is None or value is Any or isinstance(value, str):
        return None
    if isinstance(value, tuple):  # `-> (A, B)`
        parts = value
    else:
        parts = typing.get_args(value) if typing.get_origin(value) is tuple else (value,)
    if not parts or Ellipsis in parts:
        return None
    return tuple(_returned(read_object(part, function)) for part in parts)


def _returned(annotation: Annotation | None) -> TensorAnnotation | None:
    return annotation.tensor if annotation is not None and annotation.kind is None else None


def read_object(value: Any, function: FunctionType, depth: int = 0) -> Annotation | None:
    """What an annotation means; None when it is not understood."""
    value = _evaluated(value, function)
    known = _TENSORS.get(id(value))
    if known is not None:
        return known[1]
    if isinstance(value, str):
        try:
            return read_annotation(ast.parse(value, mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if isinstance(value, type) and typing.get_origin(value) is None:
        return _read_class(value)
    if isinstance(value, typing.TypeVar):
        return _read_variable(value, function, depth)
    return None if depth > _DEEPEST else _read_generic(value, function, depth + 1)


def name_of_type(value: Any) -> str | None:
    """The name of a type that means what it says, or that is written before brackets; None of any other object."""
    if isinstance(value, type) and typing.get_origin(value) is None:
        is_named = issubclass(value, Tensor) and "[" not in value.__name__
        is_named = is_named or value in (*_SCALAR_TYPES, *_SEQUENCE_TYPES, *_OWN_TYPES)
        return value.__name__ if is_named or value.__module__ in ("typing", "typing_extensions") else None
    name = getattr(value, "_name", None) if type(value).__module__ == "typing" and not typing.get_args(value) else None
    return name if isinstance(name, str) else None


def _evaluated(value: Any, function: FunctionType) -> Any:
    """A string annotation as what it says, in the names around the function; the text where they are not there."""
    if isinstance(value, typing.ForwardRef):
        value = value.__forward_arg__
    if not isinstance(value, str):
        return value
    names = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    try:
        return eval(_compiled(value), function.__globals__, names)
    except Exception:  # whatever the text does: its names alone must then say what it means
        return value


@lru_cache(maxsize=1 << 10)
def _compiled(text: str) -> CodeType:
    """The code of an annotation: few texts stand in many places."""
    return compile(text.strip(), "<annotation>", "eval", dont_inherit=True)


def _read_class(value: type) -> Annotation | None:
    if value in _SCALAR_TYPES:
        name = _SCALAR_TYPES[value]
        return Annotation(SCALARS[name], is_bool=name == "bool")
    if issubclass(value, Tensor):
        declared: Any = value
        elements = () if declared.dtype is None else (declared.dtype,)
        found = Annotation(None, tensor=TensorAnnotation(elements, shape=declared.shape))
        _TENSORS[id(value)] = value, found
        return found
    if issubclass(value, Graph):
        return Annotation("GRAPH")
    return Annotation(None)


def _read_variable(variable: typing.TypeVar, function: FunctionType, depth: int) -> Annotation | None:
    """A type variable: one type of those that it admits, the same wherever it stands."""
    admitted = variable.__constraints__ or ((variable.__bound__,) if variable.__bound__ is not None else ())
    if not admitted:
        return Annotation(None, tensor=TensorAnnotation((), variable.__name__))
    found = make_union(read_object(item, function, depth + 1) for item in admitted)
    if found is None or found.kind is not None:
        return found
    tensor = found.tensor
    return Annotation(
        None,
        found.optional,
        tensor=TensorAnnotation(tensor.elements, variable.__name__, tensor.shape, tensor.wrap),
    )


def _read_generic(value: Any, function: FunctionType, depth: int) -> Annotation | None:
    origin, arguments = typing.get_origin(value), typing.get_args(value)
    if origin is typing.Annotated:
        return read_object(arguments[0], function, depth)
    if origin is typing.Literal:
        return make_literal(arguments)
    if origin in (typing.Union, types.UnionType):
        parts = [item for item in arguments if item is not types.NoneType]
        found = make_union(read_object(item, function, depth) for item in parts)
        return make_optional(found) if found is not None and len(parts) < len(arguments) else found
    if origin is OptionalValue:
        item = read_object(arguments[0], function, depth)
        return item and make_optional_value(item)
    if origin is Map:
        key, item = (read_object(part, function, depth) for part in arguments)
        return key and item and make_map(key, item)
    if origin in _SEQUENCE_TYPES and arguments:
        item = read_object(arguments[0], function, depth)
        return item and make_sequence(item)
    return Annotation(None)
