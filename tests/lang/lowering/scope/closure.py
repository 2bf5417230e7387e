"""scope.closure: What surrounds a function is read too."""

from opwright import FLOAT, script


def make(scale):
    @script()
    def scaled(x: FLOAT["N"]):
        return x * scale

    return scaled


F = make(3.0)
