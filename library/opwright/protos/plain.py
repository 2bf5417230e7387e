"""The digest of a plain body, read from its bytes: one without graphs and calls.

It takes a seventh of what the canonical form costs: protobuf makes no objects, and none is written. Equal to that of
`canonicalise` by construction: what is not plain, or may have no canonical form at all, is left to it. One regular
expression reads most bodies, the others are read field by field. Texts stay behind their lengths, as in the message:
an absent value is one zero byte.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from onnx import AttributeProto, FunctionProto

from opwright.protos import wire
from opwright.protos.canonical_attributes import encode_attribute, encode_reference
from opwright.protos.canonical_operators import BODY_PREFIX, Operator, standard_operator
from opwright.protos.canonical_tensors import RefusedError, check_text
from opwright.protos.wire import SMALL, chunk, read_varint, varint
from opwright.protos.writer import canonical_name

_GRAPH_KINDS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
_GRAPH_TYPE = re.compile(rb"\xa0\x01[\x05\x0a]")  # the type of an attribute that holds graphs

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
    except (_NotPlainError, RefusedError, KeyError, IndexError):  # of names and of fields that are not known
        return None


def _encoding(data: bytes) -> bytes:
    parts = _usual_node().split(data)  # what stands before the nodes, their groups, what follows
    if len(parts) > 1 and [*b"".join(parts[1::9])] == [*map(len, parts[2::9])] and not any(parts[9:-1:9]):
        nodes = parts[3::9], parts[4::9], parts[5::9], parts[6::9], parts[7::9], parts[8::9], _NO_OTHERS
        encoding = _encode_function(parts[0], nodes, parts[-1])
        if encoding is not None:
            return encoding
    if _GRAPH_TYPE.search(data):
        raise _NotPlainError  # most likely; other bytes that look so cost time alone
    encoding = _encode_function(*_read_nodes(data))
    if encoding is None:
        raise _NotPlainError
    return encoding


def _encode_function(head: bytes, nodes: _Nodes, foot: bytes) -> bytes | None:
    """The function of these nodes. None where there are more: what stands before or behind them is not whole fields."""
    inputs: list[bytes] = []
    outputs: list[bytes] = []
    attributes: list[bytes] = []
    at, end = 0, len(head)
    while at < end:
        tag, begin = head[at], at + 1
        size = head[begin]
        at += 2
        if size > 127:
            size, at = read_varint(head, begin)
        at += size
        if tag == _INPUT:
            inputs.append(head[begin:at])
        elif tag == _OUTPUT:
            outputs.append(head[begin:at])
        elif tag == _ATTRIBUTE:
            attributes.append(head[at - size : at])
        elif tag == _NODE:
            return None
        elif tag not in _PASSED_OVER:
            raise _NotPlainError
    if at != end or foot[0] == _NODE:
        return None
    version, defaults = (_remembered_foot if len(foot) <= _REMEMBERED else _read_foot)(foot)
    attributes += defaults
    if not _are_ascii(inputs) or not b"".join(attributes).isascii():
        raise _NotPlainError
    references = {name: canonical_name(b"a", index) for index, name in enumerate(attributes)} if attributes else {}
    if len(references) != len(attributes):
        raise _NotPlainError
    header = _header(len(inputs), len(attributes), len(outputs))
    return header + _encode(nodes, _meanings(version), inputs, outputs, references)


@lru_cache(maxsize=64)
def _header(inputs: int, attributes: int, outputs: int) -> bytes:
    return b"body1" + varint(inputs) + varint(attributes) + varint(outputs)


def _are_ascii(texts: Sequence[bytes]) -> bool:
    """Whether the texts are, without their lengths."""
    return b"".join(texts).isascii() or all(text[read_varint(text, 0)[1] :].isascii() for text in texts)


def _read_foot(data: bytes) -> tuple[int, Sequence[bytes]]:
    """From the fields behind the nodes: the version of the operators, and the attributes with defaults."""
    version = at = 0
    attributes: list[bytes] = []
    while at < len(data):
        tag = data[at]
        size, begin = read_varint(data, at + 1)
        at = begin + size
        if tag == _OPSET and not version:
            version = _version(data[begin:at])
        elif tag == _ATTRIBUTE_PROTO:
            attributes.append(_name_of(AttributeProto.FromString(data[begin:at])))
        elif tag not in _PASSED_OVER:
            raise _NotPlainError
    if not version:
        raise _NotPlainError
    return version, attributes


_remembered_foot = lru_cache(maxsize=64)(_read_foot)


def _version(data: bytes) -> int:
    """The version of an import of the standard's domain."""
    at = 2 if data[:2] == bytes((_OPSET_DOMAIN, 0)) else 0
    if data[at : at + 1] != bytes((_OPSET_VERSION,)):
        raise _NotPlainError
    version, at = read_varint(data, at + 1)
    if at != len(data):
        raise _NotPlainError
    return version


