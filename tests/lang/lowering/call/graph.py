"""call.graph: A nested function becomes the graph that an operator wants; what it reads from around itself is
captured."""

from opwright import FLOAT, graph, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    @graph()
    def add(sum_in, next):
        sum_out = sum_in + next * x
        return sum_out, op.Identity(sum_out)

    total, sums = op.Scan(op.Constant(value_floats=[0.0]), x, body=add, num_scan_inputs=1)
    return sums
