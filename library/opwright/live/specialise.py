"""A function for one model: the types of its inputs, the values of its attributes."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import GraphProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import ElementType, element_meant
from opwright.functions import OnnxFunction
from opwright.graphs.ndarrays import element_of, plain_values
from opwright.lang import ir
from opwright.lang.emit import write_type
from opwright.lang.lower.function import Lowered, variadic_names
from opwright.lang.lower.values.annotated import declared_type, meet_shapes, wrapped
from opwright.lang.meaning.annotations import Annotation, TensorAnnotation
from opwright.lang.meaning.attribute_values import code_of, convert_attribute
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.interface import Arity, AttributeDeclaration, DeclaredValue, Input
from opwright.lang.text.source import Span
from opwright.lang.trail import Trail
from opwright.live.evaluated_annotations import read_object
from opwright.model_options import Types
from opwright.types import Tensor


def specialise(
    function: OnnxFunction, unit: Unit, opset: int, attributes: Mapping[str, object], input_types: Types
) -> tuple[Unit, Target]:
    """The unit with the given types, and what it is to be lowered for. Raises DiagnosticError."""
    found: list[Diagnostic] = []
    values = _attribute_values(unit, attributes, found)
    types, inputs, facts = dict(unit.declaration.types), dict(unit.declaration.inputs), {}
    names = [item.name for item in unit.interface.inputs if item.arity is not Arity.VARIADIC]
    variadic = next((item for item in unit.interface.inputs if item.arity is Arity.VARIADIC), None)
    several: dict[str, object] = {}
    if variadic is not None and input_types is not None:
        input_types, several = _spread(unit, variadic, names, input_types)
        facts[variadic.name] = str(len(several))
        given_several = _by_name(function, unit, several, list(several), "inputs", found)
        for name, one in given_several.items():
            if variadic.has_gaps:
                facts[name] = "absent" if one is None else "present"
            if one is not None:
                inputs[name] = _declare(unit, variadic, one, types, found)
    given = _by_name(function, unit, input_types, names, "inputs", found)
    kept: list[Input] = []
    for item in unit.interface.inputs:
        annotation = given.get(item.name)
        if item.must_be_given and item.name not in given:
            found.append(_unsaid(unit, item))
        if item.arity is Arity.OPTIONAL:
            facts[item.name] = "absent" if annotation is None else "present"
        if item.name in given and annotation is None and item.arity is Arity.REQUIRED:
            found.append(_problem(unit, item.span, f"the input `{item.name}` has no type", "it is not optional"))
        if annotation is not None:
            inputs[item.name] = _declare(unit, item, annotation, types, found)
        kept.append(item)
    if found:
        raise DiagnosticError(found)
    declaration = replace(unit.declaration, inputs=inputs, types=types)
    return replace(unit, declaration=declaration), Target(opset, facts, values)


def _unsaid(unit: Unit, item: Input) -> Diagnostic:
    return _problem(
        unit,
        item.span,
        f"it is not said whether the model has the input `{item.name}`",
        "it may be None, and has no default",
        f'write `input_types={{"{item.name}": None}}` where it is left out, else its type there',
    )


def _spread(
    unit: Unit, variadic: Input, names: Sequence[str], types: Sequence[object] | Mapping[str, object]
) -> tuple[Types, dict[str, object]]:
    """The types of the other inputs, and of what `*xs` stands for: a list by its name, in order all that remain."""
    if isinstance(types, Mapping):
        own: Any = types.get(variadic.name) or ()
        rest: Types = {name: value for name, value in types.items() if name != variadic.name}
    else:
        own, rest = types[len(names) :], types[: len(names)]
    return rest, dict(zip(variadic_names(unit, variadic.name, len(own)), own, strict=True))


def _declare(
    unit: Unit,
    item: Input,
    given: TensorAnnotation,
    types: dict[str, tuple[ElementType, ...]],
    found: list[Diagnostic],
) -> DeclaredValue:
    """One input's declaration, narrowed to the type that is given."""
    declared = unit.declaration.inputs[item.name]
    admitted = types.get(declared.type)
    own = admitted if admitted is not None else item.annotation.elements
    elements = tuple(element for element in given.elements if element in own) if given.elements else own
    shape = _meet(declared.dimensions, given.shape)
    if not elements or shape is False or (given.wrap != declared.wrap and given.elements):
        found.append(
            _problem(
                unit,
                item.span,
                f"`{item.name}` cannot be {_shown(given)}",
                f"its annotation says {_shown(item.annotation)}"
                if admitted is None or set(item.annotation.elements or admitted) == set(admitted)
                else f"another input makes `{declared.type}` {', '.join(map(repr, admitted))}",
            )
        )
        return declared
    if admitted is not None:
        types[declared.type] = elements
    assert not isinstance(shape, bool)
    return DeclaredValue(declared.type, None, shape, declared.wrap)


