"""OW340 to OW349: subscripts, shapes, lists and numbers of the run time."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FUNCTION_FILE = "specs/com.acme/Swish/function.py"
_IMPORT = "from opwright import opset18 as op\n"
_SIGNATURE = "def Swish(X, alpha: float = 1.0):\n"


def _body(*lines: str, signature: str = _SIGNATURE) -> Example:
    """The base library with another body of Swish."""
    body = "".join(f"    {line}\n" for line in lines)
    return Example("build", {_FUNCTION_FILE: f"{_IMPORT}\n\n{signature}{body}"})


PAIRS = (
    Pair(
        "OW340",
        _body("return X * X[0.5]"),
        _body("return X * X[0]"),
    ),
    Pair(
        "OW341",
        _body(
            "return op.Reshape(X, axes[1:] + (1.5,))", signature="def Swish(X, axes: tuple[int, ...] = (1, 2, 3)):\n"
        ),
        _body("return op.Reshape(X, axes[1:] + (1,))", signature="def Swish(X, axes: tuple[int, ...] = (1, 2, 3)):\n"),
    ),
    Pair(
        "OW342",
        _body("return X[op.Constant(value_ints=[0, 1])[2]] + X"),
        _body("return X[op.Constant(value_ints=[0, 1])[1]] + X"),
    ),
    Pair(
        "OW343",
        _body("X[0] = 1.0", "return X"),
        _body("first = op.Equal(op.Range(0, op.Shape(X)[-1], 1), 0)", "return op.Where(first, 1.0, X)"),
    ),
    Pair(
        "OW344",
        _body("parts = [X]", "others = parts", "parts.append(-X)", "return op.Concat(*others, axis=-1)"),
        _body("parts = [X]", "others = parts + []", "parts.append(-X)", "return op.Concat(*others, axis=-1)"),
    ),
    Pair(
        "OW345",
        _body("parts = [X, -X]", "parts.sort()", "return op.Concat(*parts, axis=-1)"),
        _body("parts = [X]", "parts.append(-X)", "return op.Concat(*parts, axis=-1)"),
    ),
    Pair(
        "OW346",
        _body(
            "parts = []",
            "for i in range(op.Size(X)):",
            "    parts.append(i)",
            "return X * parts[0]",
        ),
        _body(
            "parts = []",
            "for i in range(op.Size(X)):",
            "    parts.append(X * i)",
            "return parts[0]",
        ),
    ),
    Pair(
        "OW347",
        _body("return X * 2 ** len(X)"),
        _body("return X * 2.0 ** len(X)"),
    ),
)
