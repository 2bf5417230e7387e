"""Programs in the manner of onnxscript's tutorials and tests, and what numpy makes of the same inputs.

Each text defines F under the import lines of `HEADER`. Written for this project.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

HEADER = """import math
from typing import Literal, Optional, Sequence

import numpy as np
import onnx
from onnx import TensorProto
from onnx.helper import make_tensor
from opwright import BOOL, DOUBLE, FLOAT, INT32, INT64, STRING, UINT8, Opset, graph, script
from opwright import opset18 as op

this = Opset("test.tutorial", 1)

"""

f32 = np.float32
V, W = np.array([1.5, -2.0, 3.0], f32), np.array([0.5, 4.0, -1.0], f32)
M = np.array([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], f32)
SQUARE = np.array([[2.0, 1.0], [0.0, 3.0]], f32)
INTS, MORE = np.array([3, -4, 5]), np.array([2, 3, -1])
ONE, THREE, NONE = np.array(1.5, f32), np.array(3), np.array(0)
IMAGE = np.arange(32, dtype=f32).reshape(1, 2, 4, 4) - 10


@dataclass(frozen=True)
class Program:
    name: str
    text: str
    expected: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    attributes: dict[str, Any] = field(default_factory=dict)


PROGRAMS: list[Program] = []


def program(
    name: str,
    head: str,
    body: str,
    expected: Callable[..., Any],
    *inputs: np.ndarray,
    before: str = "",
    **attributes: Any,
) -> None:
    """`head` are the parameters, `body` the lines of F, `before` what stands above it."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    PROGRAMS.append(Program(name, f"{before}\n@script()\ndef F({head}):\n{lines}", expected, inputs, attributes))


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


X, XY, N = "x: FLOAT[...]", "x: FLOAT[...], y: FLOAT[...]", "x: FLOAT[...], n: INT64"

# ------------------------------------------------------------------------------------------- operators, one by one
program("add of two", XY, "return op.Add(x, y)", lambda x, y: x + y, V, W)
program("a chain of operators", XY, "return op.Mul(op.Add(x, y), op.Sub(x, y))", lambda x, y: x * x - y * y, V, W)
program("python's operators", XY, "return (x + y) * (x - y) / 2.0", lambda x, y: (x + y) * (x - y) / 2, V, W)
program("minus", X, "return -x", lambda x: -x, V)
program("abs by its operator", X, "return op.Abs(x)", np.abs, V)
program("power", X, "return x ** 3", lambda x: x**3, V)
program("matmul", XY, "return x @ y", lambda x, y: x @ y, M, M.T.copy())
program("gemm", XY, "return op.Gemm(x, y, alpha=0.5, transB=1)", lambda x, y: 0.5 * x @ y.T, M, M)
program("comparison", XY, "return x < y", lambda x, y: x < y, V, W)
program("comparisons joined", XY, "return (x < y) | (x == 3.0)", lambda x, y: (x < y) | (x == 3), V, W)
program("where", XY, "return op.Where(x > y, x, y)", np.maximum, V, W)
program("integers", "x: INT64[...], y: INT64[...]", "return x * y - x", lambda x, y: x * y - x, INTS, MORE)
program("integer remainder", "x: INT64[...], y: INT64[...]", "return x % y", lambda x, y: x % y, INTS, MORE)
program("float remainder as C has it", XY, "return op.Mod(x, y, fmod=1)", np.fmod, V, W)
program("cast to an int", X, "return op.Cast(x, to=INT64)", lambda x: x.astype(np.int64), V)
program("cast by a number", X, "return op.Cast(x, to=7)", lambda x: x.astype(np.int64), V)
program("cast by TensorProto", X, "return op.Cast(x, to=TensorProto.INT64)", lambda x: x.astype(np.int64), V)
program(
    "cast like",
    "x: FLOAT[...], y: DOUBLE[...]",
    "return op.CastLike(x, y)",
    lambda x, y: x.astype(float),
    V,
    V.astype(float),
)
program("booleans", "x: BOOL[...], y: BOOL[...]", "return op.Xor(x, op.Not(y))", lambda x, y: x ^ ~y, V > 0, W > 0)
program("reduce over all", X, "return op.ReduceSum(x, keepdims=0)", lambda x: x.sum(), M)
program("reduce over one axis", X, "return op.ReduceMean(x, [1])", lambda x: x.mean(axis=1, keepdims=True), M)
program("argmax", X, "return op.ArgMax(x, axis=1, keepdims=0)", lambda x: x.argmax(1), M)
program("transpose", X, "return op.Transpose(x, perm=[1, 0])", np.transpose, M)
program("reshape", X, "return op.Reshape(x, [3, 2])", lambda x: x.reshape(3, 2), M)
program("flatten", X, "return op.Reshape(x, op.Constant(value_ints=[-1]))", lambda x: x.reshape(-1), M)
program("concat", XY, "return op.Concat(x, y, axis=0)", lambda x, y: np.concatenate([x, y]), M, M)
program("unsqueeze", X, "return op.Unsqueeze(x, [0])", lambda x: x[None], M)
program("shape as a tensor", X, "return op.Shape(x)", lambda x: np.array(x.shape), M)
program("size", X, "return op.Size(x)", lambda x: np.array(x.size), M)
program("expand", X, "return op.Expand(x, [2, 3])", lambda x: np.broadcast_to(x, (2, 3)), V)
program("tile", X, "return op.Tile(x, [2])", lambda x: np.tile(x, 2), V)
program("cumulative sum", X, "return op.CumSum(x, 0)", np.cumsum, V)
program("pad", X, "return op.Pad(x, [1, 0], mode='constant')", lambda x: np.pad(x, (1, 0)), V)
program("clip", X, "return op.Clip(x, -1.0, 2.0)", lambda x: x.clip(-1, 2), V)
program(
    "one hot",
    "i: INT64[...]",
    "return op.OneHot(i, 4, op.Constant(value_floats=[0.0, 1.0]))",
    lambda i: np.eye(4, dtype=f32)[i],
    np.array([2, 0]),
)
program(
    "gather",
    "x: FLOAT[...], i: INT64[...]",
    "return op.Gather(x, i, axis=0)",
    lambda x, i: x[i],
    M,
    np.array([1, 0, 1]),
)
program(
    "scatter",
    "x: FLOAT[...], i: INT64[...]",
    "return op.ScatterElements(x, i, x, axis=0)",
    lambda x, i: x[[2, 0, 1]],
    V,
    np.array([1, 2, 0]),
)
program(
    "two results",
    X,
    "values, places = op.TopK(x, op.Constant(value_ints=[2]))\nreturn values, places",
    lambda x: (np.array([3.0, 1.5], f32), np.array([2, 0])),
    V,
)
program("the first of two results", X, "values, _ = op.TopK(x, [1])\nreturn values", lambda x: x.max(keepdims=True), V)
program("split", X, "a, b, c = op.Split(x, num_outputs=3)\nreturn a + b + c", lambda x: x.sum(keepdims=True), V)
program(
    "convolution",
    "x: FLOAT[...], w: FLOAT[...]",
    "return op.Conv(x, w, kernel_shape=[1, 1])",
    lambda x, w: np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0]),
    IMAGE,
    np.ones((3, 2, 1, 1), f32),
)
program(
    "pooling",
    X,
    "return op.MaxPool(x, kernel_shape=[2, 2], strides=[2, 2])",
    lambda x: x.reshape(1, 2, 2, 2, 2, 2).max(axis=(3, 5)),
    IMAGE,
)
program("global pooling", X, "return op.GlobalAveragePool(x)", lambda x: x.mean(axis=(2, 3), keepdims=True), IMAGE)
program("softmax along an axis", X, "return op.Softmax(x, axis=0)", lambda x: softmax(x, 0), M)
program("einsum", XY, "return op.Einsum(x, y, equation='ij,kj->ik')", lambda x, y: x @ y.T, M, M)
program("trilu", X, "return op.Trilu(x, upper=0)", np.tril, SQUARE)
program(
    "strings",
    "x: STRING[...], y: STRING[...]",
    "return op.Equal(op.Size(x), op.Size(y))",
    lambda x, y: np.array(x.size == y.size),
    np.array(["a"], object),
    np.array(["b"], object),
)

