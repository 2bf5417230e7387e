"""What LinearAttention is, in float64."""

import numpy as np


def LinearAttention(
    query,
    key,
    value,
    past_state=None,
    decay=None,
    beta=None,
    chunk_size=64,
    kv_num_heads=1,
    q_num_heads=1,
    scale=0.0,
    update_rule="gated_delta",
):
    batch, length = query.shape[:2]
    q, k, v = split(query, q_num_heads), split(key, kv_num_heads), split(value, kv_num_heads)
    size = q.shape[3]
    state = np.zeros((batch, kv_num_heads, size, v.shape[3])) if past_state is None else past_state
    output = np.zeros((batch, length, q_num_heads, v.shape[3]))
    for t in range(length):
        new = v[:, t]
        if decay is not None:
            state = state * np.exp(split(decay, kv_num_heads)[:, t])[..., None]
        if beta is not None:
            new = beta[:, t, :, None] * (new - np.einsum("bhkv,bhk->bhv", state, k[:, t]))
        state = state + np.einsum("bhk,bhv->bhkv", k[:, t], new)
        shared = np.repeat(state, q_num_heads // kv_num_heads, axis=1)
        output[:, t] = np.einsum("bhk,bhkv->bhv", q[:, t], shared)
    output = output * (scale or 1.0 / np.sqrt(size))
    return output.reshape(batch, length, q_num_heads * v.shape[3]), state


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads)
