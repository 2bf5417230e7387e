"""The grid of each function: about a million points, beside the vectors of its spec, which are its edge set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from opwright_build.verify.case_model import Array

from benchmarks.numerics.points import MILLION, Points, cycle

Inputs = tuple[Array | None, ...]
Square = (1024, 1024)
Image = (8, 32, 64, 64)


@dataclass(frozen=True, slots=True)
class Grid:
    """One call on many points. `inputs` are in the interface's order; `says` what they are, for the page."""

    says: str
    inputs: Callable[[Points], Inputs]
    attributes: Mapping[str, Any] = field(default_factory=dict)


def _elementwise(*variants: Mapping[str, Any]) -> tuple[Grid, ...]:
    """One tensor, with each set of attributes."""
    return tuple(Grid("the line", lambda points: (points.line(1),), given) for given in variants or ({},))


def _pair(says: str, std: float = 4.0) -> tuple[Grid, ...]:
    return (
        Grid("two lines", lambda points: (points.line(1), points.line(1)[::-1].copy())),
        Grid(says, lambda points: (points.normal([MILLION], 3, std=std), points.normal([MILLION], 4, std=std))),
    )


def _rows(says: str, mean: float, std: float, *variants: Mapping[str, Any]) -> tuple[Grid, ...]:
    return tuple(
        Grid(says, lambda points: (points.normal(Square, 5, mean, std),), given) for given in variants or ({},)
    )


_AXIS = np.array([1], dtype=np.int64)


def _reduction(says: str, make: Callable[[Points], Array]) -> Grid:
    return Grid(says, lambda points: (make(points), _AXIS), {"keepdims": 0})


_REDUCTIONS = (
    _reduction("1,024 rows of 1,024, N(0, 1)", lambda points: points.normal(Square, 6)),
    _reduction("1,024 rows of 1,024, uniform in [0, 1)", lambda points: points.uniform(Square, 7)),
    _reduction("131,072 rows of 8, N(0, 10)", lambda points: points.normal((131072, 8), 8, std=10.0)),
)
_LOGARITHMIC = (
    _reduction("1,024 rows of 1,024, uniform in [0, 1)", lambda points: points.uniform(Square, 7)),
    _reduction("131,072 rows of 8, uniform in [0, 1)", lambda points: points.uniform((131072, 8), 8)),
    _reduction("131,072 rows of 8, uniform in [0, 0.25)", lambda points: points.uniform((131072, 8), 9, 0.0, 0.25)),
)


def _windows(points: Points) -> Inputs:
    return (np.array(MILLION if points.kind == "float" else 4096, dtype=np.int64),)


def _normalised(mean: float, std: float, *parameters: str) -> Callable[[Points], Inputs]:
    def make(points: Points) -> Inputs:
        given = {"scale": points.uniform([1024], 11, 0.5, 1.5), "bias": points.normal([1024], 12)}
        return (points.normal(Square, 10, mean, std), *(given[name] for name in parameters))

    return make


def _groups(mean: float, std: float) -> Callable[[Points], Inputs]:
    return lambda points: (
        points.normal(Image, 13, mean, std),
        points.uniform([32], 14, 0.5, 1.5),
        points.normal([32], 15),
    )


def _losses(labelled: int) -> Callable[[Points], Inputs]:
    """Scores of 1,024 classes, labels, and weights where `labelled` is 3."""

    def make(points: Points) -> Inputs:
        scores, labels = points.normal(Square, 16, std=3.0), cycle([1024], 1024)
        return (scores, labels, points.uniform([1024], 17, 0.5, 1.5))[:labelled]

    return make


def _rotary(rank: int) -> Callable[[Points], Inputs]:
    def make(points: Points) -> Inputs:
        angles = np.outer(np.arange(512), 10000.0 ** -(np.arange(32) / 32.0))
        shape = (4, 8, 512, 64) if rank == 4 else (4, 512, 512)
        positions = cycle([4, 512], 512)
        return points.normal(shape, 18), points.rounded(np.cos(angles)), points.rounded(np.sin(angles)), positions

    return make


