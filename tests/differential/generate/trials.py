"""Loops that are lowered more than once: what changes its type or rank, joins, sequences, graphs and inner loops, in
every order.

A loop is lowered as `Loop` first and unrolled where it cannot be one; what the first attempt did must leave no trace,
and which statement it is that ends the attempt must not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from tests.differential.generate.draw import Draw
from tests.differential.generate.statements import Lines, indented
from tests.differential.program import Case, Program
from tests.differential.values import DTYPES

_START = ("q = x", "k = 1", "t = 0", "ys = []", "u = 2")
_GRAPH = [
    "@graph()",
    "def g(s, v):",
    "    return (s + v, s * v)",
    "s, e = op.Scan(op.ReduceSum(x, keepdims=0), y, body=g, num_scan_inputs=1)",
    "x = x + s",
    "y = e",
]
_BRANCHES = [
    "@graph()",
    "def p():",
    "    return x - 1",
    "@graph()",
    "def r():",
    "    return y",
    "x = op.If(op.ReduceMin(x, keepdims=0) < 0, then_branch=p, else_branch=r)",
]
# Each holds for any types and ranks that the others leave behind, so that every order is a program of Python.
_PIECES: tuple[Lines, ...] = (
    ["x, y = y, x"],
    ["x, y = y, x + 1"],
    ["z = op.Cast(z, to=11)"],
    ["z = op.Cast(z, to=FLOAT)"],
    ["z = z * 2"],
    ["q = q[None]"],
    ["q = op.Concat(q, q, axis=0)"],
    ["k = k + 1"],
    ["x = x * k"],
    ["t = t + i"],
    ["t = op.ReduceSum(y, keepdims=0)"],
    ["u, t = t, u"],
    ["ys.append(x)"],
    ["ys = [*ys, y]"],
    ["y = y + len(ys)"],
    ["if op.ReduceSum(x, keepdims=0) > k:", "    x = x + 1", "else:", "    x = x - y"],
    ["if op.ReduceMax(y, keepdims=0) > 0:", "    u = 1", "    y = -y", "else:", "    u = 2.5"],
    ["if i % 2 == 0:", "    k = 2", "    y = y - 1"],
    ["for j in range(n):", "    y = y + x * j"],
    ["for j in range(2):", "    x = x + j", "    z = op.Cast(z, to=FLOAT)"],
    ["while op.ReduceSum(y, keepdims=0) > 1:", "    y = y - 1", "    x = x + 1"],
    _GRAPH,
    _BRANCHES,
    ["m = op.SequenceConstruct(x, y)", "x = op.SequenceAt(m, 1)", "y = op.SequenceAt(m, 0) * 0.5"],
    ["a = op.Split(x, num_outputs=3)", "y = a[0] + y"],
    ["if k > 2:", "    break"],
    ["if i > 1:", "    continue"],
    ["if op.ReduceSum(x, keepdims=0) > 40:", "    break"],
)  # fmt: skip
# Those that say nothing of whether `x` and `y` are of one type, which they are not in some of the programs.
_APART: tuple[Lines, ...] = (
    *(["x, y = y, x"],) * 4,
    ["x, y = y, x + 1"],
    *(["z = op.Cast(z, to=11)"],) * 2,
    ["z = op.Cast(z, to=FLOAT)"],
    ["k = k + 1"],
    ["x = x * k"],
    ["x = -x", "y = y * 2"],
    ["t = t + i"],
    ["q = q[None]"],
    ["if op.ReduceSum(x, keepdims=0) > 1:", "    y = y * 2"],
    ["if op.ReduceSum(x, keepdims=0) > 1:", "    x, y = y * 2, x + 1", "else:", "    x, y = y, x"],
    ["for j in range(2):", "    x, y = y, x - 1", "    t = t + j"],
    ["if k > 2:", "    break"],
)
# Those that leave the types of `x` and `y` open altogether: a call alone says what they are.
_OPEN: tuple[Lines, ...] = (
    *(["x, y = y, x"],) * 3,
    ["x, y = y, op.Identity(x)"],
    *(["z = op.Cast(z, to=11)"],) * 2,
    ["z = op.Cast(z, to=FLOAT)"],
    ["k = k + 1"],
    ["t = t + i"],
    ["w = op.Shape(x)"],
    ["for j in range(2):", "    x, y = y, x"],
    ["if op.ReduceSum(op.Cast(z, to=FLOAT), keepdims=0) > 1:", "    t = t + 1"],
)
_RESULTS = (
    ("x", "float"),
    ("y", "float"),
    ("op.Cast(z, to=DOUBLE)", "double"),
    ("op.Reshape(q, [-1])", "float"),
    ("x + k", "float"),
    ("x * op.Cast(t, to=FLOAT)", "float"),
    ("x * op.Cast(u, to=FLOAT)", "float"),
    ("op.Concat(x, *ys, axis=0)", "float"),
)


def generate_trials(random: Random) -> Program:
    """A program of such loops, one in the other or one after the other. Some of them are refused: no order of their
    statements may be taken then."""
    draw = Draw(random)
    lines = [draw.pick(("z = c", "z = c", "z = c[None]", "z = op.Cast(c, to=INT32)")), *_START]
    pieces = draw.pick((_PIECES, _PIECES, _APART, _OPEN))
    for _ in range(draw.pick((1, 1, 2))):
        lines += _loop(draw, pieces, "i", draw.between(2, 6), draw.pick((0, 0, 1)))
    results = random.sample(_RESULTS, draw.between(1, 3))
    if pieces is _OPEN:
        results = [("x", "float"), ("y", "double"), ("op.Cast(z, to=DOUBLE)", "double")]
    if pieces is _APART:
        results = [("x", "double"), ("y", "float"), *(item for item in results if item[0][0] not in "xyo")]
        lines += ["x = op.Cast(x, to=DOUBLE)", "y = op.Cast(y, to=FLOAT)"]
    lines.append(
        f"return ({', '.join(text for text, _ in results)},)" if len(results) > 1 else f"return {results[0][0]}"
    )
    second = "float" if pieces is _PIECES else "double"
    inputs = {"x": "float/1", "y": f"{second}/1", "c": "int32/0", "n": "int64/0"}
    cases = tuple(_case(draw, second) for _ in range(3))
    outputs = {f"y{index}": element for index, (_, element) in enumerate(results)}
    text = "\n".join(["def F(x, y, c: INT32, n: INT64):", *indented(lines)]) + "\n"
    return Program(text, inputs, outputs, {}, (), draw.pick((18, 18, 19, 21)), cases)


def _loop(draw: Draw, among: Sequence[Lines], index: str, size: int, depth: int) -> Lines:
    pieces = [draw.pick(among) for _ in range(size)]
    if depth:
        pieces.insert(draw.between(0, size), _loop(draw, among, "j", draw.between(2, 3), depth - 1))
    body = [line for piece in pieces for line in piece]
    # An even number of trips leaves two names that are swapped with the types that they had.
    trips = draw.pick(("2", "2", "4") if among is _OPEN else ("2", "3", "2", "3", "1", "0", "4", "n"))
    return [f"for {index} in range({trips}):", *indented(body)]


def _case(draw: Draw, second: str) -> Case:
    arrays = {
        "x": np.array([draw.pick((0.0, 1.0, -2.0, 0.5)) for _ in range(3)], np.float32),
        "y": np.array([draw.pick((0.0, 1.0, -1.5, 2.0)) for _ in range(3)], DTYPES[second]),
        "c": np.array(draw.pick((0, 3, -2)), np.int32),
        "n": np.array(draw.pick((0, 1, 2, 3)), np.int64),
    }
    return Case({}, arrays, {})
