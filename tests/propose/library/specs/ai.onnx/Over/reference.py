import numpy as np


def Over(X, start=None, dtype=None, *, types):
    assert dtype is None or types["U"] in ("float", "double", "int32", "int64")
    over = X > 0
    count = np.sum(over) + (0 if start is None else start)
    return over.astype(np.float64), np.asarray(count, np.float64 if types["S"] in ("float", "double") else np.int64)
