"""OW535, and OW653 to OW655: what `opwright new` cannot copy, add to, or take from elsewhere."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
versions: [{since_version: 1}]
"""


_MODEL = """\
<ir_version: 10, opset_import: ["": 18]>
g (float[N] x) => (float[N] y) {
  a = Abs(x)
  b = Exp(a)
  y = Sub(b, a)
}
"""
_SOURCE = "from onnxscript import script, opset18 as op\n\n\n@script()\ndef Far(x):\n    return op.Abs(x)\n"


def _part(what: str, model: str = _MODEL) -> Example:
    return Example(f"new function com.acme/Part --from model.onnx:{what}", {"model.onnx.txt": model})


def _theirs(source: str) -> Example:
    return Example("new function com.acme/Far --from-onnxscript theirs.py", {"theirs.py": source})


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW535",
        bad=Example(
            "new version com.acme/Swish",
            {"specs/com.acme/Swish/spec.yaml": _SPEC},
        ),
        good=Example("new version com.acme/Swish"),
    ),
    Pair("OW653", bad=_part("a,y"), good=_part("a..y")),
    Pair(
        "OW654",
        bad=_theirs(_SOURCE.replace("script,", "evaluator, script,")),
        good=_theirs(_SOURCE),
    ),
    Pair("OW655", bad=_part("a..y", _MODEL.replace("float[N]", "complex64[N]")), good=_part("a..y")),
)
