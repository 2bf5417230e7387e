from opwright import DOUBLE, INT64
from opwright import opset13 as op


def MelWeightMatrix(
    num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz, output_datatype: int = 1
):
    """A triangle between each three neighbours of the points that divide the range of mel.

    All of it in double, in the order of onnxruntime's kernel, so that frequencies at the border of two bins fall into
    the same one. A side that has no width gets one of 1, which leaves the peak as it is.
    """
    corners = op.Cast(num_mel_bins, to=DOUBLE) + 2
    lowest = mel(op.Cast(lower_edge_hertz, to=DOUBLE))
    step = (mel(op.Cast(upper_edge_hertz, to=DOUBLE)) - lowest) / corners
    mels = lowest + step * op.Range(DOUBLE(0), corners, DOUBLE(1))
    hertz = 700 * (op.Pow(DOUBLE(10), mels / 2595) - 1)
    points = op.Floor((op.Cast(dft_length, to=DOUBLE) + 1) * hertz / op.Cast(sample_rate, to=DOUBLE))
    left, peak, right = points[:-2], points[1:-1], points[2:]

    rows = op.Cast(op.Div(op.Cast(dft_length, to=INT64), 2) + 1, to=DOUBLE)
    row = op.Unsqueeze(op.Range(DOUBLE(0), rows, DOUBLE(1)), [1])
    start, end = op.Min(left, peak - 1), op.Max(right, peak + 1)
    triangles = op.Max(op.Min((row - start) / (peak - start), (end - row) / (end - peak)), DOUBLE(0))
    return op.Cast(op.Where(op.Greater(left, peak), DOUBLE(0), triangles), to=output_datatype)


def mel(hertz):
    """2595 log10(1 + hertz / 700), with the last bits of C's log10: the power of two is taken out of the number, and
    its logarithm is added in two parts."""
    x = 1 + hertz / 700
    exponent = op.Floor(op.Log(x) / 0.6931471805599453)
    rest = op.Log(x / op.Pow(DOUBLE(2), exponent)) * 0.4342944819032518
    return 2595 * (exponent * 3.694239077158931e-13 + rest + exponent * 0.30102999566361177)
