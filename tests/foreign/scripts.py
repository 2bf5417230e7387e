"""Functions that stand behind nodes of models that other packages make."""

from __future__ import annotations

from typing import Any, Literal

from opwright import FLOAT, Opset, opset18, script

op = opset18
acme = Opset("com.acme", 1)


@script(acme, default_opset=op)
def Swish(x: Any, alpha: float = 1.0) -> Any:
    """x * sigmoid(alpha * x)."""
    return x * op.Sigmoid(alpha * x)


@script(acme, default_opset=op)
def Bounded(x: Any, low: Any = None, *, factor: float, steps: int = 1) -> Any:
    """Two outputs, an optional input, a required attribute."""
    if low is not None:
        x = op.Max(x, low)
    for _ in range(steps):
        x = x * factor
    return x, op.ReduceMax(x, keepdims=0)


@script(acme, default_opset=op)
def Gelu(x: Any, *, approximate: Literal["none", "tanh"] = "none") -> Any:
    if approximate == "none":
        half = 0.5 * (1.0 + op.Erf(x * 0.7071067811865476))
    else:
        half = 0.5 * (1.0 + op.Tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return x * half


@script(acme, default_opset=op)
def Joined(*parts: Any, axis: int = 0) -> Any:
    return op.Concat(*parts, axis=axis)


@script(acme, default_opset=op)
def Swished(x: Any) -> Any:
    """It calls another function."""
    return Swish(x, alpha=3.0) + Swish(x)


@script(acme, default_opset=op)
def Projected(x: Any, weights: Any) -> Any:
    return x @ weights


@script(acme, default_opset=op)
def Clipped(x: FLOAT["N", "M"], low: FLOAT["M"], high: FLOAT["M"], scale: float = 1.0) -> Any:
    return op.Min(op.Max(x, low), high) * scale
