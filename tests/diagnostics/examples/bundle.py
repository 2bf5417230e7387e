"""OW510 to OW518: bundles, and where they are found."""

from __future__ import annotations

import json

from opwright.bundle.archive import pack, unpack
from opwright.bundle.format import Index
from opwright.bundle.json_form import canonical_json
from opwright.bundle.write import write_bundle

from tests.diagnostics.examples import Example, Pair

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

PAIRS = (
    Pair(
        "OW510",
        bad=Example("attach model.onnx --library acme.onnxlib -o out.onnx", {"model.onnx.txt": _MODEL}),
        good=_GOOD,
    ),
    Pair(
        "OW511",
        bad=_attach(b"<html>not found</html>"),
        good=_GOOD,
    ),
    Pair(
        "OW512",
        bad=_attach(_compressed()),
        good=_GOOD,
    ),
    Pair(
        "OW513",
        bad=_attach(_members(stowaway=b"x")),
        good=_GOOD,
    ),
    Pair(
        "OW514",
        bad=_attach(_EMPTY.replace(b"vnd.opwright.library", b"vnd.opwright.Library")),
        good=_GOOD,
    ),
    Pair(
        "OW515",
        bad=_attach(_index(reader=3)),
        good=_GOOD,
    ),
    Pair(
        "OW516",
        bad=_attach(_index(opsets=[18])),
        good=_GOOD,
    ),
    Pair(
        "OW518",
        bad=Example("attach model.onnx --library acne -o out.onnx", {"model.onnx.txt": _MODEL}),
        good=_GOOD,
    ),
)
