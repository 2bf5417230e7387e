"""What each argument of an operator is to the function that implements it, by rules from schema and interface."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from opwright.aten.forms.call_shape import Form
from opwright.aten.forms.form_table import FORMS
from opwright.aten.operator_schema import Argument, MalformedSchema, Schema, parse_schema
from opwright.bundle.format import AttributeEntry, FunctionEntry, ImplementsEntry, InputEntry

WIDE = "wide"  # of a type variable: integers are computed as int64, as sum and cumsum do
KEPT = "kept"  # of a type variable: no other element type stands for that of the operands
SUMMED = "summed"  # of a type variable: as `wide`, and integers of 16 bits are computed in double, exactly, as sum does
EINSUM = "einsum"  # of a type variable: as `kept`, and as `wide` where the equation sums one tensor
FLOAT = "float"  # of a type variable: float where float16 or bfloat16 does not represent a number, as products do
RULES = (WIDE, SUMMED, KEPT, EINSUM, FLOAT)
_KINDS: Mapping[str, tuple[str, ...]] = {  # of an attribute, by those of the argument
    "int": ("INT",),
    "bool": ("INT",),
    "float": ("FLOAT",),
    "Scalar": ("FLOAT", "INT"),
    "str": ("STRING",),
    "ScalarType": ("INT",),
}


class Role(Enum):
    INPUT = "input"
    ATTRIBUTE = "attribute"
    TYPE = "type"  # the element type in which is computed: inputs are cast to it
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class BoundArgument:
    """An argument and what it is to a parameter. `accepted` are the values for which a dropped one does not matter;
    None: all."""

    argument: Argument
    role: Role
    entry: InputEntry | AttributeEntry | None = None
    form: Form | None = None
    accepted: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """An operator and a function that implements it. `arguments` stand in the schema's order, and behind them those
    that parameters of other names are made of. `rank_of`: the argument whose rank results have; empty: none is said."""

    schema: Schema
    function: FunctionEntry
    arguments: tuple[BoundArgument, ...]
    promotion: Mapping[str, str]
    lifts: bool
    rank_of: str = ""

    @property
    def admitted(self) -> Mapping[str, tuple[str, ...]]:
        """The element types of each type variable."""
        return dict(self.function.types)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why an operator and a function do not fit; `key` is the part of `implements` that is about it."""

    key: tuple[str, ...]
    text: str


def bind_operator(implements: ImplementsEntry, function: FunctionEntry) -> Binding | list[Misfit]:
    """The binding, or everything that stands against it."""
    try:
        schema = parse_schema(implements.schema)
    except MalformedSchema as error:
        return [Misfit(("operator",), f"its schema cannot be read: {error}")]
    forms, drops, sources = dict(implements.forms), dict(implements.drops), dict(implements.sources)
    used = {name for names in sources.values() for name in names}
    parameters: dict[str, InputEntry | AttributeEntry] = {item.name: item for item in function.inputs}
    parameters |= {item.name: item for item in function.attributes}
    misfits: list[Misfit] = []
    bound: list[BoundArgument] = []
    for argument in schema.arguments:
        entry = parameters.pop(argument.name, None)
        form = forms.pop(argument.name, None)
        accepted = drops.pop(argument.name, None)
        key = ("arguments", argument.name)
        if form is not None and form not in FORMS:
            misfits.append(Misfit(key, f"there is no form `{form}`; there are {', '.join(FORMS)}"))
        elif form is not None and entry is None:
            misfits.append(Misfit(key, f"it has a form, and the function no parameter `{argument.name}`"))
        elif accepted is not None and entry is not None:
            misfits.append(Misfit(key, f"it is dropped, and the function has a parameter `{argument.name}`"))
        else:
            made = _bound(argument, entry, FORMS.get(form or ""), accepted, argument.name in used)
            if isinstance(made, str):
                misfits.append(Misfit(key, made))
            else:
                bound.append(made)
    for name, made_of in sources.items():
        made = _derived(schema, made_of, parameters.pop(name, None), forms.pop(name, ""))
        if isinstance(made, str):
            misfits.append(Misfit(("arguments", name), made))
        else:
            bound.append(made)
    for name in (*forms, *drops):
        misfits.append(Misfit(("arguments", name), "the operator has no such argument"))
    for entry in parameters.values():
        if isinstance(entry, AttributeEntry) and entry.required:
            misfits.append(Misfit((), f"it has no argument for the attribute `{entry.name}`"))
        elif isinstance(entry, InputEntry) and not (entry.optional or entry.variadic):
            misfits.append(Misfit((), f"it has no argument for the input `{entry.name}`"))
    if _outputs(function) < len(schema.returns):
        misfits.append(Misfit((), f"it has {len(schema.returns)} results, and the function fewer outputs"))
    variables = dict(function.types)
    names = {item.name for item in schema.arguments}
    for variable, rule in implements.promotion:
        if variable not in variables:
            misfits.append(Misfit(("promotion", variable), f"the function has no type variable `{variable}`"))
        elif rule not in RULES and rule not in names:
            known = ", ".join(f"`{item}`" for item in RULES)
            misfits.append(Misfit(("promotion", variable), f"`{rule}` is none of {known}, and no argument"))
        elif rule == EINSUM and "equation" not in names:
            misfits.append(Misfit(("promotion", variable), f"`{rule}` is of operators with an argument `equation`"))
    if implements.rank_of and implements.rank_of not in names:
        misfits.append(Misfit(("rank_of",), f"the operator has no argument `{implements.rank_of}`"))
    return misfits or Binding(
        schema, function, tuple(bound), dict(implements.promotion), implements.lifts, implements.rank_of
    )


