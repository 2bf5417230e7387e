"""Declared types: those of a function's values as types of the IR, and those that annotations give to local names:
they declare what the compiler cannot follow, and must agree with what it can."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.bundle import call_interface
from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.infer.result_types import OF_ATTRIBUTE
from opwright.lang.lower.nodes.primitives import Writer
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.annotations import (
    ANY,
    NO_TENSOR_TYPE,
    Names,
    TensorAnnotation,
    read_annotation,
    why_not_understood,
)
from opwright.lang.meaning.interface import DeclaredValue
from opwright.lang.meaning.operands import Operand, is_run_time_number, is_sequence
from opwright.lang.text.grammar import items_of_tuple, name_of, returned_by
from opwright.lang.text.source import span_of
from opwright.opsets.signatures import ALL_ELEMENTS, mask_of


def wrapped(kind: str, item: ir.Type) -> ir.Type:
    """What holds items of a type: `seq`, `optional`, or `map` with the type of its keys, as in `map:int64`."""
    if kind.startswith("map:"):
        return ir.MapType(BY_NAME[kind[4:]], item)
    return ir.SequenceType(item) if kind == "seq" else ir.OptionalType(item)


def declared_type(function: ir.Function, declared: DeclaredValue) -> ir.Type:
    """The type of a declared value; type variables are those of the function."""
    variable = function.variables.get(declared.type)
    if declared.type == call_interface.ANY:
        variable = ir.TypeVariable(call_interface.ANY, rigid=False)
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


def declare(low: Lowering, annotation: ast.expr, operand: Operand) -> Operand:
    """The operand with what `name: annotation = operand` says of it. Refuses what is not so.

    Numbers and static values stay what they are: Python's annotations convert nothing.
    """
    if not isinstance(operand, ir.Value) or is_run_time_number(operand):
        return operand
    met = _declared(low, annotation, operand, low.scope)
    if met is None:
        return operand
    made = low.region.nodes[-1] if low.region.nodes else None
    if made is not None and any(value is operand for value in made.made()):
        low.trail.put(low.region.declared, operand, met)
        operand.retype(met, low.trail)
        return operand
    if not _says_more(met, operand.type):
        return operand

    # Elsewhere the same value may not be known to be of this shape.
    named = Writer(low, span_of(annotation)).identity(operand)
    low.trail.put(low.region.declared, named, met)
    named.retype(met, low.trail)
    return named


def declare_parameter(
    low: Lowering, region: ir.Region, annotation: ast.expr, parameter: ir.Value, names: Names
) -> None:
    """Notes what a parameter of a function that is given as a graph is declared to be."""
    if is_run_time_number(parameter):
        return
    met = _declared(low, annotation, parameter, names)
    if met is not None:
        low.trail.put(region.declared, parameter, met)
        parameter.retype(met, low.trail)


def promise(low: Lowering, region: ir.Region, returns: ast.expr | None, names: Names) -> None:
    """Notes what a function that is given as a graph is declared to return."""
    annotations = _items(returns, len(region.yields))
    for annotation, value in zip(annotations, region.yields, strict=False):
        met = None if is_run_time_number(value) else _declared(low, annotation, value, names)
        if met is not None:
            low.trail.put(region.promised, value, met)


def declared_rank(annotation: ast.expr | None, names: Names) -> int | None:
    """The rank that an annotation says; None where it says none."""
    found = None if annotation is None else read_annotation(annotation, names=names)
    return None if found is None or found.tensor.shape is None else len(found.tensor.shape)


def _items(returns: ast.expr | None, count: int) -> list[ast.expr]:
    """The annotations of each of the values that a function returns."""
    if returns is None or (isinstance(returns, ast.Constant) and returns.value is None):
        return []
    if count != 1 and isinstance(returns, ast.Subscript) and isinstance(returns.slice, ast.Tuple):
        return returns.slice.elts
    return [returns]


def _declared(low: Lowering, annotation: ast.expr, value: ir.Value, names: Names) -> ir.Type | None:
    """The type of a value with what an annotation says of it; None where that is nothing about a tensor."""
    variables = {
        name: TensorAnnotation((), name) for name in low.function.variables if not name.startswith(("T_", OF_ATTRIBUTE))
    }
    found = read_annotation(annotation, variables, names)
    if found is None:
        raise low.error(
            "OW317",
            "the annotation is not understood",
            span_of(annotation),
            reason=why_not_understood(annotation, names, NO_TENSOR_TYPE),
            help="write a tensor type: `FLOAT[2, 3]`, `INT64[...]`",
        )
    if found.kind is not None or (found.tensor == ANY and is_sequence(value)):
        return None
    wanted = _type_of(low, found.tensor)
    if low.call_frame.is_elsewhere:
        wanted = _without_symbols(wanted)
    met = meet_shapes(value.type, wanted) if wanted.unify(value.type, low.trail) else None
    if met is None:
        raise low.error(
            "OW210",
            f"the annotation says {wanted!r}, and the value is {value.type!r}",
            span_of(annotation),
            reason="an annotation declares what a value is; it does not convert it",
            help="cast the value, or change the annotation",
            depends_on=Choice.INFERRED_TYPE,
        )
    return _with_symbols(met, wanted)


def _without_symbols(wanted: ir.Type) -> ir.Type:
    """What a helper declares, to the function that calls it: a symbol of the same name is another size there."""
    if wanted.element is None or wanted.shape is None:
        return wanted
    return ir.TensorType(wanted.element, tuple(map(ir.size_of, wanted.shape)))


def _with_symbols(met: ir.Type, wanted: ir.Type) -> ir.Type:
    """The type with the symbols that the author has for its sizes, where inference has others."""
    if met.element is None or met.shape is None or wanted.shape is None:
        return met
    pairs = zip(met.shape, wanted.shape, strict=True)
    dims = tuple(size if ir.size_of(own) is None and size is not None else own for own, size in pairs)
    return ir.TensorType(met.element, dims)


def _type_of(low: Lowering, annotation: TensorAnnotation) -> ir.Type:
    element: ir.Element
    if annotation.variable in low.function.variables:
        element = low.function.variables[annotation.variable]
    elif len(annotation.elements) == 1:
        element = annotation.elements[0]
    else:
        mask = mask_of(annotation.elements) if annotation.elements else ALL_ELEMENTS
        element = ir.TypeVariable(annotation.variable or "T", mask, rigid=False)
    type_: ir.Type = ir.TensorType(element, annotation.shape)
    for kind in reversed(annotation.wrap):
        type_ = wrapped(kind, type_)
    return type_


def _says_more(met: ir.Type, before: ir.Type) -> bool:
    if met.element is not None and before.element is not None:
        return met.shape != before.shape
    return before.is_unknown
