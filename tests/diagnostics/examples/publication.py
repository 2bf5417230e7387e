"""OW660 to OW676: releases as folders of files, and the indexes that list them."""

from __future__ import annotations

import json
from hashlib import sha256

from opwright.bundle.format import DomainEntry, Index
from opwright.bundle.write import write_bundle

from tests.diagnostics.examples import Example, Pair

_NN = write_bundle(
    Index(
        library="acme-nn",
        version="1.0.0",
        package="acme_nn",
        summary="",
        license="",
        opsets=(18, 22),
        onnx="1.22.0",
        domains=(DomainEntry("com.nn", 1, "com.nn"),),
        functions=(),
    ),
    {},
).hex()
_LIBRARY = """\
schema: 1
library: base
version: 1.0.0
package: base
opsets: ">=18,<=22"
dependencies: {{acme-nn: {{bundle: {}/nn.onnxlib}}}}
"""
_LATER = """\
schema: 1
domain: com.acme
name: Swish
summary: The value X times the sigmoid of alpha * X.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""
# A key that is nobody's: it signs this example alone.
_KEY = """\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END PRIVATE KEY-----
"""

_SITE = "site/opwright-index.json"
_VENDORED = "site/files/acme-nn/1.0.0/acme-nn-1.0.0.onnxlib"


def _site(name: str = "acme-nn-1.0.0.onnxlib", data: str = _NN) -> dict[str, str]:
    """An index of the library acme-nn, whose bundle is called `name` there and has these bytes, in hexadecimal."""
    file = {"name": name, "size": len(_NN) // 2, "sha256": sha256(bytes.fromhex(_NN)).hexdigest()}
    release = {
        "library": "acme-nn",
        "version": "1.0.0",
        "package": "acme_nn",
        "summary": "",
        "license": "",
        "opsets": [18, 22],
        "functions": ["com.nn::Twice@1"],
        "files": [file],
    }
    return {_SITE: json.dumps({"format": 1, "releases": [release]}) + "\n", f"{_VENDORED}.hex": data}


_ADD = "add acme-nn --index site"
_SEARCH = "search com.nn::{} --index site"
_OTHER = f"{_NN[:-2]}01"
_LISTED = """\
schema: 1
library: base
version: 1.0.0
package: base
opsets: ">=18,<=22"
dependencies: {}
"""
_AGAIN = "publish && index site dist/base-1.0.0"
_RELEASED = "release 1.0.0 && publish && index site dist/base-1.0.0"


def _needs(folder: str) -> Example:
    files = {"specs/library.yaml": _LIBRARY.format(folder), f"specs/{folder}/nn.onnxlib.hex": _NN}
    return Example("update && release 1.0.0 && publish --verify", files)


PAIRS = (
    Pair(
        "OW660",
        bad=Example(
            "release 1.0.0 && put later.yaml specs/com.acme/Swish/spec.yaml && publish", {"later.yaml": _LATER}
        ),
        good=Example("release 1.0.0 && publish"),
    ),
    Pair("OW661", bad=Example("publish"), good=Example("release 1.0.0 && publish")),
    Pair("OW662", bad=_needs(".vendor"), good=_needs("vendor")),
    Pair(
        "OW663",
        bad=Example("release 1.0.0 && publish --sign key.pem", {"key.pem": "0123456789abcdef\n"}),
        good=Example("release 1.0.0 && publish --sign key.pem", {"key.pem": _KEY}),
    ),
    Pair("OW670", bad=Example(_SEARCH.format("Twice")), good=Example(_SEARCH.format("Twice"), _site())),
    Pair("OW671", bad=Example(_ADD, _site("../../acme-nn-1.0.0.onnxlib")), good=Example(_ADD, _site())),
    Pair("OW672", bad=Example(_ADD, _site(data=_OTHER)), good=Example(_ADD, _site())),
    Pair("OW673", bad=Example(_SEARCH.format("Twcie"), _site()), good=Example(_SEARCH.format("Twice"), _site())),
    Pair(
        "OW674",
        bad=Example(f"{_RELEASED.replace(' && index', ' && damage dist/base-1.0.0 && index')}"),
        good=Example(_RELEASED),
    ),
    Pair(
        "OW675",
        bad=Example(f"{_RELEASED} && put notes.md specs/com.acme/more.md && {_AGAIN}", {"notes.md": "More.\n"}),
        good=Example(f"{_RELEASED} && {_AGAIN}"),
    ),
    Pair(
        "OW676",
        bad=Example(_ADD, {"specs/library.yaml": _LISTED.format("[acme-low,\n  acme-high]"), **_site()}),
        good=Example(_ADD, {"specs/library.yaml": _LISTED.format("{}"), **_site()}),
    ),
)