def _attention(std: float, mask: bool = False) -> Callable[[Points], Inputs]:
    def make(points: Points) -> Inputs:
        q, k, v = (points.normal((2, 8, 256, 64), 20 + place, std=std) for place in range(3))
        return (q, k, v, points.normal((256, 256), 23)) if mask else (q, k, v)

    return make


def _linear_attention(rule: str) -> Grid:
    def make(points: Points) -> Inputs:
        q, k, v = (points.normal((4, 128, 256), 24 + place, std=0.125) for place in range(3))
        decay = points.uniform((4, 128, 4), 27, -0.5, 0.0) if "gated" in rule else None
        beta = points.uniform((4, 128, 4), 28) if "delta" in rule else None
        return q, k, v, points.normal((4, 4, 64, 64), 39, std=0.125), decay, beta

    given = {"q_num_heads": 4, "kv_num_heads": 4, "update_rule": rule}
    return Grid(f"4 sequences of 128 steps, 4 heads of 64, {rule}", make, given)


def _convolution(activation: str) -> Grid:
    return Grid(
        f"256 channels of 4,096, kernel 4, activation {activation}",
        lambda points: (
            points.normal((1, 256, 4096), 29),
            points.normal((256, 1, 4), 30, std=0.5),
            points.normal([256], 31),
            points.normal((1, 256, 3), 32),
        ),
        {"activation": activation},
    )


def _range(points: Points) -> Inputs:
    if points.kind == "float":
        return points.scalar(-3.0), points.scalar(1000.0), points.scalar(1.0e-3)
    return points.scalar(-3.0), points.scalar(90.0), points.scalar(0.1)


