"""call.keywords: A helper's own `**kwargs` is a dictionary of the arguments that no parameter takes."""

from opwright import FLOAT, script


def shifted(x, **options):
    for name, value in options.items():
        x = x + value * len(name)
    return x * options["scale"] if "scale" in options else x


def add_one(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return inner


decorated = add_one(shifted)


@script()
def F(x: FLOAT["N"]):
    return decorated(shifted(x, up=1.0), scale=x)