# ------------------------------------------------------------------------------------------------------------- nodes


class _Other:
    """A node with more than three inputs or other than one output. `unread` gives the inputs still to be visited."""

    __slots__ = ("made", "taken", "unread")

    def __init__(self, taken: list[bytes], made: list[bytes]) -> None:
        self.taken, self.made = taken, made
        self.unread = iter(taken)


# Of all nodes the first three inputs (None: there is none), the output, the operator and the fields of the attributes;
# by their places those that do not fit. Their first input is _OTHER, their output the first one that they have.
_Nodes = tuple[
    Sequence[bytes | None],
    Sequence[bytes | None],
    Sequence[bytes | None],
    Sequence[bytes],
    Sequence[bytes],
    Sequence[bytes],
    Mapping[int, _Other],
]
_NO_OTHERS: Mapping[int, _Other] = {}
_ABSENT = b"\x00"
_OTHER = b"\xff"  # no text begins with such a length
_LONGEST = 63  # bytes of a text in a usual node


@cache
def _usual_node() -> re.Pattern[bytes]:
    """A node with at most three inputs, one output and short texts. Compiled when it is first needed: that takes
    milliseconds. The groups are its length, what has that length, the inputs, the output, the operator, and the fields
    of the attributes.

    A text is one of so many lengths. So what is found is a node if a node begins there, and if it is as long as its own
    length says: between nodes there must be nothing, and before the first one whole fields. A list of inputs does not
    end with an absent one.
    """
    text = b"|".join([b"\\x%02x.{%d}" % (size, size) for size in range(1, _LONGEST + 1)])
    inputs = rb"(?:\x0a(_)(?:\x0a(_)(?:\x0a(_)|)|)|)(?<!\x0a\x00)".replace(b"_", rb"(?:\x00|%b)" % text)
    rest = rb"\x12(_)(?:\x1a_|)\x22(_)((?:\x2a_)*+)".replace(b"_", b"(?:%b)" % text)
    return re.compile(rb"\x3a([\x00-\x7f]|[\x80-\xff][\x01-\x7f])(%b%b)" % (inputs, rest), re.DOTALL)


def _read_nodes(data: bytes) -> tuple[bytes, _Nodes, bytes]:
    """What stands before the nodes, the nodes, and what follows."""
    at, end = 0, len(data)
    while at < end and data[at] != _NODE:
        size, at = read_varint(data, at + 1)
        at += size
    head = data[:at]
    reads: list[tuple[bytes | None, ...]] = []
    made: list[bytes] = []
    named: list[bytes] = []
    given: list[bytes] = []
    others: dict[int, _Other] = {}
    while at < end and data[at] == _NODE:
        size, at = data[at + 1], at + 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        taken, results, name, fields = _read_node(data, at, at + size)
        at += size
        if len(taken) <= 3 and len(results) == 1:
            reads.append((*taken, None, None, None))
            made.append(results[0])
        else:
            others[len(made)] = _Other(taken, results)
            reads.append((_OTHER, None, None))
            made.append(next((text for text in results if text != _ABSENT), _ABSENT))
        named.append(name)
        given.append(fields)
    if not made:
        raise _NotPlainError
    first, second, third = [*zip(*reads, strict=False)][:3]  # as long as the shortest
    return head, (first, second, third, made, named, given, others), data[at:]


def _read_node(data: bytes, at: int, end: int) -> tuple[list[bytes], list[bytes], bytes, bytes]:
    """The inputs less the absent ones at the end, the outputs, the operator, the fields of the attributes."""
    taken: list[bytes] = []
    made: list[bytes] = []
    given: list[bytes] = []
    name = b""
    while at < end:
        tag, begin = data[at], at + 1
        size = data[begin]
        at += 2
        if size > 127:
            size, at = read_varint(data, begin)
        at += size
        if tag == _NODE_INPUT:
            taken.append(data[begin:at])
        elif tag == _NODE_OUTPUT:
            made.append(data[begin:at])
        elif tag == _NODE_OP_TYPE:
            name = data[begin:at]
        elif tag == _NODE_ATTRIBUTE:
            given.append(data[begin - 1 : at])
        elif tag not in _NODE_PASSED_OVER and (size or tag not in _NODE_EMPTY):
            raise _NotPlainError
    while taken and taken[-1] == _ABSENT:
        taken.pop()
    return taken, made, name, b"".join(given)


# --------------------------------------------------------------------------------------------------------- operators


