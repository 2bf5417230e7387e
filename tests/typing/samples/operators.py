"""Operators of Python, type variables, sequences and optional inputs."""

from typing import TypeVar

import numpy as np
from opwright import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT64,
    STRING,
    UINT8,
    Opset,
    Optional,
    Sequence,
    latest,
    opset13,
    script,
)
from opwright import opset18 as op

T = TypeVar("T", FLOAT, DOUBLE, FLOAT16)
Matrix = FLOAT["M", "N"]
acme = Opset("com.acme", 1)


@script(acme, default_opset=op)
def swish(x: T, beta: float = 1.0) -> T:
    gate = op.Sigmoid(op.Mul(x, beta))
    return x * gate


@script
def norm(x: Matrix, *, axis: int = -1, epsilon: float = 1e-5) -> Matrix:
    mean = op.ReduceMean(x, [axis], keepdims=1)
    centred = x - mean
    variance = op.ReduceMean(centred**2, [axis])
    return centred / op.Sqrt(variance + epsilon)


@script()
def masks(x: FLOAT["N"], bits: UINT8["N"], names: STRING["N"]) -> tuple[BOOL["N"], UINT8["N"]]:
    inside = (x > 0) & ~(x >= 1.0) | (x == -1)
    chosen = inside ^ (names != "none")
    return chosen, (bits << 1 | bits >> 7) & 0x7F


@script()
def pieces(x: FLOAT["N", "M"], at: INT64, parts: Optional[INT64["P"]] = None) -> Sequence[FLOAT[...]]:
    rows, first = x[1:-1], x[0, ::2]
    kept = [rows, -abs(x @ x[..., at]), +first]
    if parts is not None:
        kept.append(op.SequenceAt(op.SplitToSequence(x, parts), 0))
    for i in range(at):
        kept.append(x[i] % 2.0 // 0.5)
    return kept


@script()
def newest(x: FLOAT["N"]) -> FLOAT["N"]:
    values, indices = latest.TopK(x, 3, sorted=1)
    low, high = latest.Split(values, num_outputs=2)
    if op.version >= 18:
        return latest.Gelu(low) + high * latest.Cast(indices[0], to=FLOAT)
    return opset13.Relu(low)


def use() -> None:
    x = np.ones((2, 3), np.float32)
    swish(x, beta=2.0)
    norm.to_model_proto(input_types=[FLOAT["N", 3]], opset=op)
    norm.to_function_proto()
