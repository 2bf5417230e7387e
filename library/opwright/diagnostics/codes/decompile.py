"""OW590: turning models into scripts."""

from __future__ import annotations

from opwright.diagnostics.codes import Entry, Example

_COMMAND = "decompile model.onnx -o out.py"
_HEADER = '<ir_version: 8, opset_import: ["": 18]>'


def _model(text: str) -> Example:
    return Example(_COMMAND, {"model.onnx.txt": f"{_HEADER} {text}"})


ENTRIES = (
    Entry(
        "OW590",
        "A model that no script can say",
        "The text must make the same model again. Where the language has no words for a part of it, leaving that part"
        " out would make another model.",
        bad=_model("agraph (float[N] X) => (float[N] Y, float[N] Y) { Y = Abs(X) }"),
        good=_model("agraph (float[N] X) => (float[N] Y) { Y = Abs(X) }"),
    ),
)