class _Meaning:
    """An operator. `heads` stand before so many inputs, `tail` between them and the output of a node without
    attributes; `tails` hold the same by the fields of some attributes."""

    __slots__ = ("heads", "operator", "tail", "tails")

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.heads = tuple([operator.encoding + SMALL[count] for count in range(4)])
        self.tail = operator.no_attributes[0] + _ONE
        self.tails: dict[bytes, bytes] = {}

    def tail_of(self, fields: bytes, references: Mapping[bytes, bytes]) -> bytes:
        """What stands between the inputs and the output for the fields of a node's attributes."""
        found = self._of_number(fields)
        if found is None:
            found = _join(self.operator, [_attribute(data, references) for data in _contents(fields)]) + _ONE
            if len(fields) <= _REMEMBERED and wire.ATTRIBUTE_REFERENCE not in fields:
                if len(self.tails) >= _MOST_REMEMBERED:
                    self.tails.clear()
                self.tails[fields] = found
        return found

    def _of_number(self, fields: bytes) -> bytes | None:
        """The same where they are one attribute, a float, and nothing else has a default.

        Floats differ from node to node, so that they are not remembered; integers do not.
        """
        if fields[1] != len(fields) - 2 or fields[-1] == AttributeProto.INT:
            return None
        found = _number(fields, 2)
        if found is None or not self.operator.encoded_defaults.keys() <= {found[0]}:
            return None
        return b"".join((_ONE, found[1], _ONE))


# Bodies of one function at several opsets, and of many functions, hold the same few attributes.
_REMEMBERED = 256  # bytes of a node's attributes
_MOST_REMEMBERED = 1 << 10

_ONE = SMALL[1]
_ATTRIBUTE_NAME = 0x0A
_NUMBER = re.compile(  # what follows an attribute's name; the name of the tensor may be empty
    rb"\x15(.{4})\xa0\x01\x01"
    rb"|\x18([\x80-\xff]{0,9}[\x00-\x7f])\xa0\x01\x02"
    rb"|\x2a\x08\x10\x01[\x22\x4a]\x04(.{4})\xa0\x01\x04"
    rb"|\x2a\x0a\x10\x01(?:\x22\x04(.{4})\x42\x00|\x42\x00\x4a\x04(.{4}))\xa0\x01\x04",
    re.DOTALL,
)
_SCALAR = b"\x00\x04\x01\x00\x04"  # a tensor: its element type, no dimensions, four bytes
_HEADS = (b"", b"\x00\x01", b"\x00\x02", _SCALAR, _SCALAR, _SCALAR)  # of the values by the pattern's groups


def _number(data: bytes, at: int) -> tuple[bytes, bytes] | None:
    """The attribute from there on, if it is a float, an integer, or a tensor that is one float: its name, and how it is
    encoded."""
    if len(data) < at + 2 or data[at] != _ATTRIBUTE_NAME or data[at + 1] > _LONGEST:
        return None
    begin, end = at + 1, at + 2 + data[at + 1]
    found = _NUMBER.fullmatch(data, end)
    name = data[begin + 1 : end]
    if found is None or not name.isascii():
        return None
    kind = found.lastindex or 0
    return name, b"".join((data[begin:end], _HEADS[kind], found[kind]))


