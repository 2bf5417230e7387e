"""Bytes as a library: a bundle or a DiagnosticError, whatever the bytes, in time and memory linear in their size."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from opwright.bundle import archive, json_form
from opwright.bundle.format import MIMETYPE, MOST_BYTES, MOST_INDEX_BYTES, READER, SUFFIX, Bundle, Index
from opwright.bundle.installed import installed_bundle
from opwright.bundle.json_form import Json, MalformedError
from opwright.bundle.write import INDEX_MEMBER, MIMETYPE_MEMBER, body_member, template_member
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.regular_file import read_regular

_AGAIN = "build the library again, or get it again from where it came"


def find_bundle(name: str | Path, beside: Sequence[str] = (), wanted: str = "") -> Bundle:
    """The library of that name: a file `x.onnxlib`, or an installed package or distribution (`acme_ops`, `acme-ops`).

    A part of the distribution's name up to a dash (`acme`) will do where only one fits. No package is imported.
    Packages are looked for on the import path, and in the folders `beside` as if they were at its end.
    `wanted` is the sha256 that its file must have, nothing of which is looked at before. Raises DiagnosticError: OW510
    to OW516 and OW599 for the file, OW518 for the name.
    """
    if isinstance(name, Path) or name.endswith(SUFFIX) or "/" in name or "\\" in name:
        return read_bundle_file(Path(name), wanted)
    return read_bundle_file(installed_bundle(name, beside), wanted)


def read_bundle_file(path: Path, wanted: str = "") -> Bundle:
    """The library in a file. Raises DiagnosticError: OW510 when the file cannot be read, OW599 when `wanted` is not the
    sha256 of its bytes."""
    place = Place(path.as_posix())
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            reason = "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no ordinary file"
            raise _error("OW510", place, f"{path.name} cannot be read", reason, "name a file that ends in .onnxlib")
        if status.st_size > MOST_BYTES:
            raise _error("OW510", place, f"{path.name} cannot be read", _too_large(status.st_size, MOST_BYTES))
        data = read_regular(path, MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        raise _error("OW510", place, f"{path.name} cannot be read", reason) from None
    found = sha256(data).hexdigest() if wanted else ""
    if found != wanted.lower():
        text = f"{path.name} is not the library that is wanted"
        reason = f"its sha256 is {found}, and {wanted.lower()} is asked for"
        raise _error("OW599", place, text, reason, "get the library again from where the digest came from")
    return read_bundle(data, path.as_posix())


def read_bundle(data: bytes, name: str) -> Bundle:
    """The library in these bytes; `name` stands for them in messages. Raises DiagnosticError (OW511 to OW516)."""
    place = Place(name)
    shown = name.rpartition("/")[2]
    members = _unpack(data, place, shown)
    document = members[INDEX_MEMBER]
    try:
        if len(document) > MOST_INDEX_BYTES:
            raise MalformedError(_too_large(len(document), MOST_INDEX_BYTES))
        value = json_form.parse_json(document)
        _check_reader(value, place, shown)
        _check_members(members, json_form.members_from_json(value), place, shown)
        index = json_form.index_from_json(value)
        bodies = _take(members, "bodies/", ".pb", "body1:")
        templates = _take(members, "templates/", "", "template1:")
        _check_references(index, bodies, templates)
    except MalformedError as error:
        raise _error("OW516", place, f"the {INDEX_MEMBER} of {shown} is no index", str(error)) from None
    others = {path: content for path, content in members.items() if path not in (MIMETYPE_MEMBER, INDEX_MEMBER)}
    return Bundle(index, bodies, sha256(document).hexdigest(), document, others, templates)


def _unpack(data: bytes, place: Place, shown: str) -> dict[str, bytes]:
    """The archive's members, the two that every bundle starts with among them."""
    try:
        members = archive.unpack(data)
    except archive.NotAnArchiveError:
        raise _error("OW511", place, f"{shown} is no bundle", "its bytes are not an archive", _AGAIN) from None
    except archive.RefusedArchiveError as error:
        message = f"{shown} is not packed as a bundle"
        help_text = "a bundle is used as it was built; it cannot be packed again with other tools"
        raise _error("OW512", place, message, str(error), help_text) from None
    except archive.DuplicateMemberError as error:
        raise _error("OW513", place, f"{shown} has the member {error} twice") from None
    except archive.DamagedMemberError as error:
        raise _damaged(place, shown, str(error), "its bytes do not fit the checksum in the archive") from None
    names = list(members)
    if names[:1] != [MIMETYPE_MEMBER] or members[MIMETYPE_MEMBER] != MIMETYPE.encode("ascii"):
        raise _error("OW511", place, f"{shown} is no bundle", f"its first member does not say {MIMETYPE}")
    if names[1:2] != [INDEX_MEMBER]:
        raise _error("OW513", place, f"{shown} has no {INDEX_MEMBER}", "it must be the second member", _AGAIN)
    if names[2:] != sorted(names[2:]):
        raise _error("OW512", place, f"{shown} is not packed as a bundle", "its members are not sorted", _AGAIN)
    return members


def _check_reader(value: Json, place: Place, shown: str) -> None:
    needed = json_form.integer_key(value, "reader")
    if needed > READER:
        raise _error(
            "OW515",
            place,
            f"{shown} needs a newer opwright",
            f"it asks for a reader of bundles from version {needed} on; this one has version {READER}",
            "upgrade opwright, or get a release of the library that was built with an older one",
        )


def _check_members(
    members: Mapping[str, bytes], listed: Mapping[str, tuple[int, str]], place: Place, shown: str
) -> None:
    """Each member is listed with its size and digest, and the other way round."""
    present = [name for name in members if name not in (MIMETYPE_MEMBER, INDEX_MEMBER)]
    for name in present:
        if name not in listed:
            raise _error("OW513", place, f"{shown} has the member {name}, which its index does not list", "", _AGAIN)
    for name, (size, digest) in listed.items():
        if name not in members:
            raise _error("OW513", place, f"{shown} lacks the member {name}, which its index lists", "", _AGAIN)
        if len(members[name]) != size:
            raise _damaged(place, shown, name, f"it has {len(members[name])} bytes, not {size}")
        if sha256(members[name]).hexdigest() != digest:
            raise _damaged(place, shown, name, "its bytes do not have the digest in the index")


def _take(members: dict[str, bytes], folder: str, suffix: str, scheme: str) -> dict[str, bytes]:
    """Moves a folder's members out of all, by digest."""
    paths = [path for path in members if path.startswith(folder) and path.endswith(suffix)]
    return {f"{scheme}{path[len(folder) : len(path) - len(suffix)]}": members.pop(path) for path in paths}


def _check_references(index: Index, bodies: Mapping[str, bytes], templates: Mapping[str, bytes]) -> None:
    seen: set[str] = set()
    for function in index.functions:
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


def _too_large(size: int, most: int) -> str:
    return f"it has {size:,} bytes; {most:,} are read at most"


def _damaged(place: Place, shown: str, member: str, reason: str) -> DiagnosticError:
    return _error("OW514", place, f"the member {member} of {shown} is damaged", reason, _AGAIN)


def _error(code: str, place: Place, message: str, reason: str = "", help_text: str = "") -> DiagnosticError:
    return DiagnosticError([Diagnostic(code, message, place, reason, help_text)])
