"""OW520 to OW522: what a library's folder holds where the tool keeps its own files."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

ENTRIES = (
    Entry(
        "OW520",
        "A folder that the tool writes to is a link",
        "A link comes with a checkout as files do. Through one, a build would write, overwrite or remove files "
        "anywhere on the machine.",
        bad=Example("link dist .. && build"),
        good=Example("build"),
    ),
    Entry(
        "OW521",
        "A file that the tool keeps is no regular file",
        "A link may lead to a file outside of the library; a pipe or a device may never end.",
        bad=Example("build && link dist/base-1.0.0-opset18.onnx ../specs/library.yaml && export --opset 18"),
        good=Example("build && export --opset 18"),
    ),
    Entry(
        "OW522",
        "A cached result names a file outside of the outputs",
        "The cache may have come with the folder, so that anybody may have written it. Outputs are below dist/ and "
        "library/, and nothing is written elsewhere because a cache says so.",
        bad=Example("build && misdirect .opwright/cache && build"),
        good=Example("build && build"),
    ),
)
