"""What Attention is, in float64. The versions differ in what they are given alone."""

import numpy as np


def Attention(
    Q,
    K,
    V,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    is_causal=0,
    kv_num_heads=None,
    left_window_size=-1,
    q_num_heads=None,
    qk_matmul_output_mode=0,
    right_window_size=-1,
    scale=None,
    softcap=0.0,
    softmax_precision=None,
):
    q, k, v = (split(Q, q_num_heads), split(K, kv_num_heads), split(V, kv_num_heads))
    keys = k if past_key is None else np.concatenate([past_key, k], axis=2)
    values = v if past_value is None else np.concatenate([past_value, v], axis=2)
    length, total = q.shape[2], keys.shape[2]
    ahead = np.arange(total) - np.arange(length)[:, None]
    seen = np.ones((1, 1, length, total), bool)
    if nonpad_kv_seqlen is not None:
        filled = nonpad_kv_seqlen[:, None, None, None]
        ahead = ahead - (filled - length)
        seen = np.arange(total) < filled
    elif past_key is not None:
        ahead = ahead - past_key.shape[2]
    if is_causal == 1:
        seen = seen & (ahead <= 0)
    if left_window_size >= 0:
        seen = seen & (ahead >= -left_window_size)
    if right_window_size >= 0:
        seen = seen & (ahead <= right_window_size)
    bias = np.where(seen, 0.0, -np.inf)
    if attn_mask is not None:
        mask = np.where(attn_mask, 0.0, -np.inf) if attn_mask.dtype == bool else attn_mask.astype(np.float64)
        if mask.shape[-1] > 1:
            missing = [(0, 0)] * (mask.ndim - 1) + [(0, total - mask.shape[-1])]
            mask = np.pad(mask, missing, constant_values=-np.inf)
        bias = bias + mask
    repeats = q.shape[1] // keys.shape[1]
    scores = np.einsum("bhqd,bhkd->bhqk", q, np.repeat(keys, repeats, axis=1))
    scores = scores * (1.0 / np.sqrt(q.shape[3]) if scale is None else scale)
    capped = np.tanh(scores / softcap) * softcap if softcap else scores
    biased = capped + bias
    shares = softmax(biased, np.broadcast_to(np.isneginf(bias).all(axis=-1, keepdims=True), biased[..., :1].shape))
    y = np.einsum("bhqk,bhkd->bhqd", shares, np.repeat(values, repeats, axis=1))
    if Q.ndim == 3:
        y = y.transpose(0, 2, 1, 3).reshape(*Q.shape[:2], y.shape[1] * y.shape[3])
    return y, keys, values, [scores, capped, biased, shares][qk_matmul_output_mode]


def split(x, heads):
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(0, 2, 1, 3)


def softmax(x, blind):
    """Over the last dimension; zero where a query is blind."""
    with np.errstate(invalid="ignore"):
        shifted = np.exp(np.where(blind, 0.0, x - np.max(x, axis=-1, keepdims=True, initial=-np.inf)))
    return np.where(blind, 0.0, shifted / np.where(blind, 1.0, np.sum(shifted, axis=-1, keepdims=True)))
