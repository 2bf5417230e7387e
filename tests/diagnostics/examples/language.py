"""OW301 to OW337: the Python of a function."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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

_ACME = "SCALE = 2.0\n\n\ndef scaled(x):\n    return x * {'scale': SCALE}['scale']\n"
_FOREIGN = """import sys

from opwright import FLOAT, script

sys.path.insert(0, "site-packages")
import acme


@script()
def f(X: FLOAT["N"]):
    return {}


f.to_model_proto()
"""

ENTRIES = (
    Entry(
        "OW301",
        "The file is not Python",
        "Nothing of a file can be compiled that Python's own parser refuses.",
        _body("return X * * op.Sigmoid(X)"),
        _FINE,
    ),
    Entry(
        "OW302",
        "A name is not defined",
        "A function may read its parameters, its own names, and what its module defines or imports. Anything else"
        " would be an error when the function runs as Python.",
        _body("return X * op.Sigmoid(beta * X)"),
        _body("return X * op.Sigmoid(beta * X)", top="\nbeta = 1.702\n"),
    ),
    Entry(
        "OW303",
        "A statement is not part of the language",
        "A graph has no exceptions, no storage that changes and no state outside the function, so statements that need"
        " them cannot be written into one.",
        _body("raise NotImplementedError", "return X"),
        _body("Y = X + 1.0", "return Y"),
    ),
    Entry(
        "OW304",
        "An expression is not part of the language",
        "Every expression must become operators of a graph, or have a value when the function is built.",
        _body("return X.mean()"),
        _body("return op.ReduceMean(X, keepdims=0) + X"),
    ),
    Entry(
        "OW306",
        "A path returns nothing",
        "A function of ONNX has outputs, and each call must get all of them on every path.",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X"),
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X", "return -X"),
    ),
    Entry(
        "OW307",
        "The returns disagree",
        "The number of outputs and their types are part of a function's interface; they cannot depend on"
        " run-time values.",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X, X", "return -X"),
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    return X", "return -X"),
    ),
    Entry(
        "OW308",
        "A name may have no value",
        "Python would raise an error on the path that does not bind the name; a graph has no way to.",
        _body("if op.ReduceSum(X, keepdims=0) > 0:", "    Y = X", "return Y"),
        _body("Y = -X", "if op.ReduceSum(X, keepdims=0) > 0:", "    Y = X", "return Y"),
    ),
    Entry(
        "OW309",
        "A module-level name is not static",
        "Building runs no code, so a module-level name must have one value that can be read from the text.",
        _body("return X * SCALE", top="\nSCALE = 1.0\nSCALE = 2.0\n"),
        _body("return X * SCALE", top="\nSCALE = 2.0\n"),
    ),
    Entry(
        "OW310",
        "An import is not resolved",
        "Building imports nothing. Only opwright, math, numpy and typing names, files inside the library and the"
        " packages of libraries can be resolved from their text.",
        _body("return X * os.sep", top="import os\n"),
        _body("return X * math.pi", top="import math\n"),
    ),
    Entry(
        "OW311",
        "Static evaluation is out of fuel",
        "What is evaluated when a function is built is bounded, so that no source text can make a build run or grow"
        " without end.",
        _body("return X * (2 ** 100000)"),
        _body("return X * (2.0 ** 100)"),
    ),
    Entry(
        "OW312",
        "A static expression has no value",
        "Python would raise an error here, and the expression is evaluated when the function is built.",
        _body("return X * (1 / 0)"),
        _body("return X * (1 / 2)"),
    ),
    Entry(
        "OW313",
        "A number does not fit the element type it meets",
        "A constant takes the element type of the tensor that it meets. One with a fraction, or out of range, would"
        " become another number without a word.",
        _body(
            "return op.Cast(op.Cast(X, to=INT64) + 0.5, to=FLOAT) + op.Cast(X, to=FLOAT)",
            top="from opwright import FLOAT, INT64\n",
        ),
        _body("return X + 0.5"),
    ),
    Entry(
        "OW314",
        "An operator is not defined for these operands",
        "The table of operators says what each means for each class of element types; where ONNX has no meaning,"
        " none is made up. Nor is there a meaning where ONNX's own inference refuses the ranks, sizes, axes and"
        " constants that are known.",
        _body("return X & X"),
        _body("return op.Where((X > 0) & (X < 1), X, 0)"),
    ),
    Entry(
        "OW315",
        "Two tensors have different element types",
        "Promotion rules differ between frameworks, and ONNX has none. A silent choice would be right for some callers"
        " only.",
        _body("return X + op.Shape(X)"),
        _body("return X + op.CastLike(op.Shape(X), X)"),
    ),
    Entry(
        "OW316",
        "A parameter cannot be one of an ONNX function",
        "Every attribute of an ONNX function has a name and a type, so arbitrary keyword arguments have no place"
        " in it.",
        _body("return X", signature="def Swish(X, **attributes):\n"),
        _FINE,
    ),
    Entry(
        "OW317",
        "An annotation is not understood",
        "The annotation decides whether a parameter is an input or an attribute, and of which type.",
        _body("return X * alpha", signature="def Swish(X, alpha: int | str = 1):\n"),
        _body("return X * alpha", signature="def Swish(X, alpha: int = 1):\n"),
    ),
    Entry(
        "OW318",
        "A default is not allowed",
        "An input is given or absent; only attributes have default values, and a default must be of the"
        " attribute's type.",
        _body("return X", signature="def Swish(X, alpha: float = 'one'):\n"),
        _FINE,
    ),
    Entry(
        "OW319",
        "Blocks are nested too deeply",
        "Protobuf parsers stop at 32 nested subgraphs. A deeper model could be written, but not read.",
        _body("flag = op.ReduceSum(X, keepdims=0) > 0", *_NESTED, "return X"),
        _body("flag = op.ReduceSum(X, keepdims=0) > 0", *_NESTED[:8], "return X"),
    ),
    Entry(
        "OW320",
        "A value cannot be a condition",
        "A condition is one element that is zero or not. Strings and tensors of several elements are neither true nor"
        " false.",
        _body("if op.Constant(value_ints=[1, 2]):", "    X = -X", "return X"),
        _body("if op.Constant(value_int=1):", "    X = -X", "return X"),
    ),
    Entry(
        "OW321",
        "A loop changes a name's type",
        "What a loop carries from one trip to the next has one type in a graph.",
        _body("y = X", "for i in range(op.Size(X)):", "    y = op.Shape(y)", "return X"),
        _body("y = X", "for i in range(op.Size(X)):", "    y = y + i", "return y"),
    ),
    Entry(
        "OW322",
        "The function is not found",
        "A function is looked up in `function.py` of its folder under the operator's own name, bound once, at"
        " top level.",
        Example("build", {_FUNCTION_FILE: _GOOD.replace("def Swish", "def swish")}),
        _FINE,
    ),
    Entry(
        "OW323",
        "A function calls itself",
        "ONNX functions cannot be recursive: every runtime inlines them.",
        _body("return helper(X)", top="\n\ndef helper(x):\n    return helper(x)\n"),
        _body("return helper(X)", top="\n\ndef helper(x):\n    return -x\n"),
    ),
    Entry(
        "OW324",
        "A value must be known when the function is built",
        "Attributes are part of the graph's text; a value that is computed at run time cannot become one.",
        _body("return op.Softmax(X, axis=op.Size(X))"),
        _body("return op.Softmax(X, axis=-1)"),
    ),
    Entry(
        "OW325",
        "A value is not a tensor",
        "An input of an operator is a tensor, a number or a list of numbers; ragged lists and modules are none"
        " of these.",
        _body("return op.Add(X, [[1.0], [2.0, 3.0]])"),
        _body("return op.Add(X, [1.0])"),
    ),
    Entry(
        "OW326",
        "An optional input is used without asking",
        "Where the input is absent there is nothing to compute with, and the model could not run.",
        _with_limit("return op.Sigmoid(limit) * X * alpha"),
        _with_limit("if limit is not None:", "    X = op.Min(X, limit)", "return X * alpha"),
    ),
    Entry(
        "OW327",
        "The source is too large or nested too deeply",
        "Python's parser and stack have limits; beyond them nothing can be said about a file.",
        _body("return " + "-" * 1500 + "X"),
        _body("return --X"),
    ),
    Entry(
        "OW328",
        "Values and names differ in number",
        "Python raises an error when a right side gives another number of values than there are names.",
        _body("a, b = X, X, X", "return a"),
        _body("a, b, c = X, X, X", "return a + b + c"),
    ),
    Entry(
        "OW330",
        "A comment that ignores warnings does nothing",
        "`# opwright: ignore[OW455] reason` silences a warning at the line it stands on, or stands above. One without"
        " a warning to silence would silence the next one that comes there; one without a reason says nothing to those"
        " who read it.",
        _body("return X * op.Sigmoid(alpha * X)  # opwright: ignore[OW315] the types agree"),
        _FINE,
    ),
    Entry(
        "OW335",
        "A power of an integer is no integer",
        "A negative power of an integer is a fraction. numpy refuses it, and `Pow` of ONNX makes it 0, so the exponent"
        " of an integer tensor must be a number that is known when the function is built, and not negative.",
        _body("n = op.Size(X)", "return X * op.CastLike(n**-1, X)"),
        _body("n = op.Size(X)", "return X * op.CastLike(n**2, X)"),
    ),
    Entry(
        "OW336",
        "A function of another package is not part of the language",
        "A function that is called is inlined, or stays a call where it stands under `@script`. Most Python code of"
        " other packages uses more of Python than a graph can hold.",
        Example("python model.py", {"model.py": _FOREIGN.format("acme.scaled(X)"), "site-packages/acme.py": _ACME}),
        Example("python model.py", {"model.py": _FOREIGN.format("X * acme.SCALE"), "site-packages/acme.py": _ACME}),
    ),
    Entry(
        "OW337",
        "A call of print does nothing",
        "A graph has no output but its results. The function prints where it runs as Python, and its model does not.",
        _body("print(X)", "return X * op.Sigmoid(alpha * X)"),
        _FINE,
    ),
)
