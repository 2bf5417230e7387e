"""What BlackmanWindow is: 0.42 - 0.5 cos(2 t) + 0.08 cos(4 t) = s (9 + 16 s) / 25, s = sin(t)^2, t = pi k / n.

In numpy's longest floats, and from the nearer end: float64 angles up to 2 pi would cost the last digits.
"""

import numpy as np


def BlackmanWindow(size, output_datatype=1, periodic=1):
    n = int(size) if periodic else int(size) - 1
    nearer = np.array([min(k, n - k) for k in range(int(size))], dtype=np.longdouble)
    pi = 4.0 * np.arctan(np.longdouble(1.0))
    s = np.sin(pi * nearer / np.longdouble(n)) ** 2
    return (s * (9.0 + 16.0 * s) / 25.0).astype(np.float64)
