"""Format 1 as it was written. The build writes it no more; readers read it for ever."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from opwright.bundle.archive import pack
from opwright.bundle.format import MIMETYPE, Index
from opwright.bundle.json_form import canonical_json, function_to_json, library_to_json
from opwright.bundle.member_names import INDEX_MEMBER, MIMETYPE_MEMBER, body_member, template_member


def write_format1(
    index: Index,
    bodies: Mapping[str, bytes],
    others: Mapping[str, bytes] | None = None,
    templates: Mapping[str, bytes] | None = None,
) -> bytes:
    """A zip of `mimetype`, `library.json` with the whole index, and the rest sorted by path."""
    members = {body_member(digest): data for digest, data in bodies.items()} | dict(others or {})
    members |= {template_member(digest): data for digest, data in (templates or {}).items()}
    listed = [
        {"path": path, "size": len(members[path]), "sha256": sha256(members[path]).hexdigest()}
        for path in sorted(members)
    ]
    functions = [function_to_json(entry) for entry in index.functions]
    document = library_to_json(index) | {"functions": functions, "format": 1, "reader": 1, "members": listed}
    head = [(MIMETYPE_MEMBER, MIMETYPE.encode("ascii")), (INDEX_MEMBER, canonical_json(document))]
    return pack([*head, *sorted(members.items())])
