"""Operators are written as Python's signs wherever the sign means the operator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import FunctionProto, ModelProto, parser
from opwright import compare, decompile

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, run_ort


def graph_of(nodes: str, opset: int = 18) -> ModelProto:
    return parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {opset}]> '
        f"main (float[N] x, int64[N] n, uint8[N] u, int8[N] s) => (float[N] y) {{ {nodes} }}"
    )


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("two = Constant <value: tensor = float {2.0}> () a = Neg (x) y = Pow (a, two)", "y = a**2.0"),
        ("two = Constant <value: tensor = int64 {2}> () y = Pow (x, two)", "y = op.Pow(x, 2)"),
        ("y = Pow (x, n)", "y = op.Pow(x, n)"),
        ("a = Pow (n, n) y = CastLike (a, x)", "a = op.Pow(n, n)"),
        ("a = CastLike (n, x) y = Pow (x, a)", "y = x**a"),
        ("two = Constant <value: tensor = float {-2.0}> () y = Pow (two, x)", "y = op.Pow(-2.0, x)"),
        ("k = Constant <value: tensor = int64 {3}> () a = Mod (n, k) y = CastLike (a, x)", "a = n % 3"),
        ("a = Mod <fmod = 1> (x, x) y = Identity (a)", "a = op.Mod(x, x, fmod=1)"),
        ('a = BitShift <direction = "LEFT"> (u, u) y = CastLike (a, x)', "a = u << u"),
        ("a = Less (x, x) b = Not (a) c = Or (a, b) y = CastLike (c, x)", "c = a | b"),
    ],
)
def test_signs_of_graphs(nodes: str, expected: str, tmp_path: Path) -> None:
    model = graph_of(nodes)
    text = decompile(model).text
    assert f"    {expected}\n" in text
    (tmp_path / "signs.py").write_text(text)
    again = make(tmp_path / "signs.py")
    assert isinstance(again, ModelProto)
    x = np.array([1.5, -2.0, 3.0], np.float32)
    given = [x, np.array([2, -7, 3]), np.array([1, 2, 3], np.uint8), np.array([1, 2, -3], np.int8)]
    assert equal(run_ort(model, given)[0], run_ort(again, given)[0])


def test_shifts_of_signed_numbers_stay_calls() -> None:
    newest = graph_of('a = BitShift <direction = "LEFT"> (s, s) y = CastLike (a, x)', onnx.defs.onnx_opset_version())
    assert "a = op.BitShift(s, s" in decompile(newest).text


def test_signs_of_functions(tmp_path: Path) -> None:
    function = parser.parse_function(
        """<domain: "d", opset_import: ["": 18]> f (x, n) => (y) {
            a = Add (x, x) b = Neg (a) two = Constant <value: tensor = float {2.0}> () t = CastLike (two, x)
            c = Pow (b, t) d = Less (c, x) e = Not (d) g = And (d, e) h = Cast <to = 1> (x)
            i = Mul (h, two) j = And (n, g) k = Mul (x, two) y = Where (j, i, i)
        }"""
    )
    text = decompile(function, faithful=True).text
    for line in ("a = x + x", "b = -a", "c = op.Pow(b, t)", "e = ~d", "g = d & e", "i = h * two", "j = op.And(n, g)"):
        assert f"    {line}\n" in text, line
    (tmp_path / "signs.py").write_text(text)
    again = make(tmp_path / "signs.py")
    assert isinstance(again, FunctionProto)
    assert compare(function, again)
    readable = decompile(function).text
    assert "    i = h * 2.0\n" in readable
    assert "    k = x * FLOAT(2.0)\n" in readable


def test_control_of_functions(tmp_path: Path) -> None:
    function = parser.parse_function(
        """<domain: "d", opset_import: ["": 18]> f <up: int = 1> (x, given) => (y, z) {
            one = Constant <value_int = @up> () zero = Constant <value: tensor = int64 {0}> () c = Equal (one, zero)
            y = If (c) <then_branch: graph = a () => (p) { q = Exp (x) p = Identity (q) },
                        else_branch: graph = b () => (p) { p = Identity (x) }>
            z = If (given) <then_branch: graph = d () => (p) { p = Neg (x) },
                            else_branch: graph = e () => (p) { p = Abs (x) }>
        }"""
    )
    made = decompile(function)
    assert "    c = one == 0\n    if c:\n        q = op.Exp(x)\n        y = q\n    else:\n        y = x\n" in made.text
    assert "z = op.If(given, then_branch=d, " in made.text  # of whose type nothing is known
    made.write(tmp_path / "control.py")
    again = make(tmp_path / "control.py")
    assert isinstance(again, FunctionProto)
    for up, condition in ((0, True), (1, False)):
        results = []
        for proto in (function, again):
            call = parser.parse_model(
                '<ir_version: 10, opset_import: ["": 18, "d": 1]> '
                "main (float[N] x, bool c) => (float[N] y, float[N] z) "
                f"{{ y, z = d.f <up = {up}> (x, c) }}"
            )
            call.functions.append(proto)
            results.append(run_ort(call, [np.array([-1.5, 2], np.float32), np.array(condition)]))
        assert all(map(equal, *results))
