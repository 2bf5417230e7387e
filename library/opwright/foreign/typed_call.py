"""One call of a function on values of which the types alone are known, as a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import ModelProto

from opwright import types
from opwright.builder.graph_builder import GraphBuilder
from opwright.diagnostics.diagnostic import DiagnosticWarning
from opwright.elements import BY_NAME
from opwright.link.propagate import Shape
from opwright.link.value_types import unwrap

_HOLDERS: Mapping[str, Any] = {"seq": Sequence, "optional": types.OptionalValue}


@dataclass(frozen=True, slots=True)
class Typed:
    """A value: its type in the words of ONNX's schemas (`tensor(float)`), and what is known of its shape.

    `name` is that of the input which it becomes; those without one are numbered.
    """

    type: str
    shape: Shape | None = None
    name: str = ""

    @property
    def annotation(self) -> Any:
        """The same as the language annotates it. LookupError for a type that it has none for."""
        kind, _, inner = self.type.partition("(")
        if kind in _HOLDERS:
            return _HOLDERS[kind][Typed(unwrap(self.type) or "").annotation]
        if kind != "tensor":
            raise LookupError(self.type)
        class_: Any = getattr(types, BY_NAME[inner[:-1]].name.upper())
        return class_[...] if self.shape is None else class_[self.shape]


def call_model(
    name: str, call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], opset: int
) -> ModelProto:
    """The graph of one call: an input for each `Typed` among the arguments, and the outputs `o0`, `o1`, ...

    `call` may be a function under `@script`, one of a library, an operator, or any Python that calls such. Raises
    DiagnosticError for what is refused.
    """
    builder = GraphBuilder(opset, name=name)
    count = 0

    def entered(value: Any) -> Any:
        nonlocal count
        if isinstance(value, Typed):
            count += 1
            return builder.input(value.name or f"i{count - 1}", value.annotation)
        if isinstance(value, list | tuple) and any(isinstance(item, Typed) for item in value):
            return [entered(item) for item in value]
        return value

    with builder.scope():
        given = [entered(value) for value in args]
        found = call(*given, **{key: entered(value) for key, value in kwargs.items()})
    for index, result in enumerate(found if isinstance(found, tuple) else (found,)):
        builder.output(f"o{index}", result)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiagnosticWarning)  # of ranks that are not known: it is no model of the user's
        return builder.to_model_proto(debug=False)
