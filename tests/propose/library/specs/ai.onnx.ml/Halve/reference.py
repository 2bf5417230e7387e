import numpy as np


def Halve(X):
    return X / 2, np.array(X.size)