# -------------------------------------------------------------------------------------------------------- constants
program("a float constant", X, "c = op.Constant(value_float=2.5)\nreturn x * c", lambda x: x * f32(2.5), V)
program("an int constant", "x: INT64[...]", "return x + op.Constant(value_int=7)", lambda x: x + 7, INTS)
program(
    "a list constant",
    X,
    "return x + op.Constant(value_floats=[1.0, 2.0, 3.0])",
    lambda x: x + np.array([1, 2, 3], f32),
    V,
)
program(
    "a constant by make_tensor",
    X,
    "c = op.Constant(value=make_tensor('c', TensorProto.FLOAT, [3], [1.0, 2.0, 3.0]))\nreturn x + c",
    lambda x: x + np.array([1, 2, 3], f32),
    V,
)
program(
    "a scalar by make_tensor",
    X,
    "zero = op.Constant(value=make_tensor('zero', 1, [1], [0.0]))\nreturn op.Max(x, zero)",
    lambda x: np.maximum(x, 0),
    V,
)
program(
    "a constant by helper's long name",
    X,
    "c = op.Constant(value=onnx.helper.make_tensor('c', onnx.TensorProto.INT64, [2], [3, 2]))\nreturn op.Reshape(x, c)",
    lambda x: x.reshape(3, 2),
    M,
)
program(
    "a table from around",
    X,
    "return x * TABLE",
    lambda x: x * np.array([1, 2, 3], f32),
    V,
    before="TABLE = np.array([1.0, 2.0, 3.0], dtype=np.float32)\n",
)
program(
    "a number from around",
    X,
    "return x * SCALE + math.pi",
    lambda x: x * f32(0.25) + f32(math.pi),
    V,
    before="SCALE = 0.25\n",
)
program("constants that are computed", X, "return x * (math.sqrt(2.0) / 2)", lambda x: x * f32(math.sqrt(2.0) / 2), V)
program(
    "a constant of shape",
    "s: INT64[...]",
    "y: FLOAT['A', 'B'] = op.ConstantOfShape(s, value=make_tensor('v', TensorProto.FLOAT, [1], [2.0]))\nreturn y",
    lambda s: np.full(s, 2, f32),
    np.array([2, 3]),
)
program("zeros like", X, "return op.ConstantOfShape(op.Shape(x))", lambda x: np.zeros_like(x), M)
program(
    "a typed number", X, "return op.Concat(x, op.Reshape(FLOAT(0.5), [1]), axis=0)", lambda x: np.append(x, f32(0.5)), V
)
program("a list as an operand", X, "return op.Add(x, [1.0, 2.0, 3.0])", lambda x: x + np.array([1, 2, 3], f32), V)
program("a list of a mask", X, "return x[[2, 0]]", lambda x: x[[2, 0]], V)

