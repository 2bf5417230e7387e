"""What RotaryEmbedding is, in float64."""


def RotaryEmbedding(X, cos_cache, sin_cache, position_ids=None, interleaved=0, num_heads=None, rotary_embedding_dim=0):
    x = X.transpose(0, 2, 1, 3) if X.ndim == 4 else X.reshape(*X.shape[:2], num_heads, X.shape[2] // num_heads)
    cos = cos_cache if position_ids is None else cos_cache[position_ids]
    sin = sin_cache if position_ids is None else sin_cache[position_ids]
    d = rotary_embedding_dim or x.shape[3]
    cos, sin = cos[:, :, None, : d // 2], sin[:, :, None, : d // 2]
    first, second = (slice(0, d, 2), slice(1, d, 2)) if interleaved else (slice(d // 2), slice(d // 2, d))
    y = x.copy()
    y[..., first] = cos * x[..., first] - sin * x[..., second]
    y[..., second] = sin * x[..., first] + cos * x[..., second]
    return y.transpose(0, 2, 1, 3) if X.ndim == 4 else y.reshape(X.shape)
