"""Calls of our own: of overloads that no sample of OpInfo reaches, and edges that its samples lack.

They say what is called; torch says what comes out, and calls that it refuses, for an element type say, are left out.
So a row is written for all types, and nothing here knows which of them an operator takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import torch

from tests.opinfo.evaluated import Call, overload
from tests.opinfo.schemas import read_table
from tests.opinfo.targets import base, targets
from tests.opinfo.torch_values import TYPES

ALL = [*TYPES]
FLOATS = [dtype for dtype in ALL if dtype.is_floating_point]
INTEGERS = [dtype for dtype in ALL if not dtype.is_floating_point and dtype != torch.bool]
INF, NAN = math.inf, math.nan


class Draw:
    """Tensors from one generator."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def tensor(self, dtype: torch.dtype, *shape: int) -> torch.Tensor:
        """Small values: of both signs where the type has them, not all of them whole where it has others."""
        if dtype.is_floating_point:
            return (torch.randn(shape, generator=self.generator, dtype=torch.float64) * 2).to(dtype)
        low, high = (0, 2) if dtype == torch.bool else (0 if dtype == torch.uint8 else -9, 10)
        return torch.randint(low, high, shape, generator=self.generator).to(dtype)

    def positive(self, dtype: torch.dtype, *shape: int) -> torch.Tensor:
        if dtype.is_floating_point:
            return (torch.rand(shape, generator=self.generator, dtype=torch.float64) + 0.5).to(dtype)
        return torch.randint(1, 6, shape, generator=self.generator).to(dtype)

    def index(self, size: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
        return torch.randint(0, size, shape, generator=self.generator).to(dtype)


def extremes(dtype: torch.dtype) -> torch.Tensor:
    """What arithmetic goes wrong at: limits of the type, both zeros, halves, what is not finite."""
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        near = [value for value in (-7, -2, -1) if limits.min < 0]
        return torch.tensor([limits.min, *near, 0, 1, 2, 7, limits.max], dtype=dtype)
    limit = torch.finfo(dtype)
    small = [limit.smallest_normal / 4, limit.smallest_normal, limit.eps]
    whole = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 88.0, 1e4]
    values = [value for item in (*whole, *small, limit.max, INF) for value in (item, -item)]
    return torch.tensor([*values, NAN], dtype=torch.float64).to(dtype)


# An integer divided by 0 is refused, and the least one by -1 ends the process.
_DIVIDING = frozenset({"div", "divide", "true_divide", "floor_divide", "remainder", "fmod"})
# Where the quotient overflows torch gives nan for what it computes as vectors, and the remainder for what is left over.
_REMAINDERS = frozenset({"remainder", "fmod"})


def _divisors(name: str, values: torch.Tensor) -> torch.Tensor:
    """Of the values, those that may stand on the right."""
    if base(name) in _DIVIDING and not values.is_floating_point() and values.dtype != torch.bool:
        return values[(values != 0) & (values != -1)]
    if base(name) in _REMAINDERS and values.is_floating_point():
        return values[~((values != 0) & (values.abs() < 1))]
    return values


def _dividends(name: str, values: torch.Tensor, number: float) -> torch.Tensor:
    """Of the values, those that may stand on the left of a number."""
    if base(name) in _REMAINDERS and values.is_floating_point() and 0 < abs(number) < 1:
        return values[~(values.abs() > 1 / torch.finfo(values.dtype).eps)]
    return values


def _thirds(name: str, values: torch.Tensor) -> torch.Tensor:
    """The values without what overflows between a product and a sum that torch computes as one."""
    if base(name) == "lerp" and values.is_floating_point():
        return torch.where(values == -0.5, values.new_tensor(0.25), values)
    return values


def _castable(source: torch.dtype, wanted: torch.dtype) -> torch.Tensor:
    """The extremes that the wanted type has: what a float beyond an integer's range becomes, hardware decides."""
    values = extremes(source)
    if not source.is_floating_point or wanted.is_floating_point or wanted == torch.bool:
        return values
    limits, whole = torch.iinfo(wanted), values.double().trunc()
    return values[(whole >= limits.min) & (whole <= limits.max) & (whole.abs() < 2.0**62)]


def rows(seed: int) -> Iterator[Call]:
    """All rows, in a fixed order."""
    draw = Draw(seed)
    for group in (
        _pointwise,
        _promoted,
        _scalars,
        _rank_zero,
        _empty,
        _reductions,
        _created,
        _moved,
        _indexed,
        _products,
        _convolved,
        _pooled,
        _resized,
        _transformed,
        _normalised,
        _recurrent,
        _dropped,
        _distances,
        _quantised,
        _ranked,
        _resized_by_middles,
        _linear_systems,
        _combined_at_places,
    ):
        note = f"row: {group.__name__.removeprefix('_').replace('_', ' ')}"
        for name, args, kwargs in group(draw):
            operator = name if "::" in name else f"aten::{name}"
            yield Call(operator, [*args], kwargs, note)


Given = Iterator[tuple[str, Sequence[Any], dict[str, Any]]]


def _tensor_arguments(name: str) -> tuple[int, int]:
    """How many arguments have to be given, if all are tensors (else none), and how many tensors could be."""
    needed = [argument for argument in overload(name)._schema.arguments if not argument.has_default_value()]
    return len(needed), sum(str(argument.type) == "Tensor" for argument in needed)


def _of_tensors(count: int) -> list[str]:
    """The pointwise operators among the targets that take so many tensors, and need nothing else."""
    table = read_table()
    return [
        name
        for name in targets()
        if name.startswith("aten::") and table[name].pointwise and _tensor_arguments(name) == (count, count)
    ]


# Near 0 and 1, where a sum loses digits, and on the way to where functions of exp are constant or overflow.
_FINE = torch.tensor(
    [
        sign * value
        for value in (1e-30, 1e-12, 1e-6, 1e-4, 0.01, 0.1, 0.3, 0.7, 0.99, 0.9999, 1.0001, 1.3, 2.2, 4.7, 5.9, 9.1,
                      13.3, 19.9, 26.1, 37.7, 87.5, 170.3, 700.7, 1e6, 1e12, 1e30)
        for sign in (1, -1)
    ],
    dtype=torch.float64,
)  # fmt: skip


