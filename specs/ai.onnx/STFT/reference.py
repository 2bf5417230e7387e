"""What STFT is: sums over the samples of each frame."""

import numpy as np


def STFT(signal, frame_step, window=None, frame_length=None, onesided=1):
    x = signal[..., 0] + (1j * signal[..., 1] if signal.shape[-1] == 2 else 0)
    if frame_length is not None:
        n = int(frame_length)
    else:
        n = x.shape[1] if window is None else len(window)
    weights = np.ones(n) if window is None else window
    starts = range(0, x.shape[1] - n + 1, int(frame_step))
    frames = np.stack([x[:, start : start + n] * weights for start in starts], axis=1)
    y = frames @ turns(n)
    if onesided:
        y = y[..., : n // 2 + 1]
    return np.stack([y.real, y.imag], axis=-1).astype(np.float64)


def turns(n):
    """exp(-2 pi i j k / n) in numpy's longest floats."""
    k = np.arange(n)
    pi = 4.0 * np.arctan(np.longdouble(1.0))
    angles = pi * (2 * (np.outer(k, k) % n)).astype(np.longdouble) / np.longdouble(n)
    return np.cos(angles) - 1j * np.sin(angles)
