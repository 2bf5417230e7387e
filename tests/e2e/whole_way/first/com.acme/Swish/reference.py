import numpy as np


def Swish(X, alpha=1.0):
    return X / (1 + np.exp(-alpha * X))
