"""OW340 to OW349: subscripts, shapes, lists and numbers of the run time."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

_FUNCTION_FILE = "specs/com.acme/Swish/function.py"
_IMPORT = "from opwright import opset18 as op\n"
_SIGNATURE = "def Swish(X, alpha: float = 1.0):\n"


def _body(*lines: str, signature: str = _SIGNATURE) -> Example:
    """The base library with another body of Swish."""
    body = "".join(f"    {line}\n" for line in lines)
    return Example("build", {_FUNCTION_FILE: f"{_IMPORT}\n\n{signature}{body}"})


ENTRIES = (
    Entry(
        "OW340",
        "A subscript is not possible",
        "A subscript means what it means in numpy. An index that numpy refuses, or for which ONNX has no operator,"
        " would give another result without a word.",
        _body("return X * X[0.5]"),
        _body("return X * X[0]"),
    ),
    Entry(
        "OW341",
        "A length must be known",
        "A list of which the length is known at run time only can be indexed and given to an operator; to unpack it, or"
        " to run over it, its length must be known when the function is built.",
        _body("a, b = axes[1:]", "return X * a + b", signature="def Swish(X, axes: tuple[int, ...] = (1, 2, 3)):\n"),
        _body(
            "a, b = axes[1], axes[2]",
            "return X * a + b",
            signature="def Swish(X, axes: tuple[int, ...] = (1, 2, 3)):\n",
        ),
    ),
    Entry(
        "OW342",
        "An index is out of range",
        "Python raises an error where an index is out of range, and where there are more indices than axes; what is"
        " known of the tensor says so already when the function is built.",
        _body("return X[op.Constant(value_ints=[0, 1])[2]] + X"),
        _body("return X[op.Constant(value_ints=[0, 1])[1]] + X"),
    ),
    Entry(
        "OW343",
        "Only names can be assigned",
        "A value of a graph never changes. An assignment to a part of it would have to make another tensor, which all"
        " names for the old one would not see.",
        _body("X[0] = 1.0", "return X"),
        _body("first = op.Equal(op.Range(0, op.Shape(X)[-1], 1), 0)", "return op.Where(first, 1.0, X)"),
    ),
    Entry(
        "OW344",
        "A list that changes has several names",
        "In Python every name for a list sees it change. In a graph each name stands for a value, so a list that is"
        " appended to may have one name only, and must be the function's own.",
        _body("parts = [X]", "others = parts", "parts.append(-X)", "return op.Concat(*others, axis=-1)"),
        _body("parts = [X]", "others = parts + []", "parts.append(-X)", "return op.Concat(*others, axis=-1)"),
    ),
    Entry(
        "OW345",
        "A method of a list is not part of the language",
        "Lists grow at their end; that is what the sequences of ONNX can do in step with Python.",
        _body("parts = [X, -X]", "parts.pop()", "return op.Concat(*parts, axis=-1)"),
        _body("parts = [X]", "parts.append(-X)", "return op.Concat(*parts, axis=-1)"),
    ),
    Entry(
        "OW346",
        "An item does not fit its list",
        "Where control flow decides how long a list is, it is a sequence of ONNX: it holds tensors, all of one element"
        " type.",
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
    Entry(
        "OW347",
        "A number's kind depends on its value",
        "Whether a number is an int or a float decides what later operators mean. Where Python decides that by the"
        " value, and the value is known at run time only, there is no graph for it.",
        _body("return X * 2 ** len(X)"),
        _body("return X * 2.0 ** len(X)"),
    ),
)
