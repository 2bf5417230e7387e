"""Who writes what numpy or PyTorch has is told what the language has instead, and that compiles."""

from __future__ import annotations

import pytest
from opwright import DiagnosticError, compile_source

HEAD = "import numpy as np\nfrom opwright import *\nfrom opwright import opset21 as op\n"


def written(expression: str) -> str:
    return f"{HEAD}def f(x, a, b, c: BOOL[...], low, high, indices: INT64[...]):\n    return {expression}\n"


@pytest.mark.parametrize(
    ("expression", "instead"),
    [
        ("np.exp(x)", "op.Exp(x)"),
        ("np.sum(x)", "op.ReduceSum(x, keepdims=0)"),
        ("np.mean(x)", "op.ReduceMean(x, keepdims=0)"),
        ("np.maximum(a, b)", "op.Max(a, b)"),
        ("np.where(c, a, b)", "op.Where(c, a, b)"),
        ("np.concatenate([a, b])", "op.Concat(a, b, axis=0)"),
        ("np.stack([a, b])", "op.Concat(op.Unsqueeze(a, [0]), op.Unsqueeze(b, [0]), axis=0)"),
        ("np.clip(x, low, high)", "op.Clip(x, low, high)"),
        ("np.dot(a, b)", "a @ b"),
        ("np.take(x, indices)", "op.Gather(x, indices, axis=0)"),
        ("np.zeros_like(x)", "op.CastLike(op.ConstantOfShape(op.Shape(x)), x)"),
        ("np.cumsum(x)", "op.CumSum(x, 0)"),
        ("x.prod()", "op.ReduceProd(x, keepdims=0)"),
        ("x.tanh()", "op.Tanh(x)"),
        ("x.unsqueeze(0)", "op.Unsqueeze(x, [0])"),
        ("op.Sum([a, b])", "op.Concat(a, b, axis=0)"),
    ],
)
def test_what_to_write_on_tensors(expression: str, instead: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compile_source(written(expression), "f").to_function_protos()
    (found,) = caught.value.diagnostics
    assert f"`{instead}`" in found.help
    compile_source(written(instead), "f").to_function_protos()


@pytest.mark.parametrize(
    ("expression", "help"),
    [
        ("op.AveragePool(x, kernel_shape=2)", "write a list: `kernel_shape=[2]`"),
        ("op.Constant(value_floats=0.5)", "write a list: `value_floats=[0.5]`"),
        ('op.Cast(x, to="float32")', "write `to=FLOAT`"),
        ('op.Cast(x, to="BFLOAT16")', "write `to=BFLOAT16`"),
        ('op.Cast(x, to="number")', ""),
        ("op.Softmax(x, dim=1)", "did you mean `axis`?"),
        ("op.LayerNormalization(x, a, eps=1e-3)", "did you mean `epsilon`?"),
    ],
)
def test_an_attribute_that_is_nearly_right(expression: str, help: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compile_source(written(expression), "f").to_function_protos()
    assert caught.value.diagnostics[0].help == help
