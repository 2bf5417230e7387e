"""Nodes as columns: each field of all nodes of a graph or function as one list.

Protobuf makes an object of each node, each list of names and each attribute, and again whenever it is asked: that takes
longer than most of what is done with them. Here nodes are declared once more, with a repeated field for each that a
node has once: so the bytes of many nodes in a row are one message that has the fields of all. A mark in front of each
node says where it begins. Texts that are not UTF-8 end the parser, so that they need no other check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import cache
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.message_factory import GetMessageClass
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

from opwright.graphs.checked_texts import are_checked, are_read

_MOST_BYTES = 4096  # of a node whose attributes are copied; a larger one has tensors or graphs
_INPUT, _OUTPUT, _ATTRIBUTE = b"\x0a", b"\x12", b"\x2a"  # tags
_MOST_MARKED = 128  # lengths below have one byte
_BEGIN = b"\xff"  # in front of the attributes of a node: none is written so


class NodeColumns:
    """The nodes `protos` of a graph or function.

    By node: `operators`, `domains` and `firsts`, the first output, empty where there is none. `inputs` are those of all
    nodes, those of a node from `begins` to `ends`. `attributes` are those of the nodes that have some, serialized. They
    are plain values, but for some of those of the nodes in `with_others`, where they may be missing too: a plain value
    is a number, a text, a list of numbers, or a tensor of one number. `doc_strings` are those of the nodes that have
    one. `on_devices`: some node says on which devices it runs. `has_texts`: every text in the nodes is UTF-8; where one
    is not, nothing else holds.
    """

    __slots__ = (
        "attributes",
        "begins",
        "doc_strings",
        "domains",
        "ends",
        "firsts",
        "has_texts",
        "inputs",
        "on_devices",
        "operators",
        "protos",
        "with_others",
    )

    def __init__(self, protos: Sequence[NodeProto]) -> None:
        self.protos = protos
        self.operators: Sequence[str] = ()
        self.domains: Sequence[str] = ()
        self.firsts: Sequence[str] = ()
        self.inputs: Sequence[str] = ()
        self.begins: Sequence[int] = ()
        self.ends: Sequence[int] = ()
        self.attributes: Mapping[int, tuple[bytes, ...]] = {}
        self.with_others: Set[int] = frozenset()
        self.doc_strings: Mapping[int, str] = {}
        self.on_devices = False
        try:
            self.has_texts = not protos or self._read(protos)
        except (DecodeError, EncodeError, ValueError):  # a text, or graphs nested deeper than protobuf writes
            self.has_texts = False
            self._ask(protos)

    def inputs_of(self, index: int) -> list[str]:
        return [*self.inputs[self.begins[index] : self.ends[index]]]

    def _read(self, protos: Sequence[NodeProto]) -> bool:
        """Reads all at once; whether all texts are UTF-8."""
        parts = [*map(NodeProto.SerializePartialToString, protos)]
        number = len(parts)
        is_any_large = max(map(len, parts)) > _MOST_BYTES
        large = [index for index, part in enumerate(parts) if len(part) > _MOST_BYTES] if is_any_large else []
        for index in large:
            parts[index] = _without_attributes(protos[index])
        found = _parse(parts)
        operators = found.texts.get("op_type", ())
        self.operators = operators if len(operators) == number else [node.op_type for node in protos]
        self.domains = [node.domain for node in protos] if "domain" in found.texts else [""] * number
        self.firsts = _firsts(found.texts["output"], found.mark, number)
        self.inputs = [name for name in found.texts["input"] if name != found.mark]
        self.begins = [place - marks for marks, place in enumerate(found.places)]
        self.ends = [*self.begins[1:], len(self.inputs)]
        if "doc_string" in found.texts:
            self.doc_strings = {index: said for index, node in enumerate(protos) if (said := node.doc_string)}
        self.attributes = _by_node(found.attributes) if len(found.attributes) > number else {}
        odd = {data for data in {*chain.from_iterable(self.attributes.values())} if not is_plain(data)}
        others = [index for index, values in self.attributes.items() if not odd.isdisjoint(values)] if odd else []
        self.with_others = frozenset([*large, *others])
        unread = protos if found.has_more else [protos[index] for index in large]
        self.on_devices = any(map(_DEVICES, unread))
        return are_read(odd, _ATTRIBUTE_NAME) and are_checked(unread, _NODE_NAME)

    def _ask(self, protos: Sequence[NodeProto]) -> None:
        """Asks the nodes one by one."""
        self.operators = [node.op_type for node in protos]
        self.domains = [node.domain for node in protos]
        self.firsts = [node.output[0] if node.output else "" for node in protos]
        inputs = [node.input[:] for node in protos]
        self.inputs = [*chain.from_iterable(inputs)]
        self.ends = [*accumulate(map(len, inputs))]
        self.begins = [0, *self.ends[:-1]]
        self.attributes = {}
        self.with_others = frozenset(index for index, node in enumerate(protos) if node.attribute)
        self.on_devices = any(map(_DEVICES, protos))
        self.doc_strings = {index: said for index, node in enumerate(protos) if (said := node.doc_string)}


class ColumnsOf:
    """The columns of graphs and functions, each read once: what several walk over a model, they share."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[GraphProto | FunctionProto, NodeColumns]] = {}

    def __call__(self, owner: GraphProto | FunctionProto) -> NodeColumns:
        known = self._known.get(id(owner))
        if known is None:
            # The owner is kept, so that protobuf gives the same object for it again, and no other has its id.
            known = self._known[id(owner)] = owner, NodeColumns(owner.node)
        return known[1]


