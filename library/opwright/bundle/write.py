"""A library as bytes. The same index and bodies give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from opwright.bundle.archive import pack
from opwright.bundle.format import FORMAT, MIMETYPE, READER, SUFFIX, Index
from opwright.bundle.json_form import canonical_json, index_to_json, members_to_json

MIMETYPE_MEMBER = "mimetype"
INDEX_MEMBER = "library.json"


def body_member(digest: str) -> str:
    """The path of a body in the archive."""
    return f"bodies/{digest.partition(':')[2]}.pb"


def template_member(digest: str) -> str:
    """The path of a template in the archive."""
    return f"templates/{digest.partition(':')[2]}"


def bundle_name(index: Index) -> str:
    """The file name of a library's bundle."""
    return f"{index.library}-{index.version}{SUFFIX}"


def write_bundle(
    index: Index,
    bodies: Mapping[str, bytes],
    others: Mapping[str, bytes] | None = None,
    templates: Mapping[str, bytes] | None = None,
) -> bytes:
    """The bundle of a library: a zip of `mimetype`, `library.json` and the rest sorted by path.

    `bodies` are serialised anonymous FunctionProtos by digest, `templates` the texts of templates; each that the index
    names must be there. `others` are further members by path. ValueError when one is missing or the archive's limits
    are exceeded.
    """
    texts = templates or {}
    for function in index.functions:
        for body in function.bodies:
            if body.body not in bodies:
                raise ValueError(f"{function.identity} names the body {body.body}, which is not among those given")
        for template in function.templates:
            if template.template not in texts:
                raise ValueError(f"{function.identity} names {template.template}, which is not among those given")
    members = {body_member(digest): data for digest, data in bodies.items()} | dict(others or {})
    members |= {template_member(digest): data for digest, data in texts.items()}
    listed = [(path, len(members[path]), sha256(members[path]).hexdigest()) for path in sorted(members)]
    document = index_to_json(index) | {"format": FORMAT, "reader": READER, "members": members_to_json(listed)}
    head = [(MIMETYPE_MEMBER, MIMETYPE.encode("ascii")), (INDEX_MEMBER, canonical_json(document))]
    return pack([*head, *((path, members[path]) for path, _, _ in listed)])
