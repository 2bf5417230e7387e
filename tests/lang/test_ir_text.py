"""The IR's text form: printed, read back, verified; and golden texts of small functions."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest_lang import Compiler
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.ir_print import Names, print_function
from opwright.lang.ir_verify import verify
from opwright.opsets.signatures import signature

from tests.lang.ir_parse import IrSyntaxError, parse_function

GOLDEN = Path(__file__).parent / "golden"
FLOATS = {"T": ["float16", "float", "double"]}
FUNCTIONS = {
    "constants": ("def F(x):\n    return op.Max(x * 0.5, 1) + K\n\nK = math.sqrt(2)\n", {"x": "T"}, {"y": "T"}, FLOATS),
    "attributes": (
        "def F(x, axes=None, alpha: float = 0.5, keepdims: int = 1):\n"
        "    return op.ReduceSum(x * alpha, axes, keepdims=keepdims)\n",
        {"x": "T", "axes": "int64"},
        {"y": "T"},
        FLOATS,
    ),
    "branches": (
        "def F(x):\n    s = op.ReduceSum(x, keepdims=0)\n    if s > 3:\n        y = x\n    elif s > 0:\n"
        "        y = x * 2\n"
        "    else:\n        y = -x\n    return y + s\n",
        {"x": "float"},
        {"y": "float"},
        {},
    ),
    "loop": (
        "def F(x, n):\n    s = 0\n    for i in range(1, n, 2):\n        s = s + x * i\n    return s\n",
        {"x": "double", "n": "int64/0"},
        {"y": "double"},
        {},
    ),
    "several": (
        "def F(x):\n    a, b = op.TopK(x, [1], axis=0)\n    return b, a\n",
        {"x": "float"},
        {"i": "int64", "v": "float"},
        {},
    ),
    "strings": ("def F(x):\n    return op.Equal(x, 'a') | op.Equal(x, \"b'\")\n", {"x": "string"}, {"y": "bool"}, {}),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_golden_text(compiler: Compiler, golden: Callable[[Path, str], None], name: str) -> None:
    text, inputs, outputs, types = FUNCTIONS[name]
    function = compiler.function(text, inputs, outputs, types, opset=20)
    golden(GOLDEN / f"{name}.ir", print_function(function))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_text_reads_back_as_itself(compiler: Compiler, name: str) -> None:
    text, inputs, outputs, types = FUNCTIONS[name]
    function = compiler.function(text, inputs, outputs, types, opset=20)
    printed = print_function(function)
    again = parse_function(printed)
    assert print_function(again) == printed
    assert verify(function) == verify(again) == []


@pytest.mark.parametrize(
    "text", ["", "function a::B opset 18", "function a::B@1 opset 18\n  %x: float[] = wrong", "function \x00"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises((IrSyntaxError, KeyError)):
        parse_function(text)


@pytest.mark.parametrize(
    ("element", "dims", "data", "text"),
    [
        ("float", (), struct.pack("<f", 0.1), "0.1"),
        ("float", (3,), struct.pack("<3f", -0.0, float("inf"), 3.4028234663852886e38), "[-0.0, inf, 3.4028235e+38]"),
        ("float", (), b"\x00\x00\xc0\x7f", "nan"),
        ("float", (), b"\x01\x00\xc0\x7f", "0x0100c07f"),  # a NaN that has something to say
        ("float16", (2,), struct.pack("<2e", 0.1, 65504), "[0.1, 65500.0]"),
        ("double", (1, 1), struct.pack("<d", 5e-324), "[5e-324]"),
        ("int64", (0, 2), b"", "[]"),
        ("uint64", (), b"\xff" * 8, "18446744073709551615"),
        ("bool", (2,), b"\x00\x01", "[false, true]"),
        ("bool", (), b"\x02", "0x02"),
        ("bfloat16", (), b"\x80\x3f", "0x803f"),
        ("complex64", (), struct.pack("<2f", 1, 2), "0x0000803f00000040"),
        ("string", (2,), ('\u00e9"'.encode(), b""), '["\\u00e9\\"", ""]'),
    ],
)
def test_a_constant_is_written_as_what_it_is(
    element: str, dims: tuple[int, ...], data: bytes | tuple[bytes, ...], text: str
) -> None:
    """To the last bit: in the shortest numbers that stand for it, or as bytes."""
    held = ir.TensorData(BY_NAME[element], dims, data)
    function = _function_of_constant(ir.TensorType(held.element, dims), held)
    printed = print_function(function)
    assert f" = Constant@13 {text}\n" in printed
    again = parse_function(printed)
    (node,) = again.body.nodes
    assert isinstance(node, ir.Const)
    assert node.data.key == held.key
    assert print_function(again) == printed


def test_a_constant_of_another_type_than_its_value_says_so() -> None:
    held = ir.TensorData(BY_NAME["int64"], (), struct.pack("<q", 3))
    printed = print_function(_function_of_constant(ir.NumberType(ir.NumberKind.INT), held))
    assert "%k: number(int) = Constant@13 int64[] 3\n" in printed
    assert print_function(parse_function(printed)) == printed


def _function_of_constant(type_: ir.Type, data: ir.TensorData) -> ir.Function:
    function = ir.Function("a", "F", 1, 18, None)
    value = ir.Value(type_, "k")
    constant = signature("", "Constant", 18)
    assert constant is not None
    function.body.nodes.append(ir.Const(ir.Operator(constant), data, value, None))
    function.body.yields.append(value)
    function.outputs.append("y")
    return function


SEVERAL_FORMS = """\
function "my-domain"::F@2 opset 18
  type T: rigid any
  input %x: T[2, N, ?]
  input %x.1: seq(optional(T[...])) optional
  input %x.2: map(int64, unknown)
  attribute @alpha: FLOATS required
  attribute @mode: STRING = "a\\n"
  attribute @empty: INTS = []
  %0: T[...], _, %y: unknown = call com.acme::G@1[x = "absent", n = "3"](%x, _) {alpha = @alpha, list = INTS []}
  %1: T[...] = call com.acme::H@1 body1:DIGEST() {value = int64[2] [1, -2], scale = 1e-05, names = ["b", "c"]}
  %z: float[...] = ai.onnx.ml::Scaler@1(%0) {offset = [0.5, inf], scale = FLOATS []}
  %2: T[...] = Loop@16(_, _) with (%trip: number(int), %go: bool[], %3: T[...] = %1) {
    %4: T[...] = Loop@16(%trip, %go, %3) {body = graph (%i: int64[], %more: bool[], %5: T[...]) {
      yield %more, %5
    }}
    yield %go, %4
  }
  return y = %z, inf = %2
""".replace("DIGEST", "0" * 64)


def test_every_form_reads_back_as_itself() -> None:
    assert print_function(parse_function(SEVERAL_FORMS)) == SEVERAL_FORMS


def test_texts_of_one_function_share_the_names_of_values(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    return (x + 1) * (x + 2)\n", {"x": "float"}, {"y": "float"})
    names = Names()
    assert "  %0: float[] = Constant@13 1.0\n  %1: float[] = Constant@13 2.0\n" in print_function(function, names)
    del function.body.nodes[0]
    assert "  %1: float[] = Constant@13 2.0\n" in print_function(function, names)
    assert "  %0: float[] = Constant@13 2.0\n" in print_function(function)


def test_the_verifier_sees_what_is_wrong(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    y = x + 1\n    return y * y\n", {"x": "float"}, {"y": "float"})
    function.body.nodes.reverse()
    assert any("before it is assigned" in problem for problem in verify(function))
    function.body.nodes.reverse()
    function.body.nodes.append(function.body.nodes[-1])
    assert any("assigned twice" in problem for problem in verify(function))
    function.body.nodes.pop()
    function.outputs.append("z")
    assert any("outputs are named" in problem for problem in verify(function))
