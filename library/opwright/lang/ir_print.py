"""The IR's text form, printed. `ir_parse.py` reads it back; version 1."""

from __future__ import annotations

import json

from opwright.lang import ir
from opwright.opsets.signatures import elements_of

VERSION = 1


def print_function(function: ir.Function) -> str:
    """The one text of a function; equal functions give equal texts."""
    return "\n".join(_Printer(function).lines()) + "\n"


class _Printer:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()
        self.counts: dict[str, int] = {}

    def lines(self) -> list[str]:
        function = self.function
        head = f"ir {VERSION} {function.domain}::{function.name}@{function.since_version} opset {function.opset}"
        lines = [head]
        for name, variable in function.variables.items():
            kind = "rigid" if isinstance(variable, ir.TypeVariable) and variable.rigid else "free"
            elements = " | ".join(element.name for element in elements_of(ir.element_mask(variable)))
            lines.append(f"  type {name}: {kind} {elements}")
        for value in function.inputs:
            optional = " optional" if value.optional else ""
            lines.append(f"  input {self.define(value)}{optional}")
        for parameter in function.attributes:
            default = "" if parameter.default is None else f" = {_literal(parameter.default)}"
            required = " required" if parameter.required else ""
            lines.append(f"  attribute @{parameter.name}: {parameter.kind.value}{required}{default}")
        lines.extend(self.region(function.body, "  "))
        outputs = ", ".join(
            f"{name} = {self.names[id(value)]}"
            for name, value in zip(function.outputs, function.body.yields, strict=True)
        )
        lines.append(f"  return {outputs}")
        return lines

    def define(self, value: ir.Value) -> str:
        base = value.name or "v"
        name = base
        while name in self.taken:
            self.counts[base] = self.counts.get(base, 0) + 1
            name = f"{base}.{self.counts[base]}"
        self.taken.add(name)
        self.names[id(value)] = f"%{name}"
        return f"%{name}: {_type(value.type)}"

    def region(self, region: ir.Region, indent: str) -> list[str]:
        lines: list[str] = []
        for node in region.nodes:
            lines.extend(self.node(node, indent))
        return lines

    def node(self, node: ir.Node, indent: str) -> list[str]:
        if isinstance(node, ir.Const):
            return [f"{indent}{self.define(node.result)} = const@{_since(node.operator)} {_data(node.data)}"]
        if isinstance(node, ir.Call):
            return self.call(node, indent)
        if isinstance(node, ir.If):
            condition = self.names[id(node.condition)]
            blocks = [
                *self.block(node.then, indent),
                f"{indent}}} else {{",
                *self.block(node.orelse, indent),
            ]
            results = ", ".join(self.define(value) for value in node.results)
            return [f"{indent}{results} = if@{_since(node.operator)} {condition} {{", *blocks, f"{indent}}}"]
        inputs = [
            self.names[id(value)] if value is not None else "_" for value in (node.trips, node.condition, *node.initial)
        ]
        parameters = ", ".join(self.define(value) for value in node.body.parameters)
        body = self.block(node.body, indent)
        results = ", ".join(self.define(value) for value in node.results)
        head = f"{indent}{results} = loop@{_since(node.operator)} ({', '.join(inputs)}) ({parameters}) {{"
        return [head, *body, f"{indent}}}"]

    def block(self, region: ir.Region, indent: str) -> list[str]:
        inner = indent + "  "
        return [
            *self.region(region, inner),
            f"{inner}yield {', '.join(self.names[id(value)] for value in region.yields)}",
        ]

    def call(self, node: ir.Call, indent: str) -> list[str]:
        callee = node.callee
        if isinstance(callee, ir.Operator):
            signature = callee.signature
            name = f"{signature.domain or 'ai.onnx'}::{signature.name}@{signature.since_version}"
        else:
            variant = json.dumps(dict(callee.variant))
            name = f"function {callee.domain}::{callee.name}@{callee.since_version} {variant} {callee.digest}"
        inputs = ", ".join("_" if value is None else self.names[id(value)] for value in node.inputs)
        attributes = ", ".join(f"{key} = {_attribute(item)}" for key, item in node.attributes.items())
        results = ", ".join("_" if value is None else self.define(value) for value in node.results)
        return [f"{indent}{results} = {name}({inputs})" + (f" {{{attributes}}}" if attributes else "")]


def _since(operator: ir.Operator) -> int:
    return operator.signature.since_version


def _type(type_: ir.Type) -> str:
    return repr(type_)


def _literal(value: object) -> str:
    """JSON, floats by their exact hexadecimal form."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, tuple):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return json.dumps(value)


def _data(data: ir.TensorData) -> str:
    dims = ", ".join(map(str, data.dims))
    if isinstance(data.data, tuple):
        return f"{data.element.name}[{dims}] [{', '.join(json.dumps(item.decode()) for item in data.data)}]"
    return f"{data.element.name}[{dims}] 0x{data.data.hex()}"


def _attribute(attribute: ir.Attribute) -> str:
    if isinstance(attribute, ir.AttributeReference):
        return f"{attribute.kind.value} @{attribute.name}"
    if isinstance(attribute.value, ir.TensorData):
        return f"TENSOR {_data(attribute.value)}"
    return f"{attribute.kind.value} {_literal(attribute.value)}"
