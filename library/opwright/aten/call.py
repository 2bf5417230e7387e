"""One call of an operator as a call of the function that implements it: inputs, each with its cast, and attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opwright.aten.binding import EINSUM, FLOAT, KEPT, RULES, SUMMED, WIDE, Binding, BoundArgument, Role
from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.products import sums_one_tensor
from opwright.aten.forms.spectra import pairs
from opwright.aten.operator_schema import Argument
from opwright.aten.promotion import (
    Operand,
    admitted_type,
    as_number_of,
    is_exact,
    is_represented,
    result_type,
    type_of_number,
)
from opwright.aten.tensor_facts import Facts, FactsOf
from opwright.bundle.call_interface import ANY
from opwright.bundle.format import AttributeEntry, InputEntry
from opwright.elements import BY_NAME, ElementType


class NoCall(ValueError):
    """A call of the operator that is none of the function; it says why."""


_ELEMENTS_OF_PYTORCH = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float",
    7: "double",
    11: "bool",
    15: "bfloat16",
}


@dataclass(frozen=True, slots=True)
class TensorInput:
    """A tensor of the call, cast where `cast` is not None, then made one of rank 1 where it is `lifted`."""

    value: Any
    cast: ElementType | None
    lifted: bool


@dataclass(frozen=True, slots=True)
class NumberInput:
    """A constant of rank 0, or of rank 1 of a list."""

    value: Any
    element: ElementType


@dataclass(frozen=True, slots=True)
class JoinedInput:
    """A list of numbers of which some are computed: int64, of rank 1. Computed ones are integer tensors of rank 0."""

    parts: tuple[Any, ...]


Input = TensorInput | NumberInput | JoinedInput


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """`inputs` are in the order of the function's, None where absent; with `to_rank_0` each result becomes a scalar.
    `elements` are what its type variables stand for, as far as the arguments say it. `result` is the element type to
    which results are cast, None where they are right."""

    inputs: tuple[Input | None, ...]
    attributes: Mapping[str, Any]
    to_rank_0: bool
    elements: Mapping[str, ElementType]
    result: ElementType | None = None


def call_of_operator(
    binding: Binding, args: Sequence[Any], kwargs: Mapping[str, Any], facts_of: FactsOf, results: int | None = None
) -> FunctionCall:
    """Element types (`dtype=`) are given as ElementType. `results`: how many results the call has, where that is known
    though the arguments do not say it. Raises NoCall."""
    return _Maker(binding, _values(binding, args, kwargs), facts_of, results).make()


def _values(binding: Binding, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The value of each argument, in the schema's order."""
    schema = binding.schema
    positional = [item for item in schema.arguments if not item.keyword_only]
    if len(args) > len(positional):
        raise NoCall(f"{schema.identity} takes {len(positional)} arguments by position, and {len(args)} are given")
    given = dict(zip((item.name for item in positional), args, strict=False))
    for name, value in kwargs.items():
        if name in given or all(item.name != name for item in schema.arguments):
            raise NoCall(
                f"the argument `{name}` of {schema.identity} {'is given twice' if name in given else 'is not known'}"
            )
        given[name] = value
    values: dict[str, Any] = {}
    for item in schema.arguments:
        if item.name in given:
            values[item.name] = given[item.name]
        elif item.has_default or item.optional:
            values[item.name] = _default(item)
        else:
            raise NoCall(f"the argument `{item.name}` of {schema.identity} is not given")
    return values


def _default(item: Argument) -> Any:
    """Of element types schemas have PyTorch's own numbers."""
    if item.kind == "ScalarType" and isinstance(item.default, int):
        found = _ELEMENTS_OF_PYTORCH.get(item.default)
        if found is None:
            raise NoCall(f"the default {item.default} of `{item.name}` is no element type that ONNX has")
        return BY_NAME[found]
    return item.default


