"""Bodies as text and back: to the last byte, and nothing else is taken for a body."""

from __future__ import annotations

import random
from pathlib import Path

import onnx.parser
import pytest
from onnx import FunctionProto, TensorProto, helper
from opwright.bundle.read import read_bundle_file
from opwright.protos.canonical import CanonicalBody, canonicalise
from opwright_build.versions.body_form import TextError, body_lines, read_body

TEXT = """
<opset_import: ["" : 18], domain: "com.acme">
Sample <alpha, mode: string = "linear"> (X, C) => (Y, Z)
{
  Two = Constant <value = float[2] {2.5, -0.125}> ()
  Big = Constant <value_ints: ints = [9223372036854775807, -1]> ()
  A = LeakyRelu <alpha: float = @alpha> (X)
  B = Resize <mode: string = @mode> (A, , Two)
  S = Constant <value_string: string = "a \\"text\\""> ()
  Y = If (C) <
    then_branch = yes () => (T) { T = Add(B, B) },
    else_branch = no () => (E) {
      Q = If (C) <then_branch = a () => (U) { U = Neg(B) }, else_branch = b () => (V) { V = Abs(B) }>
      E = Identity(Q)
    }
  >
  Z = Identity(Big)
}
"""


def sample() -> CanonicalBody:
    return canonicalise(onnx.parser.parse_function(TEXT), callees={})


def test_a_body_is_readable() -> None:
    lines = [line.rstrip() for line in body_lines(sample().proto)]
    assert lines[:4] == ['imports {"": 18}', "inputs 2", "outputs o0 o1", "attributes 2"]
    assert lines[4] == 'v0 = LeakyRelu(i0) {"alpha": ["@", "FLOAT", "a0"]}'
    assert 'v1 = Constant() {"value": ["TENSOR", "FLOAT", [2], [2.5, -0.125]]}' in lines
    assert [line for line in lines if line.startswith("  graph")] == ["  graph () => (v6)", "  graph () => (v7)"]
    assert any(line.startswith("    v7 = ") for line in lines)


def test_a_body_comes_back_to_the_last_byte() -> None:
    made = sample()
    lines = body_lines(made.proto)
    assert all("\n" not in line for line in lines)
    assert read_body(lines, made.digest) == made.proto


@pytest.mark.parametrize(
    "tensor",
    [
        helper.make_tensor("", TensorProto.FLOAT, [2], [float("nan"), float("-inf")]),
        helper.make_tensor("", TensorProto.FLOAT, [1], b"\x01\x00\xc0\x7f", raw=True),
        helper.make_tensor("", TensorProto.FLOAT, [2, 0], []),
        helper.make_tensor("", TensorProto.DOUBLE, [], [0.1]),
        helper.make_tensor("", TensorProto.FLOAT, [3], [0.1, -0.0, 1e-45]),
        helper.make_tensor("", TensorProto.BFLOAT16, [2], [0.5, 3.0]),
        helper.make_tensor("", TensorProto.UINT4, [3], [1, 2, 3]),
        helper.make_tensor("", TensorProto.STRING, [2], [b"\xff", b"a\nb"]),
        helper.make_tensor("", TensorProto.BOOL, [2], [True, False]),
        helper.make_tensor("", TensorProto.INT64, [100], list(range(100))),
    ],
)
def test_all_numbers_come_back(tensor: TensorProto) -> None:
    node = helper.make_node("Constant", [], ["Y"], value=tensor)
    function = helper.make_function("d", "F", [], ["Y"], [node], [helper.make_opsetid("", 21)])
    made = canonicalise(function, callees={})
    assert read_body(body_lines(made.proto), made.digest) == made.proto


def test_bodies_of_the_standard_come_back(standard_file: Path) -> None:
    bodies = read_bundle_file(standard_file).bodies
    for digest in random.Random(3).sample(sorted(bodies), 150):
        assert read_body(body_lines(bodies[digest]), digest) == bodies[digest]


def test_another_body_is_refused() -> None:
    made = sample()
    lines = body_lines(made.proto)
    at = next(index for index, line in enumerate(lines) if "Neg" in line)
    with pytest.raises(TextError, match="its nodes have the digest"):
        read_body([*lines[:at], lines[at].replace("Neg", "Exp"), *lines[at + 1 :]], made.digest)


def test_no_bytes_lead_to_anything_else() -> None:
    made = sample()
    text = "\n".join(body_lines(made.proto))
    draw = random.Random(7)
    for _ in range(400):
        mangled = list(text)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(mangled))
            mangled[at : at + draw.randint(0, 3)] = draw.choice(
                ['"', "{", "}", "  ", "\n", "9" * 30, "@", "[", "é", ""]
            )
        lines = "".join(mangled).split("\n")
        try:
            found, line = read_body(lines, made.digest), 0
        except TextError as error:
            found, line = made.proto, error.line
        assert found == made.proto
        assert 0 <= line <= len(lines)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["imports {}"],
        ["imports []", "inputs 1", "outputs o0", "attributes 0"],
        ["imports {}", "inputs 999999999999", "outputs o0", "attributes 0"],
        ["imports {}", "inputs -1", "outputs o0", "attributes 0", 'o0 = If(i0) {"a": ["GRAPH", 5]}'],
        ["imports {}", "inputs 1", "outputs o0", "attributes 0", 'o0 = If(i0) {"a": 3}'],
        ['imports {"": 13}', "inputs 1", "outputs o0", "attributes 0", "o0 = Nothing(i0)"],
        ['imports {"": 13}', "inputs 1", "outputs o0", "attributes 0"] + ["  " * n + "o0 = If(i0)" for n in range(90)],
    ],
)
def test_nonsense_is_refused(lines: list[str]) -> None:
    with pytest.raises(TextError):
        read_body(lines, "body1:" + "0" * 64)


def test_the_sample_is_a_body() -> None:
    assert FunctionProto.FromString(sample().proto).node
