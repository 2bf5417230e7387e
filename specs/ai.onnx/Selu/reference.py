"""What Selu is, in float64."""

import numpy as np


def Selu(X, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
    return np.where(X <= 0, gamma * (alpha * np.expm1(X)), gamma * X)
