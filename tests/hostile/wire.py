"""Protobuf at the level of its bytes: fields are read, and changed in number, wire type, length and nesting."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_EDGES = (0, 1, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)


@dataclass(frozen=True, slots=True)
class Field:
    """A field as it stands in the bytes; `value` without its length."""

    number: int
    wire: int
    value: bytes

    def written(self) -> bytes:
        return tag(self.number, self.wire) + (varint(len(self.value)) if self.wire == BYTES else b"") + self.value


def varint(value: int) -> bytes:
    found = bytearray()
    value &= 2**64 - 1
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def tag(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


def field(number: int, value: bytes) -> bytes:
    return Field(number, BYTES, value).written()


def fields(data: bytes) -> list[Field] | None:
    """The fields of a message; None where the bytes are none."""
    found, at = list[Field](), 0
    while at < len(data):
        key, at = _varint_at(data, at)
        if key < 8 or at < 0:
            return None
        wire, number = key & 7, key >> 3
        if wire == VARINT:
            _, end = _varint_at(data, at)
        elif wire == BYTES:
            length, at = _varint_at(data, at)
            end = at + length if at >= 0 else -1
        else:
            end = at + {FIXED64: 8, FIXED32: 4}.get(wire, len(data) + 1)
        if end < 0 or end > len(data):
            return None
        found.append(Field(number, wire, data[at:end]))
        at = end
    return found


def _varint_at(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends; -1 where there is none."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    return 0, -1


def changed(data: bytes, numbers: random.Random) -> bytes:
    """The message with one field of it, or of a message in it, changed."""
    found = fields(data)
    if not found:
        return data + bytes(numbers.randrange(256) for _ in range(numbers.randrange(4)))
    index = numbers.randrange(len(found))
    chosen = found[index]
    inner = fields(chosen.value) if chosen.wire == BYTES and chosen.value else None
    if inner and numbers.random() < 0.75:
        replacement = [Field(chosen.number, BYTES, changed(chosen.value, numbers))]
    else:
        replacement = list(_change(chosen, found, numbers))
    parts = [*found[:index], *replacement, *found[index + 1 :]]
    written = b"".join(item.written() for item in parts)
    if numbers.random() < 0.03:
        written = written[: numbers.randrange(len(written) + 1)]
    return written


def _change(chosen: Field, found: list[Field], numbers: random.Random) -> Iterator[Field]:
    match numbers.randrange(9):
        case 0:  # the number
            yield Field(numbers.choice((1, 2, 5, 7, 20, chosen.number + 1, 2**29 - 1)), chosen.wire, chosen.value)
        case 1:  # the wire type, the value made to fit
            wire = numbers.choice((VARINT, FIXED64, BYTES, FIXED32))
            value = {
                VARINT: varint(numbers.choice(_EDGES)),
                FIXED64: bytes(8),
                FIXED32: b"\xff" * 4,
                BYTES: b"\xff\xfe",
            }
            yield Field(chosen.number, wire, value[wire])
        case 2:  # gone
            return
        case 3:  # twice
            yield chosen
            yield chosen
        case 4:  # many
            yield from [chosen] * numbers.choice((3, 50))
        case 5:  # the value of another
            yield Field(chosen.number, chosen.wire, numbers.choice([i for i in found if i.wire == chosen.wire]).value)
        case 6:  # inside itself
            value = chosen.value
            for _ in range(numbers.choice((1, 3, 40, 120)) if chosen.wire == BYTES else 0):
                value = Field(chosen.number, BYTES, value).written()
            yield Field(chosen.number, chosen.wire, value)
        case 7:  # a number at an edge, bytes that are no text
            if chosen.wire == VARINT:
                yield Field(chosen.number, VARINT, varint(numbers.choice(_EDGES)))
            elif chosen.wire == BYTES:
                texts = (b"", b"\xff", b"\x00", b"x" * 300, b"If", b"Loop", b"body", b"ai.onnx", b"\xed\xa0\x80")
                yield Field(chosen.number, BYTES, numbers.choice(texts))
            else:
                yield Field(chosen.number, chosen.wire, b"\xff" * len(chosen.value))
        case _:  # a field that was not there
            yield chosen
            yield Field(numbers.randrange(1, 30), VARINT, varint(numbers.choice(_EDGES)))
