"""Subscripts: the compiled graph computes what numpy computes, shape included, for every form of index."""

from __future__ import annotations

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere

# Of a tensor of shape (3, 4, 5). `rank` where the form needs the tensor's rank to be declared.
BASIC = [
    "x[0]", "x[-1]", "x[2, 1]", "x[-3, -4, -5]", "x[1:3]", "x[1:]", "x[:2]", "x[:]", "x[::2]", "x[::-1]", "x[-2:]",
    "x[:-1]", "x[5:]", "x[-10:2]", "x[2:0]", "x[2:0:-1]", "x[::-2]", "x[-1::-1]", "x[-10::-1]", "x[-2::-1]",
    "x[10::-1]", "x[1:-10:-1]", "x[-1:-3:-1]", "x[:-2:-1]", "x[:-10:-1]", "x[3:1:-3]", "x[0:0]", "x[:, 1]",
    "x[:, -1:]", "x[:, :, 0]", "x[1, :, 2]", "x[0, 1:3, ::-1]", "x[...]", "x[..., 0]", "x[..., -1]", "x[..., 1:3]",
    "x[0, ..., 1]", "x[..., 1, 2]", "x[..., 0, :]", "x[1, ...]", "x[..., ::-1, 2]", "x[-1, ..., 2:]", "x[()]",
    "x[None]", "x[:, None]", "x[None, None]", "x[..., None]", "x[None, ..., None]", "x[0, None]", "x[:, None, 1]",
    "x[None, 0, None, :, None, 1:3]", "x[..., None, 0]", "x[..., 0, None]", "x[..., None, :]", "x[0, ..., None, 1:]",
    "x[..., None, None, 1, None]", "x[0][1][2]", "x[1:][0]", "x[1:, 1:, 1:]", "x[0:3:2, 1::2, ::3]", "x[-1, -1]",
    "x[9223372036854775807:]", "x[-99999999999999999999:2]",
]  # fmt: skip
BY_VALUE = [  # n is 2, m is -1, both INT64 tensors of rank 0; k is an attribute, 1
    "x[n]", "x[m]", "x[k]", "x[:, n]", "x[..., m]", "x[n:]", "x[:m]", "x[k:n]", "x[m:]", "x[::k]", 
    "x[::m]", "x[n:0:-1]", "x[m:0:-1]", "x[:m:-1]", "x[n:m:-1]", "x[m::-1]", "x[m - 9::-1]", "x[n + 5::-2]",
    "x[k, ..., n]", "x[n, 1:n]", "x[k - 1]", "x[-k]", "x[:-k]", "x[op.Shape(x)[0] - 1]", "x[x.shape[0] - 1]",
    "x[len(x) - 1]", "x[:x.shape[1] - 2]", "x[int(k / 2)]", "x[n:, k, ::-1]",
]  # fmt: skip
ARRAYS = [  # i is [2, 0], j is [[1, -1], [0, 3]], b is a mask of the first axis, c of the first two
    "x[i]", "x[j]", "x[:, j]", "x[..., j]", "x[j, ...]", "x[i, 0]", "x[0, i]", "x[0, i, 1]", "x[:, 0, i]",
    "x[i, None]", "x[None, i]", "x[..., None, i]", "x[1:, i]", "x[[0, 2]]", "x[[0, 2], 1]", "x[[[0, 1], [2, 0]]]",
    "x[(0, 2), :]", "x[[]]", "x[b]", "x[b, 0]", "x[:, :, op.Greater(x[0, 0], 2)]", "x[[True, False, True]]",
    "x[i, i]", "x[j, j]", "x[:, j, j]", "x[i, j]", "x[i[:, None], j[0]]", "x[0, :, i]", "x[i, :, 0]", "x[i, :, i]",
    "x[i, ..., i]", "x[:, i, i]", "x[0, None, i]", "x[i, None, i]", "x[None, i, i]", "x[:, None, i, i]",
    "x[i, i, None]", "x[i, i, 1:3]", "x[1:, i, i]", "x[b, i]", "x[c]", "x[c, 0]", "x[c, 1:3]", "x[..., op.Concat(c[0], c[1, 2:3], axis=0)]",
    "x[None, c]", "x[c, None]", "x[:, :, None][c]", "x[x > 20]", "x[(x > 20) & (x < 40)]", "x[b, :, 0]",
    "x[b, None, 0]", "x[..., i, i]", "x[0, ..., i]", "x[[0, 1], [1, 0]]", "x[n, i]", "x[i, :, n]",
    "x[op.Cast(i, to=6)]", "x[op.Cast(j, to=3)]", "x[i - j]",
]  # fmt: skip
TEXT = "def F(x, n, m, i, j, b, c, k: int = 1):\n    return {}\n"
INPUTS = {"x": "float", "n": "int64/0", "m": "int64/0", "i": "int64/1", "j": "int64/2", "b": "bool/1", "c": "bool/2"}
VALUES = {
    "n": np.array(2),
    "m": np.array(-1),
    "i": np.array([2, 0]),
    "j": np.array([[1, -1], [0, 2]]),
    "b": np.array([True, False, True]),
    "c": np.arange(12).reshape(3, 4) % 5 == 1,
}


class _Operators:
    """numpy in place of the operators that the expressions use."""

    def Shape(self, x: np.ndarray) -> np.ndarray:
        return np.array(x.shape, np.int64)

    def Greater(self, x: np.ndarray, y: float) -> np.ndarray:
        return x > y

    def Cast(self, x: np.ndarray, to: int) -> np.ndarray:
        return x.astype({3: np.int8, 6: np.int32}[to])

    def Concat(self, *xs: np.ndarray, axis: int) -> np.ndarray:
        return np.concatenate(xs, axis)


NAMES = {"op": _Operators(), "k": 1}


def expected(expression: str, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, {**NAMES, **VALUES, "x": x}))


def check(compiler: Compiler, expression: str, rank: str, opset: int, x: np.ndarray) -> None:
    function = compiler.function(TEXT.format(expression), {**INPUTS, "x": f"float{rank}"}, {"y": "float"}, opset=opset)
    wanted = expected(expression, x)
    for runtime, (got,) in run_everywhere(function, {"x": x, **VALUES}).items():
        assert got.shape == wanted.shape, (runtime, got.shape, wanted.shape)
        np.testing.assert_array_equal(got, wanted, err_msg=runtime)


X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize("opset", [13, 20])
@pytest.mark.parametrize("expression", BASIC + BY_VALUE)
def test_positions_and_slices(compiler: Compiler, expression: str, opset: int) -> None:
    check(compiler, expression, "", opset, X)


@pytest.mark.parametrize("opset", [13, 20])
@pytest.mark.parametrize("expression", ARRAYS)
def test_arrays_and_masks(compiler: Compiler, expression: str, opset: int) -> None:
    check(compiler, expression, "/3", opset, X)
