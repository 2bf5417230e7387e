"""Bundles of format 2 taken apart and put together with other contents, every digest and size above them as it should
be: what only a reader of the contents can refuse."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from opwright.bundle.archive import pack, unpack
from opwright.bundle.json_form import canonical_json

Members = dict[str, bytes]
Change = Callable[[dict[str, Any]], object]
_HEAD = ("mimetype", "library.json")


def packed(members: Members) -> bytes:
    """The members as a bundle orders them: those that the format does not know before those with digests."""
    head = [name for name in _HEAD if name in members]
    rest = sorted(set(members) - set(_HEAD), key=lambda name: (len(name) == 74, name))
    return pack((name, members[name]) for name in [*head, *rest])


def with_members(data: bytes, change: Callable[[Members], object]) -> bytes:
    members = unpack(data)
    change(members)
    return packed(members)


def in_folder(data: bytes, folder: str) -> list[str]:
    return [name for name in unpack(data) if name.startswith(folder)]


def with_library(data: bytes, change: Change) -> bytes:
    """Another library.json."""

    def in_members(members: Members) -> None:
        value = json.loads(members["library.json"])
        change(value)
        members["library.json"] = canonical_json(value)

    return with_members(data, in_members)


def with_table(data: bytes, change: Change, position: int = 0) -> bytes:
    """Another table, and library.json as it should be for that."""
    members = unpack(data)
    library = json.loads(members["library.json"])
    old = f"directory/{library['tables'][position][1]}"
    value = json.loads(members.pop(old))
    change(value)
    library["tables"][position] = _put(members, "directory/", value)
    members["library.json"] = canonical_json(library)
    return packed(members)


def with_function(data: bytes, name: str, change: Change) -> bytes:
    """Another member of a function, and everything above it as it should be for that."""
    members = unpack(data)
    for path in in_folder(data, "functions/"):
        value = json.loads(members[path])
        if value["name"] == name:
            break
    else:
        raise ValueError(f"no function is called {name}")
    del members[path]
    change(value)
    new = _put(members, "functions/", value)

    def in_table(table: dict[str, list[list[object]]]) -> None:
        for row in table["functions"]:
            if row[4] == path.rpartition("/")[2]:
                row[3:] = new

    return with_table(packed(members), in_table)


def _put(members: Members, folder: str, value: object) -> list[object]:
    text = canonical_json(value)
    digest = sha256(text).hexdigest()
    members[f"{folder}{digest}"] = text
    return [len(text), digest]


def mutate(value: object, randomness: random.Random) -> None:
    """Replaces, drops or moves one thing somewhere inside."""
    strange = [None, True, -1, 2**70, 1e300, "", "nan", "\ud800", [], {}, [[]], "body1:" + "f" * 64, "../x"]
    while isinstance(value, dict | list) and value:
        key = randomness.choice(list(value)) if isinstance(value, dict) else randomness.randrange(len(value))
        if not isinstance(value[key], dict | list) or not value[key] or randomness.random() < 0.15:
            match randomness.randrange(3):
                case 0:
                    value[key] = randomness.choice(strange)
                case 1:
                    del value[key]
                case 2 if isinstance(value, list):
                    value.append(value[key])
            return
        value = value[key]
