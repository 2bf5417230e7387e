from opwright import BFLOAT16, FLOAT, INT64
from opwright import opset18 as op


def transformers_grouped_mm_fallback(input, weight, offs):
    narrow = input.dtype == BFLOAT16
    a, b = (op.Cast(input, to=FLOAT), op.Cast(weight, to=FLOAT)) if narrow else (input, weight)
    ends = op.Cast(offs, to=INT64)
    begins = op.Concat([0], ends[:-1], axis=0)
    y = a[:0] @ b[0]
    for i, matrix in enumerate(b):
        y = op.Concat(y, a[begins[i] : ends[i]] @ matrix, axis=0)
    behind = op.Concat(op.Shape(a)[:1] - ends[-1:], op.Shape(b)[2:], axis=0)
    y = op.Concat(y, op.Expand(op.CastLike(0.0, y), behind), axis=0)
    return op.Cast(y, to=BFLOAT16) if narrow else y
