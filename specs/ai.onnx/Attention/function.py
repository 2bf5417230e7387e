import math

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, INT32
from opwright import opset13 as op


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
    apart = op.Concat(sizes(x, 0, 2), [heads], sizes(x, 2, None) / heads, axis=0)
    return op.Transpose(reshaped(x, apart), perm=[0, 2, 1, 3])


def positions(q, keys, past_key, nonpad_kv_seqlen):
    """How many positions each key stands after each query, and whether there is such a key.

    The last query stands at the last key that there is. What precedes the first query is the past, or what a cache
    holds beyond the queries, which is another number for each sample.
    """
    length = sizes(q, 2, 3)
    queries = op.Unsqueeze(op.Range(0, op.Squeeze(length), 1), [1])
    key = op.Range(0, op.Squeeze(sizes(keys, 2, 3)), 1)
    if nonpad_kv_seqlen is not None:
        assert past_key is None
        filled = op.Unsqueeze(nonpad_kv_seqlen, [1, 2, 3])
        return key - queries - (filled - length), key < filled
    if past_key is not None:
        return key - queries - sizes(past_key, 2, 3), None
    return key - queries, None


def causal(ahead, there, is_causal):
    """Which keys each query sees, but for windows."""
    seen = (ahead <= 0) | (is_causal != 1)
    return seen if there is None else seen & there


def bias_of(seen, attn_mask, keys, Q, padded):
    """What is added to the scores: the mask, and -inf where a key is not seen."""
    bias = where(seen, like(0, Q), -math.inf)
    if attn_mask is None:
        return bias
    # CastLike makes 1 of 2 where the mask holds truth values: which they are is known without a variant for each type.
    is_bool = op.Cast(like(2, attn_mask), to=INT32) == 1
    allowed = where(op.Cast(attn_mask, to=BOOL), like(0, Q), -math.inf)
    mask = where(is_bool, allowed, like(attn_mask, Q))
    if padded:
        missing = sizes(keys, 2, 3) - sizes(mask, -1, None)
        beyond = op.Expand(like(-math.inf, Q), op.Concat(sizes(mask, 0, -1), missing, axis=0))
        mask = op.Concat(mask, beyond, axis=-1)
    return bias + mask


def attend(Q, q, keys, values, bias, may_be_blind, qk_matmul_output_mode, scale, softcap, softmax_precision):
    """Nothing but arithmetic stands between the two products: onnxruntime then keeps halves in float all the way.

    A query that sees no key gets zeros. Without masks, windows and caches there is none: all see the first key.
    """
    root = root_of_scale(q, scale)
    columns = op.Transpose(for_each_query(keys, q), perm=[0, 1, 3, 2])
    scores = op.MatMul(q * like(root, Q), columns * like(op.Unsqueeze(root, [1]), Q))
    divisor = where(softcap == 0, like(1, Q), softcap)
    capped = where(softcap == 0, scores, op.Tanh(scores / divisor) * divisor)
    biased = capped + bias
    if softmax_precision is None:
        shares = op.Softmax(biased, axis=-1)
    else:
        shares = like(op.Softmax(op.Cast(biased, to=softmax_precision), axis=-1), Q)
    if may_be_blind:
        count = op.ReduceSum(op.Cast(bias != -math.inf, to=FLOAT), [-1])
        shares = where(count == 0, like(0, Q), shares)
    y = op.MatMul(shares, for_each_query(like(values, Q), q))
    if Q.rank == 3:
        width = sizes(q, 1, 2) * sizes(values, 3, None)
        packed = op.Concat(sizes(Q, 0, 2), width, axis=0)
        y = reshaped(op.Transpose(y, perm=[0, 2, 1, 3]), packed)
    qk = scores
    if op.version < 15:  # no If of bfloat16
        for mode, other in ((1, capped), (2, biased), (3, shares)):
            qk = where(qk_matmul_output_mode == mode, other, qk)
    elif qk_matmul_output_mode == 1:
        qk = capped
    elif qk_matmul_output_mode == 2:
        qk = biased
    elif qk_matmul_output_mode == 3:
        qk = shares
    return y, qk


def for_each_query(x, q):
    """The heads of keys or values, each as many times as heads of queries share it."""
    heads = sizes(q, 1, 2)
    repeats = heads / sizes(x, 1, 2)
    if op.version < 15:  # below 14 no reshaping to a length of 0, which stands elsewhere in the shape of `repeated`
        each = op.Squeeze(op.NonZero(op.ConstantOfShape(heads, value=[1])), [0])
        return op.Gather(x, each / repeats, axis=1)
    lead = sizes(x, 0, 2)
    rest = sizes(x, 2, None)
    repeated = op.Expand(op.Unsqueeze(x, [2]), op.Concat(lead, repeats, rest, axis=0))
    return op.Reshape(repeated, op.Concat(sizes(x, 0, 1), heads, rest, axis=0), allowzero=1)


def where(condition, yes, no):
    """Below opset 16 there is no Where of bfloat16; at opset 15 nothing asks for the type."""
    if op.version < 15 and yes.dtype == BFLOAT16:
        return op.Cast(op.Where(condition, op.Cast(yes, to=FLOAT), op.Cast(no, to=FLOAT)), to=BFLOAT16)
    return op.Where(condition, yes, no)


def like(value, x):
    """Below opset 15 there is a variant for each type."""
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)


def sizes(x, start: int, end: int | None):
    if op.version < 15:
        return op.Shape(x)[start:end]
    return op.Shape(x, start=start, end=end)


def reshaped(x, shape):
    """Where the shape holds zeros x has them at the same places, as Reshape takes them below opset 14. (Opset 14 has
    the text of 13 throughout.)"""
    if op.version < 15:
        return op.Reshape(x, shape)
    return op.Reshape(x, shape, allowzero=1)


def root_of_scale(q, scale):
    """The root of the scale, by which both factors of the scores are multiplied, so that neither overflows.

    One for each element of a head: onnxruntime turns a single constant factor into one of float, in double too.
    """
    size = sizes(q, 3, None)
    if scale is None:
        root = op.Sqrt(op.Reciprocal(op.Sqrt(op.Cast(size, to=DOUBLE))))
    else:
        root = op.Sqrt(op.Cast(scale, to=DOUBLE))
    return op.Expand(root, size)