# ------------------------------------------------------------------------------------------------------- attributes
program(
    "a float attribute",
    "x: FLOAT[...], alpha: float",
    "return op.Where(x < 0, alpha * x, x)",
    lambda x, alpha: np.where(x < 0, f32(alpha) * x, x),
    V,
    alpha=0.125,
)
program(
    "an attribute with a default",
    "x: FLOAT[...], alpha: float = 0.5",
    "return op.LeakyRelu(x, alpha=alpha)",
    lambda x, alpha=0.5: np.where(x < 0, f32(alpha) * x, x),
    V,
)
program(
    "an attribute that is given",
    "x: FLOAT[...], alpha: float = 0.5",
    "return op.Elu(x, alpha=alpha)",
    lambda x, alpha: np.where(x < 0, f32(alpha) * (np.exp(x) - 1), x),
    V,
    alpha=2.0,
)
program(
    "an axis as an attribute",
    "x: FLOAT[...], axis: int = -1",
    "return op.Softmax(x, axis=axis)",
    lambda x, axis: softmax(x, axis),
    M,
    axis=0,
)
program(
    "axes as an attribute",
    "x: FLOAT[...], axes: Sequence[int]",
    "return op.ReduceSum(x, axes, keepdims=0)",
    lambda x, axes: x.sum(axis=tuple(axes)),
    M,
    axes=[0],
)
program(
    "an attribute as a number",
    "x: FLOAT[...], n: int",
    "return x * (n + 1) / 2",
    lambda x, n: x * f32((n + 1) / 2),
    V,
    n=3,
)
program(
    "a condition on an attribute",
    "x: FLOAT[...], up: int = 1",
    "if up == 1:\n    y = op.Ceil(x)\nelse:\n    y = op.Floor(x)\nreturn y",
    lambda x, up: np.floor(x),
    V,
    up=0,
)
program(
    "a text attribute",
    "x: FLOAT[...], mode: Literal['up', 'down'] = 'up'",
    "if mode == 'up':\n    return op.Ceil(x)\nreturn op.Floor(x)",
    lambda x, mode: np.floor(x),
    V,
    mode="down",
)
program(
    "a bool attribute",
    "x: FLOAT[...], flip: bool = False",
    "if flip:\n    x = -x\nreturn x",
    lambda x, flip: -x,
    V,
    flip=True,
)
program(
    "attributes handed on",
    "x: FLOAT[...], keep: int = 0",
    "return op.ReduceMax(x, [1], keepdims=keep)",
    lambda x, keep: x.max(axis=1, keepdims=True),
    M,
    keep=1,
)
program(
    "a rounded attribute",
    "x: FLOAT[...], a: float",
    "return x * math.floor(a) + math.ceil(a)",
    lambda x, a: x * f32(math.floor(a)) + f32(math.ceil(a)),
    V,
    a=2.5,
)

# ----------------------------------------------------------------------------------------------------- subfunctions
DOUBLED = "@script(this)\ndef Doubled(x: FLOAT[...]):\n    return x + x\n"
program("a function that is called", X, "return Doubled(x)", lambda x: 2 * x, V, before=DOUBLED)
program(
    "a function that is called twice", X, "return Doubled(Doubled(x)) - Doubled(x)", lambda x: 2 * x, V, before=DOUBLED
)
program(
    "a function of a function",
    X,
    "return Fourfold(x) + 1.0",
    lambda x: 4 * x + 1,
    V,
    before=DOUBLED + "\n@script(this)\ndef Fourfold(x: FLOAT[...]):\n    return Doubled(Doubled(x))\n",
)
program(
    "a function with an attribute",
    X,
    "return Scaled(x, alpha=3.0) + Scaled(x)",
    lambda x: 5 * x,
    V,
    before="@script(this)\ndef Scaled(x: FLOAT[...], alpha: float = 2.0):\n    return x * alpha\n",
)
program(
    "a function with two results",
    XY,
    "a, b = Both(x, y)\nreturn a * b",
    lambda x, y: (x + y) * (x - y),
    V,
    W,
    before="@script(this)\ndef Both(x: FLOAT[...], y: FLOAT[...]):\n    return x + y, x - y\n",
)
program(
    "a function with a loop",
    N,
    "return Repeated(x, n) + 1.0",
    lambda x, n: x * 8 + 1,
    V,
    THREE,
    before="@script(this)\ndef Repeated(x: FLOAT['N'], n: INT64):\n    for i in range(n):\n        x = x + x\n    return x\n",
)
program(
    "a function in a loop",
    N,
    "for i in range(n):\n    x = Doubled(x)\nreturn x",
    lambda x, n: x * 8,
    V,
    THREE,
    before=DOUBLED.replace("...", '"N"'),
)
program(
    "a function in a branch",
    N,
    "if n > 2:\n    y = Doubled(x)\nelse:\n    y = x\nreturn y",
    lambda x, n: 2 * x,
    V,
    THREE,
    before=DOUBLED,
)
program(
    "a plain helper",
    X,
    "return cube(x) + cube(x + 1.0)",
    lambda x: x**3 + (x + 1) ** 3,
    V,
    before="def cube(x):\n    return x * x * x\n",
)
program(
    "a helper with a static argument",
    X,
    "return scaled(x, 2) + scaled(x, 3)",
    lambda x: 5 * x,
    V,
    before="def scaled(x, by):\n    return x * by\n",
)
program("a nested function", X, "def twice(y):\n    return y + y\n\nreturn twice(twice(x))", lambda x: 4 * x, V)
program(
    "an attribute that reaches a callee",
    "x: FLOAT[...], alpha: float",
    "return Scaled(x, alpha=alpha)",
    lambda x, alpha: x * f32(alpha),
    V,
    alpha=1.5,
    before="@script(this)\ndef Scaled(x: FLOAT[...], alpha: float):\n    return x * alpha\n",
)
program(
    "an optional input",
    "x: FLOAT[...], y: Optional[FLOAT[...]] = None",
    "if y is None:\n    return -x\nreturn x + y",
    lambda x, y: x + y,
    V,
    W,
)
program(
    "an optional input that is absent",
    "x: FLOAT[...], y: Optional[FLOAT[...]] = None",
    "if y is None:\n    return -x\nreturn x + y",
    lambda x: -x,
    V,
)

