"""OW301 to OW337: the Python of a function."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FUNCTION_FILE = "specs/com.acme/Swish/function.py"
_SPEC_FILE = "specs/com.acme/Swish/spec.yaml"

_IMPORT = "from opwright import opset18 as op\n"
_SIGNATURE = "def Swish(X, alpha: float = 1.0):\n"
_GOOD = _IMPORT + "\n\n" + _SIGNATURE + "    return X * op.Sigmoid(alpha * X)\n"


def _body(*lines: str, top: str = "", signature: str = _SIGNATURE) -> Example:
    """The base library with another body of Swish."""
    body = "".join(f"    {line}\n" for line in lines)
    return Example("build", {_FUNCTION_FILE: f"{_IMPORT}{top}\n\n{signature}{body}"})


def _with_limit(*lines: str) -> Example:
    """The same with a second, optional input."""
    made = _body(*lines, signature="def Swish(X, limit=None, alpha: float = 1.0):\n")
    spec = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), at most limit.
since_version: 1
opset: ">=18"
inputs: {X: T, limit: T}
outputs: {Y: T}
types: {T: [float, double]}
"""
    return Example("build", {**made.files, _SPEC_FILE: spec})


_FINE = Example("build", {_FUNCTION_FILE: _GOOD})
_NESTED = [
    line for depth in range(32) for line in (f"{'    ' * depth}if flag:", f"{'    ' * (depth + 1)}X = X + {depth}")
]

_ACME = "SCALE = 2.0\n\n\ndef scaled(x):\n    return x * {SCALE}.pop()\n"
_FOREIGN = """import sys

from opwright import FLOAT, script

sys.path.insert(0, "site-packages")
import acme


@script()
def f(X: FLOAT["N"]):
    return {}


f.to_model_proto()
"""

PAIRS = (
    Pair(
        "OW301",
        _body("return X * * op.Sigmoid(X)"),
        _FINE,
    ),
    Pair(
        "OW302",
        _body("return X * op.Sigmoid(beta * X)"),
        _body("return X * op.Sigmoid(beta * X)", top="\nbeta = 1.702\n"),
    ),
    Pair(
        "OW303",
        _body("raise NotImplementedError", "return X"),
        _body("Y = X + 1.0", "return Y"),
    ),
    Pair(
        "OW304",
        _body("return X.mean()"),
        _body("return op.ReduceMean(X, keepdims=0) + X"),
    ),
    Pair(
        "OW306",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X"),
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X", "return -X"),
    ),
    Pair(
        "OW307",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X, X", "return -X"),
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X", "return -X"),
    ),
    Pair(
        "OW308",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    Y = X", "return Y"),
        _body("Y = -X", "if op.ReduceSum(X, keepdims=0) > 0:", "    Y = X", "return Y"),
    ),
    Pair(
        "OW309",
        _body("return X * SCALE", top="\nSCALE = 1.0\nSCALE = 2.0\n"),
        _body("return X * SCALE", top="\nSCALE = 2.0\n"),
    ),
    Pair(
        "OW310",
        _body("return X * os.sep", top="import os\n"),
        _body("return X * math.pi", top="import math\n"),
    ),
    Pair(
        "OW311",
        _body("return X * (2 ** 100000)"),
        _body("return X * (2.0 ** 100)"),
    ),
    Pair(
        "OW312",
        _body("return X * (1 / 0)"),
        _body("return X * (1 / 2)"),
    ),
    Pair(
        "OW313",
        _body(
            "return op.Cast(op.Cast(X, to=INT64) + 0.5, to=FLOAT) + op.Cast(X, to=FLOAT)",
            top="from opwright import FLOAT, INT64\n",
        ),
        _body("return X + 0.5"),
    ),
    Pair(
        "OW314",
        _body("return X & X"),
        _body("return op.Where((X > 0) & (X < 1), X, 0)"),
    ),
    Pair(
        "OW315",
        _body("return X + op.Shape(X)"),
        _body("return X + op.CastLike(op.Shape(X), X)"),
    ),
    Pair(
        "OW316",
        _body("return X", signature="def Swish(X, **attributes):\n"),
        _FINE,
    ),
    Pair(
        "OW317",
        _body("return X * alpha", signature="def Swish(X, alpha: int | str = 1):\n"),
        _body("return X * alpha", signature="def Swish(X, alpha: int = 1):\n"),
    ),
    Pair(
        "OW318",
        _body("return X", signature="def Swish(X, alpha: float = 'one'):\n"),
        _FINE,
    ),
    Pair(
        "OW319",
        _body("flag = op.ReduceSum(X, keepdims=0) > 0", *_NESTED, "return X"),
        _body("flag = op.ReduceSum(X, keepdims=0) > 0", *_NESTED[:8], "return X"),
    ),
    Pair(
        "OW320",
        _body("if op.Constant(value_ints=[1, 2]):", "    X = -X", "return X"),
        _body("if op.Constant(value_int=1):", "    X = -X", "return X"),
    ),
    Pair(
        "OW321",
        _body("y = X", "for i in range(op.Size(X)):", "    y = op.Shape(y)", "return X"),
        _body("y = X", "for i in range(op.Size(X)):", "    y = y + i", "return y"),
    ),
    Pair(
        "OW322",
        Example("build", {_FUNCTION_FILE: _GOOD.replace("def Swish", "def swish")}),
        _FINE,
    ),
    Pair(
        "OW323",
        _body("return helper(X)", top="\n\ndef helper(x):\n    return helper(x)\n"),
        _body("return helper(X)", top="\n\ndef helper(x):\n    return -x\n"),
    ),
    Pair(
        "OW324",
        _body("return op.Softmax(X, axis=op.Size(X))"),
        _body("return op.Softmax(X, axis=-1)"),
    ),
    Pair(
        "OW325",
        _body("return op.Add(X, [[1.0], [2.0, 3.0]])"),
        _body("return op.Add(X, [1.0])"),
    ),
    Pair(
        "OW326",
        _with_limit("return op.Sigmoid(limit) * X * alpha"),
        _with_limit("if limit is not None:", "    X = op.Min(X, limit)", "return X * alpha"),
    ),
    Pair(
        "OW327",
        _body("return " + "-" * 1500 + "X"),
        _body("return --X"),
    ),
    Pair(
        "OW328",
        _body("a, b = X, X, X", "return a"),
        _body("a, b, c = X, X, X", "return a + b + c"),
    ),
    Pair(
        "OW330",
        _body("return X * op.Sigmoid(alpha * X)  # opwright: ignore[OW315] the types agree"),
        _FINE,
    ),
    Pair(
        "OW335",
        _body("n = op.Size(X)", "return X * op.CastLike(n**-1, X)"),
        _body("n = op.Size(X)", "return X * op.CastLike(n**2, X)"),
    ),
    Pair(
        "OW336",
        Example("python model.py", {"model.py": _FOREIGN.format("acme.scaled(X)"), "site-packages/acme.py": _ACME}),
        Example("python model.py", {"model.py": _FOREIGN.format("X * acme.SCALE"), "site-packages/acme.py": _ACME}),
    ),
    Pair(
        "OW337",
        _body("print(X)", "return X * op.Sigmoid(alpha * X)"),
        _FINE,
    ),
)
