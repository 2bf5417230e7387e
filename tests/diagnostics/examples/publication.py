"""OW660 to OW663: releases as folders of files."""

from __future__ import annotations

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
)