def _pointwise(draw: Draw) -> Given:
    """Every pair of extremes, or each one, through whatever is pointwise."""
    for dtype in ALL:
        values = extremes(dtype)
        for name in _of_tensors(1):
            yield name, [values], {}
            if dtype in FLOATS:
                yield name, [_FINE.to(dtype)], {}
        for name in _of_tensors(2):
            yield name, [values[:, None], _divisors(name, values)[None, :]], {}
        for name in _of_tensors(3):
            yield name, [values[:, None], values[None, :], _thirds(name, values.flip(0))[None, :]], {}
        yield "clamp", [values, values[len(values) // 3].item(), values[0].item()], {}
        yield "clamp", [values, None, 1], {}
        yield "clamp", [values, 0, None], {}
        yield "clamp.Tensor", [values, None, values.flip(0)], {}
        yield "clamp.Tensor", [values, values.flip(0), None], {}
        yield "clamp.Tensor", [values[:, None], values[None, :], values.flip(0)[None, :]], {}
        for name in ("pow", "float_power"):
            yield f"{name}.Tensor_Scalar", [values, -0.5], {}
        for number in (2, -1.5, INF):
            yield "clamp_min", [values, number], {}
            yield "clamp_max", [values, number], {}
        for equal_nan in (False, True):
            yield "isclose", [values[:, None], values[None, :]], {"equal_nan": equal_nan}
        yield "isclose", [values[:, None], values[None, :]], {"rtol": 0.0, "atol": 0.75}
        yield "where.self", [values > 0, values, values.flip(0)], {}
        for source in ALL:
            yield "_to_copy", [_castable(source, dtype)], {"dtype": dtype}
        for decimals in (-1, 0, 2, 5):
            yield "round.decimals", [values], {"decimals": decimals}
        for mode in ("none", "tanh"):
            yield "gelu", [values], {"approximate": mode}
        for slopes in product((1, 1.67, -0.5), (1, 1.05), (1, 0.25)):
            yield "elu", [values, *slopes], {}
        yield "leaky_relu", [values, -0.1], {}
        yield "hardtanh", [values, -2, 2], {}
        for slope, threshold in ((3.0, 1.0), (3.0, 20), (1, 1.0), (-2.0, 20)):
            yield "softplus", [values, slope, threshold], {}
        for replaced in product((None, 3.0), (None, 5.0), (None, -1.0)):
            yield "nan_to_num", [values], dict(zip(("nan", "posinf", "neginf"), replaced, strict=True))
        for alpha in (1, 0.7):
            yield "celu", [values, alpha], {}
        for width in (0, 0.3, 2.0):
            yield "softshrink", [values, width], {}
            yield "hardshrink", [values, width], {}
        if dtype in FLOATS:  # what it makes of the greatest numbers is infinite in PyTorch, where x * 6 is
            yield "hardswish", [_FINE.to(dtype)], {}
            yield "hardswish", [torch.tensor([INF, -INF, NAN], dtype=dtype)], {}
        for name in ("log_sigmoid", "log_sigmoid_forward", "special_expit"):
            for given in (values, values[:1].sum(), values[:0], *([_FINE.to(dtype)] if dtype in FLOATS else [])):
                yield name, [given], {}
        yield "threshold", [values, 1, 0], {}
        yield "threshold", [values, 0.5, -2.5], {}
        yield "rrelu", [values, 0.2, 0.7], {}
        yield "rrelu", [values, 0.2, 0.7, True], {}
        yield "logit", [values, 0.1], {}
        for weight, sizes in (((), (2, 3, 2)), ((3,), (2, 3)), ((3,), (2, 3, 2)), ((3,), (2, 3, 2, 2)), ((1,), ())):
            yield "prelu", [draw.tensor(dtype, *sizes), draw.tensor(dtype, *weight)], {}
        yield "_prelu_kernel", [draw.tensor(dtype, 2, 3, 4), draw.tensor(dtype, 1, 3, 1)], {}
        yield "_prelu_kernel", [values, draw.tensor(dtype, 1)], {}


_PROMOTING = ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "maximum", "remainder.Tensor",
              "eq.Tensor", "lt.Tensor", "pow.Tensor_Tensor", "atan2", "bitwise_and.Tensor", "logical_and",
              "floor_divide")  # fmt: skip


def _promoted(draw: Draw) -> Given:
    """Two element types, of which one may be that of a tensor of rank 0 or of a Python number."""
    for name in _PROMOTING:
        for left, right in product(ALL, ALL):
            if left != right:
                yield name, [draw.tensor(left, 2, 3), draw.positive(right)], {}
                yield name, [draw.tensor(left, 2), draw.positive(right, 2, 2) * 3], {}
        for left in ALL:
            yield name, [draw.tensor(left), draw.tensor(left, 1, 2)], {}
            for number in (True, 3, 2.5, INF):
                yield name, [draw.tensor(left, 3), number], {}
                yield name, [draw.tensor(left), number], {}
    for left, right in product(ALL, ALL):
        if left != right:
            pair = [draw.tensor(left, 2, 3), draw.tensor(right, 3)]
            yield "where.self", [draw.tensor(torch.bool, 2, 1), *pair], {}
            yield "cat", [[pair[0], draw.tensor(right, 1, 3)]], {}
    for left in ALL:
        for alpha in (0, 1, 2, True, 0.5):
            for name in ("add.Tensor", "sub.Tensor"):
                yield name, [draw.tensor(left, 2, 3), draw.tensor(left, 3)], {"alpha": alpha}
            for name in ("add.Scalar", "sub.Scalar"):
                yield name, [draw.tensor(left, 2, 3), 5, alpha], {}
            yield "rsub.Scalar", [draw.tensor(left, 2), 5, alpha], {}
        for mode in (None, "trunc", "floor"):
            values = extremes(left)
            yield "div.Tensor_mode", [values[:, None], _divisors("aten::div", values)[None, :]], {"rounding_mode": mode}
        yield "floor_divide", [values[:, None], _divisors("aten::floor_divide", values)[None, :]], {}
        condition = draw.tensor(torch.bool, 2, 3)
        for number in (True, 3, 0.5):
            yield "where.ScalarOther", [condition, draw.tensor(left, 3), number], {}
            yield "where.ScalarSelf", [condition, number, draw.tensor(left, 3)], {}
            yield "masked_fill.Scalar", [draw.tensor(left, 2, 3), condition, number], {}
            yield "fill.Scalar", [draw.tensor(left, 2, 3), number], {}
        yield "masked_fill.Tensor", [draw.tensor(left, 3), condition, draw.tensor(left)], {}
        yield "fill.Tensor", [draw.tensor(left, 2, 3), draw.tensor(torch.float32)], {}
        for number in (-INF, NAN):
            yield "masked_fill.Scalar", [draw.tensor(left, 2, 3), condition, number], {}
    for alpha in (True, False):
        yield "add.Scalar", [draw.tensor(torch.bool, 2, 3), True, alpha], {}
    for pair in product((True, 3, 0.5), repeat=2):
        yield "where.Scalar", [draw.tensor(torch.bool, 2, 3), *pair], {}
    yield "where", [draw.tensor(torch.bool, 2, 3)], {}


_WITH_NUMBER = ("add", "sub", "mul", "div", "fmod", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "eq",
                "ne", "lt", "le", "gt", "ge", "subtract", "multiply", "divide", "true_divide", "floor_divide",
                "greater", "greater_equal", "less", "less_equal", "not_equal", "__and__", "__or__", "__xor__",
                "__lshift__", "__rshift__")  # fmt: skip
_SCALAR_TENSOR = ("remainder", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
                  "bitwise_right_shift")  # fmt: skip
_SCALAR = (
    *(f"{name}.Scalar" for name in _WITH_NUMBER),
    *(f"{name}.Tensor_Scalar" for name in ("pow", "float_power", "bitwise_left_shift", "bitwise_right_shift")),
    "xlogy.Scalar_Other",
)
_REVERSED = (
    *(f"{name}.Scalar" for name in ("pow", "float_power")),
    *(f"{name}.Scalar_Tensor" for name in _SCALAR_TENSOR),
    "xlogy.Scalar_Self",
)


def _scalars(draw: Draw) -> Given:
    """Numbers of Python beside a tensor: whole, broken, bool, not finite, beyond the type."""
    for dtype in ALL:
        values = extremes(dtype)
        for number in (2, -3, 0.5, -1.5, True, 0, 0.0, 1, 255, 1 << 40, INF, NAN):
            for name in _SCALAR:
                yield name, [_dividends(f"aten::{name}", values, number), number], {}
            for name in _REVERSED:
                yield name, [number, _divisors(f"aten::{name}", values)], {}
            for mode in (None, "trunc", "floor"):
                yield "div.Scalar_mode", [values, number], {"rounding_mode": mode}
                yield "divide.Scalar_mode", [values, number], {"rounding_mode": mode}
        for name in _SCALAR:
            yield name, [draw.tensor(dtype), 2], {}
            yield name, [draw.tensor(dtype, 0, 2), 2], {}


_WITH_DIM = ("_softmax", "_log_softmax", "amax", "amin", "sum.dim_IntList", "mean.dim", "cumsum", "cumprod",
             "argmax", "argmin", "max.dim", "min.dim", "prod.dim_int", "any.dim", "all.dim", "any.dims", "all.dims",
             "sort", "argsort", "flip", "squeeze.dim", "squeeze.dims", "logsumexp", "unsqueeze", "softmax.int",
             "log_softmax.int", "cummax", "cummin", "logcumsumexp", "median.dim", "nansum", "nanmean", "std.dim",
             "var.dim", "var_mean.dim", "std_mean.dim", "count_nonzero", "aminmax", "mode", "linalg_vector_norm",
             "norm.ScalarOpt_dim")  # fmt: skip
_LISTS = {"amax", "amin", "sum.dim_IntList", "mean.dim", "any.dims", "all.dims", "flip", "squeeze.dims", "logsumexp",
          "nansum", "nanmean", "std.dim", "var.dim", "var_mean.dim", "std_mean.dim"}  # fmt: skip
_HALVED = {"_softmax", "_log_softmax"}  # they have a third argument, half_to_float


def _along(name: str, value: torch.Tensor, dim: int) -> tuple[list[Any], dict[str, Any]]:
    if name == "aminmax":
        return [value], {"dim": dim}
    if name == "linalg_vector_norm":
        return [value, 2, [dim]], {}
    if name == "norm.ScalarOpt_dim":
        return [value, 2, [dim]], {}
    return [value, [dim] if name in _LISTS else dim, *([False] if name in _HALVED else [])], {}


_WHOLE = ("any", "all", "sum", "mean", "prod", "max", "min", "argmax", "nonzero", "clone", "alias", "numpy_T", "t",
          "var", "std", "tril", "triu", "ravel", "isnan", "median", "count_nonzero")  # fmt: skip


def _rank_zero(draw: Draw) -> Given:
    """A tensor of rank 0 has dimensions 0 and -1."""
    for dtype in ALL:
        for name in _WITH_DIM:
            for dim in (0, -1):
                args, kwargs = _along(name, draw.tensor(dtype), dim)
                yield name, args, kwargs
        value, index = draw.tensor(dtype), torch.tensor(0)
        for dim in (0, -1):
            yield "topk", [value, 1, dim], {}
            yield "kthvalue", [value, 1, dim], {}
            yield "gather", [value, dim, index], {}
            yield "index_select", [value, dim, torch.tensor([0])], {}
            yield "scatter.value", [value, dim, index, 3], {}
            yield "scatter.src", [value, dim, index, draw.tensor(dtype)], {}
            yield "scatter_add", [value, dim, index, draw.tensor(dtype)], {}
            yield "scatter_reduce.two", [value, dim, index, draw.tensor(dtype), "sum"], {}
            yield "roll", [value, [0], []], {}
        for name in _WHOLE:
            yield name, [value], {}
        yield "expand", [value, [2, 3]], {}
        yield "repeat", [value, [2]], {}
        yield "permute", [value, []], {}
        yield "view", [value, [1, 1]], {}
        yield "reshape", [value, [-1]], {}
        yield "squeeze", [value], {}
        yield "flatten.using_ints", [value], {}
        yield "stack", [[value, draw.tensor(dtype)]], {}
        yield "constant_pad_nd", [value, []], {}
        yield "pad", [value, []], {}


def _empty(draw: Draw) -> Given:
    """No elements at all, or none along a dimension."""
    for dtype in ALL:
        nothing, hollow = draw.tensor(dtype, 0), draw.tensor(dtype, 2, 0, 3)
        for value in (nothing, hollow):
            for name in _of_tensors(1):
                yield name, [value], {}
            for name in _of_tensors(2):
                yield name, [value, value], {}
                yield name, [value, draw.tensor(dtype)], {}
            for name in (
                "sum",
                "mean",
                "prod",
                "any",
                "all",
                "nonzero",
                "clone",
                "var",
                "argmax",
                "max",
                "amax",
                "std",
            ):
                yield name, [value], {}
            yield "cat", [[value, value]], {}
            yield "stack", [[value, value], 1], {}
        for name in _WITH_DIM:
            for dim in (0, 1, 2):
                args, kwargs = _along(name, hollow, dim)
                yield name, args, kwargs
            args, kwargs = _along(name, nothing, 0)
            yield name, args, kwargs
        yield "cat", [[nothing, draw.tensor(dtype, 2, 3)]], {}  # a leftover of old torch: [0] fits any shape
        yield "cat", [[draw.tensor(dtype, 2, 3), draw.tensor(dtype, 0, 3)]], {}
        yield "cat", [[draw.tensor(dtype, 2, 0), draw.tensor(dtype, 2, 3)], -1], {}
        no_index = torch.zeros(0, dtype=torch.int64)
        yield "index_select", [draw.tensor(dtype, 3, 2), 0, no_index], {}
        yield "index.Tensor", [draw.tensor(dtype, 3, 2), [no_index]], {}
        yield "index.Tensor", [draw.tensor(dtype, 3, 2), [torch.zeros(3, dtype=torch.bool)]], {}
        yield "gather", [draw.tensor(dtype, 3, 2), 0, torch.zeros(0, 2, dtype=torch.int64)], {}
        yield "gather", [nothing, 0, no_index], {}
        yield "scatter.src", [draw.tensor(dtype, 3), 0, no_index, nothing], {}
        yield "scatter_add", [draw.tensor(dtype, 3), 0, no_index, nothing], {}
        yield "embedding", [draw.tensor(dtype, 3, 2), no_index], {}
        yield "masked_select", [draw.tensor(dtype, 3), torch.zeros(3, dtype=torch.bool)], {}
        yield "masked_scatter", [draw.tensor(dtype, 3), torch.zeros(3, dtype=torch.bool), nothing], {}
        yield "slice.Tensor", [draw.tensor(dtype, 3, 2), 0, 2, 1], {}
        yield "slice.Tensor", [draw.tensor(dtype, 3, 2), 0, 5, 9], {}
        yield "split_with_sizes", [draw.tensor(dtype, 3, 2), [0, 3, 0]], {}
        yield "repeat", [draw.tensor(dtype, 3), [0, 2]], {}
        yield "expand", [draw.tensor(dtype, 1, 3), [0, 3]], {}
        yield "view", [hollow, [0, 6]], {}
        yield "reshape", [hollow, [3, 0]], {}
        yield "permute", [hollow, [2, 0, 1]], {}
        yield "flip", [hollow, [0, 2]], {}
        yield "topk", [hollow, 0, 1], {}
        yield "topk", [hollow, 2], {}
        yield "unbind.int", [hollow, 0], {}
        yield "constant_pad_nd", [hollow, [0, 0, 1, 1], 2], {}
        yield "index_put", [draw.tensor(dtype, 3), [no_index], draw.tensor(dtype)], {}
        yield "bincount", [nothing], {}
        yield "cumsum", [hollow, 1], {}


def _reductions(draw: Draw) -> Given:
    """What is not finite, ties, wrapped integers, and types asked for by name."""
    for dtype in ALL:
        values = extremes(dtype)
        plain = draw.tensor(dtype, 2, 3, 4)
        ties = torch.tensor([[1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]]).to(dtype)
        for name in _WITH_DIM:
            for value in (values, ties, values.expand(2, -1).contiguous()):
                args, kwargs = _along(name, value, -1)
                yield name, args, kwargs
        for name in ("sum", "mean", "prod", "any", "all", "max", "min", "argmax", "argmin", "nonzero", "amax", "amin",
                     "median", "aminmax", "std", "var", "logical_not"):  # fmt: skip
            yield name, [values], {}
            yield name, [ties], {}
        for wanted in ALL:
            if wanted != dtype:
                yield "sum", [plain], {"dtype": wanted}
                yield "sum.dim_IntList", [plain, [0, 2]], {"dtype": wanted}
                yield "mean", [plain], {"dtype": wanted}
                yield "mean.dim", [plain, [1], True], {"dtype": wanted}
                yield "cumsum", [plain, 1], {"dtype": wanted}
                yield "cumprod", [ties, 1], {"dtype": wanted}
                yield "prod", [ties], {"dtype": wanted}
                yield "prod.dim_int", [ties + True, 0, False], {"dtype": wanted}
                yield "softmax.int", [plain, 1, wanted], {}
                yield "log_softmax.int", [plain, 1, wanted], {}
        for name in ("sum.dim_IntList", "mean.dim", "var.dim", "std.dim"):
            for dims in (None, [], [-1, 0], [1]):
                for keep in (False, True):
                    yield name, [plain, dims, *([True] if name[0] in "v" or name[:3] == "std" else []), keep], {}
        for name in ("var.dim", "var_mean.dim", "std.dim", "std_mean.dim"):
            for unbiased in (False, True):
                yield name, [plain, [1], unbiased], {}
                yield name, [draw.tensor(dtype, 3, 1), [1], unbiased], {}
        for name in ("var.correction", "std.correction", "var_mean.correction", "std_mean.correction"):
            for correction in (None, 0, 2, 1.5, 5):
                yield name, [plain, [1]], {"correction": correction}
            yield name, [plain], {"keepdim": True}
        for name in ("any.dims", "all.dims", "amax", "amin"):
            for dims in ([], [0, 2], [-1]):
                yield name, [plain, dims, True], {}
        for norm in (0, 1, 2, 3, 0.5, -1, INF, -INF):
            yield "linalg_vector_norm", [plain, norm, [1, 2], True], {}
            yield "linalg_vector_norm", [plain, norm], {}
            yield "norm.Scalar", [plain, norm], {}
            yield "norm.ScalarOpt_dim", [plain, norm, [0]], {}
            yield "norm.ScalarOpt_dim_dtype", [plain, norm, [0], False], {"dtype": torch.float64}
            yield "norm.ScalarOpt_dtype", [plain, norm], {"dtype": torch.float64}
        for largest, ordered in product((False, True), repeat=2):
            yield "topk", [plain, 2, 1, largest, ordered], {}
        for stable, descending in product((None, False, True), (False, True)):
            yield "sort.stable", [plain], {"stable": stable, "dim": 1, "descending": descending}
            yield "argsort.stable", [ties], {"stable": True, "dim": 1, "descending": descending}
        yield "histc", [draw.tensor(dtype, 20), 5, -2, 2], {}
        yield "histc", [draw.tensor(dtype, 20), 4], {}
        yield "histc", [torch.ones(3, dtype=dtype), 4], {}
        long = draw.positive(dtype, 20_000)
        for name in ("sum", "mean", "var"):
            yield name, [long], {}
        yield "cumsum", [long[:300], 0], {}


_SPANS = ((0.1, 1.1, 1), (0, 1, 0.1), (0, 10, 3), (10, 0, -3), (0.5, 3, 0.5), (1, 1, 1), (-0.3, 0.3, 0.1), (1, 2, 0.3),
          (0, 1 << 33, 1 << 31), (2.5, -2.5, -1), (0, 0.9999999, 0.3333333), (250, 260, 1))  # fmt: skip


def _created(draw: Draw) -> Given:
    """Constructors. torch counts the steps of `arange` in double precision."""
    for dtype in (None, *ALL):
        named = {} if dtype is None else {"dtype": dtype}
        for start, end, step in _SPANS:
            yield "arange.start_step", [start, end, step], named
            if step == 1:
                yield "arange.start", [start, end], named
        for end in (0, 1, 5, 2.5, 1.1, 4.000001):
            yield "arange", [end], named
        for name in ("linspace", "logspace"):
            for start, end, steps in (
                (0, 1, 5),
                (0.1, 1.1, 0),
                (0.1, 1.1, 1),
                (3, -3, 4),
                (0, 10, 3),
                (-1, 1, 10),
                (2, 2, 2),
            ):
                yield name, [start, end, steps], named
        for name in ("zeros", "ones", "empty.memory_format", "rand", "randn"):
            for shape in ([], [0], [2, 3]):
                yield name, [shape], named
        for number in (0, 1, True, -2, 2.5, INF, NAN, 1 << 40):
            yield "full", [[2, 1], number], named
            yield "full", [[], number], named
            yield "scalar_tensor", [number], named
        for count in (0, 1, 2, 7):
            yield "randperm", [count], named
        yield "eye", [3], named
        yield "eye.m", [2, 4], named
        yield "tril_indices", [3, 4, 1], named
        yield "triu_indices", [3, 4, -1], named
        yield "empty_strided", [[2, 3], [3, 1]], named
        yield "empty_permuted", [[2, 3], [1, 0]], named
        yield "randint", [10, [2, 3]], named
        yield "randint.low", [-5, 5, [2]], named
        for periodic in (True, False):
            yield "hann_window.periodic", [6, periodic], named
        yield "hann_window", [5], named
        for source in ALL:
            for name in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"):
                yield name, [draw.tensor(source, 2, 3)], named
            yield "full_like", [draw.tensor(source, 2, 3), 2.5], named
            yield "full_like", [draw.tensor(source), True], named
            yield "new_full", [draw.tensor(source, 1), [2, 3], 2], named
            yield "new_zeros", [draw.tensor(source, 1), [2]], named
            yield "new_ones", [draw.tensor(source, 1), [2]], named
            yield "new_empty", [draw.tensor(source, 1), [2]], named
            yield "randint_like", [draw.tensor(source, 2), 5], named
    for dtype in ALL:
        yield "bernoulli.p", [draw.tensor(dtype, 4), 0.5], {}
        yield "bernoulli.p", [draw.tensor(dtype, 4), 1.0], {}
        yield "sym_numel", [draw.tensor(dtype, 2, 3)], {}
        yield "sym_numel", [draw.tensor(dtype)], {}
        yield "sym_numel", [draw.tensor(dtype, 0, 3)], {}
        for dim in (0, -1, 1):
            yield "sym_size.int", [draw.tensor(dtype, 2, 0, 3), dim], {}
        yield "_local_scalar_dense", [draw.tensor(dtype, 1)], {}
        for value in extremes(dtype):
            yield "_local_scalar_dense", [value.clone()], {}


def _moved(draw: Draw) -> Given:
    """Shapes that change and values that do not."""
    for dtype in ALL:
        value = draw.tensor(dtype, 2, 3, 4)
        for source in ALL:
            yield "copy", [draw.tensor(dtype, 2, 3), draw.positive(source, 3)], {}
            yield "copy", [draw.tensor(dtype), draw.positive(source)], {}
            yield "to.other", [value, draw.tensor(source, 1)], {}
            yield "type_as", [value, draw.tensor(source, 1)], {}
        for name, args in (
            ("swapaxes", [0, -1]),
            ("swapdims", [1, 2]),
            ("moveaxis.int", [0, 2]),
            ("moveaxis.intlist", [[0, 1], [2, 0]]),
            ("movedim.int", [-1, 0]),
            ("lift_fresh_copy", []),
            ("detach", []),
            ("diagonal", [0, 0, 2]),
            ("diagonal", [1, -1, 1]),
            ("diagonal", [-5, 0, 1]),
            ("diagonal_copy", [0, 0, 2]),
            ("squeeze.dims", [[0, 1]]),
            ("as_strided", [[2, 2], [1, 2]]),
            ("as_strided", [[3], [0], 2]),
            ("as_strided", [[2, 3, 2], [4, 1, 3], 1]),
            ("view.dtype", [torch.int32]),
            ("view_copy", [[4, 6]]),
            ("split.Tensor", [2, 2]),
            ("split.Tensor", [3, 2]),
            ("split.sizes", [[1, 2], 1]),
            ("chunk", [3, 2]),
            ("unfold", [2, 3, 1]),
            ("unfold", [1, 1, 2]),
            ("roll", [[1, -2], [0, 2]]),
            ("roll", [[5], []]),
            ("rot90", [3, [0, 2]]),
            ("tile", [[2, 1]]),
            ("repeat", [[1, 2, 1, 2]]),
            ("tril", [-1]),
            ("triu", [2]),
            ("slice.Tensor", [1, -2, 9223372036854775807, 2]),
            ("slice.Tensor", [2, None, None, 3]),
            ("slice_scatter", [draw.tensor(dtype, 2, 3, 2), 2, 0, 4, 2]),
            ("select_scatter", [draw.tensor(dtype, 2, 4), 1, -1]),
            ("repeat_interleave.self_int", [2]),
            ("repeat_interleave.self_int", [2, 1]),
            ("repeat_interleave.self_Tensor", [torch.tensor([1, 0, 2]), 1]),
            ("native_channel_shuffle", [3]),
            ("expand", [[5, -1, 3, 4]]),
            ("unflatten.int", [2, [2, -1]]),
            ("constant_pad_nd", [[1, -1, 0, 2], 3]),
            ("constant_pad_nd", [[-1, -1], True]),
            ("constant_pad_nd", [[2, 0], -INF]),
        ):
            yield name, [value, *args], {}
        for mode in ("constant", "reflect", "replicate", "circular"):
            yield "pad", [value, [1, 2], mode], {}
        yield "pixel_shuffle", [draw.tensor(dtype, 1, 8, 2, 3), 2], {}
        yield "pixel_unshuffle", [draw.tensor(dtype, 8, 4, 6), 2], {}
        yield "channel_shuffle", [draw.tensor(dtype, 1, 6, 2, 2), 3], {}
        yield "native_channel_shuffle", [draw.tensor(dtype, 1, 6, 2, 2), 2], {}
        yield "col2im", [draw.tensor(dtype, 1, 12, 12), [4, 5], [2, 2], [1, 1], [0, 0], [1, 1]], {}
        yield "col2im", [draw.tensor(dtype, 12, 12), [4, 5], [2, 2], [1, 1], [0, 0], [1, 1]], {}
        yield "col2im", [draw.tensor(dtype, 2, 12, 6), [6, 5], [2, 3], [2, 1], [1, 0], [2, 2]], {}
        yield "col2im", [draw.tensor(dtype, 2, 6, 16), [4, 4], [3, 2], [2, 1], [2, 1], [1, 2]], {}
        yield "col2im", [draw.tensor(dtype, 1, 9, 25), [5, 5], [3, 3], [1, 1], [1, 1], [1, 1]], {}
        yield "im2col", [draw.tensor(dtype, 2, 2, 5, 6), [2, 3], [2, 1], [1, 0], [1, 2]], {}
        yield "im2col", [draw.tensor(dtype, 2, 5, 6), [2, 3], [2, 1], [1, 0], [1, 2]], {}
        grid = [draw.tensor(dtype, 2), draw.tensor(dtype, 3)]
        yield "meshgrid", [grid], {}
        for indexing in ("ij", "xy"):
            yield "meshgrid.indexing", [grid], {"indexing": indexing}
        yield "concat", [[value, value], 1], {}
        yield "concatenate", [[value, value], 1], {}
        yield "vander", [draw.tensor(dtype, 4)], {}
        yield "vander", [draw.tensor(dtype, 3), 5, True], {}
        yield "one_hot", [draw.index(4, 2, 3).to(dtype), 5], {}
        yield "one_hot", [draw.index(4, 5).to(dtype)], {}
        yield "one_hot", [torch.tensor(2).to(dtype), 3], {}


def _indexed(draw: Draw) -> Given:
    """Indices of each integer type, negative, repeated, as masks, absent between others."""
    for dtype in ALL:
        value = draw.tensor(dtype, 3, 4, 2)
        for kind in (torch.int64, torch.int32, torch.uint8, torch.int8):
            index = draw.index(3, 2, 4, 2, dtype=kind)
            flat = draw.index(3, 4, dtype=kind)
            yield "gather", [value, 0, index], {}
            yield "index_select", [value, 0, flat], {}
            yield "embedding", [draw.tensor(dtype, 3, 4), draw.index(3, 2, 2, dtype=kind)], {}
            yield "scatter.value", [value, 0, index, 1], {}
            yield "scatter.src", [value, 0, index, draw.tensor(dtype, 2, 4, 2)], {}
            yield "scatter_add", [value, 0, index, draw.tensor(dtype, 2, 4, 2)], {}
            yield "take", [value, draw.index(24, 3, dtype=kind)], {}
            yield "index.Tensor", [value, [flat]], {}
            yield "index_put", [value, [flat[:2]], draw.tensor(dtype, 4, 2)], {}
            yield "index_add", [value, 0, flat[:2], draw.tensor(dtype, 2, 4, 2)], {}
            yield "index_copy", [value, 0, torch.tensor([2, 0], dtype=kind), draw.tensor(dtype, 2, 4, 2)], {}
            yield "index_fill.int_Scalar", [value, 1, draw.index(4, 2, dtype=kind), 1], {}
        negative = torch.tensor([-1, 0, -3])
        mask, wide = draw.tensor(torch.bool, 3), draw.tensor(torch.bool, 3, 4)
        for indices in (
            [negative],
            [None, torch.tensor([-1, 3, 0])],
            [negative, None, torch.tensor([1, 0, 1])],
            [negative[:, None], torch.tensor([[0, 1]])],
            [None, torch.tensor([[1]]), torch.tensor([0, 1])],
            [torch.tensor(1)],
            [mask],
            [wide],
            [mask.to(torch.uint8)],
            [None, None, torch.tensor([True, False])],
            [torch.tensor([True, False, True]), torch.tensor([1, 0])],
            [torch.tensor([False, False, False])],
            [negative, torch.tensor([0, -4, 1]), torch.tensor([0, 1, -1])],
        ):
            yield "index.Tensor", [value, indices], {}
            yield "_unsafe_index.Tensor", [value, indices], {}
            yield "index_put", [value, indices, draw.tensor(dtype)], {}
        same = [torch.tensor([1, 1, 0])]
        yield "index_put", [value, same, draw.tensor(dtype, 3, 4, 2), True], {}
        yield "index_put", [value, [None, torch.tensor([0, 0])], draw.tensor(dtype, 3, 2, 2), True], {}
        yield "index_put", [value, [wide], draw.tensor(dtype, 2)], {}
        yield "index_put", [value, [torch.tensor([2, 0])], draw.tensor(dtype, 4, 2)], {}
        for how in ("sum", "prod", "mean", "amax", "amin"):
            for own in (True, False):
                index, source = draw.index(3, 2, 4, 2), draw.tensor(dtype, 2, 4, 2)
                yield "scatter_reduce.two", [value, 0, index, source, how], {"include_self": own}
        yield "masked_scatter", [draw.tensor(dtype, 3, 4), wide, draw.tensor(dtype, 14)], {}
        yield "masked_scatter", [draw.tensor(dtype, 4), wide, draw.tensor(dtype, 14)], {}
        yield "masked_select", [draw.tensor(dtype, 3, 1), wide], {}
        edges = torch.arange(1, 6).to(dtype)
        for right, narrow in product((False, True), repeat=2):
            yield "bucketize.Tensor", [draw.tensor(dtype, 2, 3), edges], {"out_int32": narrow, "right": right}
            yield "bucketize.Scalar", [3, edges], {"out_int32": narrow, "right": right}
            yield "searchsorted.Tensor", [edges, draw.tensor(dtype, 4)], {"out_int32": narrow, "right": right}
        for flag in (False, True):
            for unique in (False, True):
                pair = {"assume_unique": unique, "invert": flag}
                yield "isin.Tensor_Tensor", [draw.tensor(dtype, 2, 3), edges], pair
                yield "isin.Tensor_Scalar", [draw.tensor(dtype, 2, 3), 1], pair
                yield "isin.Scalar_Tensor", [1, edges], pair


_MATMUL = (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)),
           ((4, 1, 2, 3), (5, 3, 2)), ((2, 3), (4, 3, 2)), ((0, 2, 3), (3, 2)), ((4, 2, 0), (0, 2)))  # fmt: skip
