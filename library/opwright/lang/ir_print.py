"""The IR as text, for people and for tests: equal functions give equal texts.

    function example::F@1 opset 18
      input %x: float[N]
      input %n: int64[]
      %0: bool[] = Constant@13 true
      %y: float[N] = Loop@16(%n, %0) with (%trip: number(int), %condition: bool[], %y.1: float[N] = %x) {
        %y.2: float[N] = Add@14(%y.1, %x)
        yield %0, %y.2
      }
      return y = %y

A value is written with its type where it is assigned; `number(int)` is a number of Python that is known at run time, a
scalar of int64. Its name is the one that the source gives it, with a number behind it from the second use on; a value
without a name has a number alone. An operator stands with the version of its schema (`Add@14`), those of other domains
and called functions with their domain. `_` is an input or a result that is left out, `any` every element type.

`Loop` takes the number of trips and the condition; each value that it carries stands as a parameter of the body with
what it is in the first trip, and the body yields the condition and the carried values.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.opsets.signatures import ALL_ELEMENTS, elements_of

NUMBER_FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "float": "f",
    "double": "d",
}
"""The `struct` formats of the element types whose constants are written as numbers; others are written as bytes."""

_WIDTH = 120  # of a line
_WORD = re.compile(r"[A-Za-z_][\w.]*")


class Names:
    """The names of values in a text. Texts of one function share them where a value is to keep its name."""

    __slots__ = ("_counts", "_of", "_taken")

    def __init__(self, given: Mapping[ir.Value, str] | None = None) -> None:
        self._of = dict(given or {})
        self._taken = set(self._of.values())
        self._counts: dict[str, int] = {}

    def of(self, value: ir.Value) -> str:
        found = self._of.get(value)
        if found is None:
            found = self._of[value] = self._new(value.name)
            self._taken.add(found)
        return found

    def _new(self, base: str) -> str:
        while True:
            count = self._counts.get(base, 0)
            self._counts[base] = count + 1
            name = f"%{base}.{count}" if base and count else f"%{base or count}"
            if name not in self._taken:
                return name


def print_function(function: ir.Function, names: Names | None = None) -> str:
    """The one text of a function; values that `names` knows have those names, and it learns the others."""
    return "\n".join(_Printer(function, names or Names()).lines()) + "\n"


class _Printer:
    def __init__(self, function: ir.Function, names: Names) -> None:
        self.function = function
        self.names = names

    def lines(self) -> list[str]:
        function = self.function
        lines = [f"function {_identity(function.domain, function.name, function.since_version)} opset {function.opset}"]
        for name, variable in function.variables.items():
            kind = "rigid" if isinstance(variable, ir.TypeVariable) and variable.rigid else "flexible"
            mask = ir.element_mask(variable)
            elements = "any" if mask == ALL_ELEMENTS else " | ".join(element.name for element in elements_of(mask))
            lines.append(f"  type {name}: {kind} {elements}")
        for value in function.inputs:
            optional = " optional" if value.optional else ""
            lines.append(f"  input {self.define(value)}{optional}")
        for parameter in function.attributes:
            default = "" if parameter.default is None else f" = {_literal(parameter.kind, parameter.default)}"
            required = " required" if parameter.required else ""
            lines.append(f"  attribute @{parameter.name}: {parameter.kind.value}{required}{default}")
        lines.extend(self.region(function.body, "  "))
        outputs = ", ".join(
            f"{name} = {self.names.of(value)}"
            for name, value in zip(function.outputs, function.body.yields, strict=True)
        )
        lines.append(f"  return {outputs}")
        return lines

    # ------------------------------------------------------------------------------------------------- values

    def define(self, value: ir.Value) -> str:
        return f"{self.names.of(value)}: {value.type!r}"

    def defined(self, values: Sequence[ir.Value | None]) -> str:
        return ", ".join("_" if value is None else self.define(value) for value in values)

    def read(self, values: Sequence[ir.Value | None]) -> str:
        return ", ".join("_" if value is None else self.names.of(value) for value in values)

    # -------------------------------------------------------------------------------------------------- nodes

    def region(self, region: ir.Region, indent: str) -> list[str]:
        return [line for node in region.nodes for line in self.node(node, indent)]

    def block(self, region: ir.Region, indent: str) -> list[str]:
        inner = indent + "  "
        return [*self.region(region, inner), f"{inner}yield {self.read(region.yields)}"]

    def node(self, node: ir.Node, indent: str) -> list[str]:
        return _NODES.of(node)(node, self, indent)

    def results(self, node: ir.Call | ir.If | ir.Loop, indent: str) -> str:
        return f"{indent}{self.defined(node.results)} = "

    def const(self, node: ir.Const, indent: str) -> list[str]:
        written = _contents(node.data)
        if repr(node.result.type) != _data_type(node.data):
            written = f"{_data_type(node.data)} {written}"
        return [f"{indent}{self.define(node.result)} = {_operator(node.operator)} {written}"]

    def if_(self, node: ir.If, indent: str) -> list[str]:
        return [
            f"{self.results(node, indent)}{_operator(node.operator)} {self.names.of(node.condition)} {{",
            *self.block(node.then, indent),
            f"{indent}}} else {{",
            *self.block(node.orelse, indent),
            f"{indent}}}",
        ]

    def loop(self, node: ir.Loop, indent: str) -> list[str]:
        results = self.results(node, indent)
        inputs = f"{_operator(node.operator)}({self.read((node.trips, node.condition))})"
        initial = ["", "", *(f" = {self.names.of(value)}" for value in node.initial)]
        parameters = zip(node.body.parameters, initial, strict=True)
        carried = [f"{self.define(value)}{first}" for value, first in parameters]
        return [*_head(f"{results}{inputs} with (", carried, indent), *self.block(node.body, indent), f"{indent}}}"]

    def call(self, node: ir.Call, indent: str) -> list[str]:
        results = self.results(node, indent)
        callee = node.callee
        if isinstance(callee, ir.Operator):
            name = _operator(callee)
        else:
            variant = ", ".join(f"{_word(axis)} = {json.dumps(fact)}" for axis, fact in callee.variant)
            name = f"call {_identity(callee.domain, callee.name, callee.since_version)}"
            name += f"[{variant}]" * bool(variant) + f" {callee.digest}" * bool(callee.digest)
        lines = [f"{results}{name}({self.read(node.inputs)})"]
        for index, (key, attribute) in enumerate(node.attributes.items()):
            lines[-1] += f"{', ' if index else ' {'}{_word(key)} = "
            if attribute.graph is not None:
                lines[-1] += f"graph ({self.defined(attribute.graph.parameters)}) {{"
                lines += [*self.block(attribute.graph, indent), f"{indent}}}"]
            else:
                lines[-1] += _attribute(attribute)
        lines[-1] += "}" * bool(node.attributes)
        return lines


def _no_node(node: ir.Node, printer: _Printer, indent: str) -> list[str]:
    raise AssertionError(f"{type(node).__name__} has no text")


_NODES: Operation[ir.Node, [_Printer, str], list[str]] = Operation(_no_node)
_NODES.on(ir.Call)(lambda node, printer, indent: printer.call(node, indent))
_NODES.on(ir.Const)(lambda node, printer, indent: printer.const(node, indent))
_NODES.on(ir.If)(lambda node, printer, indent: printer.if_(node, indent))
_NODES.on(ir.Loop)(lambda node, printer, indent: printer.loop(node, indent))


def _head(begin: str, parameters: list[str], indent: str) -> list[str]:
    """The first line of a block; the parameters have a line of their own where it would be too long."""
    line = f"{begin}{', '.join(parameters)}) {{"
    return [line] if len(line) <= _WIDTH else [begin, f"{indent}    {', '.join(parameters)}) {{"]


def _operator(operator: ir.Operator) -> str:
    signature = operator.signature
    domain = f"{_word(signature.domain)}::" if signature.domain else ""
    return f"{domain}{signature.name}@{signature.since_version}"


def _identity(domain: str, name: str, since_version: int) -> str:
    return f"{_word(domain)}::{_word(name)}@{since_version}"


def _word(name: str) -> str:
    return name if _WORD.fullmatch(name) else json.dumps(name)


# --------------------------------------------------------------------------------------------------- literals


def _attribute(attribute: ir.Attribute) -> str:
    if attribute.refers_to is not None:
        return f"@{attribute.refers_to}"
    if attribute.tensor is not None:
        return f"{_data_type(attribute.tensor)} {_contents(attribute.tensor)}"
    if attribute.items == ():
        return f"{attribute.kind.value} []"
    return _literal(attribute.kind, attribute.value)


def _literal(kind: ir.AttributeKind, value: object) -> str:
    """The kind can be told from the text, but that of an empty list."""
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(kind, item) for item in value)}]"
    if kind in (ir.AttributeKind.FLOAT, ir.AttributeKind.FLOATS) and isinstance(value, (int, float)):
        return repr(float(value))
    if isinstance(value, int):
        return str(int(value))
    return json.dumps(value)


def _data_type(data: ir.TensorData) -> str:
    return f"{data.element.name}[{', '.join(map(str, data.dims))}]"


def _contents(data: ir.TensorData) -> str:
    """An item, or the items in their order; the bytes where numbers would not say them all."""
    items = (
        [json.dumps(item.decode()) for item in data.texts]
        if data.texts is not None
        else _numbers(data.element, data.packed or b"")
    )
    if items is None:
        return f"0x{(data.packed or b'').hex()}"
    return f"[{', '.join(items)}]" if data.dims else items[0]


def _numbers(element: ElementType, data: bytes) -> list[str] | None:
    """None for types that Python has no numbers for, and for a NaN that is not the usual one."""
    format_ = NUMBER_FORMATS.get(element.name)
    if format_ is None:
        return None
    found = [_number(value, f"<{format_}") for (value,) in struct.iter_unpack(f"<{format_}", data)]
    written = b"".join(struct.pack(f"<{format_}", value) for value, _ in found)
    return [text for _, text in found] if written == data else None


def _number(value: bool | int | float, format_: str) -> tuple[bool | int | float, str]:
    """The number that the text stands for, and the shortest text that stands for it in that format."""
    if not isinstance(value, float):
        return value, str(value).lower()
    exact = struct.pack(format_, value)
    for digits in range(1, 18):
        rounded = float(f"{value:.{digits}g}")
        try:
            if struct.pack(format_, rounded) == exact:
                return rounded, repr(rounded)
        except OverflowError:  # rounded up, above the greatest
            continue
    return float("nan"), "nan"
