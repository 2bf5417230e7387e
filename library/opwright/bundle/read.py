"""Bytes as a library: a bundle or a DiagnosticError, whatever the bytes, in time and memory linear in their size.

Of a bundle of format 2 only library.json is read here; the rest is read, and checked, when it is looked up.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from opwright.bundle import json_form
from opwright.bundle.archive import Archive, unpack
from opwright.bundle.byte_source import HeldBytes, Source, open_source
from opwright.bundle.format import MIMETYPE, MOST_BYTES, MOST_INDEX_BYTES, READER, SUFFIX, Bundle, FunctionEntry
from opwright.bundle.function_lookup import HeldFunctions
from opwright.bundle.installed import all_bundles, installed_bundle
from opwright.bundle.json_form import Json, MalformedError, MemberRef
from opwright.bundle.member_names import (
    BODIES,
    INDEX_MEMBER,
    MIMETYPE_MEMBER,
    NAME_LENGTH,
    TEMPLATES,
    body_member,
    template_member,
)
from opwright.bundle.members import Members, OtherMembers, StoredFunctions, StoredMembers
from opwright.bundle.read_findings import Refusals, too_large
from opwright.diagnostics.diagnostic import DiagnosticError

_HEAD = (MIMETYPE_MEMBER, INDEX_MEMBER)


def find_bundle(name: str | os.PathLike[str], beside: Sequence[str] = (), wanted: str = "") -> Bundle:
    """The library of that name: a file `x.onnxlib`, or an installed package or distribution (`acme_ops`, `acme-ops`).

    A part of the distribution's name up to a dash (`acme`) will do where only one fits. No package is imported.
    Packages are looked for on the import path, and in the folders `beside` as if they were at its end.
    `wanted` is the sha256 that its file must have, nothing of which is looked at before. Raises DiagnosticError: OW510
    to OW516 and OW599 for the file, OW518 for the name.
    """
    if isinstance(name, os.PathLike):
        return read_bundle_file(Path(name), wanted)
    text = str(name)  # a mistake may give anything, and is told as a name that nothing has
    if text.endswith(SUFFIX) or "/" in text or "\\" in text:
        return read_bundle_file(Path(text), wanted)
    return read_bundle_file(installed_bundle(text, beside), wanted)


def installed_bundles(beside: Sequence[str] = ()) -> list[Bundle]:
    """All libraries that are installed, but for those that cannot be read; `beside` as above."""
    found = []
    for path in all_bundles(beside):
        with suppress(DiagnosticError):
            found.append(read_bundle_file(path))
    return found


def read_bundle_file(path: Path, wanted: str = "") -> Bundle:
    """The library in a file, which stays open while the bundle is used. Raises DiagnosticError: OW510 when the file
    cannot be read, OW599 when `wanted` is not the sha256 of its bytes."""
    refusals = Refusals.of(path.as_posix())
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            reason = "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no ordinary file"
            raise refusals.unreadable(reason, "name a file that ends in .onnxlib")
        if status.st_size > MOST_BYTES:
            raise refusals.unreadable(too_large(status.st_size, MOST_BYTES))
        source = open_source(path, MOST_BYTES)
        if wanted:
            data = source.read(0, source.size)
            found = sha256(data).hexdigest()
            if found != wanted.lower():
                raise refusals.another(found, wanted.lower())
            source = HeldBytes(data)  # those bytes, whatever becomes of the file
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise refusals.unreadable(getattr(error, "strerror", None) or str(error)) from None
    return _read(source, refusals)


def read_bundle(data: bytes, name: str) -> Bundle:
    """The library in these bytes; `name` stands for them in messages. Raises DiagnosticError (OW511 to OW516)."""
    return _read(HeldBytes(data), Refusals.of(name))


def check_bundle(data: bytes, name: str) -> Bundle:
    """The library in these bytes, all of which are read and checked now. Raises DiagnosticError (OW511 to OW516)."""
    refusals = Refusals.of(name)
    bundle = _read(HeldBytes(data), refusals)
    with refusals.reading():
        present = unpack(data)
    tables = [bundle.index.table, *(dependency.table for dependency in bundle.index.dependencies)]
    stored = [table for table in tables if isinstance(table, StoredFunctions)]
    if stored:
        listed = {*_HEAD, *bundle.others, *(path for table in stored for path in table.structure())}
        _check_present(present, listed, refusals)
        for held in (bundle.bodies, bundle.templates, bundle.others):
            for key in held:
                held[key]
    return bundle


def _read(source: Source, refusals: Refusals) -> Bundle:
    with refusals.reading():
        archive = Archive(source)
        head = archive.first_entries(len(_HEAD))
        names = [entry.name for entry in head]
        if names[:1] != [MIMETYPE_MEMBER] or head[0].size != len(MIMETYPE):
            raise refusals.no_bundle(f"its first member does not say {MIMETYPE}")
        if archive.read(head[0]) != MIMETYPE.encode("ascii"):
            raise refusals.no_bundle(f"its first member does not say {MIMETYPE}")
        if names[1:] != [INDEX_MEMBER]:
            raise refusals.members(f"has no {INDEX_MEMBER}", "it must be the second member")
        if head[1].size > MOST_INDEX_BYTES:
            raise refusals.malformed(too_large(head[1].size, MOST_INDEX_BYTES))
        document = archive.read(head[1])
    try:
        value = json_form.parse_json(document)
        needed = json_form.integer_key(value, "reader")
        if needed > READER:
            raise refusals.newer(needed, READER)
        if json_form.integer_key(value, "format") == 1:
            return _read_format1(source.read(0, source.size), document, value, refusals)
        return _read_format2(archive, document, value, refusals)
    except MalformedError as error:
        raise refusals.malformed(str(error)) from None


def _read_format2(archive: Archive, document: bytes, value: Json, refusals: Refusals) -> Bundle:
    """MalformedError for what is wrong with library.json."""
    layout = json_form.layout_from_json(value)
    members = Members(archive, refusals)
    functions = StoredFunctions(members, layout.functions, layout.tables)
    carried: list[StoredFunctions] = []

    def open_tables(count: int, tables: tuple[MemberRef | None, ...]) -> StoredFunctions:
        carried.append(StoredFunctions(members, count, tables, whole=False))
        return carried[-1]

    dependencies = json_form.dependencies_from_json(value, open_tables)
    index = replace(json_form.library_from_json(value, functions), dependencies=dependencies)
    tables = [functions, *carried]
    paths = [path for path, _ in layout.others]
    with refusals.reading():
        entries = archive.first_entries(len(_HEAD) + len(paths))[len(_HEAD) :]
    for path, entry in zip(paths, entries, strict=False):
        if entry.name != path:
            raise refusals.lacking(path)
    if archive.count != len(_HEAD) + len(paths) + layout.members:
        what = f"has {archive.count} members, and its index lists {len(_HEAD) + len(paths) + layout.members}"
        raise refusals.members(what)
    with refusals.reading():
        archive.expect_names(layout.members, NAME_LENGTH)
    others = {entry.name: (entry, ref) for entry, (_, ref) in zip(entries, layout.others, strict=True)}
    return Bundle(
        index,
        StoredMembers(members, tables, "body1", body_member),
        sha256(document).hexdigest(),
        document,
        OtherMembers(members, others),
        StoredMembers(members, tables, "template1", template_member),
    )


def _read_format1(data: bytes, document: bytes, value: Json, refusals: Refusals) -> Bundle:
    """A bundle whose library.json is the whole index: all of it is read and checked at once."""
    with refusals.reading():
        members = unpack(data)
    names = list(members)[len(_HEAD) :]
    if names != sorted(names):
        raise refusals.not_packed("its members are not sorted")
    _check_members(members, json_form.members_from_json(value), refusals)
    functions = json_form.functions_from_json(value)
    index = json_form.library_from_json(value, HeldFunctions(functions))
    bodies = _take(members, BODIES, ".pb", "body1:")
    templates = _take(members, TEMPLATES, "", "template1:")
    _check_references(functions, bodies, templates)
    others = {path: content for path, content in members.items() if path not in _HEAD}
    return Bundle(index, bodies, sha256(document).hexdigest(), document, others, templates)


def _check_members(members: Mapping[str, bytes], listed: Mapping[str, MemberRef], refusals: Refusals) -> None:
    """Each member is listed with its size and digest, and the other way round."""
    _check_present(members, {*_HEAD, *listed}, refusals)
    for name, ref in listed.items():
        if len(members[name]) != ref.size:
            raise refusals.damaged(name, f"it has {len(members[name])} bytes, not {ref.size}")
        if sha256(members[name]).hexdigest() != ref.sha256:
            raise refusals.damaged(name, "its bytes do not have the digest in the index")


def _check_present(present: Mapping[str, bytes], listed: set[str], refusals: Refusals) -> None:
    for name in present:
        if name not in listed:
            raise refusals.unlisted(name)
    for name in sorted(listed):
        if name not in present:
            raise refusals.lacking(name)


def _take(members: dict[str, bytes], folder: str, suffix: str, scheme: str) -> dict[str, bytes]:
    """Moves a folder's members out of all, by digest."""
    paths = [path for path in members if path.startswith(folder) and path.endswith(suffix)]
    return {f"{scheme}{path[len(folder) : len(path) - len(suffix)]}": members.pop(path) for path in paths}


def _check_references(
    functions: Sequence[FunctionEntry], bodies: Mapping[str, bytes], templates: Mapping[str, bytes]
) -> None:
    seen: set[str] = set()
    for function in functions:
        if function.identity in seen:
            raise MalformedError(f"it has {function.identity} twice")
        seen.add(function.identity)
        for body in function.bodies:
            if body.body not in bodies:
                raise MalformedError(f"{function.identity} names {body_member(body.body)}, which is no member")
        for item in function.templates:
            data = templates.get(item.template)
            if data is None:
                raise MalformedError(f"{function.identity} names {template_member(item.template)}, which is no member")
            if sha256(data).hexdigest() != item.template.partition(":")[2]:
                raise MalformedError(f"{template_member(item.template)} does not have the digest that it is named by")