# ------------------------------------------------------------------------------------------------------- conditions
program(
    "if of a sum",
    X,
    "if op.ReduceSum(x, keepdims=0) > 0.0:\n    y = x + 1.0\nelse:\n    y = x - 1.0\nreturn y",
    lambda x: x + 1,
    V,
)
program(
    "if with two names",
    X,
    "if op.ReduceSum(x, keepdims=0) > 10.0:\n    a = x\n    b = x * 2.0\nelse:\n    a = -x\n    b = x * 3.0\nreturn a + b",
    lambda x: 2 * x,
    V,
)
program(
    "if in if",
    X,
    "s = op.ReduceSum(x, keepdims=0)\nif s > 0.0:\n    if s > 100.0:\n        y = x\n    else:\n        y = x + 2.0\nelse:\n    y = -x\nreturn y",
    lambda x: x + 2,
    V,
)
program(
    "elif",
    N,
    "if n == 1:\n    y = x\nelif n == 3:\n    y = x * 3.0\nelse:\n    y = -x\nreturn y",
    lambda x, n: 3 * x,
    V,
    THREE,
)
program(
    "a condition by name",
    X,
    "positive = op.ReduceMin(x, keepdims=0) > 0.0\nif positive:\n    y = op.Log(x)\nelse:\n    y = op.Abs(x)\nreturn y",
    np.abs,
    V,
)
program(
    "a name that is bound again in a branch",
    X,
    "y = x\nif op.ReduceMax(x, keepdims=0) > 2.0:\n    y = y * 2.0\nreturn y",
    lambda x: 2 * x,
    V,
)
program("early return", X, "if op.ReduceMax(x, keepdims=0) > 2.0:\n    return x\nreturn -x", lambda x: x, V)
program(
    "a conditional expression",
    X,
    "return x if op.ReduceMin(x, keepdims=0) > 0.0 else op.Relu(x)",
    lambda x: x.clip(0),
    V,
)
program(
    "and of conditions",
    N,
    "if n > 2 and op.ReduceMax(x, keepdims=0) > 2.0:\n    x = -x\nreturn x",
    lambda x, n: -x,
    V,
    THREE,
)

