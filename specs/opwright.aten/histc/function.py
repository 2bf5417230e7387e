from opwright import opset18 as op


def histc(self, min=None, max=None, *, bins: int = 100):
    """The end of the range belongs to the last part."""
    x = op.Reshape(self, [-1])
    if min is None and max is None:
        least, greatest = op.ReduceMin(x, keepdims=False), op.ReduceMax(x, keepdims=False)
        single = op.CastLike(least == greatest, x)
        least, greatest = least - single, greatest + single
    else:
        least = op.CastLike(0, x) if min is None else min
        greatest = op.CastLike(0, x) if max is None else max
    x = op.Compress(x, (x >= least) & (x <= greatest), axis=0)
    places = op.Floor((x - least) * bins / (greatest - least))
    places = op.Cast(op.Min(places, bins - 1), to=7)
    none = op.CastLike(op.ConstantOfShape(op.Constant(value_ints=[bins])), x)
    return op.ScatterElements(none, places, op.Expand(op.CastLike(1, x), op.Shape(x)), reduction="add")
