"""The samples with which ONNX Script was published, as they were printed but for the import line.

`Dropout` was printed as a fragment: it has annotations here, and a decorator.
"""

import math
from collections.abc import Sequence

from opwright import BOOL, FLOAT, INT64, graph, script
from opwright import opset18 as op

M_SQRT1_2 = math.sqrt(0.5)


@script()
def gelu(X: FLOAT[...]):
    phiX = 0.5 * (op.Erf(M_SQRT1_2 * X) + 1.0)
    return X * phiX


@script()
def aten_chunk(tensor: FLOAT[...], chunks: int, dim: int = 0) -> Sequence[FLOAT[...]]:
    neg_1 = op.Constant(value_ints=[-1])
    dim_size = op.Shape(tensor)[dim]
    num_per_chunk = dim_size / chunks + op.Cast(dim_size % chunks > 0, to=INT64.dtype)
    num_chunk = dim_size / num_per_chunk
    list_split = op.Expand(num_per_chunk, op.Reshape(num_chunk, neg_1))
    remainder = dim_size % num_per_chunk
    if remainder > 0:
        list_split = op.Concat(list_split, op.Reshape(remainder, neg_1), axis=0)
    return op.SplitToSequence(tensor, list_split, axis=dim)


@script()
def onnx_hardmax(X, axis: int):
    argmax = op.ArgMax(X, axis=axis, keepdims=False)
    xshape = op.Shape(X, start=axis)
    zero = op.Constant(value_ints=[0])
    depth = op.GatherElements(xshape, zero)
    depth = op.Reshape(depth, op.Constant(value_ints=[0]))
    cast_values = op.CastLike(op.Constant(value_ints=[0, 1]), X)
    return op.OneHot(argmax, depth, cast_values, axis=axis)


@script()
def sample_model(X: FLOAT[64, 128], Wt: FLOAT[128, 10], Bias: FLOAT[10]) -> FLOAT[64, 10]:
    return onnx_hardmax(op.MatMul(X, Wt) + Bias, axis=1)


@script()
def CumulativeSum(X):
    @graph()
    def Sum(sum_in, next):
        sum_out = sum_in + next
        return sum_out, op.Identity(sum_out)

    all_sum, cumulative_sum = op.Scan(0, X, body=Sum, num_scan_inputs=1)
    return cumulative_sum


@script()
def Dropout(data: FLOAT[...], ratio: FLOAT, training_mode: BOOL, seed: float):
    if training_mode:
        rand = op.RandomUniformLike(data, seed=seed, dtype=FLOAT)
        mask = rand >= ratio
        output = op.Where(mask, data, 0) / (1.0 - ratio)
    else:
        mask = op.Expand(True, op.Shape(data))
        output = data
    return (output, mask)
