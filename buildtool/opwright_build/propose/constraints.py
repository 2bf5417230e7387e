"""The types of an interface as a schema of ONNX states them: type constraints, and the types of inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import FunctionEntry
from opwright.elements import BY_NAME
from opwright.link.template_bodies import any_fact
from opwright.link.value_types import tensor_of

from opwright_build.propose.subject import values_of


@dataclass(frozen=True, slots=True)
class Constraint:
    """`types` as schemas write them: `tensor(float)`, `seq(tensor(float))`."""

    name: str
    types: tuple[str, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class SchemaTypes:
    """`names` says what a schema writes for each type that the interface declares: a constraint's name, or a type."""

    constraints: tuple[Constraint, ...]
    names: Mapping[str, str]


def schema_types(entry: FunctionEntry) -> SchemaTypes:
    """What a schema says of the types.

    A schema's constraint is of whole types, so `T` and `seq(T)` need one each, and nothing in the schema ties the two.
    What may be of any type may be of those that the function declares somewhere, or else of all.
    """
    users: dict[str, list[str]] = {name: [] for name, _ in entry.types}
    for item in values_of(entry):
        users.setdefault(item.type, []).append(item.name)
    variables = {name for name, _ in entry.types}
    names: dict[str, str] = {}
    constraints: list[Constraint] = []
    for text, where in users.items():
        wrap, inner = split_type(text)
        if not where:
            continue
        if inner not in variables and inner != ANY:
            names[text] = any_fact(wrap, tensor_of(inner))
            continue
        if inner in variables and not (wrap and (users[inner] or inner in names.values())):
            names[text] = inner
        else:
            names[text] = _free("S" if wrap else "V", {*variables, *names.values()})
        constraints.append(
            Constraint(names[text], tuple(_types(entry, text)), _doc(where, whole=bool(wrap) or inner == ANY))
        )
    return SchemaTypes(tuple(constraints), names)


def _types(entry: FunctionEntry, declared: str) -> Iterator[str]:
    wrap, inner = split_type(declared)
    kinds: Sequence[str] = dict(entry.types).get(inner, ())
    if inner == ANY:
        kinds = tuple(dict.fromkeys(kind for _, admitted in entry.types for kind in admitted)) or tuple(BY_NAME)
    yield from (any_fact(wrap, tensor_of(kind)) for kind in kinds)
    if declared == ANY:
        yield from (any_fact(("seq",), tensor_of(kind)) for kind in kinds)


def _doc(names: Sequence[str], whole: bool) -> str:
    """What a constraint is about, in words; `whole`: it is not of tensors alone."""
    *before, last = dict.fromkeys(names)
    return f"{'Types' if whole else 'Element types'} of {', '.join(before)}{' and ' if before else ''}{last}."


def _free(letter: str, taken: set[str]) -> str:
    name, count = letter, 1
    while name in taken:
        name, count = f"{letter}{count}", count + 1
    return name
