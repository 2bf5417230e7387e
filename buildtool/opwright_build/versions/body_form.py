"""A canonical body as text and back: a node a line, so that people read what was released and see what differs.

    imports {"": 18}
    inputs 1
    outputs 1
    attributes a0
    v0 = Mul(i0, a0) {}
    o0 = If(v0) {"else_branch": ["GRAPH", 0], "then_branch": ["GRAPH", 1]}
      graph () => (v1)
        v1 = Add(i0, i0)

Attributes are JSON: [type, value], a tensor's value with its type and dimensions, ["@", type, name] for one of the
function; what JSON cannot say to the last bit stands as the bytes of the AttributeProto. The graphs of a node follow
it, indented. Nobody has to trust the text: what is read is digested, and the digest says whether it is the body.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Sequence

import numpy as np
from google.protobuf.message import DecodeError, EncodeError
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto
from onnx.numpy_helper import from_array, to_array
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.structure import check_structure
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError

_NODE = re.compile(r"([\w, ]*) = ([^\s()]+)\(([\w, ]*)\)(?: (\{.*\}))?")
_GRAPH = re.compile(r"graph \(([\w, ]*)\) => \(([\w, ]*)\)(?: (\S+))?")
_MOST_DEPTH = 64
_PLAIN = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL}
_MOST_ELEMENTS = 64  # of a tensor that is written number by number
_Json = object


class TextError(Exception):
    """The text is no body; the message says why, `line` where (from 0)."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


# --------------------------------------------------------------------------------------------------- to text


def body_lines(data: bytes) -> list[str]:
    """The lines of a serialised canonical body."""
    function = FunctionProto.FromString(data)
    imports = {item.domain: item.version for item in function.opset_import}
    lines = [
        f"imports {json.dumps(imports)}",
        f"inputs {len(function.input)}",
        f"outputs {' '.join(function.output)}",
        f"attributes {len(function.attribute)}",
    ]
    _write_nodes(function.node, 0, lines)
    return lines


