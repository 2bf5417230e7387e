from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def rnn_tanh_input(
    input,
    hx,
    *params,
    hidden_size: int,
    weights_each: Literal[2, 4],
    bidirectional: Literal[0, 1],
    batch_first: Literal[0, 1],
):
    if input.dtype == BFLOAT16:
        weights = [op.Cast(item, to=FLOAT) for item in params]
        x, hx = op.Cast(input, to=FLOAT), op.Cast(hx, to=FLOAT)
        results = _layers(x, hx, weights, hidden_size, weights_each, bidirectional, batch_first)
        y, hx_last = results
        return op.Cast(y, to=BFLOAT16), op.Cast(hx_last, to=BFLOAT16)
    return _layers(input, hx, params, hidden_size, weights_each, bidirectional, batch_first)


def _layers(x, hx, weights, hidden_size, weights_each, bidirectional, batch_first):
    directions = 2 if bidirectional else 1
    layers = len(weights) // (weights_each * directions)
    hx_parts = op.Split(hx, num_outputs=layers) if layers > 1 else [hx]
    hx_ends = []
    if batch_first:
        x = op.Transpose(x, perm=[1, 0, 2])
    for layer in range(layers):
        first = layer * directions * weights_each
        each = [weights[first + i * weights_each : first + (i + 1) * weights_each] for i in range(directions)]
        w = _stacked([own[0] for own in each])
        r = _stacked([own[1] for own in each])
        b = _stacked([op.Concat(own[2], own[3], axis=0) for own in each]) if weights_each == 4 else None
        y, hx_end = op.RNN(
            x,
            w,
            r,
            b,
            None,
            hx_parts[layer],
            hidden_size=hidden_size,
            direction="bidirectional" if bidirectional else "forward",
        )
        hx_ends = [*hx_ends, hx_end]
        # Time, directions, batch and size, of which the last layer has the batch first.
        if layer + 1 < layers or not batch_first:
            x = op.Reshape(op.Transpose(y, perm=[0, 2, 1, 3]), [0, 0, -1]) if bidirectional else op.Squeeze(y, [1])
        elif bidirectional:
            x = op.Reshape(op.Transpose(y, perm=[2, 0, 1, 3]), [0, 0, -1])
        else:
            x = op.Transpose(op.Squeeze(y, [1]), perm=[1, 0, 2])
    return x, _joined(hx_ends)


def _stacked(items):
    """The directions, in a first dimension."""
    return _joined([op.Unsqueeze(item, [0]) for item in items])


def _joined(items):
    return op.Concat(*items, axis=0) if len(items) > 1 else items[0]