# ------------------------------------------------------------------------------------------------------------ loops
program("a loop of trips", N, "y = x\nfor i in range(n):\n    y = y + x\nreturn y", lambda x, n: 4 * x, V, THREE)
program("a loop without a trip", N, "y = x\nfor i in range(n):\n    y = y + x\nreturn y", lambda x, n: x, V, NONE)
program("a loop of constant length", X, "for i in range(4):\n    x = x * 2.0\nreturn x", lambda x: 16 * x, V)
program(
    "the index as a tensor",
    N,
    "for i in range(n):\n    x = x + op.Cast(i, to=1)\nreturn x",
    lambda x, n: x + 3,
    V,
    THREE,
)
program(
    "an index as a number", N, "for i in range(n):\n    x = x + i / 2\nreturn x", lambda x, n: x + f32(1.5), V, THREE
)
program(
    "a loop with break",
    N,
    "y = x\nfor i in range(n):\n    y = y + y\n    done = op.ReduceMax(y, keepdims=0) > 5.0\n    if done:\n        break\nreturn y",
    lambda x, n: 2 * x,
    V,
    THREE,
)
program(
    "break at once",
    N,
    "y = x\nfor i in range(n):\n    if op.ReduceMax(y, keepdims=0) > 2.0:\n        break\n    y = y + y\nreturn y",
    lambda x, n: x,
    V,
    THREE,
)
program("a while loop", X, "while op.ReduceMax(x, keepdims=0) < 20.0:\n    x = x * 2.0\nreturn x", lambda x: 8 * x, V)
program(
    "a while loop by name",
    X,
    "goes = op.ReduceMax(x, keepdims=0) < 20.0\nwhile goes:\n    x = x * 2.0\n    goes = op.ReduceMax(x, keepdims=0) < 20.0\nreturn x",
    lambda x: 8 * x,
    V,
)
program(
    "a while loop with break",
    X,
    "k = op.Constant(value_int=0)\nwhile k < 10:\n    k = k + 1\n    x = x + 1.0\n    if k > 3:\n        break\nreturn x, k",
    lambda x: (x + 4, np.array(4)),
    V,
)
program(
    "loops in loops",
    N,
    "for i in range(n):\n    for j in range(2):\n        x = x + 1.0\nreturn x",
    lambda x, n: x + 6,
    V,
    THREE,
)
program(
    "an if in a loop",
    N,
    "for i in range(n):\n    if i % 2 == 0:\n        x = x + 1.0\n    else:\n        x = x * 2.0\nreturn x",
    lambda x, n: (x + 1) * 2 + 1,
    V,
    THREE,
)
program(
    "a loop in an if", N, "if n > 1:\n    for i in range(n):\n        x = x + x\nreturn x", lambda x, n: 8 * x, V, THREE
)
program(
    "two names that a loop changes",
    N,
    "a = x\nb = x * 0.0\nfor i in range(n):\n    c = a + b\n    b = a\n    a = c\nreturn a",
    lambda x, n: 3 * x,
    V,
    THREE,
)
program("swapped names", N, "a = x\nb = -x\nfor i in range(n):\n    a, b = b, a\nreturn a", lambda x, n: -x, V, THREE)
program(
    "a fibonacci number",
    "n: INT64",
    "a = op.Constant(value_int=0)\nb = op.Constant(value_int=1)\nfor i in range(n):\n    a, b = b, a + b\nreturn a",
    lambda n: np.array(55),
    np.array(10),
)
program(
    "a factorial",
    "n: INT64",
    "f = op.Constant(value_int=1)\nfor i in range(1, n + 1):\n    f = f * i\nreturn f",
    lambda n: np.array(120),
    np.array(5),
)
program(
    "a power by squares",
    "x: FLOAT[...], n: INT64",
    "y = x * 0.0 + 1.0\nwhile n > 0:\n    if n % 2 == 1:\n        y = y * x\n    x = x * x\n    n = n // 2\nreturn y",
    lambda x, n: x**3,
    V,
    THREE,
)
program(
    "a sum over rows",
    X,
    "total = op.Constant(value_float=0.0)\nfor row in x:\n    total = total + op.ReduceMax(row, keepdims=0)\nreturn total",
    lambda x: x.max(axis=1).sum(),
    M,
)
program(
    "rows with their numbers",
    X,
    "y = x[0]\nfor i, row in enumerate(x):\n    y = y + row * i\nreturn y",
    lambda x: x[0] + x[1],
    M,
)
program(
    "a graph for Scan",
    X,
    "@graph()\ndef add(total, row):\n    total = total + row\n    return total, op.Identity(total)\n\nlast, sums = op.Scan(op.Constant(value_floats=[0.0, 0.0, 0.0]), x, body=add, num_scan_inputs=1)\nreturn sums",
    lambda x: np.cumsum(x, axis=0),
    M,
)
program(
    "a graph for a Loop",
    N,
    "@graph()\ndef body(i, goes, y):\n    return op.Identity(goes), y + y\n\nreturn op.Loop(n, None, x, body=body)",
    lambda x, n: 8 * x,
    V,
    THREE,
)
program(
    "a list that grows",
    N,
    "parts = []\nfor i in range(n):\n    parts.append(op.Unsqueeze(x * i, [0]))\ny: FLOAT['K', 'N'] = op.ConcatFromSequence(parts, axis=0)\nreturn y",
    lambda x, n: np.stack([x * f32(i) for i in range(3)]),
    V,
    THREE,
)
program(
    "a sequence that is taken apart",
    X,
    "parts = op.SplitToSequence(x, axis=0)\nreturn op.Reshape(parts[1], [-1]) * len(parts)",
    lambda x: 2 * x[1],
    M,
)
program(
    "newton's square root",
    "x: FLOAT[...]",
    "y = x\nfor i in range(20):\n    y = (y + x / y) / 2.0\nreturn y",
    np.sqrt,
    np.array([2.0, 9.0], f32),
)
program(
    "numbers of steps until one",
    "n: INT64",
    "steps = op.Constant(value_int=0)\nwhile n != 1:\n    if n % 2 == 0:\n        n = n // 2\n    else:\n        n = 3 * n + 1\n    steps = steps + 1\nreturn steps",
    lambda n: np.array(7),
    np.array(3),
)
program(
    "the greatest common divisor",
    "a: INT64, b: INT64",
    "while b != 0:\n    a, b = b, a % b\nreturn a",
    lambda a, b: np.array(6),
    np.array(54),
    np.array(24),
)

