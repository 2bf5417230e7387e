"""The digest of a plain body, read from its bytes: one without graphs and calls.

It takes a fifth of what the canonical form costs: protobuf makes no objects, and none is written. Equal to that of
`canonicalise` by construction: what is not plain, or may have no canonical form at all, is left to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache

from onnx import AttributeProto, FunctionProto

from opwright.protos import wire
from opwright.protos.canonical_attributes import encode_attribute, encode_reference
from opwright.protos.canonical_operators import BODY_PREFIX, Operator, standard_operator
from opwright.protos.canonical_tensors import RefusedError, check_text
from opwright.protos.wire import SMALL, chunk, read_varint, varint
from opwright.protos.writer import canonical_name

_GRAPH_KINDS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
_Read = tuple[Operator, list[bytes], list[bytes], bytes]  # meaning, inputs, outputs, attributes as they are encoded

# The tags of fields, all of which have a length; those that do not enter a digest are passed over.
_INPUT, _OUTPUT, _ATTRIBUTE, _NODE, _OPSET, _ATTRIBUTE_PROTO = 0x22, 0x2A, 0x32, 0x3A, 0x4A, 0x5A
_PASSED_OVER = frozenset([0x0A, 0x42, 0x52, 0x62, 0x6A, 0x72])  # name, doc_string, domain, value_info, overload ...
_NODE_INPUT, _NODE_OUTPUT, _NODE_OP_TYPE, _NODE_ATTRIBUTE = 0x0A, 0x12, 0x22, 0x2A
_NODE_PASSED_OVER = frozenset([0x1A, 0x32, 0x4A, 0x52])  # name, doc_string, metadata_props, device_configurations
_NODE_EMPTY = frozenset([0x3A, 0x42])  # domain, overload
_OPSET_DOMAIN, _OPSET_VERSION = 0x0A, 0x10


class _NotPlainError(Exception):
    """What `canonicalise` is to find the digest of, or to refuse."""


def plain_digest(function: FunctionProto) -> str | None:
    """The digest of a function that calls no other one; None where `canonicalise` is to find it, or to refuse it."""
    try:
        return BODY_PREFIX + hashlib.sha256(_encoding(function.SerializeToString())).hexdigest()
    except (_NotPlainError, RefusedError, IndexError):  # the last of fields that are not known, which come last
        return None


def _encoding(data: bytes) -> bytes:
    inputs: list[bytes] = []
    outputs: list[bytes] = []
    attributes: list[bytes] = []
    spans: list[tuple[int, int]] = []
    version = 0
    at, end = 0, len(data)
    while at < end:
        tag, size = data[at], data[at + 1]
        at += 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        stop = at + size
        if tag == _NODE:
            spans.append((at, stop))
        elif tag == _INPUT:
            inputs.append(data[at:stop])
        elif tag == _OUTPUT:
            outputs.append(data[at:stop])
        elif tag == _OPSET and not version:
            version = _version(data[at:stop])
        elif tag == _ATTRIBUTE:
            attributes.append(data[at:stop])
        elif tag == _ATTRIBUTE_PROTO:
            attributes.append(_name_of(AttributeProto.FromString(data[at:stop])))
        elif tag not in _PASSED_OVER:
            raise _NotPlainError
        at = stop
    names = {name: canonical_name(b"i", index) for index, name in enumerate(inputs)}
    names.update((name, canonical_name(b"o", index)) for index, name in enumerate(outputs))
    references = {name: canonical_name(b"a", index) for index, name in enumerate(attributes)}
    if not version or b"" in names or len(names) != len(inputs) + len(outputs) or len(references) != len(attributes):
        raise _NotPlainError
    if references and not b"".join(references).isascii():
        raise _NotPlainError
    header = b"body1" + varint(len(inputs)) + varint(len(attributes)) + varint(len(outputs))
    return header + _encode(_nodes(data, spans, _operators(version), references), inputs, outputs, names)


def _version(data: bytes) -> int:
    """The version of an import of the standard's domain."""
    at = 2 if data[:2] == bytes((_OPSET_DOMAIN, 0)) else 0
    if data[at : at + 1] != bytes((_OPSET_VERSION,)):
        raise _NotPlainError
    version, at = read_varint(data, at + 1)
    if at != len(data):
        raise _NotPlainError
    return version


