"""OW360 to OW369: static questions, variants, static lists and templates."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FUNCTION_FILE = "specs/com.acme/Swish/function.py"
_SPEC_FILE = "specs/com.acme/Swish/spec.yaml"
_IMPORT = "from typing import Literal\n\nfrom opwright import opset18 as op\n"
_SIGNATURE = "def Swish(X, alpha: float = 1.0):\n"


def _body(*lines: str, signature: str = _SIGNATURE, opset: str = ">=18") -> Example:
    """The base library with another body of Swish."""
    body = "".join(f"    {line}\n" for line in lines)
    spec = f"""\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X).
since_version: 1
opset: "{opset}"
inputs: {{X: T}}
outputs: {{Y: T}}
types: {{T: [float, double]}}
"""
    return Example("build", {_FUNCTION_FILE: f"{_IMPORT}\n\n{signature}{body}", _SPEC_FILE: spec})


def _turned(declared: str) -> Example:
    """The base library with a Swish that calls another function, whose attribute is `declared`."""
    turned = f"def Turned(X, axis: {declared} = 0):\n    return op.Transpose(X, perm=[axis, 1 - axis])\n"
    spec = (
        "schema: 1\ndomain: com.acme\nname: Turned\nsummary: X or its transpose.\nsince_version: 1\n"
        'opset: ">=18"\ninputs: {X: {type: T, rank: 2}}\noutputs: {Y: T}\ntypes: {T: [float, double]}\n'
    )
    calling = "from base import opset1 as acme\n\n\ndef Swish(X, alpha: float = 1.0):\n    return acme.Turned(X)\n"
    return Example(
        "build",
        {
            "specs/com.acme/Turned/function.py": f"{_IMPORT}\n\n{turned}",
            "specs/com.acme/Turned/spec.yaml": spec,
            _FUNCTION_FILE: calling,
        },
    )


def _text(declared: str) -> Example:
    return _body(
        'if mode == "relu":',
        "    X = op.Relu(X)",
        "return X",
        signature=f'def Swish(X, mode: {declared} = "none"):\n',
        opset=">=18,<=18",
    )


PAIRS = (
    Pair(
        "OW360",
        _body(
            "Y = op.Reshape(X, op.Shape(X)[1:])",
            "if Y.rank == 3:",
            "    X = op.Relu(X)",
            "return X * alpha",
        ),
        _body("Y = op.Relu(X)", "if Y.rank == 3:", "    X = op.Softmax(X, axis=2)", "return X * alpha"),
    ),
    Pair(
        "OW361",
        _turned("int"),
        _turned("Literal[0, 1]"),
    ),
    Pair(
        "OW362",
        _body("return op.Sum(*X)"),
        _body("return op.Sum(*[X * factor for factor in (1, 2, 3)])"),
    ),
    Pair(
        "OW363",
        _body("assert X.rank == 1 and X.rank == 2", "return X * alpha"),
        _body("assert X.rank == 1 or X.rank == 2", "return X * alpha"),
    ),
    Pair(
        "OW365",
        _text("str"),
        _text('Literal["relu", "none"]'),
    ),
)
