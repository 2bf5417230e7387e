"""number.literal: A text is a constant too."""

from opwright import STRING, script
from opwright import opset18 as op


@script()
def F(x: STRING["N"]):
    return op.Concat(x, ["it's", 'a "b"'], axis=0)