# ------------------------------------------------------------------------------------------------------- subscripts
program("an element", X, "return x[1]", lambda x: x[1], V)
program("a row and an element", X, "return x[0] * x[1, 2]", lambda x: x[0] * x[1, 2], M)
program("a slice", X, "return x[1:]", lambda x: x[1:], V)
program("slices of both axes", X, "return x[:, 1:3]", lambda x: x[:, 1:3], M)
program("a step", X, "return x[::2]", lambda x: x[::2], V)
program("backwards", X, "return x[::-1]", lambda x: x[::-1], V)
program("a bound of the run time", N, "return x[: n - 1]", lambda x, n: x[:2], V, THREE)
program("an index of the run time", "x: FLOAT[...], n: INT64", "return x[n]", lambda x, n: x[n], M, np.array(1))
program("a new axis", XY, "return x[:, None] * y[None, :]", lambda x, y: np.outer(x, y), V, W)
program("the last axis", X, "return x[..., -1]", lambda x: x[..., -1], M)
program("a mask", X, "return x[x > 0.0]", lambda x: x[x > 0], V)
program("the axes in reverse", X, "return x.T @ x", lambda x: x.T @ x, M)

# ------------------------------------------------------------------------------------------- activations and layers
program("sigmoid", X, "return 1.0 / (1.0 + op.Exp(-x))", sigmoid, V)
program("swish", X, "return x * op.Sigmoid(x)", lambda x: x * sigmoid(x), V)
program("softplus", X, "return op.Log(op.Exp(x) + 1.0)", lambda x: np.log(np.exp(x) + 1), V)
program(
    "gelu by tanh",
    X,
    "c = math.sqrt(2.0 / math.pi)\nreturn 0.5 * x * (1.0 + op.Tanh(c * (x + 0.044715 * x * x * x)))",
    lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    V,
)
program(
    "hard sigmoid",
    "x: FLOAT[...], alpha: float = 0.2, beta: float = 0.5",
    "return op.Clip(alpha * x + beta, 0.0, 1.0)",
    lambda x: (f32(0.2) * x + f32(0.5)).clip(0, 1),
    V,
)
program(
    "selu",
    "x: FLOAT[...], alpha: float = 1.67326, gamma: float = 1.0507",
    "zero = op.CastLike(0.0, x)\nneg = gamma * (alpha * op.Exp(x) - alpha)\nreturn op.Where(x <= zero, neg, gamma * x)",
    lambda x: np.where(x <= 0, 1.0507 * (1.67326 * np.exp(x) - 1.67326), 1.0507 * x),
    V,
)
program(
    "softmax by hand",
    X,
    "shifted = op.Exp(x - op.ReduceMax(x, [1]))\nreturn shifted / op.ReduceSum(shifted, [1])",
    softmax,
    M,
)
program("log softmax", X, "return op.Log(op.Softmax(x, axis=1))", lambda x: np.log(softmax(x)), M)
program(
    "layer normalisation",
    "x: FLOAT[...], eps: float = 1e-5",
    "mean = op.ReduceMean(x, [-1])\nd = x - mean\nreturn d / op.Sqrt(op.ReduceMean(d * d, [-1]) + eps)",
    lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5),
    M,
)
program(
    "a linear layer",
    "x: FLOAT[...], w: FLOAT[...], b: FLOAT[...]",
    "return op.MatMul(x, op.Transpose(w)) + b",
    lambda x, w, b: x @ w.T + b,
    M,
    M,
    np.array([1.0, 2.0], f32),
)
program(
    "two layers",
    "x: FLOAT[...], w: FLOAT[...]",
    "h = op.Relu(op.MatMul(x, w))\nreturn op.Softmax(op.MatMul(h, w), axis=-1)",
    lambda x, w: softmax(np.maximum(x @ w, 0) @ w),
    SQUARE,
    SQUARE,
)
program(
    "attention",
    XY,
    "scores = op.MatMul(x, op.Transpose(x)) / math.sqrt(x.shape[1])\nreturn op.MatMul(op.Softmax(scores, axis=-1), y)",
    lambda x, y: softmax(x @ x.T / f32(math.sqrt(3))) @ y,
    M,
    M,
)
program("a loss", XY, "d = x - y\nreturn op.ReduceMean(d * d, keepdims=0)", lambda x, y: ((x - y) ** 2).mean(), V, W)
program("dropout at inference", X, "return op.Dropout(x, 0.5, False)", lambda x: x, V)
program("dropout with its mask", X, "y, mask = op.Dropout(x, 0.5, False)\nreturn op.Where(mask, y, -y)", lambda x: x, V)
program(
    "batch normalisation",
    "x: FLOAT[...], s: FLOAT[...]",
    "return op.BatchNormalization(x, s, s, s, s, epsilon=0.0)",
    lambda x, s: (x - s[:, None, None]) / np.sqrt(s)[:, None, None] * s[:, None, None] + s[:, None, None],
    IMAGE,
    np.array([1.0, 4.0], f32),
)
program(
    "a recurrence",
    "x: FLOAT[...], w: FLOAT[...]",
    "h = op.MatMul(x[0], w) * 0.0\nfor row in x:\n    h = op.Tanh(op.MatMul(row, w) + h)\nreturn h",
    lambda x, w: np.tanh(x[1] @ w + np.tanh(x[0] @ w)),
    SQUARE,
    SQUARE,
)
program(
    "distances of points",
    XY,
    "d = x[:, None, :] - y[None, :, :]\nreturn op.Sqrt(op.ReduceSum(d * d, [2], keepdims=0))",
    lambda x, y: np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)),
    M,
    M,
)

