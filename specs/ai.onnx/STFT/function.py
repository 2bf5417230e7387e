from typing import Literal

from opwright import DOUBLE, INT64
from opwright import opset13 as op

from ..DFT.function import applied, fourier, like


def STFT(signal, frame_step, window=None, frame_length=None, onesided: Literal[0, 1] = 1):
    """The frames are gathered and multiplied by the matrix of DFT, whose lines the window has weighed."""
    if frame_length is not None:
        length = op.Cast(op.Reshape(frame_length, [1]), to=INT64)
    else:
        length = op.Shape(signal)[1:2] if window is None else op.Shape(window)
    matrix = fourier(length, length, op.Div(length, 2) + 1 if onesided else length, 0)
    if window is not None:
        matrix = matrix * op.Reshape(op.Cast(window, to=DOUBLE), [-1, 1, 1, 1])
    matrix = op.Slice(matrix, [0], op.Shape(signal)[2:], [1])

    step = op.Cast(op.Reshape(frame_step, [1]), to=INT64)
    starts = op.Range(0, op.Squeeze(op.Shape(signal)[1:2] - length + 1), op.Squeeze(step))
    samples = op.Unsqueeze(starts, [1]) + op.Range(0, op.Squeeze(length), 1)
    return like(applied(op.Gather(op.Cast(signal, to=DOUBLE), samples, axis=1), matrix), signal)
