"""What a compiled version gives to its library, as bytes: each made once, and joined to others as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opwright_build.engine.content_digest import canonical_json, digest_bytes

ENTRY = "entry"  # what functions that call it ask for
BODIES = "bodies"
TEMPLATES = "templates"
INTERFACE = "interface"  # the entry without bodies
MEMBER = "member"  # the function as a bundle has it
FIGURES = "figures"
FACTS = "facts.json"  # output of packaging, and of the library's action: figures, sizes of files
TABLE = "table.json/"  # outputs of the library's action: the rows of all versions, in parts; this and a number
PART = 256  # versions to a part
ROWS = "rows"  # what became of each opset
VERSION = "version:"  # inputs of packaging: this and the identity
TEXTS = "texts"  # input of packaging: the files for its wheel, by path
RELEASED = "released"  # input of packaging: what was released last
PACKAGED = (BODIES, TEMPLATES, INTERFACE, MEMBER, FIGURES)


def encode_blobs(blobs: Mapping[str, bytes]) -> bytes:
    """Bytes by digest, one behind the other, with their sizes before them."""
    sizes = canonical_json([[digest, len(data)] for digest, data in blobs.items()])
    return b"\n".join((sizes, b"".join(blobs.values())))


def decode_blobs(data: bytes) -> dict[str, bytes]:
    """What `encode_blobs` wrote."""
    sizes, _, content = data.partition(b"\n")
    found: dict[str, bytes] = {}
    place = 0
    for digest, size in json.loads(sizes):
        found[digest] = content[place : place + size]
        place += size
    return found


def encode_packaged(part: Callable[[str], bytes]) -> bytes:
    """What a package takes of a version, by the names of its parts."""
    return encode_blobs({name: part(name) for name in PACKAGED})


NO_TEMPLATES = digest_bytes(encode_blobs({}))


def join_rows(parts: Sequence[bytes]) -> bytes:
    """The rows of several versions."""
    return b"[" + b",".join(parts) + b"]"


def is_file(output: str) -> bool:
    """Whether an output of the library's action is a file to be written."""
    return output != FACTS and not output.startswith(TABLE)


def table_part(number: int) -> str:
    """The output that has the rows of the version at a position."""
    return f"{TABLE}{number // PART:05}"


def table_parts(rows: Sequence[bytes]) -> dict[str, bytes]:
    """The parts of the table of all versions."""
    return {table_part(start): join_rows(rows[start : start + PART]) for start in range(0, len(rows), PART)}


def expand_rows(data: bytes) -> list[dict[str, Any]]:
    """A row for each opset of what `join_rows` joined, by version in the order of opsets."""
    found: list[dict[str, Any]] = []
    for domain, name, since_version, rows in json.loads(data):
        spread = [
            {
                "body": body,
                "domain": domain,
                "name": name,
                "operator": operator,
                "place": place,
                "reason": reason,
                "since_version": since_version,
                "variant": variant,
                "opset": opset,
            }
            for first, last, variant, body, operator, reason, place in rows
            for opset in range(first, last + 1)
        ]
        found += sorted(spread, key=lambda row: int(row["opset"]))
    return found
