"""The operators whose calls are harvested: torch's core set, what exporters keep whole, and what models need beyond."""

from __future__ import annotations

from tests.opinfo.schemas import read_table

# Of the core set, and of no use in a graph for inference: they tell of strides.
UNUSABLE = frozenset({"aten::sym_is_contiguous", "aten::sym_storage_offset", "aten::sym_stride.int"})

# All overloads of these that the table lists.
FAMILIES = """
    adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d addbmm addcdiv
    addcmul addmv addr all alpha_dropout aminmax any arange argsort argwhere atleast_1d atleast_2d atleast_3d avg_pool2d
    avg_pool3d baddbmm batch_norm bernoulli bilinear bincount broadcast_tensors broadcast_to bucketize cdist celu
    chunk clamp clamp_max clamp_min clip column_stack concat constant_pad_nd conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d copysign cosine_similarity count_nonzero cross cummax cummin cumprod cumsum deg2rad
    diag diag_embed diff dist div dot dropout dstack einsum embedding embedding_bag empty_like eq equal erfc erfinv exp2
    expand_as eye fft_fft fft_fft2 fft_ifft fft_irfft fft_rfft fft_rfft2 flatten fliplr flipud float_power floor_divide
    fmax fmin fmod frac full_like ge gelu glu grid_sampler grid_sampler_3d group_norm gru gt hardshrink hardsigmoid
    hardswish heaviside histc hstack huber_loss hypot im2col index_add index_copy index_fill index_put inner
    instance_norm isclose isfinite isin isneginf isposinf isreal kl_div kron l1_loss layer_norm le lerp
    lgamma linalg_cross linalg_inv linalg_matrix_norm linalg_norm linalg_vector_norm linear linspace log_sigmoid
    log_softmax logaddexp logaddexp2 logical_xor logit logspace logsumexp lstm lt masked_fill masked_select matmul max
    max_pool1d max_pool2d max_pool3d mean median meshgrid min mish moveaxis movedim mse_loss mul multinomial mv
    nan_to_num nanmean nansum narrow narrow_copy native_batch_norm native_channel_shuffle ne new_empty new_full new_ones
    new_zeros nll_loss nll_loss_forward nonzero nonzero_numpy nonzero_static norm normal one_hot ones ones_like
    outer pad pairwise_distance pdist pixel_shuffle pixel_unshuffle polar pow prelu prod rad2deg rand_like randint
    randint_like randn_like ravel real reflection_pad1d remainder repeat_interleave replication_pad1d reshape reshape_as
    rms_norm roll rot90 rrelu rsub scalar_tensor scaled_dot_product_attention scatter scatter_reduce searchsorted select
    selu sgn signbit silu sinc slice smooth_l1_loss softmax softplus softshrink sort special_entr special_expit
    split split_with_sizes square squeeze stack std std_mean sub subtract sum svd swapaxes swapdims t take
    take_along_dim tensor_split tensordot threshold tile to topk trace transpose trapezoid tril tril_indices
    triu triu_indices true_divide type_as unbind unflatten unfold unsafe_split unsqueeze upsample_bicubic2d
    upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d
    vander var var_mean vdot view_as view_as_complex view_as_real view_copy vstack where xlogy zeros zeros_like
    _grouped_mm _native_batch_norm_legit_functional _scaled_dot_product_flash_attention_for_cpu _unsafe_view
    _unsafe_index _weight_norm channel_shuffle cosine_embedding_loss cross_entropy_loss binary_cross_entropy
    binary_cross_entropy_with_logits detach lift_fresh_copy relu6 rnn_tanh rnn_relu numpy_T mT _cdist_forward
    diagonal_copy fill floor_divide digamma special_erfcx bitwise_left_shift bitwise_right_shift bitwise_and bitwise_or
    bitwise_xor __and__ __or__ __xor__ __lshift__ __rshift__ multiply divide negative absolute greater less
    greater_equal less_equal not_equal fix arctan arctan2 nanmedian kthvalue mode logcumsumexp renorm cov corrcoef
    unique_consecutive _unique2 unique_dim fft_ifft2 stft istft hann_window block_diag cartesian_prod combinations
    movedim chain_matmul linalg_multi_dot matrix_power linalg_matrix_power linalg_det mm new_empty_strided empty_permuted
    randn rand _trilinear affine_grid_generator native_group_norm max_unpool2d amax amin
""".split()


def targets() -> list[str]:
    """The names, sorted."""
    table = read_table()
    families = {*FAMILIES}
    return [
        name
        for name, row in table.items()
        if name not in UNUSABLE
        and (row.core or name.startswith("quantized_decomposed::") or base(name) in families)
    ]


def base(name: str) -> str:
    """`add` of `aten::add.Tensor`."""
    return name.partition("::")[2].partition(".")[0]
