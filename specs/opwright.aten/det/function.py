from ..linalg_det.function import determinant


def det(self):
    return determinant(self)
