from typing import Literal

from opwright import opset18 as op


def stft_center(
    self,
    window=None,
    *,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    center: Literal[False, True] = True,
    pad_mode: Literal["reflect", "constant", "replicate"] = "reflect",
    normalized: Literal[False, True] = False,
    onesided: bool = True,
):
    x = op.Unsqueeze(self, 0) if self.rank == 1 else self
    if center:
        mode = "edge" if pad_mode == "replicate" else pad_mode
        x = op.Pad(x, [n_fft // 2, n_fft // 2], None, [1], mode=mode)
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    ones = op.Expand(op.CastLike(1, x), [length]) if window is None else window
    begin = (n_fft - length) // 2
    frame = ones if win_length is None else op.Pad(ones, [begin, n_fft - length - begin])
    y = op.STFT(op.Unsqueeze(x, -1), hop, frame, n_fft, onesided=onesided)
    y = op.Transpose(y, perm=[0, 2, 1, 3])
    if normalized:
        y = y / op.Sqrt(op.CastLike(n_fft, y))
    return op.Squeeze(y, 0) if self.rank == 1 else y
