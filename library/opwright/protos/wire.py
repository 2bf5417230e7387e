"""The few pieces of protobuf's wire format that canonical bodies are written with.

They are written here, not by the protobuf library, so that the bytes of a body depend on no version of it. What is
written is what `SerializeToString(deterministic=True)` gives: fields by number, no unknown ones.
"""

from __future__ import annotations

SMALL = tuple(bytes((value,)) for value in range(128))  # the varints of one byte
_MASK = (1 << 64) - 1


def varint(value: int) -> bytes:
    """A base-128 number; negative ones as their 64-bit two's complement."""
    if 0 <= value < 128:
        return SMALL[value]
    value &= _MASK
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The base-128 number that begins there, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def chunk(data: bytes) -> bytes:
    """The data behind its length."""
    size = len(data)
    return SMALL[size] + data if size < 128 else varint(size) + data


def repeated(tag: bytes, chunks: list[bytes]) -> bytes:
    """A length-delimited field once for each of `chunks`, which have their lengths already."""
    return tag + tag.join(chunks) if chunks else b""


# Tags: field number and wire type, named message_field.
FUNCTION_INPUT = b"\x22"
FUNCTION_OUTPUT = b"\x2a"
FUNCTION_ATTRIBUTE = b"\x32"
FUNCTION_NODE = b"\x3a"
FUNCTION_OPSET = b"\x4a"
OPSET_DOMAIN = b"\x0a"
OPSET_VERSION = b"\x10"
NODE_INPUT = b"\x0a"
NODE_OUTPUT = b"\x12"
NODE_OP_TYPE = b"\x22"
NODE_ATTRIBUTE = b"\x2a"
NODE_DOMAIN = b"\x3a"
ATTRIBUTE_NAME = b"\x0a"
ATTRIBUTE_FLOAT = b"\x15"
ATTRIBUTE_INT = b"\x18"
ATTRIBUTE_STRING = b"\x22"
ATTRIBUTE_TENSOR = b"\x2a"
ATTRIBUTE_GRAPH = b"\x32"
ATTRIBUTE_FLOATS = b"\x3d"
ATTRIBUTE_INTS = b"\x40"
ATTRIBUTE_STRINGS = b"\x4a"
ATTRIBUTE_TENSORS = b"\x52"
ATTRIBUTE_GRAPHS = b"\x5a"
ATTRIBUTE_TYPE_PROTO = b"\x72"
ATTRIBUTE_TYPE_PROTOS = b"\x7a"
ATTRIBUTE_TYPE = b"\xa0\x01"
ATTRIBUTE_REFERENCE = b"\xaa\x01"
ATTRIBUTE_SPARSE_TENSOR = b"\xb2\x01"
ATTRIBUTE_SPARSE_TENSORS = b"\xba\x01"
TENSOR_DIM = b"\x08"
TENSOR_TYPE = b"\x10"
TENSOR_STRING = b"\x32"
TENSOR_NAME = b"\x42"
TENSOR_RAW = b"\x4a"
SPARSE_VALUES = b"\x0a"
SPARSE_INDICES = b"\x12"
SPARSE_DIM = b"\x18"
GRAPH_NODE = b"\x0a"
GRAPH_NAME = b"\x12"
GRAPH_INITIALIZER = b"\x2a"
GRAPH_INPUT = b"\x5a"
GRAPH_OUTPUT = b"\x62"
GRAPH_SPARSE_INITIALIZER = b"\x7a"
VALUE_NAME = b"\x0a"
VALUE_TYPE = b"\x12"