def _write_nodes(nodes: Sequence[NodeProto], depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    for node in nodes:
        graphs: list[GraphProto] = []
        attributes = {item.name: _attribute(item, graphs) for item in node.attribute}
        operator = f"{node.domain}::{node.op_type}" if node.domain else node.op_type
        shown = f" {json.dumps(attributes, ensure_ascii=True)}" if attributes else ""
        lines.append(f"{indent}{', '.join(node.output)} = {operator}({', '.join(node.input)}){shown}")
        for graph in graphs:
            _write_graph(graph, depth + 1, lines)


def _write_graph(graph: GraphProto, depth: int, lines: list[str]) -> None:
    rest = GraphProto()
    rest.CopyFrom(graph)
    del rest.node[:]
    inputs, outputs = [item.name for item in graph.input], [item.name for item in graph.output]
    shown = "" if rest == _bare_graph(inputs, outputs) else f" {_base64(rest.SerializeToString(deterministic=True))}"
    lines.append(f"{'  ' * depth}graph ({', '.join(inputs)}) => ({', '.join(outputs)}){shown}")
    _write_nodes(graph.node, depth + 1, lines)


def _bare_graph(inputs: Sequence[str], outputs: Sequence[str]) -> GraphProto:
    graph = GraphProto(name="g")  # as all graphs of canonical bodies are called
    for name in inputs:
        graph.input.add().name = name
    for name in outputs:
        graph.output.add().name = name
    return graph


def _attribute(item: AttributeProto, graphs: list[GraphProto]) -> _Json:
    if item.type == AttributeProto.GRAPH and not item.ref_attr_name:
        graphs.append(item.g)
        return ["GRAPH", len(graphs) - 1]
    shown = _attribute_value(item)
    try:
        if shown is not None and _read_attribute(item.name, json.loads(json.dumps(shown)), []) == item:
            return shown
    except (ValueError, TypeError, OverflowError):  # it cannot be said so
        pass
    return ["BYTES", _base64(item.SerializeToString(deterministic=True))]


def _attribute_value(item: AttributeProto) -> _Json:
    kind = AttributeProto.AttributeType.Name(item.type)
    if item.ref_attr_name:
        return ["@", kind, item.ref_attr_name]
    match item.type:
        case AttributeProto.INT:
            return [kind, item.i]
        case AttributeProto.FLOAT:
            return [kind, _short(item.f)]
        case AttributeProto.STRING:
            return [kind, _text(item.s)]
        case AttributeProto.INTS:
            return [kind, list(item.ints)]
        case AttributeProto.FLOATS:
            return [kind, [_short(value) for value in item.floats]]
        case AttributeProto.STRINGS:
            return [kind, [_text(value) for value in item.strings]]
        case AttributeProto.TENSOR if item.t.data_type in _PLAIN:
            array = to_array(item.t)
            if array.size <= _MOST_ELEMENTS:
                values = [_short(value) if array.dtype == np.float32 else value for value in array.ravel().tolist()]
                return [kind, TensorProto.DataType.Name(item.t.data_type), list(item.t.dims), values]
    return None


def _short(value: float) -> float:
    """The shortest number that is this one as a float32."""
    return float(str(np.float32(value)))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# ------------------------------------------------------------------------------------------------- from text


def read_body(lines: Sequence[str], digest: str) -> bytes:
    """The serialised body. TextError where the lines are none, or another one than the digest says."""
    try:
        made = canonicalise(_Reader(lines).function(), callees={})
    except RefusedError as error:
        raise TextError(0, f"it is no body: {error}") from None
    if made.digest != digest:
        raise TextError(0, f"its nodes have the digest {made.digest[:22]}...")
    return made.proto


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def function(self) -> FunctionProto:
        function = FunctionProto()
        try:
            for domain, version in json.loads(self._head("imports")).items():
                function.opset_import.add(domain=domain, version=version)
            inputs, outputs = int(self._head("inputs")), self._head("outputs").split()
            attributes = int(self._head("attributes"))
            if max(inputs, attributes) > len(self._lines) + 10_000:
                raise ValueError
            function.input.extend(f"i{index}" for index in range(inputs))
            function.output.extend(outputs)
            function.attribute.extend(f"a{index}" for index in range(attributes))
            function.node.extend(self._nodes(0))
            if self._at < len(self._lines):
                raise ValueError
            check_structure(function, "the body")
        except TextError:
            raise
        except (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError) as error:
            reason = f": {error}" if str(error) else ""
            raise TextError(min(self._at, len(self._lines) - 1), f"this is no line of a body{reason}") from None
        except DiagnosticError as error:
            raise TextError(0, f"it is no body: {error.diagnostics[0].message}") from None
        except (DecodeError, EncodeError):
            raise TextError(self._at - 1, "this is no line of a body") from None
        return function

    def _head(self, word: str) -> str:
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        found, _, rest = line.partition(" ")
        if found != word:
            raise TextError(self._at, f"`{word}` is expected here")
        self._at += 1
        return rest

    def _nodes(self, depth: int) -> list[NodeProto]:
        nodes: list[NodeProto] = []
        if depth > _MOST_DEPTH:
            raise ValueError("it is nested too deep")
        while (text := self._line(depth)) is not None:
            match = _NODE.fullmatch(text)
            if match is None:
                break
            self._at += 1
            domain, _, operator = match[2].rpartition("::")
            node = NodeProto(domain=domain, op_type=operator, input=_names(match[3]), output=_names(match[1]))
            attributes = json.loads(match[4]) if match[4] else {}
            wanted = sum(value[0] == "GRAPH" for value in attributes.values())
            graphs = [self._graph(depth + 1) for _ in range(wanted)]
            node.attribute.extend(_read_attribute(name, value, graphs) for name, value in attributes.items())
            nodes.append(node)
        return nodes

    def _graph(self, depth: int) -> GraphProto:
        match = _GRAPH.fullmatch(self._line(depth) or "")
        if match is None:
            raise ValueError("a graph is expected here")
        self._at += 1
        if match[3]:
            graph = GraphProto.FromString(base64.b64decode(match[3], validate=True))
        else:
            graph = _bare_graph(_names(match[1]), _names(match[2]))
        graph.node.extend(self._nodes(depth + 1))
        return graph

    def _line(self, depth: int) -> str | None:
        """The line at hand where it is indented so."""
        if self._at >= len(self._lines):
            return None
        line, indent = self._lines[self._at], "  " * depth
        inner = line[len(indent) :]
        return inner if line.startswith(indent) and not inner.startswith(" ") else None


def _names(text: str) -> list[str]:
    return text.split(", ") if text else []


def _read_attribute(name: str, value: list[object], graphs: Sequence[GraphProto]) -> AttributeProto:
    kind, *rest = value
    if kind == "BYTES":
        try:
            return AttributeProto.FromString(base64.b64decode(str(rest[0]), validate=True))
        except binascii.Error:
            raise ValueError("these bytes are not base64") from None
    word = rest[0] if kind == "@" else kind
    attribute = AttributeProto(name=name, type=str(word))
    if kind == "@":
        attribute.ref_attr_name = str(rest[1])
        return attribute
    content = rest[0]
    match kind, content:
        case "GRAPH", int():
            attribute.g.CopyFrom(graphs[content])
        case "INT", int():
            attribute.i = content
        case "FLOAT", int() | float():
            attribute.f = content
        case "STRING", str():
            attribute.s = content.encode()
        case "INTS", list():
            attribute.ints.extend(content)
        case "FLOATS", list():
            attribute.floats.extend(content)
        case "STRINGS", list():
            attribute.strings.extend(str(item).encode() for item in content)
        case "TENSOR", str():
            attribute.t.CopyFrom(_read_tensor(content, *rest[1:]))
        case _:
            raise ValueError(f"an attribute of type {kind} is not written so")
    return attribute


def _read_tensor(kind: str, dims: object = None, values: object = None) -> TensorProto:
    types = {"FLOAT": np.float32, "DOUBLE": np.float64, "INT32": np.int32, "INT64": np.int64, "BOOL": np.bool_}
    if not isinstance(dims, list) or not isinstance(values, list) or kind not in types:
        raise ValueError("a tensor is written as its type, dimensions and values")
    return from_array(np.array(values, dtype=types[kind]).reshape(dims))
