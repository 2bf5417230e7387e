"""OW510 to OW518: bundles, and where they are found."""

from __future__ import annotations

import json

from opwright.bundle.archive import pack, unpack
from opwright.bundle.format import Index
from opwright.bundle.json_form import canonical_json
from opwright.bundle.write import write_bundle

from tests.diagnostics.examples import Entry, Example

_MODEL = """\
<ir_version: 10, opset_import: ["": 18, "com.acme": 1]>
agraph (float[N] X) => (float[N] Y) {
    Y = com.acme.Swish(X)
}
"""

_INDEX = Index(
    library="empty",
    version="1.0.0",
    package="empty",
    summary="",
    license="Apache-2.0",
    opsets=(18, 18),
    onnx="1.23.2",
    domains=(),
    functions=(),
)
_EMPTY = write_bundle(_INDEX, {})


def _members(**changes: bytes) -> bytes:
    """The empty bundle with other members."""
    return pack((unpack(_EMPTY) | {name.replace("__", "."): data for name, data in changes.items()}).items())


def _index(**changes: object) -> bytes:
    """The empty bundle with other values in its library.json."""
    return _members(library__json=canonical_json(json.loads(unpack(_EMPTY)["library.json"]) | changes))


def _compressed() -> bytes:
    """The empty bundle, its first member marked as compressed."""
    data = bytearray(_EMPTY)
    data[_EMPTY.index(b"PK\x01\x02") + 10] = 8
    return bytes(data)


def _attach(data: bytes) -> Example:
    files = {"model.onnx.txt": _MODEL, "acme.onnxlib.hex": data.hex()}
    return Example("attach model.onnx --library acme.onnxlib -o out.onnx", files)


_GOOD = Example("build && attach model.onnx --library dist/base-1.0.0.onnxlib -o out.onnx", {"model.onnx.txt": _MODEL})

ENTRIES = (
    Entry(
        "OW510",
        "A bundle that cannot be read",
        "There is no file of that name, it may not be read, it is a folder, or it is larger than any bundle.",
        bad=Example("attach model.onnx --library acme.onnxlib -o out.onnx", {"model.onnx.txt": _MODEL}),
        good=_GOOD,
    ),
    Entry(
        "OW511",
        "A file that is no bundle",
        "A bundle is an archive whose first member names its kind. Bytes of any other kind, or a download that was cut "
        "off, would be taken for a library otherwise.",
        bad=_attach(b"<html>not found</html>"),
        good=_GOOD,
    ),
    Entry(
        "OW512",
        "An archive that is not packed as a bundle",
        "Bundles have one layout: stored members, sorted, with nothing before, between or behind them. Links, folders, "
        "compression and paths out of the archive have no place in it, so that every tool that looks at a bundle sees "
        "the same thing, and so that reading one is safe.",
        bad=_attach(_compressed()),
        good=_GOOD,
    ),
    Entry(
        "OW513",
        "Members that are not those listed",
        "The index of a bundle lists every member. One that is missing, there twice or not listed means that somebody "
        "took the bundle apart.",
        bad=_attach(_members(stowaway=b"x")),
        good=_GOOD,
    ),
    Entry(
        "OW514",
        "A damaged member of a bundle",
        "A member's bytes do not have the size or the digest that the index states. What they hold is not what was "
        "built and verified.",
        bad=_attach(_EMPTY.replace(b"vnd.opwright.library", b"vnd.opwright.Library")),
        good=_GOOD,
    ),
    Entry(
        "OW515",
        "A bundle for a newer opwright",
        "The bundle says that readers of this version would misunderstand it.",
        bad=_attach(_index(reader=2)),
        good=_GOOD,
    ),
    Entry(
        "OW516",
        "A bundle whose index makes no sense",
        "The library.json of the bundle is not JSON, lacks a value or has one of another kind, or names a body that is "
        "not there.",
        bad=_attach(_index(opsets=[18])),
        good=_GOOD,
    ),
    Entry(
        "OW518",
        "A name that no installed library has, or more than one",
        "A library is named by its distribution, its package, the part of its name up to a dash where only one fits, "
        "or its file.",
        bad=Example("attach model.onnx --library acne -o out.onnx", {"model.onnx.txt": _MODEL}),
        good=_GOOD,
    ),
)