def _meet(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> tuple[Any, ...] | bool | None:
    """What both say of a shape; False where they contradict each other."""
    if first is None or second is None:
        return second if first is None else first
    element = ir.TypeVariable("")
    met = meet_shapes(ir.TensorType(element, first), ir.TensorType(element, second))
    return met.shape if isinstance(met, ir.TensorType) else False


def _shown(annotation: TensorAnnotation) -> str:
    names = " | ".join(element.name.upper() for element in annotation.elements) or "Tensor"
    if annotation.shape is None:
        return f"{names}[...]"
    return f"{names}[{', '.join(map(str, annotation.shape))}]" if annotation.shape else names


def _by_name(
    function: OnnxFunction, unit: Unit, types: Types, names: Sequence[str], what: str, found: list[Diagnostic]
) -> dict[str, TensorAnnotation | None]:
    """Types in order or by name, as annotations by name."""
    if types is None:
        return {}
    if not isinstance(types, Mapping):
        if len(types) > len(names):
            found.append(
                _problem(unit, None, f"{len(types)} types are given for {len(names)} {what}", "give one for each")
            )
        types = dict(zip(names, types, strict=False))
    result: dict[str, TensorAnnotation | None] = {}
    for name, value in types.items():
        if name not in names:
            listed = ", ".join(f"`{item}`" for item in names)
            found.append(_problem(unit, None, f"`{name}` is none of the {what}", f"they are {listed}"))
            continue
        if value is None:
            result[name] = None
            continue
        annotation = read_object(value, function.__wrapped__)
        if annotation is None or annotation.kind is not None or _says_nothing(value, annotation.tensor):
            given = value.__name__ if isinstance(value, type) else repr(value)
            message = f"the type of `{name}` is not understood"
            reason = f"`{given[:80]}` is no type of tensors"
            found.append(_problem(unit, None, message, reason, _type_of_tensors(value)))
            annotation = Annotation(None)
        result[name] = annotation.tensor
    return result


def _says_nothing(value: object, annotation: TensorAnnotation | None) -> bool:
    """Whether it is none of the types of tensors: as an annotation it would stand for a tensor of any type."""
    return annotation == TensorAnnotation() and value is not Tensor


def _type_of_tensors(value: object) -> str:
    """What to write for an array, or for the element type as numpy knows it."""
    element = element_of(value) if isinstance(value, np.ndarray) else element_meant(value)
    return f"write `{'FLOAT' if element is None else element.name.upper()}[2, 3]`"


# ---------------------------------------------------------------------------------------------------- attributes


def _attribute_values(unit: Unit, given: Mapping[str, object], found: list[Diagnostic]) -> dict[str, Any]:
    """Every attribute's value: the one given, else, and for None, its default; None for one that is absent."""
    declared = {item.name: item for item in unit.interface.attributes}
    for name in given:
        if name not in declared:
            names = ", ".join(f"`{item}`" for item in declared) or "none"
            found.append(_problem(unit, None, f"`{name}` is no attribute", f"the attributes are: {names}"))
    values: dict[str, Any] = {}
    for name, item in declared.items():
        if given.get(name) is not None:
            values[name] = _attribute_value(unit, item, given[name], found)
        elif item.required or (item.must_be_given and name not in given):
            found.append(
                _problem(unit, item.span, f"a model needs a value of `{name}`", "the attribute has no default")
            )
        else:
            values[name] = _python_value(item, item.default)
    return values


def _attribute_value(unit: Unit, item: AttributeDeclaration, value: object, found: list[Diagnostic]) -> Any:
    value = plain_values(value)
    converted = convert_attribute(code_of(value) if item.kind == "INT" else value, item.kind)
    if converted is None or (item.choices and value not in item.choices):
        wanted = f"one of {item.choices!r}" if item.choices else f"of type {item.kind}"
        found.append(
            _problem(unit, item.span, f"`{item.name}` cannot be {reprlib.repr(value)}", f"the attribute is {wanted}")
        )
        return None
    return _python_value(item, converted)


def _python_value(item: AttributeDeclaration, value: Any) -> Any:
    return bool(value) if item.is_bool and value is not None else value


def _problem(unit: Unit, span: Span | None, message: str, reason: str, help: str = "") -> Diagnostic:
    node = unit.node
    place = span or (node.lineno, node.col_offset, node.lineno, node.col_offset + len(node.name) + 4)
    return Diagnostic("OW354", message, unit.module.source.place(place), reason=reason, help=help)


# ------------------------------------------------------------------------------------------------------- outputs


def with_output_types(function: OnnxFunction, unit: Unit, lowered: Lowered, types: Types) -> list[ir.Type]:
    """The types of the outputs: what the body gives, met with what is given. Raises DiagnosticError."""
    assert lowered.function is not None
    found: list[Diagnostic] = []
    for value in lowered.function.inputs:
        if not value.type.is_known:
            span = value.span
            found.append(
                _problem(
                    unit,
                    span,
                    f"the type of the input `{value.name}` is not known",
                    f"neither its annotation nor the body says which element type it has: {value.type!r}",
                    f'annotate it, or write `input_types={{"{value.name}": FLOAT["N", 3]}}`',
                )
            )
    given = _by_name(function, unit, types, lowered.function.outputs, "outputs", found)
    outputs: list[ir.Type] = []
    for name, type_ in zip(lowered.function.outputs, lowered.outputs, strict=True):
        annotation = given.get(name)
        met = type_ if annotation is None else _met(type_, annotation)
        if met is None:
            assert annotation is not None
            found.append(
                _problem(unit, None, f"the output `{name}` cannot be {_shown(annotation)}", f"the body gives {type_!r}")
            )
            continue
        outputs.append(met)
    if found:
        raise DiagnosticError(found)
    return outputs


def _met(type_: ir.Type, annotation: TensorAnnotation) -> ir.Type | None:
    element = annotation.elements[0] if len(annotation.elements) == 1 else ir.TypeVariable("", rigid=False)
    wanted: ir.Type = ir.TensorType(element, annotation.shape)
    for kind in reversed(annotation.wrap):
        wanted = wrapped(kind, wanted)
    return meet_shapes(type_, wanted) if wanted.unify(type_, Trail()) else None


def write_declared_types(graph: GraphProto, unit: Unit, function: ir.Function) -> None:
    """Gives the outputs the types that annotations declare, whatever else is known of them."""
    for value, declared in zip(graph.output, unit.declaration.returns or (), strict=False):
        wanted = None if declared is None else declared_type(function, declared)
        if wanted is not None and wanted.is_known:
            value.type.Clear()
            write_type(value, wanted)
