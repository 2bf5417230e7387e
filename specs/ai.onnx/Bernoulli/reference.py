"""What of Bernoulli is certain: 1 where the probability is 1, 0 where it is 0. Rows judge the rest as random."""

import numpy as np


def Bernoulli(input, dtype=None, seed=None, *, types):
    certain = input >= 1
    return certain if types["T2"] == "bool" else certain.astype(np.int64)
