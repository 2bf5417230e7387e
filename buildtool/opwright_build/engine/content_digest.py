"""Digests: of bytes, of lists of fields, and of JSON values."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_DIGEST = re.compile("[0-9a-f]{64}")


def digest_bytes(data: bytes) -> str:
    """The sha256 of `data`, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def is_digest(text: object) -> bool:
    """Whether a value has the form of a sha256 in hexadecimal."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def digest_fields(fields: Iterable[str]) -> str:
    """One digest of a list of texts; each is length-prefixed, so no two lists share an encoding."""
    encoded = [field.encode("utf-8", "surrogatepass") for field in fields]
    return hashlib.sha256(b"".join([b"%d:%b" % (len(data), data) for data in encoded])).hexdigest()


def canonical_json(value: Json) -> bytes:
    """The one JSON text of a value: keys sorted, no spaces, ASCII. ValueError on nan and infinities."""
    return _ENCODER.encode(value).encode("ascii")
