from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, Graph
from opwright import opset14 as op


def FlexAttention(
    Q,
    K,
    V,
    score_mod: Graph | None = None,
    prob_mod: Graph | None = None,
    scale: float | None = None,
    softmax_precision: Literal[1, 10, 11, 16] | None = None,
):
    """Softmax(Q @ K^T * scale) @ V, with a graph of the caller's before and behind the Softmax.

    Products are computed in double, and the scale is applied once, behind the first: the standard's body takes its
    root in float, rounds that to the inputs' type and multiplies both sides, which makes nan of a negative one.
    The heads of a group share K and V by broadcasting, without a copy of them for each.
    """
    shape, shared = op.Shape(Q), op.Shape(K)[1:2]
    others, size = op.Shape(K)[2:3], op.Shape(K)[3:4]
    grouped = op.Concat(shape[0:1], shared, op.Div(shape[1:2], shared), shape[2:3], axis=0)
    query = op.Reshape(op.Cast(Q, to=DOUBLE), op.Concat(grouped, size, axis=0), allowzero=1)
    key = op.Unsqueeze(op.Transpose(op.Cast(K, to=DOUBLE), perm=[0, 1, 3, 2]), [2])
    products = op.MatMul(query, key)
    if scale is None:
        scores = products / op.Sqrt(op.Cast(size, to=DOUBLE))
    else:
        scores = products * scale
    scores = op.Reshape(scores, op.Concat(shape[0:3], others, axis=0), allowzero=1)
    scores = op.Cast(scores, to=inner_type(Q, softmax_precision))
    if score_mod is not None:
        scores = score_mod(scores)
    probabilities = op.Softmax(scores, axis=-1)
    if prob_mod is not None:
        probabilities = prob_mod(probabilities)
    weights = op.Reshape(op.Cast(probabilities, to=DOUBLE), op.Concat(grouped, others, axis=0), allowzero=1)
    mixed = op.MatMul(weights, op.Unsqueeze(op.Cast(V, to=DOUBLE), [2]))
    Y = op.Reshape(mixed, op.Concat(shape[0:3], op.Shape(V)[3:4], axis=0), allowzero=1)
    return op.Cast(Y, to=Q.dtype)


def inner_type(Q, softmax_precision):
    """The type of scores and probabilities: the one asked for, else float, but double of double."""
    if softmax_precision == 1:
        return FLOAT
    if softmax_precision == 10:
        return FLOAT16
    if softmax_precision == 11:
        return DOUBLE
    if softmax_precision == 16:
        return BFLOAT16
    return DOUBLE if Q.dtype == DOUBLE else FLOAT
