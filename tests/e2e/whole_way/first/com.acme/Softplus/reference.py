import numpy as np


def Softplus(X):
    return np.logaddexp(0, X)
