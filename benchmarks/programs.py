"""The programs that are compiled: one text for both packages, apart from the line that imports."""

from __future__ import annotations

_FUNCTION = """@script()
def f{index}(x: FLOAT["N"], y: FLOAT["N"]):
    a = op.Add(x, y)
    b = a * y
    c = op.Relu(b)
    d = op.Sigmoid(c) + 1.5
    e = op.Concat(a, d, axis=0)
    g = op.ReduceSum(e, keepdims=0)
    h = op.Exp(g) / a
    return op.MatMul(h, b)
"""
OPERATORS = 10  # in each of these functions


def header(package: str) -> str:
    return f"from {package} import FLOAT, script\nfrom {package} import opset18 as op\n\n\n"


def functions(count: int, package: str) -> str:
    """`count` functions of ten operators each."""
    return header(package) + "\n\n".join(_FUNCTION.format(index=index) for index in range(count))


def eager(count: int, package: str) -> str:
    """One function of eight operators, to be called on arrays."""
    return f"""{header(package)}@script()
def f(x: FLOAT["N"], y: FLOAT["N"]):
    a = op.Add(x, y)
    b = op.Relu(a * y)
    c = op.Sigmoid(b) + 1.5
    d = op.Exp(-c)
    return d / a
"""


def live_variables(count: int, package: str) -> str:
    """One function of `count` statements, all of whose variables are read at the end."""
    lines = ["@script()", 'def f0(x: FLOAT["N"], y: FLOAT["N"]):', "    v0 = x + y"]
    lines += [f"    v{index} = v{index - 1} * y" for index in range(1, count)]
    read = ", ".join(f"v{index}" for index in range(count))
    return header(package) + "\n".join([*lines, f"    return op.Sum({read})", ""])


def chain(count: int, package: str) -> str:
    """`count` functions, each of which calls the one before."""
    lines = ["@script()", 'def f0(x: FLOAT["N"]):', "    return op.Relu(x)", ""]
    for index in range(1, count):
        lines += ["", "@script()", f'def f{index}(x: FLOAT["N"]):', f"    return op.Neg(f{index - 1}(x))", ""]
    return header(package) + "\n".join(lines)
