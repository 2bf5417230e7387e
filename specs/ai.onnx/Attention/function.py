import math

from opwright import BOOL, DOUBLE, FLOAT, INT32
from opwright import opset15 as op


def Attention(
    Q,
    K,
    V,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
):
    """A key that a query must not see gets a bias of -inf; one body serves every window, causal or not."""
    q, keys, values = states(Q, K, V, past_key, past_value, q_num_heads, kv_num_heads)
    ahead, there = positions(q, keys, past_key, nonpad_kv_seqlen)
    seen = causal(ahead, there, is_causal)
    seen = seen & ((ahead + left_window_size >= 0) | (left_window_size < 0))
    seen = seen & ((ahead <= right_window_size) | (right_window_size < 0))
    bias = bias_of(seen, attn_mask, keys, Q, True)
    y, qk = attend(Q, q, keys, values, bias, True, qk_matmul_output_mode, scale, softcap, softmax_precision)
    return y, keys, values, qk


def Attention24(
    Q,
    K,
    V,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
):
    """A key that a query must not see gets a bias of -inf; one body serves both values of is_causal."""
    q, keys, values = states(Q, K, V, past_key, past_value, q_num_heads, kv_num_heads)
    ahead, there = positions(q, keys, past_key, nonpad_kv_seqlen)
    bias = bias_of(causal(ahead, there, is_causal), attn_mask, keys, Q, True)
    may_be_blind = attn_mask is not None or nonpad_kv_seqlen is not None
    y, qk = attend(Q, q, keys, values, bias, may_be_blind, qk_matmul_output_mode, scale, softcap, softmax_precision)
    return y, keys, values, qk


def Attention23(
    Q,
    K,
    V,
    attn_mask=None,
    past_key=None,
    past_value=None,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
):
    """A key that a query must not see gets a bias of -inf; one body serves both values of is_causal."""
    q, keys, values = states(Q, K, V, past_key, past_value, q_num_heads, kv_num_heads)
    ahead, there = positions(q, keys, past_key, None)
    bias = bias_of(causal(ahead, there, is_causal), attn_mask, keys, Q, False)
    may_be_blind = attn_mask is not None
    y, qk = attend(Q, q, keys, values, bias, may_be_blind, qk_matmul_output_mode, scale, softcap, softmax_precision)
    return y, keys, values, qk


def states(Q, K, V, past_key, past_value, q_num_heads, kv_num_heads):
    """Queries, keys and values of shape (batch, heads, length, size), those of the past before the new ones."""
    assert Q.rank in (3, 4)
    assert (past_key is None) == (past_value is None)
    if Q.rank == 3:
        assert q_num_heads is not None
        assert kv_num_heads is not None
        Q = split_heads(Q, q_num_heads)
        K = split_heads(K, kv_num_heads)
        V = split_heads(V, kv_num_heads)
    if past_key is not None:
        K = op.Concat(past_key, K, axis=2)
        V = op.Concat(past_value, V, axis=2)
    return Q, K, V


def split_heads(x, heads):
    """(batch, length, heads * size) as (batch, heads, length, size)."""
    apart = op.Concat(op.Shape(x, end=2), [heads], op.Shape(x, start=2) / heads, axis=0)
    return op.Transpose(op.Reshape(x, apart, allowzero=1), perm=[0, 2, 1, 3])


def positions(q, keys, past_key, nonpad_kv_seqlen):
    """How many positions each key stands after each query, and whether there is such a key.

    The last query stands at the last key that there is. What precedes the first query is the past, or what a cache
    holds beyond the queries, which is another number for each sample.
    """
    length = op.Shape(q, start=2, end=3)
    queries = op.Unsqueeze(op.Range(0, op.Squeeze(length), 1), [1])
    key = op.Range(0, op.Squeeze(op.Shape(keys, start=2, end=3)), 1)
    if nonpad_kv_seqlen is not None:
        assert past_key is None
        filled = op.Unsqueeze(nonpad_kv_seqlen, [1, 2, 3])
        return key - queries - (filled - length), key < filled
    if past_key is not None:
        return key - queries - op.Shape(past_key, start=2, end=3), None
    return key - queries, None


