"""OW360 to OW369: static questions, variants, static lists and templates."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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


ENTRIES = (
    Entry(
        "OW360",
        "A rank is not known",
        "The rank of a value that is computed follows from those of the parameters by a fixed set of rules. Where none"
        " applies, a question about it has no answer when the function is built.",
        _body(
            "Y = op.Reshape(X, op.Shape(X)[1:])",
            "if Y.rank == 3:",
            "    X = op.Relu(X)",
            "return X * alpha",
        ),
        _body("Y = op.Relu(X)", "if Y.rank == 3:", "    X = op.Softmax(X, axis=2)", "return X * alpha"),
    ),
    Entry(
        "OW361",
        "A function is a template",
        "A body that depends on the very rank of an input, on the number of its inputs or on the value of an attribute"
        " exists for a given call only. Attaching a library makes it for the nodes of a model; the body of another"
        " function needs one that exists.",
        _turned("int"),
        _turned("Literal[0, 1]"),
    ),
    Entry(
        "OW362",
        "A list is not known",
        "Comprehensions, starred arguments, `zip`, `enumerate` and the like run when the function is built, so the"
        " length of their list must be known then.",
        _body("return op.Sum(*X)"),
        _body("return op.Sum(*[X * factor for factor in (1, 2, 3)])"),
    ),
    Entry(
        "OW363",
        "A function rules out all of its variants",
        "An `assert` on static facts that does not hold says that there is no variant for those facts; at least one"
        " must remain.",
        _body("assert X.rank == 1 and X.rank == 2", "return X * alpha"),
        _body("assert X.rank == 1 or X.rank == 2", "return X * alpha"),
    ),
    Entry(
        "OW365",
        "Text cannot be compared at this opset",
        "A graph can compare strings from opset 19 on. Below it, an attribute that is text selects a branch only when"
        " the function is built, and its values must be few for that.",
        _text("str"),
        _text('Literal["relu", "none"]'),
    ),
)
