"""OW350 to OW358, OW366, OW367 and OW388: functions under `@script`, and functions passed to operators."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

_FILE = "model.py"
_IMPORT = "from opwright import FLOAT, Opset, opset18 as op, script\n"


def _program(text: str) -> Example:
    return Example(f"python {_FILE}", {_FILE: f"{_IMPORT}{text}"})


def _model(*lines: str, top: str = "", call: str = "f.to_model_proto()") -> Example:
    """A function of one tensor, and what is asked of it."""
    body = "".join(f"    {line}\n" for line in lines)
    return _program(f'{top}\n\n@script()\ndef f(X: FLOAT["N"]):\n{body}\n\n{call}\n')


_DOUBLE = "\n\n@script()\ndef double(x):\n    return x + x\n"
_SQUARE = "\n\n@script()\ndef square(x):\n    return op.MatMul(x, x)\n\n\n@script()\n"
_SAME_NAME = (
    '\n\n@script(Opset("com.acme", 1))\ndef {}(x):\n    return x + x\n\n\nfirst = {}\n'
    '\n\n@script(Opset("com.acme", 1))\ndef {}(x):\n    return -x\n\n\nsecond = {}\n'
)
_VARIANT_NAME = (
    '\n\n@script(Opset("com.acme", 1))\ndef clip(x, low=None):\n    return x if low is None else op.Max(x, low)\n'
    '\n\n@script(Opset("com.acme", 1))\ndef {}(x):\n    return -x\n'
)
_OVERLOADED = (
    '\n\n@script(Opset("com.acme", 1), name="{}", overload="{}")\ndef double(x):\n    return x + x\n'
    "\n\n@script()\ndef quadruple(x):\n    return double(double(x))\n"
)

ENTRIES = (
    Entry(
        "OW350",
        "A function that is called has errors",
        "A call needs to know what the function gives. Its own errors stand where they are found; its callers get"
        " one line each.",
        _model("return broken(X)", top="\n\n@script()\ndef broken(x):\n    return op.Sigmod(x)\n"),
        _model("return double(X)", top=_DOUBLE),
        beside=("OW201",),
    ),
    Entry(
        "OW351",
        "The source text of a function cannot be had",
        "A function is compiled from its text. Lambdas have no statements, methods take more than tensors, and what"
        " `exec` made leaves no text behind.",
        _program("\n\nscript()(lambda x: x + 1).to_function_proto()\n"),
        _program("\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_function_proto()\n"),
    ),
    Entry(
        "OW352",
        "An object cannot be part of a graph",
        "What a function reads of its surroundings becomes part of the graph: numbers, strings, lists of them, arrays"
        " of up to 1 MB, functions, types and opsets. Other objects have no meaning there.",
        _model("return X * settings['scale']", top="\nsettings = {'scale': 2.0}\n"),
        _model("return X * scale", top="\nscale = 2.0\n"),
    ),
    Entry(
        "OW353",
        "It is not said which variant is meant",
        "A function that asks static questions is several functions, one for each answer; a FunctionProto is one.",
        _program(
            "\n\n@script()\ndef f(x, limit=None):\n    if limit is not None:\n        x = op.Min(x, limit)\n"
            "    return x\n\n\nf.to_function_proto()\n"
        ),
        _program(
            "\n\n@script()\ndef f(x, limit=None):\n    if limit is not None:\n        x = op.Min(x, limit)\n"
            '    return x\n\n\nf.to_function_proto(variant={"limit": "absent"})\n'
        ),
    ),
    Entry(
        "OW354",
        "A model lacks a type or a value",
        "The inputs and outputs of a model have element types, and what is an attribute of a function is a value"
        " in a model.",
        _program("\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_model_proto()\n"),
        _program('\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_model_proto(input_types=[FLOAT["N"]])\n'),
    ),
    Entry(
        "OW355",
        "Two functions of a model have one name",
        "A model tells functions apart by domain, name and overload; two of the same would be one.",
        _model("return first(X) + second(X)", top=_SAME_NAME.format("g", "g", "g", "g")),
        _model("return first(X) + second(X)", top=_SAME_NAME.format("g", "g", "h", "h")),
    ),
    Entry(
        "OW356",
        "A function does not fit the operator that it is passed to",
        "An operator such as Scan says how many values its graph takes and gives.",
        _model(
            "def step(total):",
            "    return total, total",
            "last, each = op.Scan(0.0, X, body=step, num_scan_inputs=1)",
            "return each",
        ),
        _model(
            "def step(total, x):",
            "    return total + x, op.Identity(total)",
            "last, each = op.Scan(0.0, X, body=step, num_scan_inputs=1)",
            "return each",
        ),
    ),
    Entry(
        "OW357",
        "Two versions of one domain are used",
        "A model imports one version of each domain, so both operators would be of one version.",
        _model(
            "y = opset_ai_onnx_ml1.Scaler(X, scale=[2.0], offset=[0.0])",
            "return opset_ai_onnx_ml3.Normalizer(y)",
            top="from opwright import opset_ai_onnx_ml1, opset_ai_onnx_ml3\n",
        ),
        _model(
            "y = opset_ai_onnx_ml3.Scaler(X, scale=[2.0], offset=[0.0])",
            "return opset_ai_onnx_ml3.Normalizer(y)",
            top="from opwright import opset_ai_onnx_ml3\n",
        ),
    ),
    Entry(
        "OW358",
        "ONNX refuses the model",
        "A model is given to onnx.checker, and to ONNX's inference of shapes, before anybody gets it. What they refuse"
        " no runtime takes.",
        _program(f"{_SQUARE}def f(X: FLOAT[3, 4]):\n    return square(X)\n\n\nf.to_model_proto()\n"),
        _program(f"{_SQUARE}def f(X: FLOAT[4, 4]):\n    return square(X)\n\n\nf.to_model_proto()\n"),
    ),
    Entry(
        "OW388",
        "A model leaves ranks open",
        "An input of unknown rank has no shape in the model, and neither have outputs whose rank depends on it."
        " Runtimes take such a model; the full check of onnx.checker and tools that look for shapes may not."
        " `strict=True` makes an error of it.",
        _program("\n\n@script()\ndef f(x: FLOAT[...]):\n    return x + 1\n\n\nf.to_model_proto()\n"),
        _program(
            "\n\n@script()\ndef f(x: FLOAT[...]):\n    return x + 1\n\n\n"
            'f.to_model_proto(input_types={"x": FLOAT["N", "M"]})\n'
        ),
    ),
    Entry(
        "OW366",
        "A variant has the name of another function",
        "Variants are told apart by their names: that of `clip` without `low` is `clip__low_absent`. A model would have"
        " two functions of one name.",
        _model("return clip(X) + clip__low_absent(X)", top=_VARIANT_NAME.format("clip__low_absent")),
        _model("return clip(X) + negate(X)", top=_VARIANT_NAME.format("negate")),
    ),
    Entry(
        "OW367",
        "A function calls another one by its overload",
        "onnxruntime finds a function by its overload where the graph of a model calls it, since release 1.27. In a"
        " function it takes the one without overload, or does not load the model; onnx.reference ignores overloads.",
        _model("return quadruple(X)", top=_OVERLOADED.format("Double", "float")),
        _model("return quadruple(X)", top=_OVERLOADED.format("Double_float", "")),
    ),
    Entry(
        "OW223",
        "The default opset is none of ai.onnx",
        "`default_opset` says for which version of the standard's operators a function is compiled. The domain that the"
        " function belongs to is another argument.",
        _program(
            '\n\n@script(default_opset=Opset("com.acme", 1))\ndef f(x):\n    return x + 1\n\n\nf.to_function_proto()\n'
        ),
        _program(
            '\n\n@script(Opset("com.acme", 1), default_opset=op)\n'
            "def f(x):\n    return x + 1\n\n\nf.to_function_proto()\n"
        ),
    ),
)
