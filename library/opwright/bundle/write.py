"""A library as bytes. The same index and bodies give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from opwright.bundle.archive import Archive, pack, repack
from opwright.bundle.byte_source import HeldBytes
from opwright.bundle.format import FORMAT, MIMETYPE, READER, SUFFIX, DependencyEntry, FunctionEntry, Index
from opwright.bundle.json_form import (
    FunctionKey,
    Json,
    Layout,
    MemberRef,
    canonical_json,
    dependency_to_json,
    function_to_json,
    layout_to_json,
    library_to_json,
    refs_to_json,
    table_from_json,
    table_to_json,
    tables_to_json,
)
from opwright.bundle.member_names import (
    INDEX_MEMBER,
    MIMETYPE_MEMBER,
    NAME_LENGTH,
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
    for digest in _digests(entry):
        if digest not in stored:
            raise ValueError(f"{entry.identity} names {digest}, which is not among those given")
    return write_carried(entry, stored)


def write_carried(entry: FunctionEntry, stored: Mapping[str, MemberRef]) -> FunctionMember:
    """The member of a function of another library, of whose bodies and templates those that are stored are carried."""
    members = sorted((path, stored[digest]) for digest, path in _digests(entry).items() if digest in stored)
    data = canonical_json(function_to_json(entry) | {"members": refs_to_json(members)})
    return FunctionMember((entry.domain, entry.name, entry.since_version), ref_of(data), data)


def _digests(entry: FunctionEntry) -> dict[str, str]:
    """The members of the bodies and templates that a function names, by digest."""
    paths = {body.body: body_member(body.body) for body in entry.bodies}
    return paths | {item.template: template_member(item.template) for item in entry.templates}


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

    `bodies` are serialised anonymous FunctionProtos by digest, `templates` the texts of templates; each that a function
    of the library names must be there, of those of its dependencies the ones that are called, and no other. `others`
    are further members by path. ValueError when one is missing or not named, and when the archive's limits are
    exceeded.
    """
    given = {**bodies, **(templates or {})}
    stored = {digest: ref_of(data) for digest, data in given.items()}
    functions = [write_function(entry, stored) for entry in index.functions]
    members = {body_member(digest): data for digest, data in bodies.items()}
    members |= {template_member(digest): data for digest, data in (templates or {}).items()}
    carried = [entry for dependency in index.dependencies for entry in dependency.functions]
    named = {digest for entry in (*index.functions, *carried) for digest in _digests(entry)}
    idle = sorted(set(given) - named)
    if idle:
        raise ValueError(f"no function names {', '.join(idle)}")
    dependencies = [[write_carried(entry, stored) for entry in item.functions] for item in index.dependencies]
    return assemble(index, functions, members.items(), others or {}, dependencies)


def assemble(
    index: Index,
    functions: Sequence[FunctionMember],
    members: Iterable[tuple[str, bytes]],
    others: Mapping[str, bytes],
    dependencies: Sequence[Sequence[FunctionMember]] = (),
) -> bytes:
    """The bundle of functions that are written already, with the members that they name. `dependencies` are those of
    each of the index's dependencies. ValueError as above."""
    found = dict(members)
    written: list[list[MemberRef | None]] = []
    for listed in (functions, *dependencies):
        tables = _write_tables([(item.key, item.ref) for item in listed])
        found |= {function_member(item.ref.sha256): item.data for item in listed}
        found |= {table_member(ref.sha256): data for ref, data in tables if ref is not None}
        written.append([ref for ref, _ in tables])
    extra = sorted(others.items())
    layout = Layout(
        functions=len(functions),
        members=len(found),
        tables=tuple(written[0]),
        others=tuple((path, ref_of(data)) for path, data in extra),
    )
    document = library_to_json(index) | layout_to_json(layout) | {"format": FORMAT, "reader": READER}
    if index.dependencies:
        document["dependencies"] = [
            dependency_to_json(item) | tables_to_json(len(listed), tables)
            for item, listed, tables in zip(index.dependencies, dependencies, written[1:], strict=True)
        ]
    head = [(MIMETYPE_MEMBER, MIMETYPE.encode("ascii")), (INDEX_MEMBER, canonical_json(document)), *extra]
    return pack([*head, *sorted(found.items())])


def replace_functions(
    bundle: bytes,
    functions: Sequence[FunctionMember],
    removed: Collection[str],
    added: Mapping[str, bytes],
    dependencies: Sequence[DependencyEntry] = (),
) -> bytes:
    """A bundle of ours, which has no further members, with other functions in the place of those of the same keys.
    `removed` are the members of bodies and templates that none of its functions needs any more, `added` are new ones.
    `dependencies` are those that it has, whose own bundles may be others than they were: what is carried is not.

    The bytes are those that `assemble` gives for the whole. ValueError for what the bundle has not, or has already.
    """
    archive = Archive(HeldBytes(bundle))
    head = archive.first_entries(2)
    document = json.loads(archive.read(head[1]))
    tables: list[list[Json] | None] = document["tables"]
    archive.expect_names(archive.count - len(head), NAME_LENGTH)
    gone, come = set(removed), dict(added)
    changed: dict[int, list[FunctionMember]] = {}
    for function in functions:
        changed.setdefault(table_of(function.key[0], function.key[1], len(tables)), []).append(function)
    for number, members in changed.items():
        listed = tables[number]
        entry = None if listed is None else archive.find(table_member(listed[1]))
        if listed is None or entry is None:
            raise ValueError("a function is not in the bundle")
        gone.add(table_member(listed[1]))
        rows = table_from_json(json.loads(archive.read(entry)))
        for function in members:
            if function.key not in rows:
                raise ValueError(f"{function.key} is not in the bundle")
            gone.add(function_member(rows[function.key].sha256))
            come[function_member(function.ref.sha256)] = function.data
            rows[function.key] = function.ref
        data = canonical_json(table_to_json(sorted(rows.items())))
        ref = ref_of(data)
        come[table_member(ref.sha256)] = data
        tables[number] = [ref.size, ref.sha256]
    both = gone & come.keys()
    gone -= both
    come = {path: data for path, data in come.items() if path not in both}
    document["members"] += len(come) - len(gone)
    for carried, item in zip(document.get("dependencies", ()), dependencies, strict=True):
        carried["sha256"] = item.sha256
    first = [(MIMETYPE_MEMBER, MIMETYPE.encode("ascii")), (INDEX_MEMBER, canonical_json(document))]
    return repack(bundle, first, gone, come)


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
