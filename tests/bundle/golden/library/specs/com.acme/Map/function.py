from opwright import Graph
from opwright import opset17 as op


def Map(items, body: Graph):
    """A graph applied to each item: a template."""

    def step(i, going, found):
        return going, found + [body(items[i])]

    return op.Loop(len(items), True, [], body=step)
