"""Reads the IR from its text: what `opwright.lang.ir_print` writes parses to a function that prints the same.

What the text does not say is not in the function either: where its nodes stand in the source, and of a called function
which attributes and inputs it has.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.ir_print import NUMBER_FORMATS, Names
from opwright.opsets.signatures import ALL_ELEMENTS, mask_of, signature

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<float>-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)|-?inf\b|nan\b)
      | (?P<bytes>0x[0-9a-f]*)
      | (?P<digest>body1:[0-9a-f]{64})
      | (?P<number>-?\d+)
      | (?P<value>%[\w.]+)
      | (?P<reference>@[A-Za-z_]\w*)
      | (?P<name>[A-Za-z_][\w.]*)
      | (?P<mark>::|\.\.\.|[][(){},:=@|?_])
    )""",
    re.VERBOSE,
)


class IrSyntaxError(ValueError):
    """The text is not of this form. The message says what was expected, and where."""


def parse_function(text: str) -> ir.Function:
    """The function of a text; IrSyntaxError where it is none."""
    return _Parser(text).function()


def parse_with_names(text: str) -> tuple[ir.Function, Names]:
    """The function, and the names that its values have in the text."""
    parser = _Parser(text)
    function = parser.function()
    return function, Names({value: name for name, value in parser.values.items()})


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                raise IrSyntaxError(f"nothing of the language at {text[position : position + 20]!r}")
            assert match.lastgroup is not None
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            position = match.end()
        self.index = 0
        self.values: dict[str, ir.Value] = {}
        self.variables: dict[str, ir.Element] = {}
        self.attributes: dict[str, ir.AttributeKind] = {}

    # ------------------------------------------------------------------------------------------- tokens

    def peek(self) -> str:
        return self.tokens[self.index][1] if self.index < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.index][0] if self.index < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        found = self.peek()
        if (expected and found != expected) or not found:
            raise IrSyntaxError(f"expected {expected or 'more'!r}, found {found!r} (token {self.index})")
        self.index += 1
        return found

    def integer(self) -> int:
        if self.kind() != "number":
            raise IrSyntaxError(f"expected an integer, found {self.peek()!r} (token {self.index})")
        return int(self.take())

    def at(self) -> int:
        """`@13`: the tokeniser sees a mark and a number."""
        self.take("@")
        return self.integer()

    def word(self) -> str:
        """A name, in quotes where it has other characters than names of Python."""
        if self.kind() not in ("name", "string") and self.peek() not in ("inf", "nan"):
            raise IrSyntaxError(f"expected a name, found {self.peek()!r} (token {self.index})")
        return str(json.loads(self.take())) if self.kind() == "string" else self.take()

    def items(self, end: str) -> Iterator[None]:
        """Once for each item of a list with commas, whose end is taken too."""
        first = True
        while self.peek() != end:
            if not first:
                self.take(",")
            first = False
            yield
        self.take(end)

    # ---------------------------------------------------------------------------------------- functions

    def function(self) -> ir.Function:
        self.take("function")
        made = ir.Function(*self.identity(), 0, None)
        self.take("opset")
        made.opset = self.integer()
        while self.peek() == "type":
            self.type_variable(made)
        while self.peek() == "input":
            self.take()
            value = self.define()
            value.optional = self.peek() == "optional" and bool(self.take())
            made.inputs.append(value)
        while self.peek() == "attribute":
            made.attributes.append(self.attribute_parameter())
        self.nodes(made.body, "return")
        while self.peek():
            if made.outputs:
                self.take(",")
            made.outputs.append(self.word())
            self.take("=")
            made.body.yields.append(self.read())
        return made

    def identity(self) -> tuple[str, str, int]:
        domain = self.word()
        self.take("::")
        return domain, self.word(), self.at()

    def type_variable(self, made: ir.Function) -> None:
        self.take("type")
        name = self.take()
        self.take(":")
        rigid = self.take() == "rigid"
        made.variables[name] = self.variables[name] = ir.TypeVariable(name, self.mask(), rigid)

    def mask(self) -> int:
        if self.peek() == "any":
            self.take()
            return ALL_ELEMENTS
        elements = [BY_NAME[self.take()]]
        while self.peek() == "|":
            self.take()
            elements.append(BY_NAME[self.take()])
        return mask_of(elements)

    def attribute_parameter(self) -> ir.AttributeParameter:
        self.take("attribute")
        name = self.take()[1:]
        self.take(":")
        kind = ir.AttributeKind[self.take()]
        required = self.peek() == "required" and bool(self.take())
        default: Any = None
        if self.peek() == "=":
            self.take()
            default = self.literal()
        self.attributes[name] = kind
        return ir.AttributeParameter(name, kind, required, default, None)

    # ------------------------------------------------------------------------------------ values and types

    def define(self) -> ir.Value:
        name = self.take()
        if not name.startswith("%"):
            raise IrSyntaxError(f"expected a value, found {name!r} (token {self.index - 1})")
        if name in self.values:
            raise IrSyntaxError(f"{name} is defined twice")
        self.take(":")
        base = name[1:].partition(".")[0]
        value = self.values[name] = ir.Value(self.type(), "" if base.isdigit() else base)
        return value

    def read(self) -> ir.Value:
        name = self.take()
        if name not in self.values:
            raise IrSyntaxError(f"{name} is not defined before it is read (token {self.index - 1})")
        return self.values[name]

    def optional(self, value: Callable[[], ir.Value]) -> ir.Value | None:
        if self.peek() == "_":
            self.take()
            return None
        return value()

    def type(self) -> ir.Type:
        name = self.take()
        if name == "unknown":
            return ir.UnknownType()
        if name in ("seq", "optional", "number", "map"):
            self.take("(")
            made: ir.Type
            if name == "map":
                key = BY_NAME[self.take()]
                self.take(",")
                made = ir.MapType(key, self.type())
            elif name == "number":
                made = ir.NumberType(ir.NumberKind(self.take()))
            else:
                made = (ir.SequenceType if name == "seq" else ir.OptionalType)(self.type())
            self.take(")")
            return made
        element: ir.Element | None = self.variables.get(name) or BY_NAME.get(name)
        if element is None:
            element = self.variables[name] = ir.TypeVariable(name, rigid=False)
        self.take("[")
        if self.peek() == "...":
            self.take()
            self.take("]")
            return ir.TensorType(element)
        dims: list[ir.Dimension] = []
        for _ in self.items("]"):
            token = self.take()
            dims.append(None if token == "?" else int(token) if token.isdigit() else token)
        return ir.TensorType(element, tuple(dims))

    # -------------------------------------------------------------------------------------------- nodes

    def nodes(self, region: ir.Region, end: str) -> None:
        while self.peek() != end:
            results = [self.optional(self.define) for _ in self.items("=")]
            region.nodes.append(self.node(results))
        self.take(end)

    def block(self, region: ir.Region) -> ir.Region:
        self.take("{")
        self.nodes(region, "yield")
        region.yields.extend(self.read() for _ in self.items("}"))
        return region

    def node(self, results: list[ir.Value | None]) -> ir.Node:
        if self.peek() == "call":
            return self.function_call(results)
        operator = self.operator()
        present = [value for value in results if value is not None]
        if operator.signature.name == "Constant" and self.peek() != "(":
            (result,) = present
            return ir.Const(operator, self.data_of(result), result, None)
        if operator.signature.name == "If" and self.peek() != "(":
            condition = self.read()
            then = self.block(ir.Region())
            self.take("else")
            return ir.If(operator, condition, then, self.block(ir.Region()), present, None)
        inputs = self.operands()
        if operator.signature.name == "Loop" and self.peek() == "with":
            trips, condition_in = inputs
            return self.loop(operator, trips, condition_in, present)
        return ir.Call(operator, inputs, self.call_attributes(), results, None)

    def operator(self) -> ir.Operator:
        domain, name = "", self.word()
        if self.peek() == "::":
            self.take()
            domain, name = name, self.word()
        version = self.at()
        found = signature(domain, name, version)
        if found is None or found.since_version != version:
            raise IrSyntaxError(f"no operator {domain}::{name}@{version}")
        return ir.Operator(found)

    def loop(
        self, operator: ir.Operator, trips: ir.Value | None, condition: ir.Value | None, results: list[ir.Value]
    ) -> ir.Loop:
        self.take("with")
        self.take("(")
        parameters: list[ir.Value] = []
        initial: list[ir.Value] = []
        for _ in self.items(")"):
            parameters.append(self.define())
            if len(parameters) > 2:
                self.take("=")
                initial.append(self.read())
        return ir.Loop(operator, trips, condition, initial, self.block(ir.Region(parameters)), results, None)

    def function_call(self, results: list[ir.Value | None]) -> ir.Call:
        self.take("call")
        domain, name, since_version = self.identity()
        variant: list[tuple[str, str]] = []
        if self.peek() == "[":
            self.take()
            for _ in self.items("]"):
                axis = self.word()
                self.take("=")
                variant.append((axis, self.literal()))
        digest = self.take() if self.kind() == "digest" else ""
        callee = ir.FunctionReference(
            domain, domain, since_version, name, since_version, tuple(variant), digest, (), (), False
        )
        return ir.Call(callee, self.operands(), self.call_attributes(), results, None)

    def operands(self) -> list[ir.Value | None]:
        self.take("(")
        return [self.optional(self.read) for _ in self.items(")")]

    # --------------------------------------------------------------------------------------- literals

    def call_attributes(self) -> dict[str, ir.Attribute]:
        found: dict[str, ir.Attribute] = {}
        if self.peek() == "{":
            self.take()
            for _ in self.items("}"):
                key = self.word()
                self.take("=")
                found[key] = self.attribute()
        return found

    def attribute(self) -> ir.Attribute:
        if self.kind() == "reference":
            name = self.take()[1:]
            return ir.AttributeReference(name, self.attributes[name])
        if self.peek() == "graph":
            self.take()
            self.take("(")
            parameters = [self.define() for _ in self.items(")")]
            return ir.AttributeValue(ir.AttributeKind.GRAPH, self.block(ir.Region(parameters)))
        if self.kind() == "name" and self.peek() in BY_NAME:
            return ir.AttributeValue(ir.AttributeKind.TENSOR, self.data())
        if self.kind() == "name":
            return ir.AttributeValue(ir.AttributeKind[self.take()], self.literal())
        value = self.literal()
        first, plural = (value[0], "S") if isinstance(value, tuple) else (value, "")
        kind = {int: "INT", float: "FLOAT", str: "STRING"}[type(first)]
        return ir.AttributeValue(ir.AttributeKind[kind + plural], value)

    def data_of(self, result: ir.Value) -> ir.TensorData:
        """What a constant holds; its type is not written where it is that of the result."""
        if self.kind() == "name" and self.peek() in BY_NAME:
            return self.data()
        type_ = result.type
        if not isinstance(type_, ir.TensorType) or isinstance(type_.element, ir.TypeVariable) or type_.shape is None:
            raise IrSyntaxError(f"a constant has a type, which that of {result!r} does not say")
        return self.contents(type_.element, tuple(int(dim or 0) for dim in type_.shape))

    def data(self) -> ir.TensorData:
        element = BY_NAME[self.take()]
        self.take("[")
        return self.contents(element, tuple(self.integer() for _ in self.items("]")))

    def contents(self, element: ElementType, dims: tuple[int, ...]) -> ir.TensorData:
        if self.kind() == "bytes":
            return ir.TensorData(element, dims, bytes.fromhex(self.take()[2:]))
        value = self.literal()
        items = value if isinstance(value, tuple) else (value,)
        if element.kind == "string":
            return ir.TensorData(element, dims, tuple(item.encode() for item in items))
        return ir.TensorData(element, dims, struct.pack(f"<{len(items)}{NUMBER_FORMATS[element.name]}", *items))

    def literal(self) -> Any:
        kind = self.kind()
        if kind == "string":
            return json.loads(self.take())
        if kind == "number":
            return self.integer()
        if kind == "float":
            return float(self.take())
        if self.peek() in ("true", "false"):
            return self.take() == "true"
        self.take("[")
        return tuple(self.literal() for _ in self.items("]"))
