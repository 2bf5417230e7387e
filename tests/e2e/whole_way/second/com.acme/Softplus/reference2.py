import numpy as np


def Softplus(X, beta=1.0):
    return np.logaddexp(0, beta * X) / beta
