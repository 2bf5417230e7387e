"""The types that the inputs of a call may have where nothing says which, as in functions that nothing calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from opwright.bundle.call_interface import inputs_of_call, split_type
from opwright.bundle.format import BodyEntry, FunctionEntry, InputEntry
from opwright.elements import BY_NAME
from opwright.link.choose import Call, bind_types
from opwright.link.naming import Instance, bodies_at
from opwright.link.propagate import Fact
from opwright.link.value_types import tensor_of, wrap

MOST = 32  # combinations of element types that are tried


@dataclass(frozen=True, slots=True)
class PossibleTypes:
    """Facts of the inputs of a node by name, and the element types that were assumed for that, in words."""

    facts: Mapping[str, Fact]
    assumed: str


def possible_types(call: Call, instance: Instance) -> list[PossibleTypes]:
    """All that the library admits for the body that the call gets; none where it leaves a type open, or admits too
    many."""
    bound = bind_types(call)
    formals = inputs_of_call(call.entry, len(call.visit.inputs))
    inner = {split_type(item.type)[1] for item, fact in zip(formals, call.visit.inputs, strict=False) if fact is None}
    free = [variable for variable, _ in call.entry.types if variable in inner and variable not in bound]
    if not inner <= BY_NAME.keys() | dict(call.entry.types).keys():
        return []
    found: dict[str, PossibleTypes] = {}
    for elements in _combinations(call, instance, free):
        facts = _facts(call, formals, {**bound, **elements})
        if facts is not None:
            assumed = " and ".join(f"{variable} is {element}" for variable, element in elements.items())
            found[assumed] = PossibleTypes(facts, assumed)
        if len(found) > MOST:
            return []
    return [*found.values()]


def _facts(call: Call, formals: Sequence[InputEntry], elements: Mapping[str, str]) -> dict[str, Fact] | None:
    """What the inputs are where the variables are these; None where a value would have two types."""
    found: dict[str, Fact] = {}
    for formal, name, fact in zip(formals, call.visit.node.input, call.visit.inputs, strict=False):
        if fact is None:
            kinds, inner = split_type(formal.type)
            fact = tensor_of(elements.get(inner, inner))
            for kind in reversed(kinds):
                fact = wrap(kind, fact)
        if found.setdefault(name, fact) != fact:
            return None
    return found


def _combinations(call: Call, instance: Instance, free: Sequence[str]) -> Iterator[dict[str, str]]:
    """Element types for the variables of which nothing is known, for each variant that has this very body."""
    siblings = [Instance(call.entry, body) for body in bodies_at(call.entry, call.opset)]
    equal = [item.body for item in siblings if item.content == instance.content]
    for body in equal or [instance.body]:
        choices = [_admitted(call.entry, body, variable) for variable in free]
        yield from (dict(zip(free, elements, strict=True)) for elements in product(*choices))


def _admitted(entry: FunctionEntry, body: BodyEntry, variable: str) -> tuple[str, ...]:
    types = dict(entry.types)[variable]
    fixed = dict(body.variant).get(variable)
    admitted = dict(body.admits).get(variable, types)
    return tuple(item for item in types if item in admitted and fixed in (None, item))