# ---------------------------------------------------------------------------------------------------------- signals
PI2 = "PI2 = 2.0 * math.pi\n"


def _window(name: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda n: {"hann": np.hanning, "hamming": np.hamming, "blackman": np.blackman}[name](int(n)).astype(f32)


program(
    "a hann window",
    "n: INT64",
    "k = op.Cast(op.Range(0, n, 1), to=FLOAT)\nreturn 0.5 - 0.5 * op.Cos(k * PI2 / op.Cast(n - 1, to=FLOAT))",
    _window("hann"),
    np.array(5),
    before=PI2,
)
program(
    "a hamming window",
    "n: INT64",
    "k = op.Cast(op.Range(0, n, 1), to=FLOAT)\nreturn 0.54 - 0.46 * op.Cos(k * PI2 / op.Cast(n - 1, to=FLOAT))",
    _window("hamming"),
    np.array(6),
    before=PI2,
)
program(
    "a blackman window",
    "n: INT64",
    "k = op.Cast(op.Range(0, n, 1), to=FLOAT)\na = k * PI2 / op.Cast(n - 1, to=FLOAT)\nreturn 0.42 - 0.5 * op.Cos(a) + 0.08 * op.Cos(a * 2.0)",
    _window("blackman"),
    np.array(7),
    before=PI2,
)
program(
    "a window by its operator",
    "n: INT64",
    "y: FLOAT['K'] = op.HannWindow(n, periodic=0)\nreturn y",
    _window("hann"),
    np.array(5),
)
program(
    "real parts of a fourier transform",
    X,
    "n = x.shape[0]\nk = op.Cast(op.Range(0, n, 1), to=FLOAT)\nangles = k[:, None] * k[None, :] * (PI2 / n)\nreturn op.MatMul(op.Cos(angles), x)",
    lambda x: np.fft.fft(x).real.astype(f32),
    V,
    before=PI2,
)
program(
    "a fourier transform by hand",
    X,
    "n = op.Size(x)\nk = op.Cast(op.Range(0, n, 1), to=FLOAT)\nangles = op.Unsqueeze(k, [1]) * op.Unsqueeze(k, [0]) * PI2 / op.Cast(n, to=FLOAT)\nreal = op.MatMul(op.Cos(angles), x)\nimag = -op.MatMul(op.Sin(angles), x)\nreturn op.Concat(op.Unsqueeze(real, [1]), op.Unsqueeze(imag, [1]), axis=1)",
    lambda x: np.stack([np.fft.fft(x).real, np.fft.fft(x).imag], 1).astype(f32),
    V,
    before=PI2,
)
program(
    "a fourier transform by its operator",
    X,
    "return op.DFT(x[None, :, None], axis=1)[0]",
    lambda x: np.stack([np.fft.fft(x).real, np.fft.fft(x).imag], 1).astype(f32),
    V,
)
program(
    "frames of a signal",
    N,
    "frames = []\nfor i in range(n):\n    frames.append(op.Unsqueeze(x[i : i + 2], [0]))\ny: FLOAT['K', 2] = op.ConcatFromSequence(frames, axis=0)\nreturn y",
    lambda x, n: np.stack([x[i : i + 2] for i in range(2)]),
    V,
    np.array(2),
)
program("a moving average", X, "return (x[:-1] + x[1:]) / 2.0", lambda x: (x[:-1] + x[1:]) / 2, V)
program("energy of a signal", X, "return op.ReduceSumSquare(x, keepdims=0) / x.size", lambda x: (x * x).sum() / 3, V)
program("a sign that is smoothed", X, "return x / (op.Abs(x) + 1.0)", lambda x: x / (np.abs(x) + 1), V)

# ---------------------------------------------------------------------------------------- models exported as text
TOKENS, STEPS = np.array([[2, 0, 1]]), np.array([[0, 1, 2]])
TABLE = "TABLE = np.arange(12, dtype=np.float32).reshape(4, 3) / 10"
_TABLE = np.arange(12, dtype=f32).reshape(4, 3) / 10
HEADS = np.linspace(-1, 1, 24, dtype=f32).reshape(1, 2, 3, 4)


def rotated(steps: np.ndarray, x: np.ndarray, split: int = 4) -> np.ndarray:
    angles = steps[:, None, :, None] * np.array([1.0, 0.5], f32)
    cos, sin = (np.concatenate([part, part], -1).astype(f32) for part in (np.cos(angles), np.sin(angles)))
    turned, rest = x[..., :split], x[..., split:]
    half = np.concatenate([-turned[..., 2:], turned[..., :2]], -1)
    return np.concatenate([turned * cos + half * sin, rest], -1)


ROTATION = """
rates = op.Unsqueeze(op.Constant(value_floats=[1.0, 0.5]), [0, 2])
places = op.Cast(op.Unsqueeze(steps, [1]), to=TensorProto.FLOAT)
angles = op.Transpose(op.MatMul(rates, places), perm=[0, 2, 1])
both = op.Concat(angles, angles, axis=-1)
cos, sin = op.Unsqueeze(op.Cos(both), [1]), op.Unsqueeze(op.Sin(both), [1])
left, right = op.Slice(x, [0], [2], [3], [1]), op.Slice(x, [2], [4], [3], [1])
turned = op.Add(x[..., :4] * cos, op.Concat(op.Neg(right), left, axis=-1) * sin)
"""
program(
    "an embedding", "tokens: INT64[...]", "return op.Gather(TABLE, tokens)", lambda i: _TABLE[i], TOKENS, before=TABLE
)
program(
    "an embedding whose head is its table",
    "tokens: INT64[...]",
    "h = op.Gather(TABLE, tokens, axis=0)\nreturn h @ op.Transpose(TABLE, perm=[1, 0])",
    lambda i: _TABLE[i] @ _TABLE.T,
    TOKENS,
    before=TABLE,
)
program("a rotation by place", "steps: INT64[...], x: FLOAT[...]", f"{ROTATION}return turned", rotated, STEPS, HEADS)
program(
    "a rotation of a part",
    "steps: INT64[...], x: FLOAT[...]",
    f"{ROTATION}rest = op.Slice(x, [4], [9223372036854775807], [3], [1])\nreturn op.Concat(turned, rest, axis=-1)",
    rotated,
    STEPS,
    np.concatenate([HEADS, HEADS], -1),
)
program(
    "rates as the tensor of a Constant",
    X,
    "return x * op.Constant(value=onnx.numpy_helper.from_array(np.array([1.0, 0.5, 0.25], dtype=np.float32).reshape([1, 3])))",
    lambda x: x[None] * np.array([1.0, 0.5, 0.25], f32),
    V,
)
program(
    "a causal mask",
    X,
    "low = op.ConstantOfShape(op.Shape(x), value=[-1e9])\nreturn x + op.Trilu(low, 1)",
    lambda x: x + np.triu(np.full(x.shape, f32(-1e9)), 1),
    SQUARE,
)
program(
    "a mask by places",
    X,
    "one = op.CastLike(1.0, x)\nplaces = op.Range(0.0, 3.0, one)\nlater = places > op.Reshape(op.Range(0.0, 2.0, one), [-1, 1])\nreturn op.Where(later, -3.4028235e38, x)",
    lambda x: np.where(np.arange(3) > np.arange(2)[:, None], f32(-3.4028235e38), x),
    M,
)
program(
    "sizes that are cast, and their absolute values",
    X,
    "sizes = op.Abs(op.Cast([2, -1, 3], to=7))\nreturn op.Expand(x, sizes)",
    lambda x: np.broadcast_to(x, (2, 1, 3)),
    V,
)
program(
    "bounds of a slice that are reshaped one by one",
    X,
    "start, stop, step = op.Cast(1, to=7), op.Cast(9223372036854775807, to=7), op.Cast(1, to=7)\none = op.Constant(value_ints=[-1])\nreturn op.Slice(x, op.Reshape(start, one, allowzero=0), op.Reshape(stop, one), op.Constant(value_ints=[0]), op.Reshape(step, one))",
    lambda x: x[1:],
    V,
)
program(
    "a root mean square norm",
    X,
    "mean = op.ReduceMean(x ** op.Cast(2, to=1), op.Reshape([-1], [-1]), keepdims=1, noop_with_empty_axes=0)\nreturn SCALE * (x * op.Reciprocal(op.Sqrt(mean + 1e-05)))",
    lambda x: f32(0.5) * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5),
    M,
    before="SCALE = np.float32(0.5)",
)
program(
    "layers with weights in a list",
    X,
    "for weight, bias in LAYERS:\n    x = op.Relu(op.MatMul(x, weight) + bias)\nreturn x",
    lambda x: np.maximum(np.maximum(x @ np.eye(3, dtype=f32) + f32(0.5), 0) @ np.ones((3, 2), f32) - 1, 0),
    M,
    before="LAYERS = [(np.eye(3, dtype=np.float32), np.float32(0.5)), (np.ones((3, 2), np.float32), np.full(2, -1, np.float32))]",
)
program(
    "a model made by a function",
    X,
    "y = x @ weights['up']\nreturn op.Softmax(y, axis=-1) if options.normed else y",
    lambda x: softmax(x @ np.ones((3, 2), f32)),
    M,
    before="from types import SimpleNamespace\nweights, options = {'up': np.ones((3, 2), np.float32)}, SimpleNamespace(normed=np.bool_(True))",
)
program(
    "attention with a cache",
    "q: FLOAT[...], k: FLOAT[...], past: FLOAT[...]",
    "keys = op.Concat(past, k, axis=2)\nscores = (q @ op.Transpose(keys, perm=[0, 1, 3, 2])) * np.float32(0.5)\nreturn op.Softmax(scores, axis=-1) @ keys, keys",
    lambda q, k, past: (
        softmax(q @ np.concatenate([past, k], 2).transpose(0, 1, 3, 2) * f32(0.5)) @ np.concatenate([past, k], 2),
        np.concatenate([past, k], 2),
    ),
    HEADS,
    HEADS[:, :, :1],
    HEADS[:, :, 1:],
)