_EINSUM = (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("bij,bjk", ((2, 2, 3), (2, 3, 2))),
    ("ii->i", ((3, 3),)),
    ("i,j->ij", ((2,), (3,))),
    ("...ij->...ji", ((2, 3, 4),)),
    ("ij->", ((2, 3),)),
    ("bhid,bhjd->bhij", ((2, 2, 3, 4), (2, 2, 5, 4))),
    ("i,i->", ((0,), (0,))),
)


def _products(draw: Draw) -> Given:
    """Inner dimensions of 0 sum to 0; beta of 0 drops what is not finite."""
    for dtype in ALL:
        for rows_, inner, columns in ((2, 0, 3), (0, 2, 3), (2, 3, 0), (0, 0, 0), (2, 3, 4), (1, 1, 1), (5, 7, 3)):
            left, right = draw.tensor(dtype, rows_, inner), draw.tensor(dtype, inner, columns)
            yield "mm", [left, right], {}
            yield "matmul", [left, right], {}
            yield "mv", [left, draw.tensor(dtype, inner)], {}
            yield "dot", [draw.tensor(dtype, inner), draw.tensor(dtype, inner)], {}
            yield "outer", [draw.tensor(dtype, rows_), draw.tensor(dtype, columns)], {}
            yield "linear", [left, draw.tensor(dtype, columns, inner)], {}
            yield "linear", [left, draw.tensor(dtype, columns, inner), draw.tensor(dtype, columns)], {}
            for batch in (0, 1, 2):
                pair = draw.tensor(dtype, batch, rows_, inner), draw.tensor(dtype, batch, inner, columns)
                yield "bmm", [*pair], {}
                yield "baddbmm", [draw.tensor(dtype, rows_, columns), *pair], {}
                yield "addbmm", [draw.tensor(dtype, rows_, columns), *pair], {"beta": 2, "alpha": -1}
            for beta, alpha in ((1, 1), (0, 1), (2, 3), (0.5, -0.25), (1, 0), (True, 2)):
                yield "addmm", [draw.tensor(dtype, columns), left, right], {"beta": beta, "alpha": alpha}
                yield "addmm", [draw.tensor(dtype, rows_, columns), left, right], {"beta": beta, "alpha": alpha}
        infinite = torch.full((2, 2), NAN, dtype=torch.float64).to(dtype)
        pair = [draw.tensor(dtype, 2, 3), draw.tensor(dtype, 3, 2)]
        yield "addmm", [infinite, *pair], {"beta": 0}
        yield "addmm", [draw.tensor(dtype), *pair], {}
        for beta, alpha in product((0, 1, 2), (1, 3)):
            factors = {"beta": beta, "alpha": alpha}
            batches = [draw.tensor(dtype, 2, 2, 3), draw.tensor(dtype, 2, 3, 2)]
            yield "addmm", [draw.tensor(dtype, 2, 2), *pair], factors
            yield "addmv", [draw.tensor(dtype, 2), pair[0], draw.tensor(dtype, 3)], factors
            yield "addr", [draw.tensor(dtype, 2, 3), draw.tensor(dtype, 2), draw.tensor(dtype, 3)], factors
            truths = {name: bool(number % 3) for name, number in factors.items()}
            yield "addr", [draw.tensor(dtype, 2, 3), draw.tensor(dtype, 2), draw.tensor(dtype, 3)], truths
            yield "addbmm", [draw.tensor(dtype, 2, 2), *batches], factors
            yield "baddbmm", [draw.tensor(dtype, 2, 2, 2), *batches], factors
        for left_shape, right_shape in _MATMUL:
            yield "matmul", [draw.tensor(dtype, *left_shape), draw.tensor(dtype, *right_shape)], {}
        yield "linear", [draw.tensor(dtype, 3), draw.tensor(dtype, 2, 3), draw.tensor(dtype, 2)], {}
        yield "linear", [draw.tensor(dtype, 2, 4, 3), draw.tensor(dtype, 2, 3), draw.tensor(dtype, 2)], {}
        yield "linear", [draw.tensor(dtype, 2, 4, 3), draw.tensor(dtype, 3)], {}
        for equation, shapes in _EINSUM:
            yield "einsum", [equation, [draw.tensor(dtype, *shape) for shape in shapes]], {}
        yield "chain_matmul", [[draw.tensor(dtype, 2, 3), draw.tensor(dtype, 3, 4), draw.tensor(dtype, 4, 2)]], {}
        yield "matrix_power", [draw.tensor(dtype, 3, 3), 3], {}
        yield "linalg_matrix_power", [draw.tensor(dtype, 2, 2, 2), 0], {}
        for left_shape, right_shape in (
            ((2, 3), (3, 2)),
            ((2,), (1, 2, 2)),
            ((2, 1, 2), (3,)),
            ((), ()),
            ((), (3,)),
            ((2, 0), (3, 2)),
        ):
            yield "kron", [draw.tensor(dtype, *left_shape), draw.tensor(dtype, *right_shape)], {}
        for inner in (0, 3):  # onnxruntime has no sums over nothing where a vector is multiplied from the right
            vector, matrix = draw.tensor(dtype, inner), draw.tensor(dtype, 4, inner)
            batch = draw.tensor(dtype, 2, 4, inner)
            # Of batches without elements onnxruntime's Einsum ends the process.
            for left, right in product((vector, matrix, batch), (vector, matrix, batch) if inner else (vector, matrix)):
                yield "inner", [left, right], {}
            yield "linear", [batch, vector], {}
            yield "linear", [matrix, vector], {}
            yield "matmul", [batch, vector], {}
            yield "matmul", [vector, batch.mT.contiguous()], {}
            yield "addmv", [draw.tensor(dtype, 4), matrix, vector], {}
            yield "linalg_multi_dot", [[draw.tensor(dtype, 2, 4), matrix, vector]], {}
        yield "_weight_norm", [draw.tensor(dtype, 3, 4), draw.positive(dtype, 3, 1), 0], {}
        yield "_weight_norm", [draw.tensor(dtype, 5), draw.positive(dtype, 5), 0], {}
        for dim in (-1, 1):  # -1 is no dimension: the length is that of all elements
            yield "_weight_norm", [draw.tensor(dtype, 3, 4), draw.positive(dtype, 1, 4), dim], {}
        yield "_weight_norm", [draw.tensor(dtype, 5), draw.positive(dtype, 1), -1], {}
        for shape, dim in (((4, 3), 0), ((4, 1), 0), ((2, 3, 2), 1), ((2, 3, 2), -1)):  # points of all lines at once
            yield "trapezoid.x", [draw.tensor(dtype, *shape), draw.positive(dtype, shape[dim])], {"dim": dim}
        ends = torch.tensor([2, 2, 5], dtype=torch.int32)
        yield "_grouped_mm", [draw.tensor(dtype, 5, 8), draw.tensor(dtype, 3, 8, 16), ends], {}
        yield "_grouped_mm", [draw.tensor(dtype, 3, 4, 8), draw.tensor(dtype, 3, 8, 16)], {}
        yield (
            "_grouped_mm",
            [draw.tensor(dtype, 3, 4, 8), draw.tensor(dtype, 8, 16), torch.tensor([4, 4, 16], dtype=torch.int32)],
            {},
        )
        yield (
            "_grouped_mm",
            [draw.tensor(dtype, 8, 16), draw.tensor(dtype, 16, 8), torch.tensor([8, 16], dtype=torch.int32)],
            {},
        )
        query, keys, values = (draw.tensor(dtype, 2, 4, size, 8) for size in (5, 6, 6))
        grouped = [draw.tensor(dtype, 2, 2, 6, 8) for _ in range(2)]
        yield "scaled_dot_product_attention", [query, *grouped], {"enable_gqa": True}
        yield "scaled_dot_product_attention", [query, query, draw.tensor(dtype, 2, 4, 5, 3)], {"is_causal": True}
        for named in (
            {},
            {"is_causal": True},
            {"scale": 0.3},
            {"attn_mask": draw.tensor(dtype, 5, 6)},
            {"attn_mask": draw.tensor(torch.bool, 1, 1, 5, 6)},
            {"attn_mask": torch.zeros(5, 6, dtype=torch.bool)},
        ):
            yield "scaled_dot_product_attention", [query, keys, values], named


