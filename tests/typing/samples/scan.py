"""A nested function that becomes a graph attribute."""

from opwright import FLOAT, graph, script
from opwright import opset18 as op


@script()
def CumulativeSum(X: FLOAT[...]) -> FLOAT[...]:
    @graph()
    def Sum(sum_in: FLOAT[...], next: FLOAT[...]) -> tuple[FLOAT[...], FLOAT[...]]:
        sum_out = sum_in + next
        return sum_out, op.Identity(sum_out)

    _, cumulative_sum = op.Scan(0, X, body=Sum, num_scan_inputs=1)
    return cumulative_sum
