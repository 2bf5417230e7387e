"""What CastLike is. Floats of every width arrive as float64, and text as it is.

The result is rounded once to a float type of 8 bits or more, where what is beyond it becomes infinite or nan, or cut
towards zero for an integer type. Smaller types, and what `saturate` and `round_mode` change, are dealt with here.
"""

import math

import numpy as np

LARGEST = {"float8e4m3fn": 448.0, "float8e4m3fnuz": 240.0, "float8e5m2": 57344.0, "float8e5m2fnuz": 57344.0}
BOUNDS = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}
SMALL = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])  # the magnitudes of float4e2m1


def CastLike(input, target_type, saturate=1, round_mode="up", *, types):
    source, target = types["T1"], types["T2"]
    if target == "string":
        return np.array([text(item, source) for item in input.ravel().tolist()], object).reshape(input.shape)
    if source == "string":
        number = float if "float" in target or target == "double" else int
        input = np.array([number(item) for item in input.ravel().tolist()]).reshape(input.shape)
    if target == "bool":
        return input != 0
    if input.dtype.kind == "b":
        return input.astype(np.int64)
    if input.dtype.kind in "iu" and target_type.dtype.kind in "iu":
        return input.astype(target_type.dtype)  # higher bits are dropped
    if target in LARGEST:
        return np.clip(input, -LARGEST[target], LARGEST[target]) if saturate else input
    if target in BOUNDS:
        low, high = BOUNDS[target]
        return (np.trunc(input) - low) % (high - low + 1) + low  # higher bits are dropped
    if target == "float4e2m1":
        return smallest(input)
    if target == "float8e8m0":
        return powers_of_two(input, round_mode)
    return input


def text(item, source):
    return item if source == "string" else str(int(item)) if "int" in source else repr(float(item)).removesuffix(".0")


def smallest(x):
    """The nearest magnitude; of two as near, the one with an even last digit, which stands at an even place.

    nan, which the type does not have, becomes 0, and what is beyond it the largest number.
    """
    distance = np.abs(np.minimum(np.abs(np.nan_to_num(x, nan=0.0)), 6.0)[..., None] - SMALL)
    nearest = distance == distance.min(axis=-1, keepdims=True)
    place = np.argmax(nearest & ((np.arange(8) % 2 == 0) | (nearest.sum(axis=-1, keepdims=True) == 1)), axis=-1)
    return np.copysign(SMALL[place], x)


def powers_of_two(x, round_mode):
    """Of positive finite numbers and nan."""
    fraction, exponent = np.frexp(x)  # x = fraction * 2 ** exponent, the fraction in [0.5, 1)
    limit = {"up": 0.5, "nearest": 0.75 - 2.0**-53, "down": 1.0}[round_mode]
    return np.where(np.isnan(x), math.nan, np.ldexp(1.0, exponent - 1 + (fraction > limit)))
