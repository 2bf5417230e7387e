"""Annotations of local names: they declare what the compiler cannot follow, and must agree with what it can."""

from __future__ import annotations

import ast

from opwright.lang import ir
from opwright.lang.annotations import TensorAnnotation, read_annotation
from opwright.lang.infer import unify
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.declared import meet_shapes, wrapped
from opwright.lang.lower.operands import Operand
from opwright.lang.source import span_of
from opwright.opsets.signatures import ALL_ELEMENTS, mask_of


def declare(low: Lowering, annotation: ast.expr, operand: Operand) -> Operand:
    """The operand with what `name: annotation = operand` says of it; POISON where it says what is not so.

    Numbers and static values stay what they are: Python's annotations convert nothing.
    """
    if not isinstance(operand, ir.Value) or isinstance(operand.type, ir.NumberType):
        return operand
    variables = {
        name: TensorAnnotation((), name) for name in low.function.variables if not name.startswith(("T_", "@"))
    }
    found = read_annotation(annotation, variables)
    if found is None:
        return low.error(
            "OW317",
            "the annotation is not understood",
            span_of(annotation),
            reason="it says neither which element type nor which shape this tensor has",
            help="write a tensor type: `FLOAT[2, 3]`, `INT64[...]`",
        )
    if found.kind is not None:
        return operand
    wanted = _type_of(low, found.tensor)
    met = meet_shapes(operand.type, wanted) if unify(wanted, operand.type, low.trail) else None
    if met is None:
        return low.error(
            "OW210",
            f"the annotation says {wanted!r}, and the value is {operand.type!r}",
            span_of(annotation),
            reason="an annotation declares what a value is; it does not convert it",
            help="cast the value, or change the annotation",
        )
    if not _says_more(met, operand.type):
        return operand
    made = low.region.nodes[-1] if low.region.nodes else None
    if made is not None and any(value is operand for value in ir.results_of(made)):
        operand.type = met
        return operand
    from opwright.lang.lower.calls import emit

    # Elsewhere the same value may not be known to be of this shape.
    named = emit(low, "Identity", [operand], {}, span_of(annotation))
    named.type = met
    return named


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
    if isinstance(met, ir.TensorType) and isinstance(before, ir.TensorType):
        return met.shape != before.shape
    return isinstance(before, ir.UnknownType)
