"""What Shrink is: floats in float64, integers exactly, moved by the whole part of the bias."""

import math

import numpy as np


def Shrink(input, bias=0.0, lambd=0.5):
    if input.dtype.kind == "f":
        return np.where(input < -lambd, input + bias, np.where(input > lambd, input - bias, 0.0))
    moved = [shrink(int(x), math.trunc(bias), lambd) for x in input.ravel()]
    return np.array(moved, dtype=object).reshape(input.shape).astype(input.dtype)


def shrink(x, bias, lambd):
    """Python compares an integer with a float exactly."""
    if x < -lambd:
        return x + bias
    return x - bias if x > lambd else 0
