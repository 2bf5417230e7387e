"""One where the greatest element along an axis is, zero elsewhere; and a model that ends with it."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def onnx_hardmax(X: FLOAT[...], axis: int) -> FLOAT[...]:
    argmax = op.ArgMax(X, axis=axis, keepdims=False)
    xshape = op.Shape(X, start=axis)
    zero = op.Constant(value_ints=[0])
    depth = op.GatherElements(xshape, zero)
    depth = op.Reshape(depth, op.Constant(value_ints=[0]))
    cast_values = op.CastLike(op.Constant(value_ints=[0, 1]), X)
    return op.OneHot(argmax, depth, cast_values, axis=axis)


@script()
def sample_model(X: FLOAT[64, 128], Wt: FLOAT[128, 10], Bias: FLOAT[10]) -> FLOAT[64, 10]:
    matmul = op.MatMul(X, Wt) + Bias
    return onnx_hardmax(matmul, axis=1)
