"""call.graph: `op.If`, called by its name, is the same node as the statement."""

from opwright import FLOAT, graph, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    @graph()
    def twice():
        return x + x

    @graph()
    def opposite():
        return -x

    return op.If(op.ReduceSum(x, keepdims=0) > 0, then_branch=twice, else_branch=opposite)