@lru_cache(maxsize=64)
def _operators(version: int) -> dict[bytes, Operator]:
    """The operators of the standard at that opset that have been met, but for those with graphs."""
    return _Operators(version)


class _Operators(dict[bytes, Operator]):
    def __init__(self, version: int) -> None:
        self.version = version

    def __missing__(self, name: bytes) -> Operator:
        if not name.isascii():
            raise _NotPlainError
        found = standard_operator("", name.decode("ascii"), self.version)
        if found.control_flow:
            raise _NotPlainError
        self[name] = found
        return found


def _nodes(
    data: bytes, spans: list[tuple[int, int]], operators: dict[bytes, Operator], references: dict[bytes, bytes]
) -> list[_Read]:
    """The nodes as they stand; `references` are the encoded names of the function's attributes."""
    nodes: list[_Read] = []
    for at, end in spans:
        taken: list[bytes] = []
        made: list[bytes] = []
        given: list[bytes] = []
        name = b""
        while at < end:
            tag, size = data[at], data[at + 1]
            at += 2
            if size > 127:
                size, at = read_varint(data, at - 1)
            stop = at + size
            if tag == _NODE_INPUT:
                taken.append(data[at:stop])
            elif tag == _NODE_OUTPUT:
                made.append(data[at:stop])
            elif tag == _NODE_OP_TYPE:
                name = data[at:stop]
            elif tag == _NODE_ATTRIBUTE:
                given.append(data[at:stop])
            elif tag not in _NODE_PASSED_OVER and (size or tag not in _NODE_EMPTY):
                raise _NotPlainError
            at = stop
        operator = operators[name]
        if b"" in taken:
            while taken and not taken[-1]:
                taken.pop()
        if b"" in made and operator.trims_outputs:
            while made and not made[-1]:
                made.pop()
        encoded = _attributes(operator, (*given,), references) if given else operator.no_attributes[0]
        nodes.append((operator, taken, made, encoded))
    return nodes


# Bodies of one function at several opsets, and of many functions, hold the same few attributes.
_REMEMBERED = 256  # bytes of a node's attributes


def _attributes(operator: Operator, given: tuple[bytes, ...], references: dict[bytes, bytes]) -> bytes:
    for data in given if references else ():
        if wire.ATTRIBUTE_REFERENCE in data:  # and perhaps refers to one
            return _join(operator, [_any_attribute(item, references) for item in given])
    if (len(given[0]) if len(given) == 1 else sum(map(len, given))) <= _REMEMBERED:
        return _remembered(operator, given)
    return _encode_attributes(operator, given)


def _encode_attributes(operator: Operator, given: tuple[bytes, ...]) -> bytes:
    return _join(operator, [_attribute(data) for data in given])


def _join(operator: Operator, attributes: list[tuple[bytes, bytes]]) -> bytes:
    written = dict(attributes)
    if len(written) != len(attributes):
        raise _NotPlainError
    for default, encoded in operator.encoded_defaults.items():
        written.setdefault(default, encoded)
    return varint(len(written)) + b"".join([written[name] for name in sorted(written)])


def _attribute(data: bytes) -> tuple[bytes, bytes]:
    """The name of an attribute, and how it is encoded."""
    end = data[1] + 2
    name = data[2:end]
    found = _USUAL.fullmatch(data, end) if data[0] == _ATTRIBUTE_NAME and end < 130 and name.isascii() else None
    if found is None:
        return _any_attribute(data, {})
    kind = found.lastgroup
    value = found[kind or ""]
    if kind == "tensor":
        content = _SCALAR.fullmatch(value)
        if content is None or data[end + 1] != len(value):
            return _any_attribute(data, {})
        value = _SCALAR_HEAD + (content[1] or content[2])
    return name, data[1:end] + b"\x00" + data[-1:] + value


