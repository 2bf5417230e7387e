import math
from typing import Literal

from opwright import DOUBLE, INT64
from opwright import opset13 as op


def DFT(input, dft_length=None, axis=None, inverse: Literal[0, 1] = 0, onesided: Literal[0, 1] = 0):
    return transformed(input, dft_length, INT64(-2) if axis is None else axis, inverse, onesided)


def DFT17(input, dft_length=None, axis: int = 1, inverse: Literal[0, 1] = 0, onesided: Literal[0, 1] = 0):
    return transformed(input, dft_length, INT64(axis), inverse, onesided)


def transformed(input, dft_length, axis, inverse, onesided):
    """A product with a matrix of sines and cosines, [lines, samples * parts] by [samples * parts, frequencies * parts].

    In double, and exact to the last bits of float. onnxruntime's kernels, fast transforms, are off by hundreds of units
    in the last place of the largest result where the length is no power of two, and so are their inverse transforms in
    double. This one takes the square of the length in time and memory.
    """
    shape = op.Shape(input)
    axis = op.Reshape(axis, [1])
    samples = op.Gather(shape, axis)
    parts = shape[-1:]
    outer, inner = op.Slice(shape, [0], axis), op.Slice(shape, axis + 1, [-1])
    if dft_length is not None:
        length = op.Cast(op.Reshape(dft_length, [1]), to=INT64)
    else:
        length = 2 * (samples - 1) if inverse and onesided else samples
    half = op.Div(length, 2) + 1
    frequencies = half if onesided and not inverse else length
    # Samples that are lacking are zeros, and left out of the product.
    used = samples if dft_length is None else op.Min(samples, half if inverse and onesided else length)
    matrix = fourier(length, used, frequencies, inverse)
    if inverse and onesided:
        # Each frequency but the first, and the middle one of an even length, stands for its conjugate too.
        k = op.Range(0, op.Squeeze(used), 1)
        alone = (k == 0) | (2 * k == length)
        matrix = matrix[..., :1] * op.Reshape(op.Where(alone, DOUBLE(1), 2), [-1, 1, 1, 1])
    matrix = op.Slice(matrix, [0], parts, [1])
    if inverse:
        matrix = matrix / op.Cast(length, to=DOUBLE)

    x = op.Slice(op.Cast(input, to=DOUBLE), [0], used, axis)
    x = op.Reshape(x, op.Concat(product(outer), used, product(inner), parts, axis=0))
    y = applied(op.Transpose(x, perm=[0, 2, 1, 3]), matrix)
    y = op.Reshape(op.Transpose(y, perm=[0, 2, 1, 3]), op.Concat(outer, frequencies, inner, op.Shape(y)[3:], axis=0))
    return like(y, input)


def fourier(length, samples, frequencies, inverse):
    """What each part of each sample adds to each part of each frequency: [samples, 2, frequencies, 2].

    The angles are counted in quarters of 1/length of a turn, and whole turns taken away from them, in integers.
    """
    n, k = (op.Range(0, op.Squeeze(count), 1) for count in (samples, frequencies))
    quarters = [[0, 1], [3, 0]]  # of a turn: less the sine is a cosine of one more, the sine of three
    angles = op.Unsqueeze(n, [1, 2, 3]) * op.Unsqueeze(k, [0, 1, 3]) * (-4 if inverse else 4)
    angles = op.Mod(angles + op.Unsqueeze(quarters, [0, 2]) * length, 4 * length)
    return op.Gather(cosines(4 * length), angles)


def cosines(count):
    """Of all multiples of 1/count of a turn: sines of angles up to a quarter, so that zeros are zeros."""
    m = op.Range(0, op.Squeeze(count), 1)
    quarters = op.Cast(count - 4 * op.Min(m, count - m), to=DOUBLE) / op.Cast(count, to=DOUBLE)
    return op.Sin(quarters * (math.pi / 2))


def applied(x, matrix):
    """The transform [..., frequencies, parts] of x [a, b, samples, parts]."""
    columns = op.Shape(matrix)[2:]
    flat = op.Reshape(x, op.Concat(op.Shape(x)[:2], product(op.Shape(matrix)[:2]), axis=0))
    y = op.MatMul(flat, op.Reshape(matrix, op.Concat(product(op.Shape(matrix)[:2]), product(columns), axis=0)))
    return op.Reshape(y, op.Concat(op.Shape(x)[:2], columns, axis=0))


def product(sizes):
    return op.ReduceProd(sizes, keepdims=1)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
