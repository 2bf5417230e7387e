"""What DFT is: sums over the samples. Angles are whole numbers of 1/length of a turn, less the whole turns."""

import numpy as np


def DFT(input, dft_length=None, axis=None, inverse=0, onesided=0):
    axis = (-2 if axis is None else int(axis)) % input.ndim
    x = np.moveaxis(input[..., 0] + (1j * input[..., 1] if input.shape[-1] == 2 else 0), axis, -1)
    n = int(dft_length) if dft_length is not None else 2 * (x.shape[-1] - 1) if inverse and onesided else x.shape[-1]
    taken = n // 2 + 1 if inverse and onesided else n
    given = x[..., :taken]
    x = np.concatenate([given, np.zeros((*x.shape[:-1], taken - given.shape[-1]))], axis=-1)
    if inverse and onesided:
        mirrored = np.conj(x[..., 1 : (n + 1) // 2][..., ::-1])
        x = np.concatenate([x, mirrored], axis=-1)
        ends = [0, n // 2] if n % 2 == 0 else [0]
        x[..., ends] = x[..., ends].real
    y = x @ turns(n) if not inverse else x @ np.conj(turns(n)) / n
    if onesided and not inverse:
        y = y[..., : n // 2 + 1]
    parts = [y.real] if inverse and onesided else [y.real, y.imag]
    return np.moveaxis(np.stack(parts, axis=-1), -2, axis).astype(np.float64)


def turns(n):
    """exp(-2 pi i j k / n) in numpy's longest floats."""
    k = np.arange(n)
    pi = 4.0 * np.arctan(np.longdouble(1.0))
    angles = pi * (2 * (np.outer(k, k) % n)).astype(np.longdouble) / np.longdouble(n)
    return np.cos(angles) - 1j * np.sin(angles)
