"""OW610 to OW627: the lock, releases, how two states of a library differ, and what a version promises."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FOLDER = "specs/com.acme/Swish"
_CHANGED = f"release 1.0.0 && put later.py {_FOLDER}/function.py"
_UNPROVED = _CHANGED.replace("1.0.0", "1.0.0 --unverified")  # a body of it is on no vector's way

_HEAD = "from opwright import opset18 as op\n\n\n"
_DEFAULT = _HEAD + "def Swish(X, alpha: float = 2.0):\n    return X * op.Sigmoid(alpha * X)\n"
_SAME = _HEAD + "def Swish(X, alpha: float = 1.0):\n    return op.Sigmoid(alpha * X) * X\n"
_OTHER = _HEAD + "def Swish(X, alpha: float = 1.0):\n    return X * op.Tanh(alpha * X)\n"
_GELU = _HEAD + "def Swish(X, alpha: float = 1.0):\n    return op.Gelu(alpha * X)\n"
_BIAS = """\
def Swish(X, bias=None, alpha: float = 1.0):
    if bias is not None:
        X = {bias}
    return X * op.Sigmoid(alpha * X)
"""

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""
_NEXT = _SPEC.replace("since_version: 1", "since_version: 2")
_DEPRECATED = _SPEC.replace("vectors:", "deprecated: true\nvectors:")
_TWO = (
    _SPEC.replace("since_version: 1\n", "")
    + """\
versions:
  - since_version: 1
  - {since_version: 2, function: "function_2.py"}
"""
)
_ATTACH = "build && attach model.onnx --library dist/base-1.0.0.onnxlib -o out.onnx"
_MODEL = """\
<ir_version: 8, opset_import: ["" : 18, "com.acme" : 1]>
agraph (float[N] X) => (float[N] Y) { Y = com.acme.Swish(X) }
"""
_DOMAIN = "schema: 1\nversion: 2\n"
_RAISED = (
    "release 1.0.0 && put domain.yaml specs/com.acme/domain.yaml && release 1.0.1 && "
    f"put two.yaml {_FOLDER}/spec.yaml && put later.py {_FOLDER}/function_2.py"
)
_THREE = _TWO.replace("since_version: 2", "since_version: 3")
_ROWS = "schema: 1\nrows:\n  - {name: b, inputs: {X: [1.0, 2.0], bias: [0.5, -2.0]}}\n"
_REFERENCE = """\
import numpy as np


def Swish(X, bias=None, alpha=1.0):
    Z = X if bias is None else X + bias
    return Z / (1.0 + np.exp(-alpha * Z))
