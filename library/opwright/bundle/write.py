"""A library as bytes. The same index and bodies give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from opwright.bundle.archive import pack
from opwright.bundle.format import FORMAT, MIMETYPE, READER, SUFFIX, FunctionEntry, Index
from opwright.bundle.json_form import (
    FunctionKey,
    Layout,
    MemberRef,
    canonical_json,
    function_to_json,
    layout_to_json,
    library_to_json,
    refs_to_json,
    table_to_json,
)
from opwright.bundle.names import (
    INDEX_MEMBER,
    MIMETYPE_MEMBER,
    body_member,
    function_member,
    table_count,
    table_member,
    table_of,
    template_member,
)


def bundle_name(index: Index) -> str:
    """The file name of a library's bundle."""
    return f"{index.library}-{index.version}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class FunctionMember:
    """A function as its member has it: the bytes of that, and what names it."""

    key: FunctionKey
    ref: MemberRef
    data: bytes


def write_function(entry: FunctionEntry, stored: Mapping[str, MemberRef]) -> FunctionMember:
    """A function's member. `stored` are the bodies and templates by digest; ValueError when one is missing."""
    paths = {body.body: body_member(body.body) for body in entry.bodies}
    paths |= {item.template: template_member(item.template) for item in entry.templates}
    for digest in paths:
        if digest not in stored:
            raise ValueError(f"{entry.identity} names {digest}, which is not among those given")
    members = sorted((path, stored[digest]) for digest, path in paths.items())
    data = canonical_json(function_to_json(entry) | {"members": refs_to_json(members)})
    return FunctionMember((entry.domain, entry.name, entry.since_version), ref_of(data), data)


def ref_of(data: bytes) -> MemberRef:
    """How other members name one of these bytes."""
    return MemberRef(len(data), sha256(data).hexdigest())


def write_bundle(
    index: Index,
    bodies: Mapping[str, bytes],
    others: Mapping[str, bytes] | None = None,
    templates: Mapping[str, bytes] | None = None,
) -> bytes:
    """The bundle of a library.

    `bodies` are serialised anonymous FunctionProtos by digest, `templates` the texts of templates; each that the index
    names must be there, and no other. `others` are further members by path. ValueError when one is missing or not
    named, and when the archive's limits are exceeded.
    """
    given = {**bodies, **(templates or {})}
    stored = {digest: ref_of(data) for digest, data in given.items()}
    functions = [write_function(entry, stored) for entry in index.functions]
    members = {body_member(digest): data for digest, data in bodies.items()}
    members |= {template_member(digest): data for digest, data in (templates or {}).items()}
    named = {body.body for entry in index.functions for body in entry.bodies}
    named |= {item.template for entry in index.functions for item in entry.templates}
    idle = sorted(set(given) - named)
    if idle:
        raise ValueError(f"no function names {', '.join(idle)}")
    return assemble(index, functions, members.items(), others or {})


def assemble(
    index: Index,
    functions: Sequence[FunctionMember],
    members: Iterable[tuple[str, bytes]],
    others: Mapping[str, bytes],
) -> bytes:
    """The bundle of functions that are written already, with the members that they name. ValueError as above."""
    tables = _write_tables([(item.key, item.ref) for item in functions])
    found = dict(members)
    found |= {function_member(item.ref.sha256): item.data for item in functions}
    found |= {table_member(ref.sha256): data for ref, data in tables if ref is not None}
    extra = sorted(others.items())
    layout = Layout(
        functions=len(functions),
        members=len(found),
        tables=tuple(ref for ref, _ in tables),
        others=tuple((path, ref_of(data)) for path, data in extra),
    )
    document = library_to_json(index) | layout_to_json(layout) | {"format": FORMAT, "reader": READER}
    head = [(MIMETYPE_MEMBER, MIMETYPE.encode("ascii")), (INDEX_MEMBER, canonical_json(document)), *extra]
    return pack([*head, *sorted(found.items())])


def _write_tables(rows: Sequence[tuple[FunctionKey, MemberRef]]) -> list[tuple[MemberRef | None, bytes]]:
    """The tables that list functions, each with what names it."""
    count = table_count(len(rows))
    buckets: list[list[tuple[FunctionKey, MemberRef]]] = [[] for _ in range(count)]
    for key, ref in rows:
        buckets[table_of(key[0], key[1], count)].append((key, ref))
    written: list[tuple[MemberRef | None, bytes]] = []
    for bucket in buckets:
        data = canonical_json(table_to_json(sorted(bucket, key=lambda row: row[0])))
        written.append((ref_of(data) if bucket else None, data))
    return written
