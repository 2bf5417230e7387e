from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def histc(self, min=None, max=None, *, bins: int = 100):
    """In float of float16 and bfloat16. The end of the range belongs to the last part."""
    x = op.Reshape(op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self, [-1])
    if min is None or max is None:
        least, greatest = op.ReduceMin(x, keepdims=False), op.ReduceMax(x, keepdims=False)
        single = op.CastLike(least == greatest, x)
        least, greatest = least - single, greatest + single
    else:
        least, greatest = op.CastLike(min, x), op.CastLike(max, x)
    x = op.Compress(x, (x >= least) & (x <= greatest), axis=0)
    places = op.Floor((x - least) * bins / (greatest - least))
    places = op.Cast(op.Min(places, bins - 1), to=7)
    none = op.CastLike(op.ConstantOfShape(op.Constant(value_ints=[bins])), x)
    counts = op.ScatterElements(none, places, op.Expand(op.CastLike(1, x), op.Shape(x)), reduction="add")
    return op.CastLike(counts, self) if self.dtype in (FLOAT16, BFLOAT16) else counts
