"""Messages as bytes: a JSON header and binary parts. Standard library alone, since the oracle's child runs it too."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

LARGEST = 1 << 28
_LENGTHS = struct.Struct("<QQ")
PREFIX = _LENGTHS.size


class BadMessage(ValueError):
    """Bytes that are no message of ours."""


def pack(header: Any, parts: Sequence[bytes]) -> bytes:
    """`header` is any JSON value; the parts follow it, their lengths stand in it."""
    text = json.dumps([header, [len(part) for part in parts]], sort_keys=True).encode()
    body = b"".join(parts)
    return _LENGTHS.pack(len(text), len(body)) + text + body


def body_length(prefix: bytes) -> int:
    """How many bytes follow the first `PREFIX` of a message. Raises BadMessage for what cannot be one."""
    if len(prefix) != PREFIX:
        raise BadMessage("a truncated message")
    text, body = _LENGTHS.unpack(prefix)
    if text + body > LARGEST:
        raise BadMessage("a message beyond all bounds")
    return int(text + body)


def unpack(message: bytes) -> tuple[Any, list[bytes]]:
    """The inverse of `pack`. Raises BadMessage for anything else."""
    if body_length(message[:PREFIX]) != len(message) - PREFIX:
        raise BadMessage("a message of another length than it says")
    end = PREFIX + _LENGTHS.unpack(message[:PREFIX])[0]
    try:
        header, lengths = json.loads(message[PREFIX:end])
        parts: list[bytes] = []
        for length in lengths:
            parts.append(message[end : end + length])
            end += length
    except (ValueError, TypeError, RecursionError) as error:
        raise BadMessage(f"a header that is not ours ({error})") from None
    if end != len(message):
        raise BadMessage("parts of another length than they say")
    return header, parts