_DEVICES = attrgetter("device_configurations")
_NODE_NAME, _ATTRIBUTE_NAME = NodeProto.DESCRIPTOR.full_name, AttributeProto.DESCRIPTOR.full_name


def _without_attributes(node: NodeProto) -> bytes:
    made = NodeProto(
        input=node.input, output=node.output, op_type=node.op_type, domain=node.domain, doc_string=node.doc_string
    )
    return made.SerializePartialToString()


class _Fields(NamedTuple):
    """What all nodes have: texts by the name of their field, attributes, and whether there are fields of other kinds.
    In front of the inputs and outputs of each node stands `mark`, which is no name of a value: in those of the inputs
    at these places."""

    texts: Mapping[str, list[str]]
    attributes: list[bytes]
    has_more: bool
    mark: str
    places: list[int]


def _parse(parts: Sequence[bytes]) -> _Fields:
    for size in range(1, _MOST_MARKED):
        mark = bytes(size)
        before = b"".join((_INPUT, bytes((size,)), mark, _OUTPUT, bytes((size,)), mark, _ATTRIBUTE, b"\x01", _BEGIN))
        found = {field: value[:] for field, value in _columns().FromString(before + before.join(parts)).ListFields()}
        texts = {field.name: values for field, values in found.items() if field.type == FieldDescriptor.TYPE_STRING}
        others = {field.name: values for field, values in found.items() if field.name not in texts}
        text = mark.decode()
        places = [place for place, name in enumerate(texts["input"]) if name == text]
        if len(places) == texts["output"].count(text) == len(parts):
            return _Fields(texts, others["attribute"], len(others) > 1, text, places)
    raise ValueError("values have the names of all marks")


@cache
def _columns() -> type[Message]:
    """NodeProto with repeated fields of texts and bytes alone, whose texts are checked."""
    file = FileDescriptorProto(name="columns.proto", package="opwright", syntax="proto3")
    made = file.message_type.add(name="Columns")
    text, data = FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES
    for field in NodeProto.DESCRIPTOR.fields:
        kind = text if field.type == text else data
        made.field.add(name=field.name, number=field.number, label=FieldDescriptorProto.LABEL_REPEATED, type=kind)
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return GetMessageClass(pool.FindFileByName(file.name).message_types_by_name[made.name])


def _firsts(outputs: list[str], mark: str, number: int) -> list[str]:
    """The first output of each node."""
    if len(outputs) == 2 * number and outputs[::2].count(mark) == number:
        return outputs[1::2]
    places = [place for place, name in enumerate(outputs, 1) if name == mark]
    outputs.append(mark)
    return ["" if outputs[place] == mark else outputs[place] for place in places]


def _by_node(attributes: list[bytes]) -> dict[int, tuple[bytes, ...]]:
    """The attributes by the node that has them."""
    found: dict[int, tuple[bytes, ...]] = {}
    places = [place for place, data in enumerate(attributes) if data != _BEGIN]
    for others, place in enumerate(places, 1):
        index = place - others
        found[index] = (*found.get(index, ()), attributes[place])
    return found


def is_plain(data: bytes) -> bool:
    """Whether an attribute is sure to be a plain value, of the type that it says."""
    found = _plain().fullmatch(data)
    if found is None or data[1] != len(found[1]):
        return False
    return found[2] is None or data[found.start(2) - 1] == len(found[2])


@cache
def _plain() -> re.Pattern[bytes]:
    """Of a plain value. The groups are its name and the text, whose lengths stand before them."""
    number = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
    values = (
        rb"\x15.{4}\xa0\x01\x01",
        rb"\x18%b\xa0\x01\x02" % number,
        rb"\x22.([\x00-\x7f]*)\xa0\x01\x03",
        rb"\x2a(?:%b)\xa0\x01\x04" % b"|".join(_NUMBERS),
        rb"(?:\x3d.{4})+\xa0\x01\x06",
        rb"(?:\x40%b)+\xa0\x01\x07" % number,
    )
    return re.compile(rb"\x0a.(\w+)(?:%b)" % b"|".join(values), re.DOTALL)


_NUMBERS = (  # a tensor without sizes: a float, an int64; a name that is said to be none may stand there
    rb"\x08\x10\x01[\x22\x4a]\x04.{4}",
    rb"\x0a\x10\x01(?:\x22\x04.{4}\x42\x00|\x42\x00\x4a\x04.{4})",
    rb"\x0c\x10\x07\x4a\x08.{8}",
    rb"\x0e\x10\x07\x42\x00\x4a\x08.{8}",
)