# Attributes of most nodes after their name: a number with its type, or a tensor that is one float.
_ATTRIBUTE_NAME = 0x0A
_USUAL = re.compile(
    rb"\x15(?P<float>.{4})\xa0\x01\x01"
    rb"|\x18(?P<int>[\x80-\xff]{0,9}[\x00-\x7f])\xa0\x01\x02"
    rb"|\x2a[\x00-\x7f](?P<tensor>.*)\xa0\x01\x04",
    re.DOTALL,
)
_SCALAR = re.compile(rb"\x10\x01(?:\x22\x04(.{4})(?:\x42\x00)?|(?:\x42\x00)?\x4a\x04(.{4}))", re.DOTALL)
_SCALAR_HEAD = b"\x01\x00\x04"  # the type, no dimensions, four bytes


def _any_attribute(data: bytes, references: dict[bytes, bytes]) -> tuple[bytes, bytes]:
    attribute = AttributeProto.FromString(data)
    name = _name_of(attribute)
    if attribute.ref_attr_name:
        check_text(attribute.ref_attr_name)
        target = references.get(attribute.ref_attr_name.encode())
        if target is None:
            raise _NotPlainError
        return name, encode_reference(chunk(name), attribute.type, target)[0]
    if attribute.type in _GRAPH_KINDS:
        raise _NotPlainError
    return name, encode_attribute(chunk(name), attribute)[0]


def _name_of(attribute: AttributeProto) -> bytes:
    check_text(attribute.name)
    return attribute.name.encode()


_remembered = lru_cache(maxsize=1 << 14)(_encode_attributes)


def _encode(nodes: list[_Read], inputs: list[bytes], outputs: list[bytes], names: dict[bytes, bytes]) -> bytes:
    """The nodes in canonical order, each encoded as soon as those that it reads are.

    `names` has the canonical names of inputs and outputs. _NotPlainError where a name is no plain text, is undefined,
    defined twice, or depends on itself.
    """
    producers = dict.fromkeys(inputs, -1)
    defined = len(producers)
    for index, node in enumerate(nodes):
        for name in node[2]:
            if name:
                producers[name] = index
                defined += 1
    if len(producers) != defined or not b"".join(producers).isascii():
        raise _NotPlainError
    producers[b""] = -1
    names[b""] = b"\x00"
    state = bytearray(len(nodes))  # 0 not seen, 1 open, 2 done
    parts: list[bytes] = []
    values = done = 0
    for root in _roots(nodes, outputs, producers, state):
        if root < 0 or state[root]:
            continue
        stack = [root]  # a node, or its complement once those that it reads lie above it
        while stack:
            current = stack.pop()
            if current < 0:
                current = ~current
            elif state[current] == 2:
                continue
            elif state[current]:
                raise _NotPlainError
            else:
                height = len(stack)
                for name in reversed(nodes[current][1]):
                    producer = producers.get(name)
                    if producer is None:
                        raise _NotPlainError
                    if producer >= 0 and state[producer] != 2:
                        stack.append(producer)
                if len(stack) > height:
                    stack.insert(height, ~current)
                    state[current] = 1
                    continue
            state[current] = 2
            done += 1
            operator, taken, made, attributes = nodes[current]
            count, results = len(taken), len(made)
            parts += (operator.encoding, SMALL[count] if count < 128 else varint(count))
            parts += [names[name] for name in taken]
            parts += (attributes, SMALL[results] if results < 128 else varint(results))
            for name in made:
                given = names.get(name)
                if given is None:
                    given = names[name] = canonical_name(b"v", values)
                    values += 1
                parts.append(given)
    return varint(done) + b"".join(parts)


def _roots(nodes: list[_Read], outputs: list[bytes], producers: dict[bytes, int], state: bytearray) -> Iterator[int]:
    """The nodes of the outputs, then those that none of them needs and that are not pure."""
    for name in outputs:
        producer = producers.get(name)
        if producer is None:
            raise _NotPlainError
        yield producer
    for index, node in enumerate(nodes):
        if not state[index] and not node[0].deterministic:
            yield index
