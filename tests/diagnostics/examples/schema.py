"""OW201 to OW222: operators, opsets and types."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FUNCTION_FILE = "specs/com.acme/Swish/function.py"
_SPEC_FILE = "specs/com.acme/Swish/spec.yaml"
_IMPORT = "from opwright import opset18 as op\n"
_SIGNATURE = "def Swish(X, alpha: float = 1.0):\n"


def _spec(
    types: str = "{T: [float, double]}", inputs: str = "{X: T}", opset: str = ">=18", outputs: str = "{Y: T}"
) -> str:
    return f"""\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: "{opset}"
inputs: {inputs}
outputs: {outputs}
types: {types}
"""


def _body(*lines: str, top: str = "", signature: str = _SIGNATURE, spec: str = "") -> Example:
    body = "".join(f"    {line}\n" for line in lines)
    files = {_FUNCTION_FILE: f"{_IMPORT}{top}\n\n{signature}{body}"}
    if spec:
        files[_SPEC_FILE] = spec
    return Example("build", files)


_FINE = _body("return X * op.Sigmoid(alpha * X)")
_MANY = "abcdefg"


def _many(count: int) -> Example:
    """A script of that many optional inputs, asked for as one function."""
    names = _MANY[:count]
    lines = [f"    if {name} is not None:\n        x = x + {name}\n" for name in names]
    header = "from opwright import script\n\n\n@script()\ndef Total(x, " + ", ".join(f"{name}=None" for name in names)
    absent = ", ".join(f'"{name}": False' for name in names)
    asked = "Total.to_function_proto()" if count > 6 else f"Total.to_function_proto(variant={{{absent}}})"
    return Example("python run.py", {"run.py": f"{header}):\n{''.join(lines)}    return x\n\n\n{asked}\n"})


def _compiled(parameters: str, value: str, opset: int) -> Example:
    """A script of one expression, compiled for an opset."""
    top = "from opwright import FLOAT, INT64, opset18 as op, script\n\n\n@script()\n"
    text = f"{top}def F({parameters}):\n    return {value}\n\n\nF.to_function_proto({opset})\n"
    return Example("python run.py", {"run.py": text})


def _caller(opset: str) -> Example:
    """Swish calls Snap, whose bfloat16 variant exists from opset 22 on."""
    snap = """\
schema: 1
domain: com.acme
name: Snap
summary: The nearest integers.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, bfloat16]}
"""
    function = (
        f"{_IMPORT}from opwright import FLOAT\n\n\ndef Snap(X):\n    if X.dtype == FLOAT:\n        return op.Round(X)\n"
    )
    function += "    return op.Round(X)\n"
    made = _body(
        "return own.Snap(X)", top="from base import opset1 as own\n", spec=_spec("{T: [bfloat16]}", opset=opset)
    )
    files = {"specs/com.acme/Snap/spec.yaml": snap, "specs/com.acme/Snap/function.py": function}
    return Example("build", {**made.files, **files})


def _mirrored(*lines: str) -> Example:
    """A function of a mirrored domain: the mirror's functions stand for standard operators."""
    domain = "schema: 1\nversion: 18\nmirror: base.ai.onnx\n"
    spec = (
        _spec()
        .replace("com.acme", "ai.onnx")
        .replace("Swish", "Softsign")
        .replace("summary: X * sigmoid(alpha * X)", "summary: X / (1 + |X|)")
    )
    body = "".join(f"    {line}\n" for line in lines)
    return Example(
        "build",
        {
            "specs/ai.onnx/domain.yaml": domain,
            "specs/ai.onnx/Softsign/spec.yaml": spec,
            "specs/ai.onnx/Softsign/function.py": f"{_IMPORT}\n\ndef Softsign(X):\n{body}",
        },
    )


PAIRS = (
    Pair(
        "OW201",
        _body("return op.Sigmoyd(X)"),
        _FINE,
    ),
    Pair(
        "OW202",
        _body("return op.Swish(X, alpha=alpha)"),
        _FINE,
    ),
    Pair(
        "OW203",
        _body("return op.Sigmoid(X, X)"),
        _body("return op.Sum(X, X, X)"),
    ),
    Pair(
        "OW204",
        _body("return op.Add(X)"),
        _body("return op.Add(X, X)"),
    ),
    Pair(
        "OW205",
        _body("return op.Softmax(X, axes=1)"),
        _body("return op.Softmax(X, axis=1)"),
    ),
    Pair(
        "OW206",
        _body("return op.CastLike(op.Cast(X), X)"),
        _body("return op.CastLike(op.Cast(X, to=FLOAT), X)", top="from opwright import FLOAT\n"),
    ),
    Pair(
        "OW207",
        _body("return op.Softmax(X, axis='last')"),
        _body("return op.Softmax(X, axis=-1)"),
    ),
    Pair(
        "OW208",
        _body("return op.Sigmoid(op.Shape(X))"),
        _FINE,
    ),
    Pair(
        "OW209",
        _body("return op.CastLike(op.Cast(X, to=to) + 1, X)", signature="def Swish(X, to: int = 1):\n"),
        _body("return op.CastLike(op.Cast(X, to=to), X)", signature="def Swish(X, to: int = 1):\n"),
    ),
    Pair(
        "OW210",
        _body("return X > 0"),
        _body("return op.CastLike(X > 0, X)"),
    ),
    Pair(
        "OW211",
        _body("return X * op.Sigmoid(alpha * X)", spec=_spec(inputs="{Z: T}")),
        _body("return X * op.Sigmoid(alpha * X)", spec=_spec()),
    ),
    Pair(
        "OW212",
        _body('return op.Resize(X, None, [2.0], coordinate_transformation_mode="align_corners")'),
        _body("return op.Resize(X, None, [2.0])"),
    ),
    Pair(
        "OW213",
        _body("return old.Relu(op.Neg(X))", top="from opwright import opset13 as old\n"),
        _body("return op.Relu(op.Neg(X))"),
    ),
    Pair(
        "OW214",
        _body("return op.Sigmoid(X)", spec=_spec("{T: [float, int64]}")),
        _body("return op.Abs(X)", spec=_spec("{T: [float, int64]}")),
    ),
    Pair(
        "OW215",
        _body("return X, X"),
        _FINE,
    ),
    Pair(
        "OW216",
        _body("return op.Scatter(X, [0], X)"),
        _body("return op.ScatterElements(X, [0], X)"),
    ),
    Pair(
        "OW217",
        _mirrored("return op.Softsign(X)"),
        _mirrored("return X / (op.Abs(X) + 1)"),
    ),
    Pair(
        "OW218",
        _caller(">=18,<=21"),
        _caller(">=22"),
    ),
    Pair(
        "OW219",
        _many(7),
        _many(3),
    ),
    Pair(
        "OW220",
        _compiled("x: FLOAT['N', 'M'], y: FLOAT['N', 1]", "x + y", 6),
        _compiled("x: FLOAT['N', 'M'], y: FLOAT['N', 'M']", "x + y", 6),
    ),
    Pair(
        "OW221",
        _compiled("x: FLOAT[2], alpha: float", "x * alpha", 11),
        _compiled("x: FLOAT[2], alpha: float", "op.LeakyRelu(x, alpha=alpha)", 11),
    ),
    Pair(
        "OW222",
        _compiled("x: FLOAT[2, 3], axes: INT64[1]", "op.ReduceMean(x, axes)", 13),
        _compiled("x: FLOAT[2, 3]", "op.ReduceMean(x, [1])", 13),
    ),
)