def causal(ahead, there, is_causal):
    """Which keys each query sees, but for windows."""
    seen = (ahead <= 0) | (is_causal != 1)
    return seen if there is None else seen & there


def bias_of(seen, attn_mask, keys, Q, padded):
    """What is added to the scores: the mask, and -inf where a key is not seen."""
    bias = op.Where(seen, op.CastLike(0, Q), -math.inf)
    if attn_mask is None:
        return bias
    # CastLike makes 1 of 2 where the mask holds truth values: which they are is known without a variant for each type.
    is_bool = op.Cast(op.CastLike(2, attn_mask), to=INT32) == 1
    allowed = op.Where(op.Cast(attn_mask, to=BOOL), op.CastLike(0, Q), -math.inf)
    mask = op.Where(is_bool, allowed, op.CastLike(attn_mask, Q))
    if padded:
        missing = op.Shape(keys, start=2, end=3) - op.Shape(mask, start=-1)
        beyond = op.Expand(op.CastLike(-math.inf, Q), op.Concat(op.Shape(mask, end=-1), missing, axis=0))
        mask = op.Concat(mask, beyond, axis=-1)
    return bias + mask


def attend(Q, q, keys, values, bias, may_be_blind, qk_matmul_output_mode, scale, softcap, softmax_precision):
    """Nothing but arithmetic stands between the two products: onnxruntime then keeps halves in float all the way.

    A query that sees no key gets zeros. Without masks, windows and caches there is none: all see the first key.
    """
    root = root_of_scale(q, scale)
    columns = op.Transpose(for_each_query(keys, q), perm=[0, 1, 3, 2])
    scores = op.MatMul(q * op.CastLike(root, Q), columns * op.CastLike(op.Unsqueeze(root, [1]), Q))
    divisor = op.Where(softcap == 0, op.CastLike(1, Q), softcap)
    capped = op.Where(softcap == 0, scores, op.Tanh(scores / divisor) * divisor)
    biased = capped + bias
    if softmax_precision is None:
        shares = op.Softmax(biased, axis=-1)
    else:
        shares = op.CastLike(op.Softmax(op.Cast(biased, to=softmax_precision), axis=-1), Q)
    if may_be_blind:
        count = op.ReduceSum(op.Cast(bias != -math.inf, to=FLOAT), [-1])
        shares = op.Where(count == 0, op.CastLike(0, Q), shares)
    y = op.MatMul(shares, for_each_query(op.CastLike(values, Q), q))
    if Q.rank == 3:
        width = op.Shape(q, start=1, end=2) * op.Shape(values, start=3)
        packed = op.Concat(op.Shape(Q, end=2), width, axis=0)
        y = op.Reshape(op.Transpose(y, perm=[0, 2, 1, 3]), packed, allowzero=1)
    qk = scores
    if qk_matmul_output_mode == 1:
        qk = capped
    elif qk_matmul_output_mode == 2:
        qk = biased
    elif qk_matmul_output_mode == 3:
        qk = shares
    return y, qk


def for_each_query(x, q):
    """The heads of keys or values, each as many times as heads of queries share it."""
    lead = op.Shape(x, end=2)
    heads = op.Shape(q, start=1, end=2)
    rest = op.Shape(x, start=2)
    repeats = heads / op.Shape(x, start=1, end=2)
    repeated = op.Expand(op.Unsqueeze(x, [2]), op.Concat(lead, repeats, rest, axis=0))
    return op.Reshape(repeated, op.Concat(op.Shape(x, end=1), heads, rest, axis=0), allowzero=1)


def root_of_scale(q, scale):
    """The root of the scale, by which both factors of the scores are multiplied, so that neither overflows.

    One for each element of a head: onnxruntime turns a single constant factor into one of float, in double too.
    """
    size = op.Shape(q, start=3)
    if scale is None:
        root = op.Sqrt(op.Reciprocal(op.Sqrt(op.Cast(size, to=DOUBLE))))
    else:
        root = op.Sqrt(op.Cast(scale, to=DOUBLE))
    return op.Expand(root, size)