class _Maker:
    def __init__(self, binding: Binding, values: Mapping[str, Any], facts_of: FactsOf, results: int | None) -> None:
        self.binding = binding
        self.values = values
        self.facts_of = facts_of
        self.results = results
        self.result: ElementType | None = None
        first = next(self._tensors(*binding.schema.arguments), None)
        has_rank_0 = first is not None and first.sizes == ()
        self.lifted = bool(binding.rank_of) or (binding.lifts and has_rank_0)
        self.first = replace(first, sizes=(1,)) if first is not None and has_rank_0 and self.lifted else first

    def make(self) -> FunctionCall:
        self._check_complex()
        chosen = {variable: self._type(variable) for variable in self.binding.admitted}
        inputs: dict[str, list[Input | None]] = {}
        attributes: dict[str, Any] = {}
        for item in self.binding.arguments:
            value = self.values[item.argument.name]
            if item.role is Role.DROPPED:
                self._check_dropped(item, value)
            elif item.role is Role.ATTRIBUTE:
                assert isinstance(item.entry, AttributeEntry)
                made = self._attribute(item, self._formed(item, value))
                if made is not None:
                    attributes[item.entry.name] = made
            elif item.role is Role.INPUT:
                assert isinstance(item.entry, InputEntry)
                wanted = self._wanted(item.entry, chosen)
                inputs[item.entry.name] = self._inputs(item, self._formed(item, value, wanted), wanted)
        ordered = [item for entry in self.binding.function.inputs for item in inputs.get(entry.name, [None])]
        while ordered and ordered[-1] is None:
            ordered.pop()
        known = {variable: element for variable, element in chosen.items() if element is not None}
        return FunctionCall(tuple(ordered), attributes, self._leaves_rank_1(attributes), known, self.result)

    def _tensors(self, *arguments: Argument) -> Iterator[Facts]:
        """The facts of the tensors among the values of arguments, in their order."""
        for argument in arguments:
            if argument.kind == "Tensor":
                value = self.values[argument.name]
                for tensor in value if argument.is_list and value is not None else [value]:
                    facts = None if tensor is None else self.facts_of(tensor)
                    if facts is not None:
                        yield facts

    def _check_complex(self) -> None:
        """Refuses a complex tensor where the function computes with real numbers."""
        for item in self.binding.arguments:
            takes_real = item.form is not pairs and item.role is Role.INPUT
            if takes_real and any(facts.is_complex for facts in self._tensors(item.argument)):
                raise NoCall(f"`{item.argument.name}` is complex, and the function takes real numbers")

    def _leaves_rank_1(self, attributes: Mapping[str, Any]) -> bool:
        """Whether the results are of rank 1, and scalars to PyTorch. A dimension that is reduced and not kept leaves a
        scalar anyway."""
        if self.binding.rank_of:
            facts = self.facts_of(self.values[self.binding.rank_of])
            return facts is not None and facts.sizes == ()
        keeps = bool(self.values.get("keepdim", True)) or attributes.get("dim") == []
        return self.lifted and keeps and self._are_all_rank_0()

    def _are_all_rank_0(self) -> bool:
        """Where one of the tensors has a rank, as the index of `gather`, so has the result."""
        tensors = [self.facts_of(self.values[item.name]) for item in self.binding.schema.arguments if not item.is_list]
        return all(facts is None or facts.sizes == () for facts in tensors)

    def _formed(self, item: BoundArgument, value: Any, element: ElementType | None = None) -> Any:
        if item.form is None:
            return value
        try:
            shape = CallShape(item.argument, self.values, self.facts_of, self.first, element, self.results)
            return item.form(value, shape)
        except NoForm as error:
            raise NoCall(f"the argument `{item.argument.name}`: {error}") from None

    def _check_dropped(self, item: BoundArgument, value: Any) -> None:
        if item.accepted is not None and not any(_same(value, accepted) for accepted in item.accepted):
            known = ", ".join(map(repr, item.accepted))
            raise NoCall(f"`{item.argument.name}` is {value!r}, and the function serves {known} alone")
        if item.argument.kind == "Layout" and value not in (None, "strided"):
            raise NoCall(f"`{item.argument.name}` is {value!r}: tensors of ONNX are strided")

    def _attribute(self, item: BoundArgument, value: Any) -> Any:
        """The value of an attribute; None where it is not given."""
        entry = item.entry
        assert isinstance(entry, AttributeEntry)
        name = entry.name
        if value is None:
            if entry.required:
                raise NoCall(f"`{name}` is None, and the function's attribute has no default")
            return None
        items = list(value) if isinstance(value, list | tuple) else [value]
        if any(self.facts_of(part) is not None for part in items):
            raise NoCall(f"`{name}` is computed in the graph, and an attribute of the function")
        if isinstance(value, ElementType):
            self._check_result(name, value)
            value = value.code
        elif entry.type.endswith("S"):
            value = [float(part) for part in items] if entry.type == "FLOATS" else items
        elif isinstance(value, list | tuple):
            if len(items) != 1:
                raise NoCall(f"`{name}` has {len(items)} numbers, and the function's attribute is one")
            value = items[0]
        if entry.type == "FLOAT":
            value = float(value)
        elif entry.type == "INT" and not entry.is_bool:
            if isinstance(value, float) and not value.is_integer():
                raise NoCall(f"`{name}` is {value!r}, and the function's attribute an integer")
            value = int(value)
        if entry.choices and value not in entry.choices:
            known = ", ".join(map(repr, entry.choices))
            raise NoCall(f"`{name}` is {value!r}, and the function serves {known} alone")
        return value

    def _check_result(self, name: str, element: ElementType) -> None:
        """Refuses an element type that no result can have."""
        variables = [item.type for item in self.binding.function.outputs if item.type in self.binding.admitted]
        if variables and not any(element.name in self.binding.admitted[item] for item in variables):
            known = ", ".join(self.binding.admitted[variables[0]])
            raise NoCall(f"`{name}` is {element}, and `{variables[0]}` of the function is one of {known}")

    # ----------------------------------------------------------------------------------------------- element types

    def _type(self, variable: str) -> ElementType | None:
        """What a type variable stands for; None where the arguments do not say it."""
        wanted = self._decided(variable) or self._promoted(variable)
        if wanted is None:
            return None
        admitted = self.binding.admitted[variable]
        rule = self.binding.promotion.get(variable)
        if rule == FLOAT and wanted.bits == 16 and wanted.is_float and not self._represents_numbers(variable, wanted):
            self.result = wanted
            return BY_NAME["float"]
        if rule == SUMMED and wanted.name == "int64" and "double" in admitted and self._are_narrow(variable):
            self.result, wanted = wanted, BY_NAME["double"]
        is_kept = rule in (KEPT, EINSUM)
        found = admitted_type(wanted, admitted) if wanted.name in admitted or not is_kept else None
        if found is None:
            raise NoCall(f"it computes in {wanted}, and `{variable}` of the function is one of {', '.join(admitted)}")
        return found

    def _represents_numbers(self, variable: str, element: ElementType) -> bool:
        """Whether the element type has the value of each finite number among the operands. PyTorch rounds the first one
        to it, as in `1e5 // x`."""
        numbers = [
            self.values[item.argument.name]
            for item in self.binding.arguments
            if isinstance(item.entry, InputEntry)
            and item.entry.type == variable
            and item.argument is not self.binding.schema.arguments[0]
        ]
        finite = [item for item in numbers if isinstance(item, int | float) and math.isfinite(item)]
        return all(is_represented(item, element) for item in finite)

    def _decided(self, variable: str) -> ElementType | None:
        """What `dtype=` says, which is about the type variable of the first input that has one."""
        typed = [item.entry.type for item in self.binding.arguments if isinstance(item.entry, InputEntry)]
        first = next((text for text in typed if text in self.binding.admitted), None)
        if first != variable:
            return None
        for item in self.binding.arguments:
            if item.role is Role.TYPE and self.values[item.argument.name] is not None:
                found = self.values[item.argument.name]
                assert isinstance(found, ElementType)
                return found
        return None

    def _promoted(self, variable: str) -> ElementType | None:
        rule = self.binding.promotion.get(variable, "")
        operands = [operand for item in self._operands_of(variable) for operand in self._operands(item)]
        if not operands:
            return None
        found = result_type(operands)
        is_wide = rule in (WIDE, SUMMED) or (rule == EINSUM and sums_one_tensor(self.values["equation"]))
        return BY_NAME["int64"] if is_wide and (found.is_integer or found.kind == "bool") else found

    def _are_narrow(self, variable: str) -> bool:
        """Whether the operands are tensors of integers of at most 16 bits, of which double holds the sum of 2**37."""
        tensors = [*self._tensors(*self._operands_of(variable))]
        held = [facts.source or facts.element for facts in tensors]
        return bool(held) and all(item.kind in ("bool", "int", "uint") and item.bits <= 16 for item in held)

    def _operands_of(self, variable: str) -> Iterator[Argument]:
        """The arguments that decide what a type variable stands for."""
        rule = self.binding.promotion.get(variable, "")
        for item in self.binding.arguments:
            entry = item.entry
            if not rule or rule in RULES:
                counts = isinstance(entry, InputEntry) and entry.type == variable and not self._is_factor(item.argument)
            else:
                counts = item.argument.name == rule
            if counts:
                yield item.argument

    def _operands(self, argument: Argument) -> list[Operand]:
        value = self.values[argument.name]
        if argument.kind == "ScalarType":
            return [Operand(value or BY_NAME["float"], dimensioned=True)]
        found: list[Operand] = []
        for item in value if argument.is_list and value is not None else [value]:
            facts = None if item is None else self.facts_of(item)
            if facts is not None:
                is_number = argument.kind != "Tensor"  # computed by the graph, and a number to PyTorch
                found.append(Operand(facts.element, facts.sizes is None or facts.sizes != (), is_number))
            elif item is not None:
                found.append(Operand(type_of_number(item), is_number=True))
        return found

    def _wanted(self, entry: InputEntry, chosen: Mapping[str, ElementType | None]) -> ElementType | None:
        """The element type of an input; None where it takes any."""
        if entry.type in chosen:
            return chosen[entry.type]
        return None if entry.type == ANY else BY_NAME[entry.type]

    # ------------------------------------------------------------------------------------------------------- inputs

    def _inputs(self, item: BoundArgument, value: Any, wanted: ElementType | None) -> list[Input | None]:
        entry, argument = item.entry, item.argument
        assert isinstance(entry, InputEntry)
        if entry.variadic:
            return [self._input(item, part, wanted) for part in value]
        if value is None:
            if not entry.optional:
                raise NoCall(f"`{argument.name}` is None, and the function's input is required")
            return [None]
        if argument.kind == "Scalar" and entry.optional and argument.has_default and _same(value, argument.default):
            return [None]
        if isinstance(value, list | tuple):
            return [self._list(argument, value, wanted)]
        if argument.is_list and self.facts_of(value) is None:
            return [self._list(argument, [value], wanted)]
        return [self._input(item, value, wanted)]

    def _list(self, argument: Argument, value: Sequence[Any], wanted: ElementType | None) -> Input:
        element = wanted or BY_NAME["int64" if argument.kind == "int" else "double"]
        if all(self.facts_of(part) is None for part in value):
            return NumberInput(list(value), element)
        if element is not BY_NAME["int64"]:
            raise NoCall(f"`{argument.name}` has numbers that are computed, and the function takes it as {element}")
        return JoinedInput(tuple(value))

    def _input(self, item: BoundArgument, value: Any, wanted: ElementType | None) -> Input | None:
        if value is None:
            return None
        argument, facts = item.argument, self.facts_of(value)
        if facts is None:
            element = wanted or type_of_number(value)
            is_factor = self._is_factor(argument) and not self._follows_argument(item)
            number = value if is_factor else as_number_of(value, element)
            if number is None or not is_exact(number, element):
                raise NoCall(f"`{argument.name}` is {value!r}, which is no value of {element}")
            return NumberInput(number, element)
        cast = wanted if wanted is not None and facts.element is not wanted else None
        if (
            cast is not None
            and cast.is_integer
            and facts.element.is_float
            and argument.kind == "Tensor"
            and not self._follows_argument(item)
        ):
            raise NoCall(f"`{argument.name}` is {facts.element}, and the function takes {cast}")
        return TensorInput(value, cast, self.lifted and facts.sizes == () and argument.kind == "Tensor")

    def _follows_argument(self, item: BoundArgument) -> bool:
        """Whether the type is that of one argument, to which PyTorch then converts numbers and tensors."""
        entry = item.entry
        rule = self.binding.promotion.get(entry.type, "") if isinstance(entry, InputEntry) else ""
        return bool(rule) and rule not in RULES

    def _is_factor(self, argument: Argument) -> bool:
        """A number that has a default, such as `alpha=1`: PyTorch takes it in the type of the tensors, if there are."""
        has_default = argument.kind == "Scalar" and argument.default is not None
        return has_default and any(item.kind == "Tensor" for item in self.binding.schema.arguments)


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, list | tuple) or isinstance(other, list | tuple):
        return [*(value or ())] == [*(other or ())]
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)