def _derived(
    schema: Schema, sources: Sequence[str], entry: InputEntry | AttributeEntry | None, form: str
) -> BoundArgument | str:
    """A parameter that is made of arguments of other names, or why it cannot be. Its form is given the first."""
    known = {item.name: item for item in schema.arguments}
    missing = next((name for name in sources if name not in known), None)
    if missing is not None or not sources:
        return "it names no argument of which it is made" if missing is None else f"there is no argument `{missing}`"
    if entry is None:
        return "the function has no such parameter, or one that stands for an argument"
    if not form:
        return f"`of:` says what it is made of, and `form:` has to say how; there are {', '.join(FORMS)}"
    if form not in FORMS:
        return f"there is no form `{form}`; there are {', '.join(FORMS)}"
    return _bound(known[sources[0]], entry, FORMS[form], None, False)


def _bound(
    argument: Argument,
    entry: InputEntry | AttributeEntry | None,
    form: Form | None,
    accepted: tuple[str, ...] | None,
    is_source: bool,
) -> BoundArgument | str:
    """The argument bound, or why it cannot be. `is_source`: other parameters are made of it."""
    if entry is None:
        if accepted is not None:
            try:
                values = tuple(json.loads(text) for text in accepted)
            except ValueError:
                return "the values that it is dropped at are not JSON"
            return BoundArgument(argument, Role.DROPPED, accepted=values or None)
        if argument.kind == "ScalarType":
            return BoundArgument(argument, Role.TYPE)
        if argument.is_dropped or is_source:
            return BoundArgument(argument, Role.DROPPED)
        if not argument.has_default:
            return f"the function has no parameter `{argument.name}`, and the argument no default"
        return BoundArgument(argument, Role.DROPPED, accepted=(argument.default,))
    if isinstance(entry, AttributeEntry):
        if argument.kind == "Tensor" and form is None:
            return "a tensor cannot be an attribute"
        kinds = _KINDS.get(argument.kind, ())
        wanted = tuple(f"{kind}S" for kind in kinds) if argument.is_list else kinds
        # Forms are for one number that stands for several, several of which one is meant, and names of numbers.
        formed = () if form is None else ("INT", "INTS", "STRING", *(f"{kind}S" for kind in kinds))
        if entry.type not in (*wanted, *formed):
            return f"the attribute is of kind {entry.type}, and the argument is {_described(argument)}"
        return BoundArgument(argument, Role.ATTRIBUTE, entry, form)
    if argument.is_list and argument.kind == "Tensor" and not entry.variadic and form is None:
        return "it is a list of tensors, so the input must be `*name`"
    if entry.variadic and not (argument.is_list and argument.kind == "Tensor"):
        return f"the input stands for any number of tensors, and the argument is {_described(argument)}"
    if argument.kind not in ("Tensor", "Scalar", "int", "float", "bool"):
        return f"a {argument.kind} cannot be an input"
    return BoundArgument(argument, Role.INPUT, entry, form)


def _described(argument: Argument) -> str:
    return f"a list of {argument.kind}" if argument.is_list else f"a {argument.kind}"


def _outputs(function: FunctionEntry) -> int:
    return 1 << 30 if function.outputs and function.outputs[-1].variadic else len(function.outputs)
