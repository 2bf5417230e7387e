import numpy as np


def Range(start, limit, delta):
    return np.arange(start.item(), limit.item(), delta.item()).astype(start.dtype)
