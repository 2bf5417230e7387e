"""OW590 to OW594: turning models into scripts."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_COMMAND = "decompile model.onnx -o out.py"
_HEADER = '<ir_version: 8, opset_import: ["": 18]>'


_ABS = "agraph (float[N] X) => (float[N] Y) { Y = Abs(X) }"
_MODULES = """import runpy
from pathlib import Path

from onnx import parser
from opwright import decompile

HEADER = '<ir_version: 8, opset_import: ["": 18]>'
GRAPH = "agraph (float[40] x) => (float[40] y) <float[40] w = {%s}> { y = Add(x, w) }"
for name, number in (("one", 1.0), ("two", 2.0)):
    model = parser.parse_model(f"{HEADER} {GRAPH}" % ", ".join([str(number)] * 40))
    decompile(model).write(Path(f"{name}.py"))
"""
# A loop that a readable script writes as `while`, and an operator that nothing can run.
_ENDS = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> agraph (float X) => (float Y) {
    most = Constant <value = float {10}> ()
    trips = Constant <value = int64 {9223372036854775807}> ()
    go = Less (X, most)
    Z = Loop (trips, go, X) <body: graph = body (int64 i, bool going, float a) => (bool again, float b) {
        b = Add (a, a)
        again = Less (b, most)
    }>
    Y = com.acme.Odd (Z)
}"""


def _model(text: str, *options: str) -> Example:
    return Example(" ".join((_COMMAND, *options)), {"model.onnx.txt": f"{_HEADER} {text}"})


PAIRS = (
    Pair(
        "OW590",
        bad=_model("agraph (float[N] X) => (float[N] Y, float[N] Y) { Y = Abs(X) }"),
        good=_model(_ABS),
    ),
    Pair(
        "OW591",
        bad=Example(
            "python run.py", {"run.py": f'{_MODULES}Path("two.npz").replace("one.npz")\nrunpy.run_path("one.py")\n'}
        ),
        good=Example("python run.py", {"run.py": f'{_MODULES}runpy.run_path("one.py")\n'}),
    ),
    Pair(
        "OW592",
        bad=Example(_COMMAND, {"model.onnx.txt": f"{_HEADER} {_ABS}", "out.py": "print('written by hand')\n"}),
        good=_model(_ABS),
    ),
    Pair(
        "OW593",
        bad=_model("agraph (float[N] X) => (float[N] Y) { Y = Abs(X, X) }", "--check"),
        good=_model(_ABS, "--check"),
    ),
    Pair(
        "OW594",
        bad=Example(f"{_COMMAND} --check", {"model.onnx.txt": _ENDS}),
        good=Example(f"{_COMMAND} --check --faithful", {"model.onnx.txt": _ENDS}),
    ),
)
