"""The arguments of a call, bound as Python binds them: inputs by position or name, attributes by name."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import GraphProto

from opwright.bundle.format import AttributeEntry, FunctionEntry
from opwright.eager.settings import opset_in_force
from opwright.functions import OnnxFunction
from opwright.graphs.inline import inline_model
from opwright.graphs.ndarrays import plain_values
from opwright.lang.meaning.attribute_values import code_of, convert_attribute
from opwright.suggest import nearest

Attributes = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class GraphValue:
    """A graph that is given as an attribute, serialised, written for `graph_opset`."""

    data: bytes

    @property
    def proto(self) -> GraphProto:
        return GraphProto.FromString(self.data)


def bind_arguments(
    entry: FunctionEntry, args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[list[object | None], Attributes]:
    """The inputs in the interface's order (None where absent), and the attributes given, sorted, as hashable values.

    TypeError in Python's words for surplus, missing, unknown or repeated arguments and for attributes of other types.
    """
    inputs = _bind_inputs(entry, args, kwargs)
    attributes = {attribute.name: attribute for attribute in entry.attributes}
    names = {formal.name for formal in entry.inputs if not formal.variadic}
    for name in kwargs:
        if name not in names and name not in attributes:
            near = nearest(name, [*sorted(names), *attributes])
            hint = f". Did you mean: {near!r}?" if near else ""
            raise TypeError(f"{entry.name}() got an unexpected keyword argument {name!r}{hint}")
    for attribute in entry.attributes:
        if attribute.required and kwargs.get(attribute.name) is None:
            raise TypeError(f"{entry.name}() missing the required attribute {attribute.name!r}")
    given = sorted((name, value) for name, value in kwargs.items() if name in attributes and value is not None)
    return inputs, tuple((name, _attribute_value(entry, attributes[name], value)) for name, value in given)


def _bind_inputs(entry: FunctionEntry, args: Sequence[object], kwargs: Mapping[str, object]) -> list[object | None]:
    formals = [formal for formal in entry.inputs if not formal.variadic]
    variadic = len(formals) < len(entry.inputs)
    if len(args) > len(formals) and not variadic:
        raise TypeError(f"{entry.name}() takes {len(formals)} inputs, {len(args)} were given")
    inputs: list[object | None] = []
    for index, formal in enumerate(formals):
        if index < len(args):
            if formal.name in kwargs:
                raise TypeError(f"{entry.name}() got multiple values for argument {formal.name!r}")
            value = args[index]
        else:
            value = kwargs.get(formal.name)
        if value is None and not formal.optional:
            raise TypeError(f"{entry.name}() missing the required input {formal.name!r}")
        inputs.append(value)
    return [*inputs, *args[len(formals) :]]


def _attribute_value(entry: FunctionEntry, attribute: AttributeEntry, value: object) -> Any:
    """The value as ONNX has it: scalars of numpy as numbers, floats rounded to float32, lists as tuples."""
    kind = attribute.type
    if kind == "GRAPH":
        graph = _graph(entry, value)
        if graph is None:
            raise TypeError(
                f"{entry.name}(): the attribute {attribute.name} is a graph: give a function under `@script()`, "
                f"or a GraphProto, not {reprlib.repr(value)}"
            )
        return graph
    plain = plain_values(value)
    found = convert_attribute(code_of(plain) if kind == "INT" else plain, kind)
    if found is None:
        raise TypeError(f"{entry.name}(): the attribute {attribute.name} is of type {kind}, not {reprlib.repr(value)}")
    if attribute.choices and plain not in attribute.choices:
        listed = ", ".join(map(repr, attribute.choices))
        raise TypeError(f"{entry.name}(): the attribute {attribute.name} is one of {listed}, not {reprlib.repr(value)}")
    return found


def opsets_of(entry: FunctionEntry) -> set[int]:
    """The default opsets at which the function can be called: the first of each body's, and all those of templates,
    since what is made there is not known before."""
    found = {body.first_opset for body in entry.bodies}
    return found.union(*(range(item.first_opset, item.last_opset + 1) for item in entry.templates))


def graph_opset(entry: FunctionEntry) -> int:
    """The default opset that graphs are written for which are given to a function: that in force, or the newest one
    before it that the function has a body for."""
    known = [opset for opset in opsets_of(entry) if opset <= opset_in_force()]
    return max(known, default=opset_in_force())


def _graph(entry: FunctionEntry, value: object) -> GraphValue | None:
    """A graph, or a function under `@script` as one; None for anything else."""
    if isinstance(value, OnnxFunction):
        model = value.to_model_proto(opset=graph_opset(entry))
        inline_model(model)
        value = model.graph
    return GraphValue(value.SerializeToString(deterministic=True)) if isinstance(value, GraphProto) else None
