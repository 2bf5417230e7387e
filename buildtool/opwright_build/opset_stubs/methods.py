"""An operator at one schema version as a method: its parameters, what it returns, what it says of itself."""

from __future__ import annotations

import keyword
from collections import Counter
from dataclasses import dataclass

from opwright.bundle.format import AttributeEntry
from opwright.bundle.function_words import literal
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature

from opwright_build.opset_stubs.docs import describe
from opwright_build.opset_stubs.python_types import ANY_TENSOR, Names, arrays, literals, python_type
from opwright_build.opset_stubs.special import ELEMENT_ATTRIBUTES, ELEMENT_OF_RESULT, Special, special_forms
from opwright_build.package.stub_docs import def_lines
from opwright_build.package.stub_signatures import ATTRIBUTE_TYPES

_ATTRIBUTES = {**ATTRIBUTE_TYPES, "GRAPH": "_Graph | _Callable[..., _Any]"}
_ELEMENT = "int | _ElementType | type[_Tensor]"


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call an operator; `parameters` as written between the parentheses."""

    parameters: tuple[str, ...]
    result: str

    def lines(self, name: str) -> list[str]:
        return def_lines(name, self.parameters, self.result)


@dataclass(frozen=True, slots=True)
class Method:
    """`doc` are the docstring's lines; `deprecated` why the operator should not be used, empty where it may be."""

    name: str
    overloads: tuple[Overload, ...]
    doc: tuple[str, ...]
    deprecated: str


def method(signature: Signature, names: Names) -> Method:
    """The operator's method. `names` gathers the type variables and aliases that it needs."""
    overloads = tuple(_overload(signature, names, form) for form in special_forms(signature))
    reason = f"{signature.name} is deprecated since opset {signature.since_version}" if signature.deprecated else ""
    return Method(signature.name, overloads, tuple(describe(signature)), reason)


def _overload(signature: Signature, names: Names, form: Special) -> Overload:
    results = [form.result] if form.result else _results(signature)
    types = _types_of(signature, names, form, results)
    parameters, positional = ["self"], 0
    taken = set(signature.attributes)
    for index, formal in enumerate(signature.inputs):
        name = formal.name
        if keyword.iskeyword(name) or name in taken or name == "self":
            name, positional = f"{name}_", index + 2
        kind = form.inputs.get(formal.name) or _given(signature, formal, types)
        parameters.append(_input(signature, index, name, kind))
    if positional:
        parameters.insert(positional, "/")
    attributes = [
        _attribute(item, form).replace(ELEMENT_OF_RESULT, types[ELEMENT_OF_RESULT])
        for item in sorted(signature.attributes.values(), key=lambda item: (not item.required, item.name))
        if item.name not in form.left_out
    ]
    if attributes and not _is_variadic(signature):
        parameters.append("*")
    return Overload((*parameters, *attributes), _returned(signature, results, types))


def _is_variadic(signature: Signature) -> bool:
    return bool(signature.inputs) and signature.inputs[-1].option is Option.VARIADIC


def _results(signature: Signature) -> list[str]:
    """The formal types of what a call gives when it is bound to one name: all outputs that there always are."""
    return [item.type for item in signature.outputs[: max(1, signature.min_outputs)]]


def _types_of(signature: Signature, names: Names, form: Special, results: list[str]) -> dict[str, str]:
    """The Python type of each formal type. A type that ties an input to something else becomes a type variable."""
    inputs = Counter(item.type for item in signature.inputs if item.homogeneous)
    for item in signature.inputs:
        if item.option is Option.VARIADIC and item.homogeneous:
            inputs[item.type] += 1  # its tensors are tied to each other
    free = signature.outputs[-1].option is Option.VARIADIC and not signature.outputs[-1].homogeneous
    uses = inputs + Counter([] if free else results)
    types: dict[str, str] = {ELEMENT_OF_RESULT: ""}
    taken: set[str] = set()
    if ELEMENT_OF_RESULT in results:
        admitted = signature.admitted[signature.outputs[0].type]
        types[ELEMENT_OF_RESULT] = names.variable("E", admitted, taken)
        taken.add(types[ELEMENT_OF_RESULT])
    for name in {**inputs, **dict.fromkeys(results)}:
        if name in types or (name not in signature.admitted and not name.endswith(")")):
            continue
        admitted = signature.admitted.get(name, (name,))
        if len(admitted) > 1 and inputs[name] and uses[name] > 1:
            types[name] = names.variable(name, admitted, taken)
            taken.add(types[name])
        elif inputs[name]:
            types[name] = names.union(name, admitted)
        elif len(admitted) == 1:
            types[name] = python_type(admitted[0])
        else:
            types[name] = ANY_TENSOR
    return types


def _given(signature: Signature, formal: Formal, types: dict[str, str]) -> str:
    """What an input accepts: tensors, arrays, and what Python has for constants of these types."""
    if not formal.homogeneous:
        return "_Any"
    admitted = signature.admitted.get(formal.type, (formal.type,))
    return " | ".join(filter(None, (types[formal.type], arrays(admitted), literals(admitted))))


def _input(signature: Signature, index: int, name: str, kind: str) -> str:
    formal = signature.inputs[index]
    if formal.option is Option.VARIADIC:
        return f"*{name}: {kind}"
    if formal.option is Option.REQUIRED:
        return f"{name}: {kind}"
    kind = kind if kind.endswith("| None") else f"{kind} | None"
    later = any(item.option is Option.REQUIRED for item in signature.inputs[index:])
    return f"{name}: {kind}" if later else f"{name}: {kind} = None"


def _attribute(item: AttributeSpec, form: Special) -> str:
    kind = form.attributes.get(item.name)
    if kind is not None:
        return f"{item.name}: {kind}"
    kind = _ATTRIBUTES.get(item.kind, "_Any")
    if item.kind == "INT" and item.name in ELEMENT_ATTRIBUTES:
        kind = _ELEMENT
    if item.required:
        return f"{item.name}: {kind}"
    if item.default is None:
        return f"{item.name}: {kind} = None" if kind == "_Any" else f"{item.name}: {kind} | None = None"
    return f"{item.name}: {kind} = {literal(AttributeEntry(item.name, item.kind, False, item.default))}"


def _returned(signature: Signature, results: list[str], types: dict[str, str]) -> str:
    found = [types.get(item, "") or item for item in results]
    last = signature.outputs[-1]
    if last.option is Option.VARIADIC and len(signature.outputs) == 1:
        return f"tuple[{found[0]}, ...]" if last.homogeneous else ANY_TENSOR
    return found[0] if len(found) == 1 else f"tuple[{', '.join(found)}]"
