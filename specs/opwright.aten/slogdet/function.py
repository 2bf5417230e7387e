from ..linalg_slogdet.function import sign_and_logarithm


def slogdet(self):
    return sign_and_logarithm(self)
