"""What a live function declares, read from the function itself: no source text is needed to run it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import FunctionType
from weakref import WeakKeyDictionary

import numpy as np

from opwright.functions import OnnxFunction
from opwright.lang.meaning.annotations import Annotation
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.interface import (
    Arity,
    AttributeDeclaration,
    Declaration,
    Input,
    Interface,
)
from opwright.lang.text.source import Span
from opwright.live.compiled import declare
from opwright.live.evaluated_annotations import read_object, read_returns
from opwright.live.reads import Reads

_NOWHERE: Span = (0, 0, 0, 0)
_KINDS = inspect.Parameter


@dataclass(frozen=True, slots=True)
class Described:
    """A function under `@script`: how Python binds its arguments, and what is declared of them. `defaults`: those of
    its parameters that may change in place, as they were."""

    signature: inspect.Signature
    interface: Interface
    declaration: Declaration
    defaults: Reads


_KNOWN: WeakKeyDictionary[OnnxFunction, tuple[tuple[object, ...], Described]] = WeakKeyDictionary()


def describe_function(function: OnnxFunction) -> Described:
    """The same that the compiler reads from the `def` line; an annotation that it refuses makes an input here."""
    wrapped = function.__wrapped__
    seen = (wrapped.__defaults__, wrapped.__kwdefaults__, wrapped.__annotations__)
    known = _KNOWN.get(function)
    is_same = known is not None and all(one is other for one, other in zip(known[0], seen, strict=True))
    if known is not None and is_same and known[1].defaults.still_hold():
        return known[1]
    signature = inspect.signature(wrapped)
    interface = _interface(wrapped, signature)
    defaults = Reads()
    for parameter in signature.parameters.values():
        if isinstance(parameter.default, (list, tuple, dict, np.ndarray)):
            defaults.note(parameter.default, _itself, parameter.default)
    found = Described(signature, interface, declare(function, interface, read_returns(wrapped)), defaults)
    _KNOWN[function] = (seen, found)
    return found


def _itself(value: object) -> object:
    return value


def _interface(function: FunctionType, signature: inspect.Signature) -> Interface:
    inputs: list[Input] = []
    attributes: list[AttributeDeclaration] = []
    annotations = function.__annotations__
    for name, parameter in signature.parameters.items():
        read = read_object(annotations[name], function) if name in annotations else None
        annotation = read or Annotation(None)
        if parameter.kind is _KINDS.VAR_POSITIONAL:
            inputs.append(Input(name, Arity.VARIADIC, _NOWHERE, annotation.tensor, has_gaps=annotation.optional))
        elif annotation.kind is None:
            required = parameter.default is _KINDS.empty and not annotation.optional
            inputs.append(Input(name, Arity.REQUIRED if required else Arity.OPTIONAL, _NOWHERE, annotation.tensor))
        else:
            attributes.append(_attribute(name, annotation, parameter))
    return Interface(tuple(inputs), tuple(attributes))


def _attribute(name: str, annotation: Annotation, parameter: inspect.Parameter) -> AttributeDeclaration:
    assert annotation.kind is not None
    given = parameter.default is not _KINDS.empty
    value = parameter.default.item() if isinstance(parameter.default, np.generic) else parameter.default
    default = convert_attribute(value, annotation.kind) if given else None
    required = not given and not annotation.optional
    return AttributeDeclaration(
        name, annotation.kind, required, default, annotation.is_bool, annotation.choices, _NOWHERE
    )
