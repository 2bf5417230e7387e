from typing import Literal

from opwright import FLOAT
from opwright import opset13 as op


def LinearAttention(
    query,
    key,
    value,
    past_state=None,
    decay=None,
    beta=None,
    *,
    kv_num_heads: int,
    q_num_heads: int,
    chunk_size: int = 64,
    scale: float = 0.0,
    update_rule: Literal["linear", "gated", "delta", "gated_delta"] = "gated_delta",
):
    """One Scan over the tokens. The queries that share a state are rows of one matrix, so that no state is repeated.

    Everything is computed in float, and rounded once at the end. Nothing is cut in chunks.
    """
    lead = op.Slice(op.Shape(query), [0], [2])
    key_size = op.Gather(op.Shape(key), [2]) / kv_num_heads
    value_size = op.Gather(op.Shape(value), [2]) / kv_num_heads
    groups = op.Unsqueeze(op.Div(q_num_heads, kv_num_heads), [0])
    queries = tokens(query, op.Concat(lead, [kv_num_heads], groups, key_size, axis=0))
    keys = tokens(key, op.Concat(lead, [kv_num_heads], key_size, [1], axis=0))
    values = tokens(value, op.Concat(lead, [kv_num_heads, 1], value_size, axis=0))
    if past_state is None:
        batch = op.Slice(op.Shape(query), [0], [1])
        past = op.ConstantOfShape(op.Concat(batch, [kv_num_heads], key_size, value_size, axis=0))
    else:
        past = op.Cast(past_state, to=FLOAT)
    state: FLOAT[None, None, None, None] = past
    if update_rule in ("gated", "gated_delta"):
        assert decay is not None
        sizes = op.Gather(op.Shape(decay), [2]) / kv_num_heads
        gates = op.Exp(tokens(decay, op.Concat(lead, [kv_num_heads], sizes, [1], axis=0)))
    else:
        assert decay is None
    if update_rule in ("delta", "gated_delta"):
        assert beta is not None
        rates = tokens(beta, op.Concat(op.Shape(beta), [1, 1], axis=0))
    else:
        assert beta is None

    def linear(state, query, key, value):
        state = state + key * value
        return state, op.MatMul(query, state)

    def gated(state, query, key, value, gate):
        return linear(state * gate, query, key, value)

    def delta(state, query, key, value, rate):
        known = op.MatMul(op.Transpose(key, perm=[0, 1, 3, 2]), state)
        return linear(state, query, key, rate * (value - known))

    def gated_delta(state, query, key, value, gate, rate):
        return delta(state * gate, query, key, value, rate)

    if update_rule == "linear":
        state, read = op.Scan(state, queries, keys, values, body=linear, num_scan_inputs=3)
    elif update_rule == "gated":
        state, read = op.Scan(state, queries, keys, values, gates, body=gated, num_scan_inputs=4)
    elif update_rule == "delta":
        state, read = op.Scan(state, queries, keys, values, rates, body=delta, num_scan_inputs=4)
    else:
        state, read = op.Scan(state, queries, keys, values, gates, rates, body=gated_delta, num_scan_inputs=5)
    factor = op.Where(scale == 0, op.Reciprocal(op.Sqrt(op.Cast(key_size, to=FLOAT))), scale)
    output = op.Transpose(read * factor, perm=[1, 0, 2, 3, 4])
    output = op.Reshape(output, op.Concat(lead, value_size * q_num_heads, axis=0))
    return like(output, query), like(state, query if past_state is None else past_state)


def tokens(x, shape):
    """x in float and in that shape, with the tokens first."""
    wide = op.Cast(op.Reshape(x, shape), to=FLOAT)
    first: FLOAT[None, None, None, None, None] = op.Transpose(wide, perm=[1, 0, 2, 3, 4])
    return first


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
