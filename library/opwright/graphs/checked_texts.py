"""Whether the texts of messages are UTF-8, as protobuf itself finds it.

ONNX's messages are of the kind whose parsers take any bytes for a text. Here they are declared once more, as those of
the kind whose parsers do not, and with nothing but their texts and the messages in them: so a model is checked as fast
as it is parsed, where a walk over its fields takes twenty times as long.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import islice

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.message_factory import GetMessageClass
from onnx import ModelProto

_TOGETHER = 1000  # messages
_KEPT = (FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_MESSAGE)


def are_checked(messages: Iterable[Message], full_name: str) -> bool:
    """Whether all texts in these messages of one type are UTF-8. False too where protobuf writes or reads none."""
    remaining = iter(messages)
    try:
        while part := [message.SerializePartialToString() for message in islice(remaining, _TOGETHER)]:
            if not are_read(part, full_name):
                return False
    except (EncodeError, ValueError):
        return False
    return True


def are_read(parts: Iterable[bytes], full_name: str) -> bool:
    """The same of messages that have been written already."""
    parser = _classes().get(full_name)
    if parser is None:
        return False
    try:
        parser.FromString(b"".join(parts))  # which reads as one message with the fields of all
    except DecodeError:
        return False
    return True


@cache
def _classes() -> dict[str, type[Message]]:
    """The messages by their full names."""
    given = FileDescriptorProto()
    ModelProto.DESCRIPTOR.file.CopyToProto(given)
    file = FileDescriptorProto(name="texts.proto", package=given.package, syntax="proto3")
    for message in given.message_type:
        _declare(message, file.message_type.add())
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindFileByName(file.name).message_types_by_name.values()
    return {item.full_name: GetMessageClass(item) for item in found}


def _declare(given: DescriptorProto, made: DescriptorProto) -> None:
    made.name = given.name
    for field in given.field:
        if field.type in _KEPT:
            kept = made.field.add(name=field.name, number=field.number, label=field.label, type=field.type)
            if field.type_name:
                kept.type_name = field.type_name
    for inner in given.nested_type:
        _declare(inner, made.nested_type.add())
