from typing import Literal

from opwright import opset18 as op


def stft(
    self,
    window=None,
    *,
    n_fft: int,
    hop_length: int,
    win_length: int,
    margin: int | None = None,
    normalized: Literal[False, True] = False,
    onesided: bool = True,
):
    x = op.Unsqueeze(self, 0) if self.rank == 1 else self
    frame = op.Expand(op.CastLike(1, x), [win_length]) if window is None else window
    if margin is not None:
        frame = op.Pad(frame, [margin, n_fft - win_length - margin])
    y = op.STFT(op.Unsqueeze(x, -1), hop_length, frame, n_fft, onesided=onesided)
    y = op.Transpose(y, perm=[0, 2, 1, 3])
    if normalized:
        y = y / op.Sqrt(op.CastLike(n_fft, y))
    return op.Squeeze(y, 0) if self.rank == 1 else y
