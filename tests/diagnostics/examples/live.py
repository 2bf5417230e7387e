"""OW350 to OW358, OW366, OW367 and OW388: functions under `@script`, and functions passed to operators."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

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

PAIRS = (
    Pair(
        "OW350",
        _model("return broken(X)", top="\n\n@script()\ndef broken(x):\n    return op.Sigmod(x)\n"),
        _model("return double(X)", top=_DOUBLE),
        beside=("OW201",),
    ),
    Pair(
        "OW351",
        _program("\n\nscript()(lambda x: x + 1).to_function_proto()\n"),
        _program("\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_function_proto()\n"),
    ),
    Pair(
        "OW352",
        _model("return X * scales.pop()", top="\nscales = {2.0}\n"),
        _model("return X * scale", top="\nscale = 2.0\n"),
    ),
    Pair(
        "OW353",
        _program(
            "\n\n@script()\ndef f(x, limit=None):\n    if limit is not None:\n        x = op.Min(x, limit)\n"
            "    return x\n\n\nf.to_function_proto()\n"
        ),
        _program(
            "\n\n@script()\ndef f(x, limit=None):\n    if limit is not None:\n        x = op.Min(x, limit)\n"
            '    return x\n\n\nf.to_function_proto(variant={"limit": "absent"})\n'
        ),
    ),
    Pair(
        "OW354",
        _program("\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_model_proto()\n"),
        _program('\n\n@script()\ndef f(x):\n    return x + 1\n\n\nf.to_model_proto(input_types=[FLOAT["N"]])\n'),
    ),
    Pair(
        "OW355",
        _model("return first(X) + second(X)", top=_SAME_NAME.format("g", "g", "g", "g")),
        _model("return first(X) + second(X)", top=_SAME_NAME.format("g", "g", "h", "h")),
    ),
    Pair(
        "OW356",
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
    Pair(
        "OW357",
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
    Pair(
        "OW358",
        _program(f"{_SQUARE}def f(X: FLOAT[3, 4]):\n    return square(X)\n\n\nf.to_model_proto()\n"),
        _program(f"{_SQUARE}def f(X: FLOAT[4, 4]):\n    return square(X)\n\n\nf.to_model_proto()\n"),
    ),
    Pair(
        "OW388",
        _program("\n\n@script()\ndef f(x: FLOAT[...]):\n    return x + 1\n\n\nf.to_model_proto()\n"),
        _program(
            "\n\n@script()\ndef f(x: FLOAT[...]):\n    return x + 1\n\n\n"
            'f.to_model_proto(input_types={"x": FLOAT["N", "M"]})\n'
        ),
    ),
    Pair(
        "OW366",
        _model("return clip(X) + clip__low_absent(X)", top=_VARIANT_NAME.format("clip__low_absent")),
        _model("return clip(X) + negate(X)", top=_VARIANT_NAME.format("negate")),
    ),
    Pair(
        "OW367",
        _model("return quadruple(X)", top=_OVERLOADED.format("Double", "float")),
        _model("return quadruple(X)", top=_OVERLOADED.format("Double_float", "")),
    ),
    Pair(
        "OW223",
        _program(
            '\n\n@script(default_opset=Opset("com.acme", 1))\ndef f(x):\n    return x + 1\n\n\nf.to_function_proto()\n'
        ),
        _program(
            '\n\n@script(Opset("com.acme", 1), default_opset=op)\n'
            "def f(x):\n    return x + 1\n\n\nf.to_function_proto()\n"
        ),
    ),
)