GRIDS: dict[str, tuple[Grid, ...]] = {
    "AffineGrid": tuple(
        Grid(
            "8 matrices over 256 x 512, N(0, 1)",
            lambda points: (points.normal((8, 2, 3), 33), np.array([8, 1, 256, 512], dtype=np.int64)),
            {"align_corners": align},
        )
        for align in (0, 1)
    ),
    "Attention": (
        Grid("2 x 8 heads, 256 tokens of 64, N(0, 1)", _attention(1.0)),
        Grid("the same, N(0, 9), causal", _attention(3.0), {"is_causal": 1}),
        Grid("the same with a float mask and softcap 5", _attention(1.0, mask=True), {"softcap": 5.0}),
    ),
    "BlackmanWindow": tuple(Grid("a long window", _windows, {"periodic": item}) for item in (0, 1)),
    "CastLike": (
        Grid("the line, to float16", lambda points: (points.line(1), Points("float16").values(1.0))),
        Grid("the line, to float", lambda points: (points.line(1), Points("float").values(1.0))),
    ),
    "CausalConvWithState": (_convolution("none"), _convolution("silu")),
    "Celu": _elementwise({}, {"alpha": 2.5}, {"alpha": 0.1}),
    "CenterCropPad": (
        Grid(
            "1,024 x 1,024 to 900 x 1,100",
            lambda points: (points.normal(Square, 34), np.array([900, 1100], dtype=np.int64)),
        ),
    ),
    "Clip": (Grid("the line, to [-1, 2.5]", lambda points: (points.line(1), points.scalar(-1.0), points.scalar(2.5))),),
    "DepthToSpace": tuple(
        Grid(f"8 x 32 x 64 x 64, {mode}", lambda points: (points.normal(Image, 35),), {"blocksize": 2, "mode": mode})
        for mode in ("DCR", "CRD")
    ),
    "DynamicQuantizeLinear": (Grid("a million, N(0, 3)", lambda points: (points.normal([MILLION], 36, std=3.0),)),),
    "Elu": _elementwise({}, {"alpha": 2.5}),
    "FlexAttention": (
        Grid("2 x 8 heads, 256 tokens of 64, N(0, 1)", _attention(1.0)),
        Grid("the same, N(0, 9)", _attention(3.0)),
    ),
    "Gelu": _elementwise({"approximate": "none"}, {"approximate": "tanh"}),
    "GreaterOrEqual": _pair("a million pairs, N(0, 16)"),
    "GroupNormalization": (
        Grid("8 x 32 x 64 x 64, N(0, 1)", _groups(0.0, 1.0), {"num_groups": 4}),
        Grid("the same, N(100, 1)", _groups(100.0, 1.0), {"num_groups": 8}),
    ),
    "HammingWindow": tuple(Grid("a long window", _windows, {"periodic": item}) for item in (0, 1)),
    "HannWindow": tuple(Grid("a long window", _windows, {"periodic": item}) for item in (0, 1)),
    "HardSigmoid": _elementwise(),
    "HardSwish": _elementwise(),
    "LayerNormalization": (
        Grid("1,024 rows of 1,024, N(0, 1)", _normalised(0.0, 1.0, "scale", "bias")),
        Grid("the same, N(100, 1), no bias", _normalised(100.0, 1.0, "scale")),
    ),
    "LeakyRelu": _elementwise({}, {"alpha": 0.3}),
    "LessOrEqual": _pair("a million pairs, N(0, 16)"),
    "LinearAttention": tuple(_linear_attention(rule) for rule in ("linear", "gated", "delta", "gated_delta")),
    "LogSoftmax": (
        *_rows("1,024 rows of 1,024, N(0, 9)", 0.0, 3.0, {"axis": -1}, {"axis": 0}),
        *_rows("the same, N(500, 10,000)", 500.0, 100.0),
    ),
    "MeanVarianceNormalization": (
        Grid("8 x 32 x 64 x 64, N(0, 1)", lambda points: (points.normal(Image, 37),)),
        Grid("8 x 32 x 64 x 64, N(100, 1)", lambda points: (points.normal(Image, 37, mean=100.0),)),
    ),
    "Mish": _elementwise(),
    "NegativeLogLikelihoodLoss": tuple(
        Grid("1,024 x 1,024, N(0, 9)", _losses(count), {"reduction": reduction})
        for count, reduction in ((2, "mean"), (3, "mean"), (2, "sum"), (3, "none"))
    ),
    "PRelu": _pair("a million pairs, N(0, 16)"),
    "RMSNormalization": (
        Grid("1,024 rows of 1,024, N(0, 1)", _normalised(0.0, 1.0, "scale")),
        Grid("the same, N(100, 1)", _normalised(100.0, 1.0, "scale")),
    ),
    "Range": (Grid("-3 to 1,000 by 0.001 (float16: to 90 by 0.1)", _range),),
    "ReduceL1": _REDUCTIONS,
    "ReduceL2": _REDUCTIONS,
    "ReduceLogSum": _LOGARITHMIC,
    "ReduceLogSumExp": _REDUCTIONS,
    "ReduceSumSquare": _REDUCTIONS,
    "Relu": _elementwise(),
    "RotaryEmbedding": (
        Grid("4 x 8 heads, 512 tokens of 64, N(0, 1)", _rotary(4)),
        Grid("the same, rank 3, interleaved", _rotary(3), {"interleaved": 1, "num_heads": 8}),
    ),
    "Selu": _elementwise(),
    "Shrink": _elementwise({"lambd": 0.5}, {"lambd": 1.5, "bias": 1.5}),
    "Softmax": (
        *_rows("1,024 rows of 1,024, N(0, 9)", 0.0, 3.0, {"axis": -1}, {"axis": 0}),
        *_rows("the same, N(500, 10,000)", 500.0, 100.0),
    ),
    "SoftmaxCrossEntropyLoss": tuple(
        Grid("1,024 x 1,024, N(0, 9)", _losses(count), {"reduction": reduction})
        for count, reduction in ((2, "mean"), (3, "mean"), (2, "sum"), (3, "none"))
    ),
    "Softplus": _elementwise(),
    "Softsign": _elementwise(),
    "SpaceToDepth": tuple(
        Grid(f"8 x 32 x 64 x 64, {mode}", lambda points: (points.normal(Image, 38),), {"blocksize": 2, "mode": mode})
        for mode in ("DCR", "CRD")
    ),
    "SwiGLU": _pair("a million pairs, N(0, 16)"),
    "Swish": _elementwise({}, {"alpha": 1.702}),
    "ThresholdedRelu": _elementwise(),
}
