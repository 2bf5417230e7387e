"""call.graph: The graph of `SequenceMap` is called apart from what is around it: it has copies of constants."""

from opwright import FLOAT, graph, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    @graph()
    def double(row):
        return row * 2

    return op.SequenceMap(op.SplitToSequence(x), body=double)
