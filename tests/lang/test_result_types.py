"""Result types that an attribute or a sequence decides: they meet constants of the right type."""

from __future__ import annotations

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang.families.family import admitted

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("body", "opset", "wanted"),
    [
        ("y, m, d = op.LayerNormalization(x, x[0] * 0 + 1)\n    return m * 2 + d * 0", 18, [[2], [8]]),
        ("return op.DequantizeLinear(op.Cast(x, to=2), FLOAT(0.5)) + 1", 19, X * 0.5 + 1),
        ("return op.DequantizeLinear(op.Cast(x, to=2), FLOAT(0.5)) + 1", 23, X * 0.5 + 1),
        ("return op.ConcatFromSequence([x, x], axis=0) + 1", 18, np.concatenate([X, X]) + 1),
        ("return op.SequenceAt(op.SplitToSequence(x), 0) + 1", 18, X[:1] + 1),
    ],
)
def test_the_result_meets_a_constant(compiler: Compiler, body: str, opset: int, wanted: object) -> None:
    function = compiler.function(f"def F(x):\n    {body}\n", {"x": "float"}, {"y": "float"}, opset=opset)
    for got in run_everywhere(function, {"x": X}).values():
        np.testing.assert_allclose(got[0], wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("expression", "opset", "message"),
    [
        ("op.Cast(x, to=FLOAT8E4M3FN)", 18, "Cast does not give float8e4m3fn"),
        ("op.Cast(x, to=INT2)", 24, "Cast does not give int2"),
        ("op.Cast(x, to=COMPLEX64)", 28, "Cast does not give complex64"),
        ("op.EyeLike(x, dtype=BFLOAT16)", 21, "EyeLike does not give bfloat16"),
        ("op.RandomUniformLike(x, dtype=INT64)", 22, "RandomUniformLike does not give int64"),
        ("op.RandomNormal(shape=[2], dtype=BOOL)", 22, "RandomNormal does not give bool"),
        ("op.Multinomial(x, dtype=FLOAT)", 22, "Multinomial does not give float"),
        ("op.HannWindow(INT64(3), output_datatype=STRING)", 17, "HannWindow does not give string"),
        ("op.QuantizeLinear(x, FLOAT(1), output_dtype=FLOAT)", 21, "QuantizeLinear does not give float"),
        ("op.SequenceAt(op.SequenceEmpty(dtype=FLOAT8E5M2), 0)", 18, "SequenceEmpty does not give seq(float8e5m2"),
    ],
)
def test_what_an_operator_does_not_give_is_refused(
    compiler: Compiler, expression: str, opset: int, message: str
) -> None:
    imported = "BFLOAT16, COMPLEX64, FLOAT8E4M3FN, FLOAT8E5M2, INT2, STRING"
    text = f"from opwright import {imported}\nfrom opwright import opset{opset} as own\n"
    text += f"def F(x):\n    return {expression.replace('op.', 'own.')}\n"
    found = compiler.family(text, {"x": "float/2"}, {"y": "T"}, {"T": ["float"]}, opset=opset).diagnostics
    assert [(item.code, item.message.startswith(message)) for item in found] == [("OW208", True)], found


@pytest.mark.parametrize(
    ("expression", "opset", "help_"),
    [
        (
            "op.Cast(x, to=FLOAT8E5M2)",
            18,
            "from opset 19 on it gives float8e5m2: write the function for that opset",
        ),
        ("op.Cast(x, to=INT2)", 24, "from opset 25 on it gives int2: write the function for that opset"),
        ("op.EyeLike(x, dtype=BFLOAT16)", 21, "from opset 22 on it gives bfloat16: write the function for that opset"),
        ("op.Cast(x, to=COMPLEX64)", 28, "choose another element type, or leave this one out of the declared types"),
    ],
)
def test_a_later_opset_that_gives_it_is_named(compiler: Compiler, expression: str, opset: int, help_: str) -> None:
    text = f"from opwright import BFLOAT16, COMPLEX64, FLOAT8E5M2, INT2\nfrom opwright import opset{opset} as own\n"
    text += f"def F(x):\n    return {expression.replace('op.', 'own.')}\n"
    found = compiler.family(text, {"x": "float/2"}, {"y": "T"}, {"T": ["float"]}, opset=opset).diagnostics
    assert [item.help for item in found] == [help_]


def test_a_result_of_the_type_of_an_input_narrows_that_input(compiler: Compiler) -> None:
    """RandomUniformLike takes integers, and gives floats alone."""
    text = "def F(x):\n    return op.RandomUniformLike(x)\n"
    types = {"T": ["float", "double", "int64"]}
    function = compiler.function(text, {"x": "T/2"}, {"y": "T"}, types, opset=22)
    assert admitted(function) == (("T", ("float", "double")),)


def test_variants_that_cast_cannot_give_do_not_exist(compiler: Compiler) -> None:
    text = "def F(x, like):\n    return op.Cast(x, to=like.dtype)\n"
    types = {"T": ["float"], "U": ["double", "float8e5m2", "int2"]}
    for opset, wanted in ((18, ["double"]), (19, ["double", "float8e5m2"]), (25, ["double", "float8e5m2", "int2"])):
        family = compiler.family(text, {"x": "T", "like": "U"}, {"y": "U"}, types, opset=opset)
        assert not family.diagnostics
        assert sorted(dict(item.key)["U"] for item in family.variants) == wanted
