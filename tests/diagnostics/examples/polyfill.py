"""OW547, OW581 to OW587, OW589: rewriting models for other opsets and runtimes."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair
from tests.diagnostics.examples.link import EMPTY, LIBRARY

_POLYFILL = "polyfill model.onnx --opset 18 --library acme.onnxlib -o out.onnx"
_HEADER = '<ir_version: 8, opset_import: ["": {}]>'


def _node(node: str, opset: int = 22, command: str = _POLYFILL, element: str = "float") -> Example:
    """A model of these nodes at an opset; they make Y of X."""
    model = f"{_HEADER.format(opset)} agraph ({element}[N] X) => ({element}[N] Y) {{ {node} }}"
    return Example(command, {"model.onnx.txt": model, "acme.onnxlib.hex": LIBRARY})


_RUNTIME = _POLYFILL.replace("--opset 18", "--runtime ort==1.31")
_OLD = _POLYFILL.replace("--opset 18", "--opset 13")
_SWISH = {
    "model.onnx.txt": '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> agraph (float[N] X) => (float[N] Y) '
    "{ Y = com.acme.Swish(X) }",
    "acme.onnxlib.hex": LIBRARY,
}
_ATTACHED = "attach model.onnx --library acme.onnxlib -o with.onnx"
_OWN = (
    "{} agraph (float[N] X) => (float[N] Y) {{ Y = my.Mine(X) }} "
    '<domain: "my", opset_import: ["": 18]> Mine (X) => (Y) {{ Y = Abs(X) }}'
)

_CONVERT = "convert model.onnx --opset 17 -o out.onnx"
_ADDING = (
    '<ir_version: 8, opset_import: ["": 14, "my": 1]> agraph (float[N] X) => (float[N] Y) {{ Y = {}(X) }} '
    '<domain: "my", opset_import: ["": 14]> Twice (X) => (Y) {{ Y = Add(X, X) }}'
)
_OWN_MISH = (
    '<ir_version: 8, opset_import: ["": 18, "my": 1]> agraph (float[N] X) => (float[N] Y) {{ Y = {1}Mish(X) }} '
    '<domain: "{0}", opset_import: ["": 18]> Mish (X) => (Y) {{ Y = Abs(X) }}'
)

PAIRS = (
    Pair(
        "OW581",
        bad=_node("Y = Mish(X)", command=_OLD),
        good=_node("Y = Abs(X)", command=_OLD),
    ),
    Pair(
        "OW582",
        bad=_node("Y = Identity(X)", element="uint4"),
        good=_node("Y = Cast<to = 1, saturate = 1>(X)"),
    ),
    Pair(
        "OW583",
        bad=_node("Y = Elu(X)", command=_RUNTIME, element="double"),
        good=_node("Y = Elu(X)", command=_RUNTIME),
    ),
    Pair(
        "OW584",
        bad=_node("Y = Abs(X)", command=_POLYFILL.replace("18", "99")),
        good=_node("Y = Abs(X)"),
    ),
    Pair(
        "OW677",
        bad=_node("Y = Abs(X)", command=_POLYFILL.replace("--opset 18", "--runtime ort==9999.0")),
        good=_node("Y = Abs(X)", command=_POLYFILL.replace("--opset 18", "--runtime ort==1.31")),
        beside=("OW587",),
    ),
    Pair(
        "OW585",
        bad=Example(
            f"{_ATTACHED} && polyfill with.onnx --opset 17 --library other.onnxlib -o out.onnx",
            {**_SWISH, "other.onnxlib.hex": EMPTY},
        ),
        good=Example(f"{_ATTACHED} && polyfill with.onnx --opset 18 --library acme.onnxlib -o out.onnx", _SWISH),
    ),
    Pair(
        "OW547",
        bad=Example(_CONVERT.replace("17", "13"), {"model.onnx.txt": _ADDING.format("Abs")}),
        good=Example(_CONVERT.replace("17", "13"), {"model.onnx.txt": _ADDING.format("my.Twice")}),
    ),
    Pair(
        "OW586",
        bad=Example(
            _OLD,
            {
                "model.onnx.txt": _OWN.format('<ir_version: 8, opset_import: ["": 18, "my": 1]>'),
                "acme.onnxlib.hex": LIBRARY,
            },
        ),
        good=_node("Y = Abs(X)", command=_OLD),
    ),
    Pair(
        "OW587",
        bad=_node("Y = Abs(X)", opset=18),
        good=_node("Y = Abs(X)"),
    ),
    Pair(
        "OW589",
        bad=Example(_CONVERT, {"model.onnx.txt": _OWN_MISH.format("", "")}),
        good=Example(_CONVERT, {"model.onnx.txt": _OWN_MISH.format("my", "my.")}),
    ),
)
