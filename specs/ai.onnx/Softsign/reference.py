"""What Softsign is, in float64."""

import numpy as np


def Softsign(input):
    return input / (1.0 + np.abs(input))
