"""Known tensors where they are used: a literal where it means the same there, else one that says its type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opwright.decompiler.literal_text import Constant
from opwright.decompiler.operator_forms import Form
from opwright.decompiler.parts import Parts


def as_operand(
    constant: Constant,
    form: Form,
    index: int,
    inputs: Sequence[str],
    constants: dict[str, Constant],
    has_type: Callable[[str], bool],
    hint: str,
    parts: Parts,
) -> str:
    """A constant as the input `index` of an operator whose inputs are these. `has_type`: whether the compiler knows the
    element type of one."""
    formal = form.formal(index)
    literal = constant.literal
    if formal is None or literal is None:
        return with_type(constant, hint, parts)
    if formal.single:
        return parts.noted(literal) if formal.single == constant.element.name else with_type(constant, hint, parts)
    if not formal.homogeneous:
        return with_type(constant, hint, parts)
    met = False
    for other, name in enumerate(inputs):
        if other != index and name and name not in constants:
            sibling = form.formal(other)
            if sibling is not None and sibling.type == formal.type:
                if not has_type(name):
                    return with_type(constant, hint, parts)
                met = True
    if met or constant.default:
        return parts.noted(literal)
    return with_type(constant, hint, parts)


def with_type(constant: Constant, hint: str, parts: Parts) -> str:
    """An expression that has the type by itself."""
    literal = constant.literal
    if constant.default and literal is not None:
        if constant.is_scalar and constant.element.kind != "string":
            return f"{parts.type_name(constant.element)}({parts.noted(literal)})"
        return f"op.Constant(value={parts.noted(literal)})"
    if constant.is_scalar and literal is not None:
        return f"{parts.type_name(constant.element)}({parts.noted(literal)})"
    return parts.array(constant, hint)
