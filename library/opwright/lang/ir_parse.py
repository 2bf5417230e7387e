"""The IR's text form, read back. What `ir_print.py` writes parses to a function that prints the same."""

from __future__ import annotations

import json
import re
from typing import Any

from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.ir_print import VERSION
from opwright.opsets.signatures import mask_of, signature

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<float>[+-]?0x[01](?:\.[0-9a-f]+)?p[+-]?\d+|-?inf\b|-?nan\b)
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
        self.attributes: dict[str, ir.AttributeParameter] = {}
        self.opset = 0

    # ------------------------------------------------------------------------------------------- tokens

    def peek(self, ahead: int = 0) -> str:
        position = self.index + ahead
        return self.tokens[position][1] if position < len(self.tokens) else ""

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

    # ---------------------------------------------------------------------------------------- functions

    def function(self) -> ir.Function:
        self.take("ir")
        version = self.integer()
        if version != VERSION:
            raise IrSyntaxError(f"version {version} of the form, and this reader knows {VERSION}")
        domain = self.take()
        self.take("::")
        name, since_version = self.take(), self.at()
        self.take("opset")
        self.opset = self.integer()
        made = ir.Function(domain, name, since_version, self.opset, None)
        while self.peek() == "type":
            self.type_variable(made)
        while self.peek() == "input":
            self.take()
            value = self.define()
            value.optional = self.peek() == "optional" and bool(self.take())
            made.inputs.append(value)
        while self.peek() == "attribute":
            made.attributes.append(self.attribute_parameter())
        self.nodes(made.body, ("return",))
        self.take("return")
        while self.peek():
            made.outputs.append(self.take())
            self.take("=")
            made.body.yields.append(self.values[self.take()])
            if self.peek() == ",":
                self.take()
        return made

    def type_variable(self, made: ir.Function) -> None:
        self.take("type")
        name = self.take()
        self.take(":")
        rigid = self.take() == "rigid"
        elements = [BY_NAME[self.take()]]
        while self.peek() == "|":
            self.take()
            elements.append(BY_NAME[self.take()])
        made.variables[name] = self.variables[name] = ir.TypeVariable(name, mask_of(elements), rigid)

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
        parameter = ir.AttributeParameter(name, kind, required, default, None)
        self.attributes[name] = parameter
        return parameter

    # -------------------------------------------------------------------------------------------- types

    def define(self) -> ir.Value:
        name = self.take()
        self.take(":")
        value = ir.Value(self.type(), name[1:].partition(".")[0] if name != "%v" else "")
        if name in self.values:
            raise IrSyntaxError(f"{name} is defined twice")
        self.values[name] = value
        return value

    def type(self) -> ir.Type:
        name = self.take()
        if name == "unknown":
            return ir.UnknownType()
        if name in ("seq", "optional", "number"):
            self.take("(")
            inner: Any = ir.NumberKind(self.take()) if name == "number" else self.type()
            self.take(")")
            made = {"seq": ir.SequenceType, "optional": ir.OptionalType, "number": ir.NumberType}[name]
            return made(inner)  # type: ignore[no-any-return]
        if name == "map":
            self.take("(")
            key = BY_NAME[self.take()]
            self.take(",")
            item = self.type()
            self.take(")")
            return ir.MapType(key, item)
        element: ir.Element | None = self.variables.get(name) or BY_NAME.get(name)
        if element is None:
            element = self.variables[name] = ir.TypeVariable(name, rigid=False)
        self.take("[")
        if self.peek() == "...":
            self.take()
            self.take("]")
            return ir.TensorType(element)
        dims: list[ir.Dimension] = []
        while self.peek() != "]":
            token = self.take()
            dims.append(None if token == "?" else int(token) if token.isdigit() else token)
            if self.peek() == ",":
                self.take()
        self.take("]")
        return ir.TensorType(element, tuple(dims))

    # -------------------------------------------------------------------------------------------- nodes

    def nodes(self, region: ir.Region, ends: tuple[str, ...]) -> None:
        while self.peek() not in ends:
            region.nodes.append(self.node())

    def node(self) -> ir.Node:
        results: list[ir.Value | None] = []
        names = self.index
        # Results are printed before what they depend on; read the body first, define them after.
        while self.peek() != "=":
            self.take()
        self.take("=")
        node = self.body_of_node()
        after, self.index = self.index, names
        while self.peek() != "=":
            results.append(None if self.peek() == "_" and self.take() else self.define())
            if self.peek() == ",":
                self.take()
        self.index = after
        if isinstance(node, ir.Const):
            assert results[0] is not None
            node.result = results[0]
        elif isinstance(node, ir.Call):
            node.results = results
        else:
            node.results = [value for value in results if value is not None]
        return node

    def operator(self, name: str) -> ir.Operator:
        found = signature("", name, self.at())
        if found is None:
            raise IrSyntaxError(f"no such version of {name}")
        return ir.Operator(found)

    def body_of_node(self) -> ir.Node:
        match self.peek():
            case "const":
                self.take()
                operator = self.operator("Constant")
                return ir.Const(operator, self.data(), ir.Value(ir.UnknownType()), None)
            case "if":
                return self.if_node()
            case "loop":
                return self.loop_node()
            case "function":
                raise IrSyntaxError("calls of functions are read with their library, which this text does not hold")
        return self.call_node()

    def if_node(self) -> ir.If:
        self.take("if")
        operator = self.operator("If")
        condition = self.values[self.take()]
        then, orelse = ir.Region(), ir.Region()
        self.take("{")
        self.block(then)
        self.take("else")
        self.take("{")
        self.block(orelse)
        return ir.If(operator, condition, then, orelse, [], None)

    def block(self, region: ir.Region) -> None:
        self.nodes(region, ("yield",))
        self.take("yield")
        while self.peek() != "}":
            region.yields.append(self.values[self.take()])
            if self.peek() == ",":
                self.take()
        self.take("}")

    def loop_node(self) -> ir.Loop:
        self.take("loop")
        operator = self.operator("Loop")
        inputs = self.operands()
        self.take("(")
        parameters: list[ir.Value] = []
        while self.peek() != ")":
            parameters.append(self.define())
            if self.peek() == ",":
                self.take()
        self.take(")")
        body = ir.Region(parameters)
        self.take("{")
        self.block(body)
        initial = [value for value in inputs[2:] if value is not None]
        return ir.Loop(operator, inputs[0], inputs[1], initial, body, [], None)

    def operands(self) -> list[ir.Value | None]:
        self.take("(")
        found: list[ir.Value | None] = []
        while self.peek() != ")":
            token = self.take()
            found.append(None if token == "_" else self.values[token])
            if self.peek() == ",":
                self.take()
        self.take(")")
        return found

    def call_node(self) -> ir.Call:
        domain = self.take()
        self.take("::")
        name, since_version = self.take(), self.at()
        found = signature(domain, name, since_version)
        if found is None:
            raise IrSyntaxError(f"no operator {domain}::{name}@{since_version}")
        inputs = self.operands()
        attributes: dict[str, ir.Attribute] = {}
        if self.peek() == "{":
            self.take()
            while self.peek() != "}":
                key = self.take()
                self.take("=")
                attributes[key] = self.attribute()
                if self.peek() == ",":
                    self.take()
            self.take("}")
        return ir.Call(ir.Operator(found), inputs, attributes, [], None)

    # --------------------------------------------------------------------------------------- literals

    def attribute(self) -> ir.Attribute:
        kind = ir.AttributeKind[self.take()]
        if self.kind() == "reference":
            return ir.AttributeReference(self.take()[1:], kind)
        if kind is ir.AttributeKind.TENSOR:
            return ir.AttributeValue(kind, self.data())
        return ir.AttributeValue(kind, self.literal())

    def data(self) -> ir.TensorData:
        element = BY_NAME[self.take()]
        self.take("[")
        dims: list[int] = []
        while self.peek() != "]":
            dims.append(self.integer())
            if self.peek() == ",":
                self.take()
        self.take("]")
        if self.peek() == "[":
            strings = self.literal()
            return ir.TensorData(element, tuple(dims), tuple(item.encode() for item in strings))
        return ir.TensorData(element, tuple(dims), bytes.fromhex(self.take()[2:]))

    def literal(self) -> Any:
        kind = self.kind()
        if kind == "string":
            return json.loads(self.take())
        if kind == "number":
            return self.integer()
        if kind == "float":
            return float.fromhex(self.take())
        self.take("[")
        items: list[Any] = []
        while self.peek() != "]":
            items.append(self.literal())
            if self.peek() == ",":
                self.take()
        self.take("]")
        return tuple(items)
