"""Declared types as types of the IR, and what a function's outputs are called where nothing declares it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.bundle.call_interface import ANY
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.grammar import items_of_tuple, name_of, returned_by
from opwright.lang.interface import DeclaredValue


def wrapped(kind: str, item: ir.Type) -> ir.Type:
    """What holds items of a type: `seq`, `optional`, or `map` with the type of its keys, as in `map:int64`."""
    if kind.startswith("map:"):
        return ir.MapType(BY_NAME[kind[4:]], item)
    return ir.SequenceType(item) if kind == "seq" else ir.OptionalType(item)


def declared_type(function: ir.Function, declared: DeclaredValue) -> ir.Type:
    """The type of a declared value; type variables are those of the function."""
    variable = function.variables.get(declared.type)
    if declared.type == ANY:
        variable = ir.TypeVariable(ANY, rigid=False)
    return type_of_element(variable if variable is not None else BY_NAME[declared.type], declared)


def type_of_element(element: ir.Element, declared: DeclaredValue) -> ir.Type:
    """The type of a declared value whose element type is decided."""
    type_: ir.Type = ir.TensorType(element, declared.dimensions)
    for kind in reversed(declared.wrap):
        type_ = wrapped(kind, type_)
    return type_


def meet_shapes(first: ir.Type, second: ir.Type) -> ir.Type | None:
    """The first type with what both know of the shape; None where they contradict each other."""
    if first.element is None or second.element is None:
        return second if first.is_unknown else first
    if first.shape is None or second.shape is None:
        return ir.TensorType(first.element, first.shape if second.shape is None else second.shape)
    if len(first.shape) != len(second.shape):
        return None
    dims: list[ir.Dimension] = []
    for one, other in zip(first.shape, second.shape, strict=True):
        sizes = {ir.size_of(one), ir.size_of(other)} - {None}
        if len(sizes) > 1:
            return None
        dims.append(sizes.pop() if sizes else one or other)
    return ir.TensorType(first.element, tuple(dims))


def output_names(node: ast.FunctionDef, inputs: Sequence[str], count: int) -> list[str]:
    """A name for each output: that of the variable which every `return` gives there, else `result`, `result_1`, ...

    An output never has the name of a parameter: it would be another value.
    """
    returned = [items_of_tuple(value) or [value] for value in returned_by(node) if value is not None]
    found = [_returned_name(returned, index, count) for index in range(count)]
    taken, names = set(inputs), []
    for index, name in enumerate(found):
        if name is None or name in taken:
            base = "result" if index == 0 else f"result_{index}"
            name, number = base, 0
            while name in taken or name in found:
                number += 1
                name = f"{base}_out{number}"
        taken.add(name)
        names.append(name)
    return names


def _returned_name(returned: Sequence[Sequence[ast.expr]], index: int, count: int) -> str | None:
    names = {name_of(items[index] if len(items) == count else None) for items in returned}
    return names.pop() if len(names) == 1 else None
