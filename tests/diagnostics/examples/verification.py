"""What verifying bodies on runtimes finds: OW423, and OW450 to OW499."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_ROW = "schema: 1\nrows:\n  - name: ones\n    inputs: {X: [1.0, -1.0]}\n"
_TELLING = _ROW + "  - name: steep\n    attributes: {alpha: 2.5}\n    inputs: {X: [0.5, -1.5, 3.0]}\n"
_SPEC = (
    "schema: 1\ndomain: com.acme\nname: Swish\nsummary: X * sigmoid(alpha * X), for each element.\nsince_version: 1\n"
    'opset: ">=18"\ninputs: {X: T}\noutputs: {Y: T}\ntypes: {T: [float, double]}\n'
    "vectors: [vectors.yaml]\nreference: reference.py\n"
)
_WITH_BIAS = {
    "specs/com.acme/Swish/spec.yaml": _SPEC.replace("{X: T}\nout", "{X: T, bias: T}\nout"),
    "specs/com.acme/Swish/function.py": (
        "from opwright import opset18 as op\n\n\ndef Swish(X, bias=None):\n"
        "    if bias is not None:\n        X = X + bias\n    return X * op.Sigmoid(X)\n"
    ),
    "specs/com.acme/Swish/reference.py": (
        "import numpy as np\n\n\ndef Swish(X, bias=None):\n"
        "    X = X if bias is None else X + bias\n    return X / (1 + np.exp(-X))\n"
    ),
}


_IN_LOCALE = {
    "specs/com.acme/Swish/spec.yaml": (
        "schema: 1\ndomain: com.acme\nname: Swish\nsummary: Upper case.\nsince_version: 1\n"
        'opset: ">=18"\ninputs: {X: string}\noutputs: {Y: string}\nvectors: [vectors.yaml]\n'
    ),
    "specs/com.acme/Swish/function.py": (
        "from opwright import opset18 as op\n\n\ndef Swish(X):\n"
        '    return op.StringNormalizer(X, case_change_action="UPPER", locale="xx_XX")\n'
    ),
    "specs/com.acme/Swish/vectors.yaml": "schema: 1\nrows:\n  - {name: a, inputs: {X: [b]}, outputs: {Y: [B]}}\n",
    "specs/com.acme/Swish/reference.py": "",
}


def _rows(text: str, command: str = "test", **files: str) -> Example:
    return Example(command, {"specs/com.acme/Swish/vectors.yaml": text, **files})


def _gaps(row: str, spec: str = _SPEC, releases: str = "") -> Example:
    text = f"schema: 1\n{releases}gaps:\n  - {row}\n"
    return Example("test", {"specs/runtime-gaps.yaml": text, "specs/com.acme/Swish/spec.yaml": spec})


def _gap(operator: str, types: str, releases: str = "") -> str:
    return (
        f'{{runtime: onnxruntime, {releases}operator: "{operator}", types: {types}, opsets: [18, 20, 22], '
        'outcome: no-kernel, reason: "no kernel for Sigmoid-13 with these types"}'
    )


_BFLOAT16 = _SPEC.replace("[float, double]", "[float, double, bfloat16]")

_LISTED = 'releases: {onnxruntime: ["1.30.0"]}\n'
_OLD = _gap("com.acme::Swish@1", "{T: bfloat16}", 'releases: ["1.29.0"], ')


def _fast_gelu(domain: str) -> Example:
    """A function of that name which onnxruntime has in com.microsoft, instead of Swish."""
    spec = _SPEC.replace("reference: reference.py\n", "").replace("Swish", "FastGelu").replace("com.acme", domain)
    folder = f"specs/{domain}/FastGelu"
    swish = {
        f"specs/com.acme/Swish/{name}": "" for name in ("spec.yaml", "function.py", "vectors.yaml", "reference.py")
    }
    return Example(
        "test",
        {
            **swish,
            f"specs/{domain}/domain.yaml": "schema: 1\nversion: 1\n",
            f"{folder}/spec.yaml": spec,
            f"{folder}/function.py": (
                "from opwright import opset18 as op\n\n\ndef FastGelu(X):\n"
                "    return X * 0.5 * (op.Tanh((X + X * X * X * 0.044715) * 0.7978845608028654) + 1)\n"
            ),
            f"{folder}/vectors.yaml": "schema: 1\nrows:\n  - {name: zero, inputs: {X: [0.0]}, outputs: {Y: [0.0]}}\n",
        },
    )


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW423",
        bad=_gaps(_OLD, releases=_LISTED),
        good=_gaps(_OLD, releases=_LISTED.replace("]", ', "1.29.0"]')),
    ),
    Pair(
        "OW450",
        bad=_rows(_ROW + "  - name: wrong\n    inputs: {X: [0.0]}\n    outputs: {Y: [1.0]}\n"),
        good=_rows(_ROW + "  - name: right\n    inputs: {X: [0.0]}\n    outputs: {Y: [0.0]}\n"),
    ),
    Pair(
        "OW451",
        bad=Example("test", {"specs/com.acme/Swish/spec.yaml": _BFLOAT16}),
        good=_gaps(_gap("com.acme::Swish@1", "{T: bfloat16}"), _BFLOAT16),
    ),
    Pair(
        "OW452",
        bad=_gaps(_gap("com.acme::Other@1", "{T: bfloat16}")),
        good=Example("test"),
    ),
    Pair(
        "OW453",
        bad=_gaps(_gap("com.acme::Swish@1", "{T: float}")),
        good=Example("test"),
    ),
    Pair(
        "OW455",
        bad=_rows(_ROW, "test --no-oracle"),
        good=_rows(_ROW),
    ),
    Pair(
        "OW456",
        bad=Example("test", _WITH_BIAS),
        good=Example(
            "test",
            {
                **_WITH_BIAS,
                "specs/com.acme/Swish/vectors.yaml": _ROW
                + "  - name: biased\n    inputs: {X: [1.0, -1.0], bias: [0.5, 0.5]}\n",
            },
        ),
    ),
    Pair(
        "OW457",
        bad=Example("test", _IN_LOCALE),
        good=Example("test"),
    ),
    Pair(
        "OW470",
        bad=_rows("schema: 1\nrows:\n  - name: zero\n    inputs: {X: [0.0]}\n", "test --mutants"),
        good=_rows(_TELLING, "test --mutants"),
        beside=("OW471",),
    ),
    Pair(
        "OW471",
        bad=_rows(_ROW, "test --mutants"),
        good=_rows(_TELLING, "test --mutants"),
        beside=("OW470",),
    ),
    Pair(
        "OW472",
        bad=_rows(
            _TELLING,
            "test --mutants",
            **{
                "specs/mutants-survivors.yaml": "schema: 1\nsurvivors:\n"
                '  - {id: "com.acme::Swish@1 Mul#1 becomes Div", reason: "alpha is 1"}\n'
            },
        ),
        good=_rows(_TELLING, "test --mutants"),
    ),
    Pair("OW652", bad=_fast_gelu("com.microsoft"), good=_fast_gelu("com.acme")),
)
