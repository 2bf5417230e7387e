"""Rows of a vector file, for one version of a function: which element types each applies to, and with what values.

A row stands for one case for each declared type of the function's widest type variable; the other variables take
their first declared type unless the row names types for them, or writes a `type:` next to an input or an output. A
variable that an attribute decides (`output_datatype`) goes the other way round: the attribute gets the code of each of
its types, unless the row gives it.

Where a type cannot hold a value (a fraction in int32), the row skips that type, and says so in `skipped`; where the row
itself names the type, that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, TypeVar

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import ElementType, element
from opwright.suggest import did_you_mean, meant_by, sure_name

from opwright_build.spec.vectors_file import GivenSource, SequenceSource, ValueSource, VariadicSource, VectorRow
from opwright_build.spec.yaml_nodes import rewritten
from opwright_build.verify.case_model import Answer, Skipped, Value
from opwright_build.verify.cases import values
from opwright_build.verify.cases.bindings import resolve_type, type_attribute, type_from_code
from opwright_build.verify.cases.exact_rounding import NotRepresentable
from opwright_build.verify.cases.row_attributes import WrongAttribute, attribute_from_row
from opwright_build.verify.items import SEQUENCE

# What the rows of one version may come to, in elements: they are all in memory at once. A case without any elements
# costs time all the same.
LARGEST_COST = 1 << 24
_COST_OF_CASE = 1 << 10

_Read = TypeVar("_Read")
_Formal = TypeVar("_Formal", InputEntry, OutputEntry)


@dataclass(frozen=True, slots=True)
class TypedRow:
    """A row with the values of one choice of element types.

    `stored` holds the outputs, where the row states them.
    """

    row: VectorRow
    name: str
    bindings: Mapping[str, str]
    attributes: Mapping[str, Any]
    inputs: tuple[Value | None, ...]
    stored: tuple[Answer, ...] | None


@dataclass(slots=True)
class ExpandedRows:
    rows: list[TypedRow] = field(default_factory=list)
    cost: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def expand_rows(
    rows: Sequence[VectorRow], entry: FunctionEntry, declared_anywhere: Mapping[str, frozenset[str]]
) -> ExpandedRows:
    """Every row that is meant for this version, once for each choice of types.

    `declared_anywhere` are the types of each variable over all versions of the function: a row may name a type that
    only another version declares.
    """
    result = ExpandedRows()
    for row in rows:
        if row.versions is None or entry.since_version in row.versions:
            _Expansion(row, entry, declared_anywhere, result).run()
    return result


class _Expansion:
    def __init__(
        self,
        row: VectorRow,
        entry: FunctionEntry,
        declared_anywhere: Mapping[str, frozenset[str]],
        result: ExpandedRows,
    ) -> None:
        self.row = row
        self.entry = entry
        self.declared = {name: admitted for name, admitted in entry.types if admitted}
        self.declared_anywhere = declared_anywhere
        self.result = result
        self.named: dict[str, tuple[str, ...]] = {}  # the variables whose types the row itself decides
        self.attributes: dict[str, Any] = {}
        self.left_out: set[str] = set()  # attributes that the row leaves out on purpose
        self.applies = False

    def run(self) -> None:
        before = len(self.result.diagnostics)
        self._check_names()
        self._read_attributes()
        self._read_types()
        if len(self.result.diagnostics) > before:
            return
        axes = self._axes()
        if not self._affordable(prod(len(names) for names in axes.values())):
            return
        for choice in product(*axes.values()):
            self._add(dict(zip(axes, choice, strict=True)))
        if not self.applies and len(self.result.diagnostics) == before and all(axes.values()):
            message = f"no declared type can hold the values of the row `{self.row.name}`"
            self._report("OW414", message, self.row.place, help="Name the types it is meant for, or change the values.")

    # What the row says, against the interface.

    def _check_names(self) -> None:
        row, entry = self.row, self.entry
        needed = [item.name for item in entry.inputs if not (item.optional or item.variadic)]
        missing = [name for name in needed if row.inputs.get(name) is None]
        missing = self._names("input", row.inputs, [item.name for item in entry.inputs], missing)
        for item in entry.inputs:
            source = row.inputs.get(item.name)
            if source is not None:
                self._check_form(f"inputs.{item.name}", item, source)
            elif item.name in missing:
                self._report("OW406", f"the row `{row.name}` gives no value for the input `{item.name}`", row.place)
        needed = [item.name for item in entry.attributes if item.required and not self._is_bound(item.name)]
        missing = [name for name in needed if row.attributes.get(name) is None]
        for name in self._names("attribute", row.attributes, [item.name for item in entry.attributes], missing):
            message = f"the row `{row.name}` gives no value for the attribute `{name}`"
            self._report("OW406", message, row.place)
        if row.outputs is not None:
            names = [item.name for item in entry.outputs]
            missing = [name for name in names if name not in row.outputs]
            missing = self._names("output", row.outputs, names, missing)
            for output in entry.outputs:
                if output.name in row.outputs:
                    self._check_form(f"outputs.{output.name}", output, row.outputs[output.name])
                elif output.name in missing:
                    message = f"the row `{row.name}` states outputs, but not `{output.name}`"
                    self._report("OW406", message, self._place("outputs"))

    def _check_form(self, path: str, item: InputEntry | OutputEntry, source: GivenSource) -> None:
        """One value or several, tensors or sequences, as the interface has it."""
        place = self._place(path)
        if isinstance(source, VariadicSource) and not item.variadic:
            message = f"{self.entry.identity} has one `{item.name}`, and the row gives `variadic` ones"
            self._report("OW405", message, place, help="Write the value alone.")
            return
        (wrap, inner) = split_type(item.type)
        for value in source.values if isinstance(source, VariadicSource) else (source,):
            if inner == ANY and value.type is None and not self.declared:
                message = f"`{item.name}` may be of any type, and the row does not say which"
                self._report("OW406", message, value.place, help="Write `{value: ..., type: float}`.")
            elif wrap not in ((), SEQUENCE):
                message = f"`{item.name}` is {item.type}, of which a row has no form"
                self._report("OW408", message, value.place)
            elif isinstance(value, SequenceSource) and not wrap and inner != ANY:
                self._report("OW408", f"`{item.name}` is {item.type}, and no sequence", value.place)
            elif wrap and not isinstance(value, SequenceSource):
                message = f"`{item.name}` is {item.type}, a sequence"
                self._report("OW408", message, value.place, help="Write `{sequence: [...]}`, a tensor for each item.")

    def _names(self, what: str, given: Iterable[str], known: Sequence[str], missing: Sequence[str]) -> list[str]:
        """Refuses unknown names; the missing ones that none of these stands for."""
        unknown = [name for name in given if name not in known]
        meant = meant_by(unknown, known, missing)
        for name in unknown:
            message = f"{self.entry.identity} has no {what} `{name}`"
            help_ = f"Did you mean `{meant[name]}`?" if name in meant else did_you_mean(name, known)
            self._misspelt(message, f"{what}s.{name}", name, known, help_)
        return [name for name in missing if name not in meant.values()]

    def _read_attributes(self) -> None:
        for attribute in self.entry.attributes:
            if attribute.name in self.row.attributes:
                given = self.row.attributes[attribute.name]
                if given is None:
                    self.left_out.add(attribute.name)
                    continue
                try:
                    value = attribute_from_row(attribute, given)
                except WrongAttribute as error:
                    place = self._place(f"attributes.{attribute.name}")
                    self._report("OW407", f"the attribute `{attribute.name}` {error}", place)
                else:
                    self.attributes[attribute.name] = value

    def _read_types(self) -> None:
        for variable, names in self.row.types.items():
            path = f"types.{variable}"
            if variable not in self.declared:
                message = f"{self.entry.identity} has no type variable `{variable}`"
                self._misspelt(message, path, variable, list(self.declared), did_you_mean(variable, self.declared))
                continue
            for name in names:
                if name not in self.declared_anywhere.get(variable, frozenset(self.declared[variable])):
                    message = f"`{variable}` does not declare {name}"
                    self._report("OW408", message, self._place(path), help=_admitted(self.declared[variable]))
                elif name not in self.declared[variable]:
                    self._skip(f"{variable}={name}", f"this version does not declare {name}")
            self.named[variable] = tuple(name for name in names if name in self.declared[variable])
        self._read_written_types("input", spread(self.entry.inputs, self.row.inputs))
        self._read_written_types("output", spread(self.entry.outputs, self.row.outputs or {}))
        self._read_bound_type()

    def _read_written_types(
        self, what: str, given: Iterable[tuple[InputEntry | OutputEntry, ValueSource | None]]
    ) -> None:
        for item, source in given:
            inner = split_type(item.type)[1]
            if source is None or source.type is None or inner == ANY:
                continue
            if inner not in self.declared:
                if source.type != inner:
                    message = f"the {what} `{item.name}` is {inner}, not {source.type}"
                    self._report("OW408", message, source.place)
            elif source.type not in self.declared[inner]:
                message = f"`{inner}` does not declare {source.type}"
                self._report("OW408", message, source.place, help=_admitted(self.declared[inner]))
            else:
                self._narrow(inner, source.type, source.place)

    def _read_bound_type(self) -> None:
        bound = type_attribute(self.entry)
        if bound is None or bound[1].name not in self.attributes:
            return
        variable, attribute = bound
        name = type_from_code(self.attributes[attribute.name])
        place = self._place(f"attributes.{attribute.name}")
        if name is None or name not in self.declared[variable]:
            message = f"`{attribute.name}` is the code of {name or 'no type'}, which `{variable}` does not declare"
            self._report("OW408", message, place, help=_admitted(self.declared[variable]))
        else:
            self._narrow(variable, name, place)

    def _narrow(self, variable: str, name: str, place: Place) -> None:
        if variable in self.named and name not in self.named[variable]:
            others = ", ".join(self.named[variable]) or "another type"
            self._report("OW408", f"`{variable}` is {name} here, but {others} elsewhere in the row", place)
        self.named[variable] = (name,)

    def _is_bound(self, attribute: str) -> bool:
        bound = type_attribute(self.entry)
        return bound is not None and bound[1].name == attribute

    # The choices of types, and the values under each.

    def _axes(self) -> dict[str, tuple[str, ...]]:
        widest = self._widest
        axes: dict[str, tuple[str, ...]] = {}
        for variable, admitted in self.declared.items():
            if variable in self.named:
                axes[variable] = self.named[variable]
            else:
                axes[variable] = admitted if variable == widest else (self._first(variable),)
        return axes

    def _affordable(self, count: int) -> bool:
        """Whether so many cases of this row stay within the version's budget; reports where they do not."""
        sources = (*self.row.inputs.values(), *(self.row.outputs or {}).values())
        self.result.cost += count * (_COST_OF_CASE + sum(values.size(source) for source in sources))
        if self.result.cost <= LARGEST_COST:
            return True
        message = f"with the row `{self.row.name}`, the rows of {self.entry.identity} stand for too much"
        reason = f"{count:,} cases of this row; each has {_COST_OF_CASE:,} elements and those of its tensors, and all "
        self._report("OW422", message, self.row.place, reason=f"{reason}rows together at most {LARGEST_COST:,}.")
        return False

    def _first(self, variable: str) -> str:
        """The type of a variable that the row leaves open: the default of the attribute that decides it, else its
        first declared one."""
        bound = type_attribute(self.entry)
        if bound is not None and bound[0] == variable:
            name = type_from_code(bound[1].default)
            if name in self.declared[variable]:
                return name
        return self.declared[variable][0]

    def _add(self, bindings: dict[str, str]) -> None:
        label = self._label(bindings)
        try:
            inputs = tuple(
                None if source is None else self._read(f"inputs.{item.name}", source, item.type, bindings, values.value)
                for item, source in spread(self.entry.inputs, self.row.inputs)
            )
            stored = None if self.row.outputs is None else self._stored(self.row.outputs, bindings)
        except _CannotHold as error:
            if error.named:
                self._report("OW404", f"{error} (in `{self.row.name}`)", error.place)
            else:
                self._skip(label, str(error))
            return
        attributes = {**self.attributes, **self._bound_attribute(bindings)}
        name = f"{self.row.name}[{label}]" if label else self.row.name
        self.result.rows.append(TypedRow(self.row, name, bindings, attributes, inputs, stored))
        self.applies = True

    def _bound_attribute(self, bindings: Mapping[str, str]) -> dict[str, int]:
        """The attribute that makes the output's type what the bindings say, where its default would not."""
        bound = type_attribute(self.entry)
        if bound is None or bound[1].name in self.attributes or bound[1].name in self.left_out:
            return {}
        code = element(bindings[bound[0]]).code
        return {} if bound[1].default == code else {bound[1].name: code}

    def _stored(self, outputs: Mapping[str, GivenSource], bindings: Mapping[str, str]) -> tuple[Answer, ...]:
        return tuple(
            self._read(f"outputs.{item.name}", source, item.type, bindings, values.stated)
            for item, source in spread(self.entry.outputs, outputs)
            if source is not None
        )

    def _read(
        self,
        path: str,
        source: ValueSource,
        declared: str,
        bindings: Mapping[str, str],
        read: Callable[[ValueSource, ElementType], _Read],
    ) -> _Read:
        """The values as the declaration wants them; what may be of any type is of its own, or of the row's."""
        inner = split_type(declared)[1]
        if inner == ANY:
            inner = source.type or self._widest
        try:
            return read(source, element(resolve_type(bindings, inner)))
        except NotRepresentable as error:
            fixed = inner not in self.declared or inner in self.named
            raise _CannotHold(f"{path}: {error}", source.place, fixed) from None

    @property
    def _widest(self) -> str:
        """The type variable of which a row stands for every type."""
        return max(self.declared, key=lambda name: len(self.declared[name]), default="")

    def _label(self, bindings: Mapping[str, str]) -> str:
        """The types that tell this case from the row's others: every variable with more than one declared type."""
        return ",".join(f"{name}={bindings[name]}" for name in bindings if len(self.declared[name]) > 1)

    def _skip(self, label: str, reason: str) -> None:
        name = f"{self.row.name}[{label}]" if label else self.row.name
        self.result.skipped.append(Skipped(self.entry.identity, name, reason, self.row.place))

    def _place(self, path: str) -> Place:
        return self.row.places.get(path, self.row.place)

    def _misspelt(self, message: str, path: str, name: str, known: Sequence[str], help: str) -> None:
        """A key of the row that the interface does not have."""
        place, (parent, _, _) = self._place(path), path.rpartition(".")
        meant = sure_name(name, known)
        fix = None if f"{parent}.{meant}" in self.row.places else rewritten(place, name, meant)
        self.result.diagnostics.append(Diagnostic("OW405", message, place, help=help, replacement=fix))

    def _report(self, code: str, message: str, place: Place, *, reason: str = "", help: str = "") -> None:
        self.result.diagnostics.append(Diagnostic(code, message, place, reason, help))


def spread(
    formals: Sequence[_Formal], given: Mapping[str, GivenSource | None]
) -> Iterator[tuple[_Formal, ValueSource | None]]:
    """The values of a row, each with its declaration: a variadic one stands for as many as are given."""
    for item in formals:
        source = given.get(item.name)
        if isinstance(source, VariadicSource):
            yield from ((item, value) for value in source.values)
        elif source is not None or not item.variadic:
            yield item, source


class _CannotHold(Exception):
    """A value and a type that do not fit. `named`: the row, or the interface, insists on that type."""

    def __init__(self, text: str, place: Place, named: bool) -> None:
        super().__init__(text)
        self.place = place
        self.named = named


def _admitted(names: Sequence[str]) -> str:
    return f"Declared: {', '.join(names)}."
