"""Bundles whose parts are changed while the archive and its digests stay right: what reads the parts then sees them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256

from google.protobuf.message import DecodeError
from onnx import FunctionProto
from opwright.bundle.archive import pack, unpack
from opwright.bundle.json_form import canonical_json
from opwright.bundle.member_names import INDEX_MEMBER, MIMETYPE_MEMBER
from opwright.bundle.write import write_bundle
from opwright.diagnostics import DiagnosticError
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError

from tests.bundle.format1 import write_format1
from tests.hostile.changes import changed_bytes, changed_library
from tests.hostile.trees import changed_json, keys_of, spots
from tests.hostile.wire import changed
from tests.link.conftest import make_acme, make_standard

Members = dict[str, bytes]

_MOST_WRITTEN = 40
_DIGEST = re.compile("/[0-9a-f]{64}")


@cache
def bundles() -> Sequence[bytes]:
    """Libraries made by hand, and those that the compiler makes: with templates and many variants."""
    from tests.hostile.folders import built_bundles

    made = (make_acme(), make_standard())
    acme = write_format1(made[0].index, made[0].bodies)
    return (*(write_bundle(item.index, item.bodies, {}, item.templates) for item in made), acme, *built_bundles())


@cache
def _words() -> list[str]:
    texts = (member for data in bundles() for member in unpack(data).values() if member[:1] == b"{")
    return sorted({key for text in texts for key in keys_of(json.loads(text))})


def changed_bundle(data: bytes, numbers: random.Random) -> bytes:
    """The bundle with a part changed: mostly one that all digests and checksums then agree with."""
    choice = numbers.random()
    if choice < 0.15:
        return changed_bytes(data, numbers)
    if choice < 0.3 and data == bundles()[0]:
        return changed_library(data, numbers)
    members = unpack(data)
    try:
        for _ in range(numbers.choice((1, 1, 1, 2))):
            _change(members, numbers)
        return pack(members.items())
    except (
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ):  # two changes that exclude each other, a name of no member
        return changed_bytes(data, numbers)


def _change(members: Members, numbers: random.Random) -> None:
    names = [name for name in members if name != MIMETYPE_MEMBER]
    name = INDEX_MEMBER if numbers.random() < 0.5 else numbers.choice(names)
    old = members[name]
    match numbers.randrange(12):
        case 0 if name != INDEX_MEMBER:  # a member that is gone, though it is spoken of
            _forget(members, name, numbers)
        case 1 if name != INDEX_MEMBER:  # two in one another's place
            other = numbers.choice(names)
            if other != INDEX_MEMBER:
                _write(members, name, members[other], numbers)
        case _ if old[:1] in b"{[" and old:
            _write(members, name, changed_json(old, numbers, _words()), numbers)
        case _ if name.endswith(".pb"):
            _change_body(members, name, changed(old, numbers), numbers)
        case _:
            _write(members, name, changed_bytes(old, numbers), numbers)


def _change_body(members: Members, name: str, new: bytes, numbers: random.Random) -> None:
    """A body goes by the digest of what it says: the changed one is written as its own name says, if it has one."""
    try:
        made = canonicalise(FunctionProto.FromString(new), callees={})
    except (DecodeError, RefusedError, DiagnosticError):
        _write(members, name, new, numbers)
        return
    body = name.rpartition("/")[2].removesuffix(".pb").encode()
    other = made.digest.partition(":")[2].encode()
    _write(members, name, made.proto, numbers)
    _rename(members, name, name.replace(body.decode(), other.decode()))
    for told in [item for item, data in members.items() if body in data]:
        _write(members, told, members[told].replace(body, other), numbers)


def _rename(members: Members, name: str, new: str) -> None:
    items = [(new if item == name else item, data) for item, data in members.items()]
    found = [item for item in items if _DIGEST.search(item[0])]
    members.clear()
    members.update([*(item for item in items if item not in found), *sorted(found)])


def _forget(members: Members, name: str, numbers: random.Random) -> None:
    """Takes a member out of the archive and out of the list that names it, and leaves what else refers to it."""
    del members[name]
    for other, data in list(members.items()):
        if name.encode() not in data:
            continue
        tree = json.loads(data)
        for holder, key in spots(tree):
            if isinstance(holder, list) and isinstance(key, int) and _names(holder[key], name):
                del holder[key]
                break
        _write(members, other, canonical_json(tree), numbers)
    index = json.loads(members[INDEX_MEMBER])
    if isinstance(index.get("members"), int):
        index["members"] -= 1
    members[INDEX_MEMBER] = canonical_json(index)


def _names(item: object, name: str) -> bool:
    """Whether an item of a list of members is that of one."""
    return name in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())


def _write(members: Members, name: str, new: bytes, numbers: random.Random) -> None:
    """Puts bytes into a member, and their digest and size wherever the old ones are told, in each that tells of it."""
    pending = [(name, new)]
    for _ in range(_MOST_WRITTEN):  # members that were swapped may tell of each other for ever
        if not pending:
            break
        changing, data = pending.pop()
        old = members[changing]
        before, after = sha256(old).hexdigest().encode(), sha256(data).hexdigest().encode()
        members[changing] = data
        if before == after:
            continue
        for other, told in list(members.items()):
            if other != changing and before in told:
                sized = re.sub(rb"\b%d\b(?=[^{}\[\]]*%s)" % (len(old), before), b"%d" % len(data), told)
                sized = re.sub(rb"(%s[^{}\[\]]*?)\b%d\b" % (before, len(old)), rb"\g<1>%d" % len(data), sized)
                pending.append((other, sized.replace(before, after)))
        if before.decode() in changing and numbers.random() < 0.8:  # it is named by its digest
            _rename(members, changing, changing.replace(before.decode(), after.decode()))
