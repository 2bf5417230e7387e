from opwright import Graph
from opwright import opset13 as op


def SequenceMap(input_sequence, *additional_inputs, body: Graph):
    """One loop, in which each sequence of results grows by an item; the first sequence says how often it runs."""

    def step(i, going, *collected):
        items = [x[i] if isinstance(x, list) else x for x in additional_inputs]
        found = body(input_sequence[i], *items)
        results = (found,) if len(body.outputs) == 1 else found
        return (going, *[before + [result] for before, result in zip(collected, results, strict=True)])

    return op.Loop(len(input_sequence), True, *[[] for _ in body.outputs], body=step)