def _convolved(draw: Draw) -> Given:
    """Ranks 1 to 3 without and with bias, batches or not, groups, transposed."""
    for dtype, rank in product(ALL, (1, 2, 3)):
        sizes = [6, 5, 4][:rank]
        for groups, stride, padding, dilation, biased in ((1, 1, 0, 1, False), (1, 2, 1, 1, True), (2, 1, 1, 2, False),
                                                          (4, 1, 2, 1, True)):  # fmt: skip
            image = draw.tensor(dtype, 2, 4, *sizes)
            weight, bias = draw.tensor(dtype, 4, 4 // groups, *[2] * rank), draw.tensor(dtype, 4) if biased else None
            plain = [stride] * rank, [padding] * rank, [dilation] * rank
            yield "convolution", [image, weight, bias, *plain, False, [0] * rank, groups], {}
            yield f"conv{rank}d", [image, weight, bias, *plain, groups], {}
            yield f"conv{rank}d", [image[0], weight, bias, *plain, groups], {}
            yield f"conv{rank}d", [image[:0], weight, bias, *plain, groups], {}
            turned = "conv_transpose1d" if rank == 1 else f"conv_transpose{rank}d.input"
            for extra in {0, stride - 1}:
                yield "convolution", [image, weight, bias, *plain, True, [extra] * rank, groups], {}
                filters = draw.tensor(dtype, 4 * groups) if biased else None
                weight_of = draw.tensor(dtype, 4, 4, *[2] * rank)
                yield turned, [image, weight_of, filters, *plain[:2], [extra] * rank, groups, plain[2]], {}
        for padding in ("same", "valid"):
            call = [draw.tensor(dtype, 1, 2, *sizes), draw.tensor(dtype, 3, 2, *[2] * rank), None, [1] * rank, padding]
            yield f"conv{rank}d.padding", call, {}


# Size, stride, padding, whether the output is rounded up, whether the padding counts.
_WINDOWS = (
    (2, 2, 0, False, True),
    (3, 2, 1, True, True),
    (3, 2, 1, True, False),
    (2, 1, 0, False, False),
    (2, 3, 1, True, False),
)


def _pooled(draw: Draw) -> Given:
    """Windows that divide sizes and that do not, edges counted or not, ties and what is not finite."""
    for dtype, rank in product(ALL, (1, 2, 3)):
        image = draw.tensor(dtype, 2, 3, *[7, 6, 5][:rank])
        broken = image.clone().flatten()
        broken[:3] = extremes(dtype)[-3:] if len(extremes(dtype)) > 2 else broken[:3]
        for value in (image, image[0], image[:0], broken.reshape(image.shape)):
            for size in (1, 2, 3, 5):
                yield f"adaptive_avg_pool{rank}d", [value, [size] * rank], {}
                if rank > 1:
                    yield f"_adaptive_avg_pool{rank}d", [value, [size] * rank], {}
                yield f"adaptive_max_pool{rank}d", [value, [size] * rank], {}
            for size, stride, padding, up, counted in _WINDOWS:
                window = [size] * rank, [stride] * rank, [padding] * rank
                yield f"avg_pool{rank}d", [value, *window, up, counted], {}
                yield f"avg_pool{rank}d", [value, *window, up, counted, *([3] if rank > 1 else [])], {}
                for dilation in (1, 2):
                    yield f"max_pool{rank}d", [value, *window, [dilation] * rank, up], {}
                    yield f"max_pool{rank}d_with_indices", [value, *window, [dilation] * rank, up], {}


def _resized(draw: Draw) -> Given:
    """Both forms of size, one of which is None, larger and smaller, corners aligned or not."""
    for dtype in ALL:
        for name, rank, aligned in (("nearest1d", 1, False), ("nearest2d", 2, False), ("nearest3d", 3, False),
                                    ("linear1d", 1, True), ("bilinear2d", 2, True), ("bicubic2d", 2, True),
                                    ("trilinear3d", 3, True)):  # fmt: skip
            image = draw.tensor(dtype, 2, 3, *[4, 5, 3][:rank])
            for flags in ([False], [True]) if aligned else ([],):
                for size in ([8, 10, 6], [3, 7, 2], [1, 1, 1], [4, 5, 3]):
                    yield f"upsample_{name}.vec", [image, size[:rank], *flags, None], {}
                    yield f"upsample_{name}", [image, size[:rank], *flags], {}
                # By the last ones sizes stay, or double, though the scales are neither 1 nor 2.
                for scales in (
                    *([2.0, 2.0, 2.0], [0.6, 1.7, 0.5], [1.3, 2.5, 1.1]),
                    *([1.1, 1.1, 1.1], [2.2, 2.1, 2.2], [0.5, 1.1, 2.1]),
                ):
                    yield f"upsample_{name}.vec", [image, None, *flags, scales[:rank]], {}
        for mode, edge, aligned in product((0, 1, 2), (0, 1, 2), (False, True)):
            grid = draw.positive(dtype, 2, 3, 4, 2) * 2 - 2
            yield "grid_sampler_2d", [draw.tensor(dtype, 2, 2, 4, 5), grid, mode, edge, aligned], {}
        yield "affine_grid_generator", [draw.tensor(dtype, 2, 2, 3), [2, 1, 3, 4], False], {}
        yield "affine_grid_generator", [draw.tensor(dtype, 1, 3, 4), [1, 1, 2, 3, 4], True], {}


def _transformed(draw: Draw) -> Given:
    """Signals that are real or complex, cropped and padded, each way to divide; frames of any length."""
    for dtype in (torch.float32, torch.float64):
        value = draw.tensor(dtype, 2, 4)
        pair = torch.complex(draw.tensor(dtype, 2, 4), draw.tensor(dtype, 2, 4))
        yield "real", [pair], {}
        for norm, dim in product((None, "ortho", "forward"), (-1, 0)):
            for name, given, length in product(("fft_fft", "fft_ifft", "fft_irfft"), (value, pair), (None, 3, 6)):
                yield name, [given, length, dim, norm], {}
            for length in (None, 3, 6):
                yield "fft_rfft", [value, length, dim, norm], {}
        for norm, sizes in product((None, "ortho", "forward"), (None, [3, -1], [2, 5])):
            for name, given in product(("fft_fft2", "fft_ifft2"), (value, pair)):
                yield name, [given, sizes, [-2, -1], norm], {}
            yield "fft_rfft2", [value, sizes, [1, 0], norm], {}
        window = draw.positive(dtype, 4)
        for given, (length, size), normalized, sided in product(
            (draw.tensor(dtype, 12), draw.tensor(dtype, 2, 12)),
            ((None, None), (4, window), (4, None), (None, draw.positive(dtype, 6))),
            (False, True),
            (None, False),
        ):
            rest = [normalized, sided, True]
            yield "stft", [given, 6, 2, length, size, *rest], {}
            for mode in ("reflect", "constant", "replicate"):
                yield "stft.center", [given, 6, None, length, size, True, mode, *rest], {}
            yield "stft.center", [given, 6, 3, length, size, False, "reflect", *rest], {}


def _normalised(draw: Draw) -> Given:
    """Weights that are None, batches of rank 2 to 5, no elements, a variance of 0."""
    for dtype in FLOATS:
        for shape in ((4, 3), (2, 3, 4), (2, 3, 4, 2), (1, 3, 2, 2, 2), (0, 3, 2)):
            value = draw.tensor(dtype, *shape)
            weight, bias, mean, var = (
                draw.tensor(dtype, 3),
                draw.tensor(dtype, 3),
                draw.tensor(dtype, 3),
                draw.positive(dtype, 3),
            )
            for scale, shift in ((weight, bias), (None, None), (weight, None), (None, bias)):
                fixed = [value, scale, shift, mean, var]
                yield "_native_batch_norm_legit_no_training", [*fixed, 0.1, 1e-5], {}
                for training in (False, True):
                    yield "_native_batch_norm_legit", [*fixed, training, 0.1, 1e-3], {}
                    yield "_native_batch_norm_legit_functional", [*fixed, training, 0.2, 1e-5], {}
                    yield "native_batch_norm", [*fixed, training, 0.1, 1e-5], {}
                    yield "batch_norm", [*fixed, training, 0.1, 1e-5, False], {}
                    yield "instance_norm", [*fixed, training, 0.1, 1e-5, False], {}
                yield "_native_batch_norm_legit.no_stats", [value, scale, shift, True, 0.1, 1e-5], {}
                yield "batch_norm", [value, scale, shift, None, None, True, 0.1, 1e-5, False], {}
                yield "instance_norm", [value, scale, shift, None, None, True, 0.1, 1e-5, False], {}
                yield "group_norm", [value, 3, scale, shift], {}
                yield "group_norm", [value, 1, scale, shift, 1e-3], {}
                if dtype.itemsize > 2 and len(shape) > 2:  # what cancels where the square of the mean is subtracted
                    yield "group_norm", [value + 100, 3, scale, shift], {}
                last = [*shape[-1:]]
                pair = [None if item is None else draw.tensor(dtype, *last) for item in (scale, shift)]
                yield "layer_norm", [value, last, *pair], {}
                yield "native_layer_norm", [value, last, *pair, 1e-5], {}
                yield "rms_norm", [value, last, pair[0]], {}
                yield "rms_norm", [value, last, pair[0], 1e-3], {}
            yield "native_group_norm", [value, weight, bias, shape[0], 3, math.prod(shape[2:]), 3, 1e-5], {}
            yield "native_group_norm", [value, None, None, shape[0], 3, math.prod(shape[2:]), 1, 1e-5], {}
        yield "native_layer_norm", [draw.tensor(dtype, 2, 3, 4), [3, 4], None, None, 1e-5], {}
        yield "layer_norm", [torch.full((2, 4), 3.0, dtype=dtype), [4]], {}
        yield "layer_norm", [torch.full((2, 4), 300.0, dtype=dtype) + draw.tensor(dtype, 2, 4), [4]], {}
        yield "rms_norm", [torch.zeros(2, 4, dtype=dtype), [4]], {}


def _recurrent(draw: Draw) -> Given:
    """Layers, directions, biases, the batch first or second."""
    for dtype, layers, both, biased, first in product(FLOATS, (1, 2), (False, True), (False, True), (False, True)):
        for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
            directions, hidden, size = 2 if both else 1, 3, 4
            weights = []
            for layer, _ in product(range(layers), range(directions)):
                width = size if layer == 0 else hidden * directions
                shapes = [
                    (gates * hidden, width),
                    (gates * hidden, hidden),
                    *([(gates * hidden,)] * 2 if biased else []),
                ]
                weights += [draw.tensor(dtype, *shape) / 4 for shape in shapes]
            for steps, batch in ((5, 2), (1, 1)):
                value = draw.tensor(dtype, *((batch, steps) if first else (steps, batch)), size)
                state = draw.tensor(dtype, layers * directions, batch, hidden)
                begun = [state, draw.tensor(dtype, *state.shape)] if name == "lstm" else state
                yield f"{name}.input", [value, begun, weights, biased, layers, 0.0, False, both, first], {}


def _dropped(draw: Draw) -> Given:
    """Certain where nothing or all is dropped, or nothing is trained."""
    for dtype in FLOATS:
        value = draw.tensor(dtype, 3, 4)
        for share, train in product((0.0, 0.5, 1.0), (True, False)):
            yield "native_dropout", [value, share, train], {}
            yield "dropout", [value, share, train], {}
            yield "alpha_dropout", [value, share, train], {}
            yield "feature_dropout", [value, share, train], {}
        yield "native_dropout", [value, 0.5, None], {}


def _distances(draw: Draw) -> Given:
    """Each norm, in each of the ways to compute it; bags of embeddings, some of them empty."""
    for dtype in FLOATS:
        for norm, mode in product((0.0, 0.5, 1.0, 2.0, 3.0, INF), (None, 0, 1, 2)):
            for rows_, columns, width in ((4, 3, 2), (1, 5, 1), (0, 2, 3), (2, 2, 0), (30, 26, 3)):
                pair = [draw.tensor(dtype, 2, rows_, width), draw.tensor(dtype, columns, width)]
                if rows_ < 10 or norm == 2:
                    yield "cdist", [*pair, norm, mode], {}
                    yield "_cdist_forward", [draw.tensor(dtype, rows_, width), pair[1], norm, mode], {}
            yield "_pdist_forward", [draw.tensor(dtype, 5, 3), norm], {}
        same = draw.tensor(dtype, 30, 3) + 50
        # Without products: those of PyTorch lose what is small beside the vectors.
        yield "cdist", [same, same, 2.0, 2], {}
        yield "_cdist_forward", [same, same, 2.0, 2], {}
        table = draw.tensor(dtype, 6, 3)
        for kind, mode, last, padding in product((torch.int64, torch.int32), (0, 1, 2), (False, True), (-1, 2)):
            index = torch.tensor([1, 2, 4, 5, 4, 3, 2, 2], dtype=kind)
            ends = torch.tensor([0, 3, 3, 7, *([8] if last else [])], dtype=kind)
            weights = draw.tensor(dtype, 8) if mode == 0 else None
            for given in {id(item): item for item in (weights, None)}.values():
                call = [table, index, ends, False, mode, False, given, last, padding]
                yield "_embedding_bag", call, {}
                yield "_embedding_bag_forward_only", call, {}
                yield "embedding_bag", call[:-1], {}
                yield "embedding_bag.padding_idx", [*call[:-1], None if padding < 0 else padding], {}
        yield "embedding", [table, torch.tensor([[0, 5], [2, 2]]), 2, True, False], {}
    yield from _bags_that_end_early()


def _bags_that_end_early() -> Given:
    """Bags behind whose last offset there are more indices, which PyTorch adds to none, but where it has them padded,
    or in double."""
    for dtype in FLOATS:
        table, weights = torch.linspace(-2, 3, 18).reshape(6, 3).to(dtype), torch.linspace(-1, 2, 8).to(dtype)
        index = torch.tensor([1, 2, 4, 5, 4, 3, 2, 2])
        for ends, mode, padding in product(([0, 3, 3, 6], [0, 2, 2], [0, 0]), (0, 1, 2), (-1, 2)):
            for given in (None, weights) if mode == 0 else (None,):
                call = [table, index, torch.tensor(ends), False, mode, False, given, True, padding]
                yield "_embedding_bag", call, {}
                yield "_embedding_bag_forward_only", call, {}
                yield "embedding_bag", call[:-1], {}
                yield "embedding_bag.padding_idx", [*call[:-1], None if padding < 0 else padding], {}


_QUANTISED = {torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-32768, 32767), torch.int32: (-100, 100)}


