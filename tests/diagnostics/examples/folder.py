"""OW520 to OW522: what a library's folder holds where the tool keeps its own files."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

PAIRS = (
    Pair(
        "OW520",
        bad=Example("link dist .. && build"),
        good=Example("build"),
    ),
    Pair(
        "OW521",
        bad=Example("build && link dist/base-1.0.0-opset18.onnx ../specs/library.yaml && export --opset 18"),
        good=Example("build && export --opset 18"),
    ),
    Pair(
        "OW522",
        bad=Example("build && misdirect .opwright/cache && build"),
        good=Example("build && build"),
    ),
)
