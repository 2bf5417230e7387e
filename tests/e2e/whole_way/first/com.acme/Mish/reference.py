import numpy as np


def Mish(X):
    return X * np.tanh(np.logaddexp(0, X))
