"""Which element type each type variable of a function stands for, given the types of what it is called with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry
from opwright.elements import BY_CODE
from opwright.link.template_bodies import any_fact

# The names under which the operators of the standard take an output's element type (`to` of Cast, `dtype` of Bernoulli,
# `output_datatype` of HannWindow, `stash_type` of LayerNormalization). Where no output's type is left open they choose
# inner types, as attributes of other names do (`softmax_precision`).
_TYPE_ATTRIBUTES = ("to", "dtype", "output_dtype", "output_datatype", "stash_type")


class Unbound(ValueError):
    """The types do not fit the interface; the text says how."""


def type_attribute(entry: FunctionEntry) -> tuple[str, AttributeEntry] | None:
    """The type variable that no input binds and the attribute that says what it is, as an ONNX type code."""
    attributes = [item for item in entry.attributes if item.type == "INT" and item.name in _TYPE_ATTRIBUTES]
    free = output_variables(entry)
    return (free[0], attributes[0]) if len(attributes) == 1 and len(free) == 1 else None


def output_variables(entry: FunctionEntry) -> list[str]:
    """The type variables that stand at outputs alone, in declaration order, those of one type left out."""
    from_inputs = {split_type(item.type)[1] for item in entry.inputs}
    at_outputs = {split_type(item.type)[1] for item in entry.outputs} - from_inputs
    return [name for name, admitted in entry.types if name in at_outputs and len(admitted) > 1]


def input_entries(entry: FunctionEntry, count: int) -> list[InputEntry]:
    """The declarations of `count` inputs, a variadic last one repeated. Raises Unbound when there are too many."""
    declared = list(entry.inputs)
    if declared and declared[-1].variadic:
        declared += [declared[-1]] * (count - len(declared))
    if count > len(declared):
        raise Unbound(f"it has {count} inputs, the function at most {len(declared)}")
    return declared[:count]


def bind(entry: FunctionEntry, inputs: Sequence[str | None], outputs: Sequence[str | None]) -> dict[str, str]:
    """The element type of every type variable, in declaration order.

    `inputs` and `outputs` are the types in the interface's order (`float`, `seq(float)`), None where absent. Raises
    Unbound for a type that is not declared, for two types of one variable and for a required input that is missing.
    """
    formals = list(entry.outputs)
    if formals and formals[-1].variadic:
        formals += formals[-1:] * (len(outputs) - len(formals))
    if len(outputs) > len(formals):
        raise Unbound(f"it has {len(outputs)} outputs, the function {len(formals)}")
    found: dict[str, str] = {}
    declared = dict(entry.types)
    for item, given in zip(input_entries(entry, len(inputs)), inputs, strict=True):
        if given is not None:
            _bind_one(declared, item.name, item.type, given, found)
        elif not item.optional:
            raise Unbound(f"it leaves out the input {item.name}, which is required")
    for item in entry.inputs[len(inputs) :]:
        if not (item.optional or item.variadic):
            raise Unbound(f"it has no input {item.name}, which is required")
    for output, given in zip(formals, outputs, strict=False):
        if given is not None:
            _bind_one(declared, output.name, output.type, given, found)
    return {name: found.get(name, admitted[0]) for name, admitted in entry.types if admitted}


def _bind_one(
    declared: Mapping[str, tuple[str, ...]], name: str, wanted: str, given: str, found: dict[str, str]
) -> None:
    if wanted not in declared and split_type(wanted)[1] in (*declared, ANY):
        (wrap, inner), (found_wrap, element) = split_type(wanted), split_type(given)
        if inner == ANY and (wrap == found_wrap or not wrap):
            return
        if wrap != found_wrap:
            raise Unbound(f"{name} is {given}, not {wanted}")
        wanted, given = inner, element
    if wanted not in declared:
        if given != wanted:
            raise Unbound(f"{name} is {given}, not {wanted}")
    elif given not in declared[wanted]:
        raise Unbound(f"{name} is {given}, which {wanted} does not declare")
    elif found.setdefault(wanted, given) != given:
        raise Unbound(f"{name} is {given}, but {wanted} is {found[wanted]} elsewhere")


def type_from_code(value: Any) -> str | None:
    """The element type of an ONNX code; None when there is none."""
    return BY_CODE[value].name if isinstance(value, int) and value in BY_CODE else None


def resolve_type(bindings: Mapping[str, str], declared: str) -> str:
    """The type that a declaration means under these bindings: `float`, or `seq(float)` of `seq(T)`."""
    if declared in bindings or not declared.endswith(")"):
        return bindings.get(declared, declared)
    wrap, inner = split_type(declared)
    return any_fact(wrap, bindings.get(inner, inner))
