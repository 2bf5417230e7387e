"""OW201 to OW222: operators, opsets and types."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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


ENTRIES = (
    Entry(
        "OW201",
        "The domain has no such operator",
        "A node whose operator is not defined makes a model that no runtime loads.",
        _body("return op.Sigmoyd(X)"),
        _FINE,
    ),
    Entry(
        "OW202",
        "The operator is not in this opset",
        "A body is bound to the opset of the model that it is attached to. One that uses an operator of a later opset"
        " would be refused by every runtime.",
        _body("return op.Swish(X, alpha=alpha)"),
        _FINE,
    ),
    Entry(
        "OW203",
        "Too many arguments, or one given twice",
        "Positional arguments are inputs, and an operator has so many of them. A surplus one would be dropped or"
        " bound to something that was not meant.",
        _body("return op.Sigmoid(X, X)"),
        _body("return op.Sum(X, X, X)"),
    ),
    Entry(
        "OW204",
        "A required input is missing",
        "The operator cannot run without it.",
        _body("return op.Add(X)"),
        _body("return op.Add(X, X)"),
    ),
    Entry(
        "OW205",
        "The operator has no such attribute",
        "Runtimes refuse a node with an attribute that its schema does not have, and a misspelt one would otherwise be"
        " silently replaced by its default.",
        _body("return op.Softmax(X, axes=1)"),
        _body("return op.Softmax(X, axis=1)"),
    ),
    Entry(
        "OW206",
        "A required attribute is missing",
        "The attribute has no default, so the node would mean nothing.",
        _body("return op.CastLike(op.Cast(X), X)"),
        _body("return op.CastLike(op.Cast(X, to=FLOAT), X)", top="from opwright import FLOAT\n"),
    ),
    Entry(
        "OW207",
        "An attribute has the wrong type",
        "An attribute's type is fixed by the schema; nothing is converted that could change its meaning.",
        _body("return op.Softmax(X, axis='last')"),
        _body("return op.Softmax(X, axis=-1)"),
    ),
    Entry(
        "OW208",
        "The operator does not take this element type",
        "Schemas list the element types that an operator accepts. A body beyond them is refused by checkers and"
        " runtimes.",
        _body("return op.Sigmoid(op.Shape(X))"),
        _FINE,
    ),
    Entry(
        "OW209",
        "An element type is not known",
        "A constant or a variant needs an element type, and this one is decided where the compiler cannot see it.",
        _body("return op.CastLike(op.Cast(X, to=to) + 1, X)", signature="def Swish(X, to: int = 1):\n"),
        _body("return op.CastLike(op.Cast(X, to=to), X)", signature="def Swish(X, to: int = 1):\n"),
    ),
    Entry(
        "OW210",
        "An output has another type than declared",
        "Callers, stubs and the linker rely on the declared type.",
        _body("return X > 0"),
        _body("return op.CastLike(X > 0, X)"),
    ),
    Entry(
        "OW211",
        "Python and YAML name different parameters",
        "Names and order of inputs have their home in Python, element types in YAML; they must speak of the same"
        " inputs.",
        _body("return X * op.Sigmoid(alpha * X)", spec=_spec(inputs="{Z: T}")),
        _body("return X * op.Sigmoid(alpha * X)", spec=_spec()),
    ),
    Entry(
        "OW212",
        "The operator means another thing at this opset",
        "A function computes what its source says, at whichever opset it is compiled. A version of an operator that was"
        " not reviewed as the same, and has no reviewed rewrite for the call, might compute something else silently.",
        _body('return op.Resize(X, None, [2.0], coordinate_transformation_mode="align_corners")'),
        _body("return op.Resize(X, None, [2.0])"),
    ),
    Entry(
        "OW213",
        "Two opsets of ai.onnx are written in one function",
        "A function imports one version of a domain, so the operators of one of the two would be of another version"
        " than the source says.",
        _body("return old.Relu(op.Neg(X))", top="from opwright import opset13 as old\n"),
        _body("return op.Relu(op.Neg(X))"),
    ),
    Entry(
        "OW214",
        "A declared element type is admitted by no body",
        "The interface would promise what no model can use.",
        _body("return op.Sigmoid(X)", spec=_spec("{T: [float, int64]}")),
        _body("return op.Abs(X)", spec=_spec("{T: [float, int64]}")),
    ),
    Entry(
        "OW215",
        "The number of outputs differs from the declared one",
        "Every declared output needs a value, and every value a name.",
        _body("return X, X"),
        _FINE,
    ),
    Entry(
        "OW216",
        "The operator is deprecated",
        "Checkers refuse models that use an operator at an opset where it is deprecated.",
        _body("return op.Scatter(X, [0], X)"),
        _body("return op.ScatterElements(X, [0], X)"),
    ),
    Entry(
        "OW217",
        "A function-op is defined in terms of itself",
        "A function-op says what an operator means in terms of simpler ones; a definition by itself says nothing, and"
        " would never end where the operator is replaced by its function.",
        _mirrored("return op.Softsign(X)"),
        _mirrored("return X / (op.Abs(X) + 1)"),
    ),
    Entry(
        "OW218",
        "The called function has no fitting variant",
        "The variant for these inputs does not exist at this opset, so there is nothing to call.",
        _caller(">=18,<=21"),
        _caller(">=22"),
    ),
    Entry(
        "OW219",
        "A function has too many variants",
        "Each static question multiplies the variants. Beyond 64 a library would carry more bodies than anybody can"
        " verify, so it keeps a template, which has a body for given facts only.",
        _many(7),
        _many(3),
    ),
    Entry(
        "OW220",
        "The operator does not broadcast at this opset",
        "Below opset 7, for Sum and its like below 8, operands have one shape. Runtimes compute something with other"
        " shapes all the same, or fail when the model runs.",
        _compiled("x: FLOAT['N', 'M'], y: FLOAT['N', 1]", "x + y", 6),
        _compiled("x: FLOAT['N', 'M'], y: FLOAT['N', 'M']", "x + y", 6),
    ),
    Entry(
        "OW221",
        "An attribute cannot be a value at this opset",
        "`Constant` takes numbers and strings since opset 12. Below, an attribute can only be handed on to an"
        " operator's attribute: a Constant without content would be the only form.",
        _compiled("x: FLOAT[2], alpha: float", "x * alpha", 11),
        _compiled("x: FLOAT[2], alpha: float", "op.LeakyRelu(x, alpha=alpha)", 11),
    ),
    Entry(
        "OW222",
        "The operator's version at this opset has no form for the call",
        "The call uses what another version of the operator has, and no reviewed rewrite brings it to the one in"
        " force.",
        _compiled("x: FLOAT[2, 3], axes: INT64[1]", "op.ReduceMean(x, axes)", 13),
        _compiled("x: FLOAT[2, 3]", "op.ReduceMean(x, [1])", 13),
    ),
)
