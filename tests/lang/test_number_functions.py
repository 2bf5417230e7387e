"""Python's functions of numbers that are known at run time only: the graph gives what Python gives, bit by bit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, OnnxFunction, script
from opwright import opset13 as op

from tests.docs.running import define, run_model

HEADER = "import math\nfrom opwright import BOOL, DOUBLE, FLOAT, INT64, script\nfrom opwright import opset13 as op\n"
OPSETS = (13, 18, 25)

# An expression of the int n or of the float a, and Python's own.
INTS = (-7, -2, 0, 1, 3, 8)
FLOATS = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.25, 1000.75)
OF_INT = [
    "abs(n)",
    "bool(n)",
    "float(n)",
    "int(n)",
    "round(n)",
    "round(n, 1)",
    "round(n * 13, -1)",
    "round(n * 25, -2)",
    "math.floor(n)",
    "math.ceil(n)",
    "math.trunc(n)",
    "math.fabs(n)",
    "math.sqrt(n * n + 2)",
    "math.exp(n)",
    "math.log(n * n + 1)",
    "math.sin(n) + math.cos(n)",
    "math.fmod(n, 3)",
    "min(n, 2)",
    "max(n, 2, -n)",
    "sum([n, 2], 3)",
    "sum((1, 2), n)",
    "math.prod([n, 2, n])",
    "divmod(n, 3)[0]",
    "divmod(n, 3)[1]",
    "divmod(n, -3)[1]",
    "pow(n, 3)",
    "pow(float(n), 2)",
    "math.floor(n / 2)",
    "math.ceil(n / 2)",
    "round(n / 2)",
    "int(n / 2)",
]
OF_FLOAT = [
    "abs(a)",
    "bool(a)",
    "int(a)",
    "round(a)",
    "round(a, 0)",
    "round(a, 1)",
    "round(a, 12)",
    "math.floor(a)",
    "math.ceil(a)",
    "math.trunc(a)",
    "math.fabs(a)",
    "math.sqrt(abs(a))",
    "math.exp(a / 3)",
    "math.log(abs(a))",
    "math.sin(a)",
    "math.cos(a)",
    "math.fmod(a, 1.25)",
    "divmod(a, 0.75)[0]",
    "divmod(a, -0.75)[1]",
    "pow(a, 2)",
    "max(a, -a)",
    "min(a, 1.5)",
]


def _define(parameter: str, expression: str) -> OnnxFunction:
    text = f"@script()\ndef F(x: DOUBLE, {parameter}):\n    return x * ({expression})\n"
    return define(HEADER, text, f"<{expression}>")


def _python(expression: str) -> Callable[..., object]:
    found: Callable[..., object] = eval(f"lambda n=0, a=0.0: {expression}", {"math": math})
    return found


def _check(function: OnnxFunction, expression: str, attributes: dict[str, float], opset: int) -> None:
    wanted = np.float64(_python(expression)(**attributes))
    x = np.array(1.0)
    model = function.to_model_proto(opset=opset, attributes=attributes)
    found = {name: outputs[0] for name, outputs in run_model(model, {"x": x}).items()}
    found["eager"] = function(x, **attributes)
    assert {name: float(value) for name, value in found.items()} == dict.fromkeys(found, float(wanted))


@pytest.mark.parametrize("expression", OF_INT)
def test_of_an_int_attribute(expression: str) -> None:
    function = _define("n: int", expression)
    for index, n in enumerate(INTS):
        _check(function, expression, {"n": n}, OPSETS[index % len(OPSETS)])


@pytest.mark.parametrize("expression", OF_FLOAT)
def test_of_a_float_attribute(expression: str) -> None:
    function = _define("a: float", expression)
    for index, a in enumerate(FLOATS):
        _check(function, expression, {"a": a}, OPSETS[index % len(OPSETS)])


def test_of_loop_indices_sizes_and_lengths() -> None:
    @script()
    def F(x: FLOAT[None, None]):
        total = x
        for i in range(len(x)):
            total = total + math.sqrt(i) * math.floor(x.shape[1] / 2) + divmod(i, 2)[1]
        return total

    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    wanted = x
    for i in range(3):
        wanted = wanted + np.float32(math.sqrt(i) * 1) + np.float32(i % 2)
    model = F.to_model_proto(opset=18)
    assert [node.op_type for node in model.graph.node].count("Loop") == 1
    for outputs in [*run_model(model, {"x": x}).values(), [F(x)]]:
        np.testing.assert_allclose(outputs[0], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "expression",
    [
        "math.log2(n)",
        "math.log10(n)",
        "math.log(n, 10)",
        "math.tan(n)",
        "math.tanh(n)",
        "math.erf(n)",
        "math.copysign(1.0, n)",
        "math.gcd(n, 4)",
        "math.isqrt(n)",
        "math.factorial(n)",
        "round(n / 3, 1)",
        "pow(n, 2, 5)",
        "pow(2, n)",
        "max(n, 0.5)",
    ],
)
def test_what_is_not_exact_is_refused(expression: str) -> None:
    """Where the number is a size, which no caller can give when the function is built."""
    text = f"@script()\ndef F(x: FLOAT[None]):\n    n = x.shape[0]\n    return x * ({expression})\n"
    with pytest.raises(DiagnosticError) as raised:
        define(HEADER, text, f"<{expression}>").to_function_protos(18)
    assert {item.code for item in raised.value.diagnostics} <= {"OW304", "OW347"}


def test_known_numbers_are_folded() -> None:
    @script()
    def F(x: FLOAT[3]):
        return op.Softmax(x, axis=divmod(7, 4)[0] - 1) * pow(2, x.shape[0]) + pow(2, 5, 7)

    assert [node.op_type for node in F.to_function_proto(18).node if node.op_type != "Constant"] == [
        "Softmax",
        "Mul",
        "Add",
    ]


@pytest.mark.parametrize(
    ("parameter", "expression", "given", "wanted"),
    [
        ("x: BOOL", "bool(x)", np.array(True), True),
        ("x: FLOAT[None]", "bool(x)", np.array([0.0], np.float32), False),
        ("x: FLOAT[None]", "bool(x[0]) + 1", np.array([0.5, 2], np.float32), 2),
        ("x: FLOAT[None]", "bool(x[0]) and bool(x[1] > 3)", np.array([0.5, 2], np.float32), False),
        ("x: FLOAT[None]", "bool(x.shape)", np.array([1], np.float32), True),
    ],
)
def test_the_truth_of_a_tensor_is_what_if_asks(parameter: str, expression: str, given: np.ndarray, wanted: int) -> None:
    function = define(HEADER, f"@script()\ndef F({parameter}):\n    return {expression}\n", f"<{expression}>")
    for outputs in [*run_model(function.to_model_proto(), {"x": given}).values(), [function(given)]]:
        assert outputs[0].shape == ()
        assert outputs[0] == wanted


def test_a_tensor_of_several_elements_has_no_truth() -> None:
    function = define(HEADER, "@script()\ndef F(x: FLOAT[None, 2]):\n    return bool(x)\n", "<bool>")
    with pytest.raises(DiagnosticError, match="OW320"):
        function.to_function_protos(18)


@pytest.mark.parametrize(
    ("expression", "kind"), [('"ab".upper()', "text"), ("len(x).real", "number"), ("(2).bit_length()", "number")]
)
def test_a_number_or_text_has_no_attributes(expression: str, kind: str) -> None:
    function = define(HEADER, f"@script()\ndef F(x: FLOAT[None]):\n    return {expression}\n", f"<{expression}>")
    with pytest.raises(DiagnosticError) as raised:
        function.to_function_protos(18)
    (found,) = raised.value.diagnostics
    assert (found.code, found.reason) == ("OW304", f"a {kind} has no attributes or methods in the language")