"""
_WITH_BIAS = _SPEC.replace("{X: T}", "{X: T, bias: T}")

PAIRS = (
    Pair(
        "OW610",
        bad=Example(
            "release 1.0.0 && put edited.lock specs/com.acme/released/release.lock && build", {"edited.lock": "{}\n"}
        ),
        good=Example("release 1.0.0 && build"),
    ),
    Pair(
        "OW611",
        bad=Example(f"{_CHANGED} && build", {"later.py": _DEFAULT}),
        good=Example(
            f"release 1.0.0 && put later.yaml {_FOLDER}/spec.yaml && put later.py {_FOLDER}/function_2.py && "
            "put domain.yaml specs/com.acme/domain.yaml && build",
            {"later.py": _DEFAULT, "later.yaml": _TWO, "domain.yaml": _DOMAIN},
        ),
    ),
    Pair(
        "OW612",
        bad=Example(
            f"release 1.0.0 && put later.yaml {_FOLDER}/spec.yaml && "
            "put domain.yaml specs/com.acme/domain.yaml && build",
            {"later.yaml": _NEXT, "domain.yaml": _DOMAIN},
        ),
        good=Example("release 1.0.0 && build"),
    ),
    Pair(
        "OW613",
        bad=Example(f"{_CHANGED} && build", {"later.py": _SAME}),
        good=Example(
            f"{_CHANGED} && lock --accept Swish --reason shorter && build",
            {"later.py": _SAME},
        ),
    ),
    Pair(
        "OW614",
        bad=Example(f"{_CHANGED} && build", {"later.py": _OTHER}),
        good=Example("release 1.0.0 && build"),
    ),
    Pair(
        "OW615",
        bad=Example(
            f"{_UNPROVED} && build",
            {
                f"{_FOLDER}/spec.yaml": _WITH_BIAS,
                f"{_FOLDER}/reference.py": _REFERENCE,
                f"{_FOLDER}/function.py": _HEAD + _BIAS.format(bias="X + bias"),
                "later.py": _HEAD + _BIAS.format(bias="bias + X"),
            },
        ),
        good=Example(
            f"{_UNPROVED} && build",
            {
                f"{_FOLDER}/spec.yaml": _WITH_BIAS,
                f"{_FOLDER}/reference.py": _REFERENCE,
                f"{_FOLDER}/function.py": _HEAD + _BIAS.format(bias="X + bias"),
                f"{_FOLDER}/vectors.yaml": _ROWS,
                "later.py": _HEAD + _BIAS.format(bias="bias + X"),
            },
        ),
    ),
    Pair(
        "OW616",
        bad=Example(f"{_CHANGED} && release 1.0.1", {"later.py": _SAME}),
        good=Example(f"{_CHANGED} && lock --accept Swish --reason shorter && release 1.0.1", {"later.py": _SAME}),
    ),
    Pair(
        "OW617",
        bad=Example(
            f"release 1.0.0 && put later.yaml {_FOLDER}/spec.yaml && release 1.0.1", {"later.yaml": _DEPRECATED}
        ),
        good=Example(
            f"release 1.0.0 && put later.yaml {_FOLDER}/spec.yaml && release 1.1.0", {"later.yaml": _DEPRECATED}
        ),
    ),
    Pair(
        "OW618",
        bad=Example("release 1.0.0 && release 0.9.0"),
        good=Example("release 1.0.0 && release 1.0.1"),
    ),
    Pair(
        "OW619",
        bad=Example("diff --against lock"),
        good=Example("release 1.0.0 && diff --against lock"),
    ),
    Pair(
        "OW620",
        bad=Example(
            f"build && put later.py {_FOLDER}/function.py && diff --against dist/base-1.0.0.onnxlib",
            {"later.py": _DEFAULT},
        ),
        good=Example("build && diff --against dist/base-1.0.0.onnxlib"),
    ),
    Pair(
        "OW621",
        bad=Example("build", {f"{_FOLDER}/function.py": _GELU}),
        good=Example(
            "build",
            {f"{_FOLDER}/function.py": _GELU, f"{_FOLDER}/spec.yaml": _SPEC.replace('opset: ">=18"', 'opset: ">=20"')},
        ),
    ),
    Pair(
        "OW622",
        bad=Example(_ATTACH, {"model.onnx.txt": _MODEL, f"{_FOLDER}/spec.yaml": _DEPRECATED}),
        good=Example(_ATTACH, {"model.onnx.txt": _MODEL}),
    ),
    Pair(
        "OW624",
        bad=Example(f"{_RAISED} && build", {"later.py": _DEFAULT, "two.yaml": _TWO, "domain.yaml": _DOMAIN}),
        good=Example(
            f"{_RAISED} && put three.yaml specs/com.acme/domain.yaml && build",
            {
                "later.py": _DEFAULT,
                "two.yaml": _THREE,
                "domain.yaml": _DOMAIN,
                "three.yaml": "schema: 1\nversion: 3\n",
            },
        ),
    ),
    Pair(
        "OW625",
        bad=Example(
            f"{_UNPROVED} && diff",
            {
                f"{_FOLDER}/spec.yaml": _WITH_BIAS,
                f"{_FOLDER}/reference.py": _REFERENCE,
                f"{_FOLDER}/function.py": _HEAD + _BIAS.format(bias="X + bias"),
                "later.py": _HEAD + _BIAS.format(bias="bias + X"),
            },
        ),
        good=Example(
            f"{_UNPROVED} && diff",
            {
                f"{_FOLDER}/spec.yaml": _WITH_BIAS,
                f"{_FOLDER}/reference.py": _REFERENCE,
                f"{_FOLDER}/function.py": _HEAD + _BIAS.format(bias="X + bias"),
                f"{_FOLDER}/vectors.yaml": _ROWS,
                "later.py": _HEAD + _BIAS.format(bias="bias + X"),
            },
        ),
    ),
    Pair(
        "OW626",
        bad=Example("release 1.0.0", {f"{_FOLDER}/function.py": _OTHER}),
        good=Example("release 1.0.0"),
    ),
    Pair(
        "OW627",
        bad=Example("no-room-for outputs.json && release 1.0.0"),
        good=Example("release 1.0.0"),
        beside=("OW905",),
    ),
)