class _Meanings(dict[bytes, _Meaning]):
    """The operators of the standard at that opset that have been met, but for those with graphs."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.impure: set[bytes] = set()

    def __missing__(self, text: bytes) -> _Meaning:
        name = text[1:]
        if not name.isascii():
            raise _NotPlainError
        operator = standard_operator("", name.decode("ascii"), self.version)
        if operator.control_flow:
            raise _NotPlainError
        if not operator.deterministic:
            self.impure.add(text)
        found = self[text] = _Meaning(operator)
        return found


_meanings = lru_cache(maxsize=64)(_Meanings)


def _contents(fields: bytes) -> list[bytes]:
    """What these fields contain."""
    contents: list[bytes] = []
    at = 0
    while at < len(fields):
        size, at = read_varint(fields, at + 1)
        contents.append(fields[at : at + size])
        at += size
    return contents


def _join(operator: Operator, attributes: list[tuple[bytes, bytes]]) -> bytes:
    written = dict(attributes)
    if len(written) != len(attributes):
        raise _NotPlainError
    for default, encoded in operator.encoded_defaults.items():
        written.setdefault(default, encoded)
    return varint(len(written)) + b"".join([written[name] for name in sorted(written)])


def _attribute(data: bytes, references: Mapping[bytes, bytes]) -> tuple[bytes, bytes]:
    """The name of an attribute, and how it is encoded."""
    number = _number(data, 0)
    if number is not None:
        return number
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


# --------------------------------------------------------------------------------------------------------- encoding


def _encode(
    nodes: _Nodes,
    operators: _Meanings,
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
    references: Mapping[bytes, bytes],
) -> bytes:
    """The nodes in canonical order, each encoded as soon as those that it reads are.

    _NotPlainError where a name is defined twice, or depends on itself; KeyError where one is undefined.
    """
    first, second, third, made, named, given, others = nodes
    number = len(made)
    meanings = [*map(operators.__getitem__, named)]
    # What names stand for: a canonical name, or the place of a node that is not written yet.
    known: dict[bytes | None, bytes | int] = dict(zip(made, range(number), strict=True))
    defined = number
    if others:
        defined += _define_others(others, meanings, known)
    most = defined + len(inputs) + len(outputs)
    first_inputs, first_outputs, fresh = _few_names() if most <= _FEW else _canonical_names(most)
    known.update(zip(inputs, first_inputs, strict=False))
    if len(known) != defined + len(inputs) or _ABSENT in known:
        raise _NotPlainError
    known[None] = b""
    known[_ABSENT] = _ABSENT
    results = dict(zip(outputs, first_outputs, strict=False))
    if len(results) != len(outputs):
        raise _NotPlainError
    roots = [*map(known.__getitem__, outputs)]
    if not operators.impure.isdisjoint(named):
        roots += [index for index, meaning in enumerate(meanings) if not meaning.operator.deterministic]
    parts: list[bytes] = []
    written = values = 0
    for root in roots:
        if isinstance(root, bytes):
            raise _NotPlainError  # an output that is an input
        if isinstance(known[made[root]], bytes):
            continue
        index = root
        waiting: list[int] = []  # the nodes from the root to this one
        while True:
            needed = known[first[index]]
            if isinstance(needed, bytes):
                one = needed
                needed = known[second[index]]
                if isinstance(needed, bytes):
                    two = needed
                    needed = known[third[index]]
                    if isinstance(needed, bytes):
                        name = made[index]
                        if name in results:
                            result = results[name]
                        else:
                            result = fresh[values]
                            values += 1
                        known[name] = result
                        meaning = meanings[index]
                        fields = given[index]
                        if fields:
                            tail = meaning.tails.get(fields) or meaning.tail_of(fields, references)
                        else:
                            tail = meaning.tail
                        if needed:
                            parts += (meaning.heads[3], one, two, needed, tail, result)
                        elif two:
                            parts += (meaning.heads[2], one, two, tail, result)
                        else:
                            parts += (meaning.heads[1 if one else 0], one, tail, result)
                        written += 1
                        if not waiting:
                            break
                        index = waiting.pop()
                        continue
            elif needed < 0:
                other = others[index]
                needed = next((found for name in other.unread if isinstance(found := known[name], int)), -1)
                if needed < 0:
                    for name in other.made:
                        if name in results:
                            known[name] = results[name]
                        elif name != _ABSENT:
                            known[name] = fresh[values]
                            values += 1
                    parts += _encode_other(other, meanings[index], given[index], known, references)
                    written += 1
                    if not waiting:
                        break
                    index = waiting.pop()
                    continue
            waiting.append(index)
            if len(waiting) > number:
                raise _NotPlainError
            index = needed
    if written < number and _GRAPH_TYPE.search(b"".join(given)):
        raise _NotPlainError
    return b"".join((varint(written), *parts))


_FEW = 256


def _canonical_names(number: int) -> list[list[bytes]]:
    """So many names of inputs, of outputs, and of other values."""
    return [[canonical_name(letter, index) for index in range(number)] for letter in (b"i", b"o", b"v")]


@cache
def _few_names() -> list[list[bytes]]:
    return _canonical_names(_FEW)


def _define_others(
    others: Mapping[int, _Other], meanings: Sequence[_Meaning], known: dict[bytes | None, bytes | int]
) -> int:
    """Enters the outputs; gives by how many `known` must have grown if none of them is defined twice."""
    known[_OTHER] = -1
    grown = 1
    for index, other in others.items():
        if meanings[index].operator.trims_outputs:
            while other.made and other.made[-1] == _ABSENT:
                other.made.pop()
        names = [name for name in other.made if name != _ABSENT]
        known.update(dict.fromkeys(names, index))
        grown += len(names) - 1
    return grown


def _encode_other(
    other: _Other,
    meaning: _Meaning,
    fields: bytes,
    known: Mapping[bytes | None, bytes | int],
    references: Mapping[bytes, bytes],
) -> list[bytes]:
    """A node that is not usual, whose inputs and outputs have canonical names."""
    reads, makes = len(other.taken), len(other.made)
    names = [text for name in (*other.taken, *other.made) if isinstance(text := known[name], bytes)]
    if len(names) != reads + makes:
        raise _NotPlainError  # one that it reads waits for it
    tail = (meaning.tails.get(fields) or meaning.tail_of(fields, references)) if fields else meaning.tail
    attributes = tail[:-1]  # without the number of outputs
    return [meaning.operator.encoding, varint(reads), *names[:reads], attributes, varint(makes), *names[reads:]]
