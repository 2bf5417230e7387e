"""What MelWeightMatrix is, entry by entry: each column rises from its left point to 1 and falls to its right one.

Points in numpy's longest floats; the vectors have none that only rounding puts on one side of a border.
"""

import numpy as np


def MelWeightMatrix(num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz, output_datatype=1):
    count, length = int(num_mel_bins), int(dft_length)
    low, high = (np.longdouble(float(hertz)) for hertz in (lower_edge_hertz, upper_edge_hertz))
    growth = ((700 + high) / (700 + low)) ** (np.arange(count + 2).astype(np.longdouble) / (count + 2))
    hertz = (700 + low) * growth - 700
    points = np.floor((length + 1) * hertz / int(sample_rate)).astype(np.int64)
    result = np.zeros((length // 2 + 1, count))
    for column in range(count):
        left, peak, right = points[column : column + 3]
        for row in range(len(result)):
            if row == peak and left <= peak:
                result[row, column] = 1.0
            elif left <= row < peak:
                result[row, column] = (row - left) / (peak - left)
            elif peak < row < right:
                result[row, column] = (right - row) / (right - peak)
    return result