def _quantised(draw: Draw) -> Given:
    """Values on halves and beyond the range; the zero point off zero; narrow ranges."""
    home = "quantized_decomposed::"
    for (kind, limits), dtype in product(_QUANTISED.items(), FLOATS):
        for low, high in (limits, (limits[0] + 1, limits[1]), (0, 15)):
            ends = [low, high, kind]
            value = torch.cat([draw.tensor(dtype, 7) * 8, torch.tensor([0.25, 0.75, -0.25, 1e4, -1e4, 0.0]).to(dtype)])
            stored = torch.arange(low, high, max(1, (high - low) // 9)).to(kind)
            for scale, zero in ((0.5, 0), (0.1, 3), (0.0333, min(max(-5, low), high))):
                yield f"{home}quantize_per_tensor", [value, scale, zero, *ends], {}
                yield f"{home}dequantize_per_tensor", [stored, scale, zero, *ends], {"out_dtype": dtype}
                yield f"{home}dequantize_per_tensor", [stored, scale, zero, *ends], {}
                for kinds_ in (torch.float32, torch.float64):
                    pair = [torch.tensor(scale, dtype=kinds_), torch.tensor(zero)]
                    limit = [torch.tensor(low), torch.tensor(high), kind]
                    yield f"{home}quantize_per_tensor.tensor", [value, *pair, *ends], {}
                    yield f"{home}quantize_per_tensor.tensor2", [value, *pair, *limit], {}
                    yield f"{home}dequantize_per_tensor.tensor", [stored, *pair, *ends], {"out_dtype": dtype}
                    yield f"{home}dequantize_per_tensor.tensor2", [stored, *pair, *limit], {"out_dtype": dtype}
            matrix = draw.tensor(dtype, 3, 4) * 5
            whole = (draw.index(min(high, 100) - max(low, -100), 3, 4) + max(low, -100)).to(kind)
            for axis, size in ((0, 3), (1, 4), (-1, 4)):
                for kinds_ in (torch.float32, torch.float64):
                    scales, zeros = draw.positive(kinds_, size) / 4, draw.index(4, size)
                    yield f"{home}quantize_per_channel", [matrix, scales, zeros, axis, *ends], {}
                    for point in (zeros, None):
                        yield f"{home}dequantize_per_channel", [whole, scales, point, axis, *ends], {"out_dtype": dtype}
                    yield f"{home}fake_quant_per_channel", [matrix, scales, zeros, axis, low, high], {}
            for kinds_ in (torch.float32, torch.float64, dtype):
                scales, zeros = draw.positive(kinds_, 3, 1) / 4, draw.index(4, 3, 1)
                yield f"{home}quantize_per_token", [matrix, scales, zeros, *ends], {}
                yield f"{home}dequantize_per_token", [whole, scales, zeros, *ends, dtype], {}
                scales, zeros = draw.positive(kinds_, 3, 2) / 4, draw.index(4, 3, 2, dtype=torch.int32)
                yield f"{home}quantize_per_channel_group", [matrix, scales, zeros, *ends, 2], {}
                yield f"{home}dequantize_per_channel_group", [whole, scales, zeros, *ends, 2, dtype], {}
            for name in ("choose_qparams.tensor", "choose_qparams_symmetric.tensor"):
                for given in (value, matrix, torch.zeros(3, dtype=dtype), matrix.abs()):
                    yield f"{home}{name}", [given, low, high, 1e-5, kind], {}
        for name in ("choose_qparams_per_token", "choose_qparams_per_token_asymmetric",
                     "_choose_qparams_per_token_asymmetric_impl"):  # fmt: skip
            for given in (draw.tensor(dtype, 3, 4), draw.tensor(dtype, 2, 2, 5), torch.zeros(2, 3, dtype=dtype)):
                yield f"{home}{name}", [given, kind], {}
    for dtype, wanted in product(ALL, ALL):
        yield f"{home}convert_element_type.no_fuse", [_castable(dtype, wanted), wanted], {}


def _ranked(draw: Draw) -> Given:
    """Dimensions that stay where none is named; orders of what is not finite, of ties, of nothing."""
    for dtype in ALL:
        plain, values = draw.tensor(dtype, 2, 3, 4), extremes(dtype)
        broken = torch.stack([values, values.flip(0), values[:1].expand(len(values))])
        for name in ("argmax", "argmin"):
            yield name, [plain], {"keepdim": True}
        for name in ("any.dims", "all.dims"):
            for keep in (False, True):
                yield name, [plain, None, keep], {}
        for largest in (True, False):
            yield "topk", [plain, 0, 1, largest], {}
            yield "topk", [broken, 2, 1, largest], {}
            yield "sort", [broken, 1, largest], {}
            yield "sort.stable", [broken], {"stable": True, "dim": 1, "descending": largest}
            yield "argsort.stable", [broken], {"stable": True, "descending": largest}
        for name in ("median", "nanmedian"):
            yield name, [broken], {}
            yield name, [plain], {}
            yield f"{name}.dim", [broken, 1], {}
            yield f"{name}.dim", [plain, -1, True], {}
        yield "kthvalue", [broken, 2], {}
        yield "kthvalue", [plain, 3, 1, True], {}
        yield "mode", [plain, 1, True], {}
        for dims in ([0, 2], []):
            yield "count_nonzero.dim_IntList", [plain, dims], {}
        yield "aminmax", [plain], {"dim": 1, "keepdim": True}
        yield "aminmax", [plain], {"keepdim": True}
        for number in (0, 1, 2, 3, INF, -INF):
            for wanted in FLOATS:
                yield "norm.ScalarOpt_dtype", [plain, number], {"dtype": wanted}
                yield "norm.ScalarOpt_dim_dtype", [plain, number, [0, 2], True], {"dtype": wanted}
            yield "dist", [plain, draw.tensor(dtype, 3, 1), number], {}
            yield "pairwise_distance", [draw.tensor(dtype, 2, 3), draw.tensor(dtype, 3), number], {}
            yield "renorm", [plain, number, 1, 1.5], {}
        yield "normal.float_Tensor", [0.5, draw.positive(dtype, 2, 3)], {}
        yield "normal.Tensor_float", [plain], {}
        unseeded = {"generator": None, "dtype": dtype}
        yield "randint.generator", [5, [2, 3]], unseeded
        yield "randint.low_generator", [-3, 5, [2, 3]], unseeded
        for wanted in (dtype, torch.float32, torch.int64):
            unseeded = {"generator": None, "dtype": wanted}
            yield "randint_like.Tensor", [plain, torch.tensor(5)], {"dtype": wanted}
            yield "randint_like.Tensor_generator", [plain, torch.tensor(5)], unseeded
            yield "randint_like.generator", [plain, 5], unseeded
            yield "randint_like.low_dtype", [plain, -2, 5], {"dtype": wanted}
            yield "randint_like.low_generator_dtype", [plain, -2, 5], unseeded
        for wanted in ALL:
            yield "nansum", [values[:, None], [0]], {"dtype": wanted}
            yield "nanmean", [values[:, None], [0]], {"dtype": wanted}
            yield "linalg_vector_norm", [plain, 1, [0, -1]], {"dtype": wanted}
            yield "bincount", [draw.positive(dtype, 6), draw.tensor(wanted, 6)], {}
        for flag in (False, True):
            yield "combinations", [draw.tensor(dtype, 4), 3, flag], {}
        yield "cov", [draw.tensor(torch.float32, 2, 4)], {"fweights": draw.positive(dtype, 4)}
        yield "multinomial", [draw.positive(dtype, 2, 5), 3, True], {}
        yield "bernoulli", [torch.tensor([0, 1, 1, 0]).to(dtype)], {}
        yield "bernoulli.p", [plain, 0.0], {}


def _resized_by_middles(draw: Draw) -> Given:
    """The nearest elements, and all that a new element covers: larger, smaller, equal, to one; elements that are not
    finite beside those that are."""
    larger_and_smaller = ([8, 10, 6], [3, 7, 2], [1, 1, 1], [4, 5, 3], [9, 2, 7])
    factors = (
        *([2.0, 2.0, 2.0], [0.6, 1.7, 0.5], [1.3, 2.5, 1.1], [1.1, 1.1, 1.1], [2.2, 2.1, 2.2], [0.5, 1.1, 2.1]),
        [0.3, 0.25, 3.4],
    )
    exact = [(f"nearest_exact{rank}d", rank, dtype, []) for rank in (1, 2, 3) for dtype in ALL]
    smooth = [
        (f"{name}2d_aa", 2, dtype, [aligned])
        for name in ("bilinear", "bicubic", "lanczos")
        for dtype in (torch.float32, torch.float64, torch.uint8)
        for aligned in (False, True)
    ]
    for kind, rank, dtype, flags in exact + smooth:
        image = draw.tensor(dtype, 1, 2, *[4, 5, 3][:rank])
        broken = image.clone().flatten()
        broken[5:7] = extremes(dtype)[-2:]
        # The weights of Lanczos' filter that are near 0 have the sign to which the runtime's sine rounds.
        for given in (image,) if kind.startswith("lanczos") else (image, broken.reshape(image.shape)):
            for size in larger_and_smaller:
                yield f"_upsample_{kind}.vec", [given, size[:rank], *flags, None], {}
                yield f"_upsample_{kind}", [given, size[:rank], *flags], {}
            for scales in factors:
                sizes = [int(size * scale) for size, scale in zip(given.shape[2:], scales, strict=False)]
                if all(sizes):
                    yield f"_upsample_{kind}.vec", [given, None, *flags, scales[:rank]], {}
                    yield f"_upsample_{kind}", [given, sizes, *flags, *scales[:rank]], {}


def _linear_systems(draw: Draw) -> Given:
    """Matrices of each size from 0, alone and many; zeros where pivots are looked for first; singular ones where
    PyTorch takes them; one side for all, and a side for each."""
    for dtype in (torch.float32, torch.float64):
        turned = torch.eye(4, dtype=dtype)[[2, 0, 3, 1]] * 3
        stairs = torch.tensor([[0, 2, 1], [1, 0, 0], [4, 1, 0]], dtype=dtype)
        several = [draw.tensor(dtype, *size, size[-1]) + 2 * torch.eye(size[-1], dtype=dtype)
                   for size in ((1,), (2,), (5,), (3, 3), (2, 1, 4), (0,), (2, 0), (0, 3))]  # fmt: skip
        for given in (*several, turned, stairs):
            size, before = given.shape[-1], given.shape[:-2]
            yield from ((name, [given], {}) for name in ("linalg_inv", "inverse"))
            for name in ("linalg_det", "det", "linalg_slogdet", "slogdet"):
                yield name, [given], {}
                yield name, [given * 0], {}
            positive = given @ given.mT + torch.eye(size, dtype=dtype)
            for upper in (False, True):
                yield "linalg_cholesky", [positive], {"upper": upper}
                yield "cholesky", [positive, upper], {}
            for left, count in product((True, False), (1, 3)):
                sides = (size, count) if left else (count, size)
                for right in (draw.tensor(dtype, *before, *sides), draw.tensor(dtype, 2, *[1] * len(before), *sides)):
                    yield "linalg_solve", [given, right], {"left": left}
                    for upper, unit in product((False, True), (False, True)):
                        flags = {"upper": upper, "left": left, "unitriangular": unit}
                        yield "linalg_solve_triangular", [given, right], flags
            yield "linalg_solve", [given, draw.tensor(dtype, *before, size)], {}
            yield "linalg_solve", [given, draw.tensor(dtype, size)], {}


def _combined_at_places(draw: Draw) -> Given:
    """Positions once, twice and never; nothing to combine; volumes between whose elements places lie, and beyond."""
    for dtype in ALL:
        table = draw.tensor(dtype, 3, 4, 2)
        for dim, size in ((0, 3), (1, 4), (-1, 2)):
            for kind, count in product((torch.int64, torch.int32), (0, 1, 5)):
                sizes = [*table.shape]
                sizes[dim] = count
                index, source = draw.index(size, count, dtype=kind), draw.tensor(dtype, *sizes)
                reduced = () if dtype == torch.bool else ("prod", "mean", "amax", "amin")
                for reduce, include in product(reduced, (True, False)):
                    yield "index_reduce", [table, dim, index, source, reduce], {"include_self": include}
        if dtype != torch.bool:
            yield "index_reduce", [table[0, 0, 0], 0, torch.tensor([0, 0]), draw.tensor(dtype, 2), "amax"], {}
        for places in ([3, -1, 0], [[5, 5], [-24, 7]], 2, []):
            index = torch.tensor(places, dtype=torch.int64)
            source = draw.tensor(dtype, *index.shape)
            yield "put", [table, index, source, False], {}
            yield "put", [table, index, source, True], {}
        yield "put", [table[0, 0, 0], torch.tensor([0]), draw.tensor(dtype, 1)], {}
    for dtype in FLOATS:
        for mode, edge, aligned in product((0, 1), (0, 1, 2), (False, True)):
            grid = draw.positive(dtype, 2, 2, 3, 4, 3) * 2 - 2
            yield "grid_sampler_3d", [draw.tensor(dtype, 2, 2, 3, 4, 5), grid, mode, edge, aligned], {}
