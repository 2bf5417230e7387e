"""What FlexAttention is, in float64, but for the type that is asked of scores and probabilities."""

import numpy as np

FLOAT, FLOAT16, BFLOAT16 = 1, 10, 16


def FlexAttention(Q, K, V, score_mod=None, prob_mod=None, scale=None, softmax_precision=None):
    group = Q.shape[1] // K.shape[1]
    key, value = (np.repeat(item, group, axis=1) for item in (K, V))
    scores = np.einsum("bhle,bhse->bhls", Q, key)
    scores = scores / np.sqrt(np.float64(Q.shape[3])) if scale is None else scores * scale
    scores = rounded(scores, softmax_precision)
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=-np.inf))
    probabilities = rounded(powers / np.sum(powers, axis=-1, keepdims=True), softmax_precision)
    return np.einsum("bhls,bhsv->bhlv", probabilities, value)


def rounded(x, precision):
    if precision in (FLOAT, FLOAT16):
        return x.astype(np.float16 if precision == FLOAT16 else np.float32).astype(np.float64)
    if precision == BFLOAT16:
        bits = x.astype(np.float32).view(np.uint32)
        even = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return np.where(np.isfinite(x), even.view(np.float32), x).astype(np.float64)
    return x
