from ..linalg_inv.function import inverted


def inverse(self):
    return inverted(self)
