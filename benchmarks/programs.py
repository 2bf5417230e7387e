"""The programs that are measured, drawn from a seed: one text for both packages, apart from the lines that import.

Names, bodies, constants, attributes and annotations differ from function to function and from seed to seed. What is
drawn does not depend on the size, so that a larger program of a kind begins as a smaller one does. All values of a
function have one shape, since every program must be valid whatever was drawn.
"""

from __future__ import annotations

import keyword
import random
from collections.abc import Callable, Sequence

OPERATORS = 10  # in each of `functions`
_EAGER_OPERATORS = 8
_DEEPEST = 8  # loops and ifs in one another

_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, "op", "script"})

_UNARY = ("Abs", "Exp", "Neg", "Relu", "Sigmoid", "Sin", "Softplus", "Softsign", "Tanh")
_WITH_ALPHA = ("Elu", "LeakyRelu", "ThresholdedRelu")
_BINARY = ("Add", "Div", "Max", "Min", "Mul", "Sub")
_INFIX = ("+", "-", "*", "/")
_COMPARISONS = ("<", "<=", ">", ">=")
_SHAPES = ('["N"]', '["N", "M"]', '["batch", "N", 4]', "[...]")


class Draw:
    """What is drawn of one kind of program."""

    def __init__(self, seed: int, kind: str) -> None:
        self.random = random.Random(f"{seed}:{kind}")
        self.taken = set(_RESERVED)

    def name(self) -> str:
        """A name that nothing in the program has."""
        while True:
            parts = self.random.randint(1, 3)
            made = "".join(self.random.choice(_CONSONANTS) + self.random.choice(_VOWELS) for _ in range(parts))
            made += self.random.choice(("", "", "_out", str(self.random.randrange(10_000))))
            if made not in self.taken:
                self.taken.add(made)
                return made

    def number(self) -> str:
        return repr(round(self.random.uniform(0.05, 3.0), self.random.randint(1, 6)))

    def annotation(self) -> str:
        """Of all parameters of a function; half of the functions have none."""
        if self.random.random() < 0.5:
            return ""
        return f": {self.random.choice(('FLOAT', 'FLOAT', 'DOUBLE'))}{self.random.choice(_SHAPES)}"

    def value(self, values: Sequence[str]) -> str:
        """One of the last values rather than of the first ones."""
        return self.random.choice(values[-6:] if self.random.random() < 0.8 else values)

    def expression(self, values: Sequence[str], alpha: str, most: int) -> tuple[str, int]:
        """An expression of the shape of the values, and how many operators it takes, constants not counted.

        It reads the last value, so that nothing in a program is dead.
        """
        draw = self.random
        one, other = values[-1], self.value(values)
        forms = ["unary", "unary", "binary", "infix", "infix", "number", "attribute", "softmax"]
        if most >= 2:
            forms += ["where", "nested"]
        if most >= 3:
            forms += ["mean", "concat"]
        form = draw.choice(forms)
        if form == "unary":
            return f"op.{draw.choice(_UNARY)}({one})", 1
        if form == "binary":
            return f"op.{draw.choice(_BINARY)}({one}, {other})", 1
        if form == "infix":
            return f"{one} {draw.choice(_INFIX)} {other}", 1
        if form == "number":
            return f"{one} {draw.choice(_INFIX)} {self.number()}", 1
        if form == "attribute":
            given = alpha if alpha and draw.random() < 0.5 else self.number()
            return f"op.{draw.choice(_WITH_ALPHA)}({one}, alpha={given})", 1
        if form == "softmax":
            return f"op.{draw.choice(('Softmax', 'LogSoftmax'))}({one}, axis={draw.choice((0, -1))})", 1
        if form == "where":
            return f"op.Where({one} {draw.choice(_COMPARISONS)} {other}, {one}, {self.number()})", 2
        if form == "nested":
            return f"op.{draw.choice(_UNARY)}({one} {draw.choice(_INFIX)} {self.number()})", 2
        if form == "mean":
            return f"op.{draw.choice(_UNARY)}({one}) - op.ReduceMean({other}, keepdims=1)", 3
        return f"{one} * op.ReduceMax(op.Concat({one}, {other}, axis=0), keepdims=1)", 3


def header(package: str) -> str:
    return f"from {package} import DOUBLE, FLOAT, INT64, script\nfrom {package} import opset18 as op\n\n\n"


def _straight(
    draw: Draw, name: str, operators: int, annotation: str | None = None, alpha: str | None = None
) -> list[str]:
    """A function of so many operators, without control flow."""
    annotation = draw.annotation() if annotation is None else annotation
    if alpha is None:
        alpha = draw.name() if draw.random.random() < 0.25 else ""
    values = [draw.name() for _ in range(2)]
    parameters = [f"{value}{annotation}" for value in values]
    if alpha:
        parameters.append(f"{alpha}: float = {draw.number()}")
    lines = ["@script(default_opset=op)", f"def {name}({', '.join(parameters)}):"]
    while operators:
        text, taken = draw.expression(values, alpha, operators)
        operators -= taken
        if not operators:
            lines.append(f"    return {text}")
        else:
            again = len(values) > 2 and draw.random.random() < 0.2
            values.append(draw.random.choice(values[2:]) if again else draw.name())
            lines.append(f"    {values[-1]} = {text}")
    return [*lines, "", ""]


def functions(seed: int, count: int, package: str) -> str:
    """`count` functions of ten operators each."""
    draw = Draw(seed, "functions")
    lines = [line for index in range(count) for line in _straight(draw, f"f{index}", OPERATORS)]
    return header(package) + "\n".join(lines)


def long(seed: int, count: int, package: str) -> str:
    """One function of `count` operators."""
    draw = Draw(seed, "long")
    return header(package) + "\n".join(_straight(draw, "f0", count))


def live(seed: int, count: int, package: str) -> str:
    """One function of `count` statements, all of whose values are read at the end."""
    draw = Draw(seed, "live")
    annotation = draw.annotation()
    values = [draw.name() for _ in range(2)]
    lines = ["@script(default_opset=op)", f"def f0({', '.join(value + annotation for value in values)}):"]
    for _ in range(count):
        text, _ = draw.expression(values, "", 1)
        values.append(draw.name())
        lines.append(f"    {values[-1]} = {text}")
    return header(package) + "\n".join([*lines, f"    return op.Sum({', '.join(values)})", ""])


def nested(seed: int, count: int, package: str) -> str:
    """`count` functions of loops and ifs in one another, two to eight deep."""
    draw = Draw(seed, "nested")
    lines: list[str] = []
    for index in range(count):
        values = [draw.name() for _ in range(3)]
        times = draw.name()
        annotation = draw.annotation() or ': FLOAT["N"]'
        parameters = [*(value + annotation for value in values[:2]), f"{times}: INT64"]
        lines += [
            "@script(default_opset=op)",
            f"def f{index}({', '.join(parameters)}):",
            f"    {values[2]} = op.Identity({values[0]})",
        ]
        _nest(draw, values, times, draw.random.randint(2, _DEEPEST), "    ", lines)
        lines += [f"    return op.Add({values[2]}, {values[1]})", "", ""]
    return header(package) + "\n".join(lines)


def _nest(draw: Draw, values: Sequence[str], times: str, depth: int, margin: str, lines: list[str]) -> None:
    """Statements that change the values, with a loop or an if among them until `depth` is used up."""
    _change(draw, values, margin, lines)
    if not depth:
        return
    inner = f"{margin}    "
    if draw.random.random() < 0.5:
        count = times if draw.random.random() < 0.7 else str(draw.random.randint(20, 40))
        lines.append(f"{margin}for {draw.name()} in range({count}):")
        _nest(draw, values, times, depth - 1, inner, lines)
        if draw.random.random() < 0.3:
            lines += [f"{inner}{(stop := draw.name())} = {_condition(draw, values)}", f"{inner}if {stop}:"]
            lines.append(f"{inner}    break")
    else:
        lines.append(f"{margin}if {_condition(draw, values)}:")
        _nest(draw, values, times, depth - 1, inner, lines)
        lines.append(f"{margin}else:")
        for value in values:
            lines.append(f"{inner}{value} = op.{draw.random.choice(_UNARY)}({value})")
    _change(draw, values, margin, lines)


def _change(draw: Draw, values: Sequence[str], margin: str, lines: list[str]) -> None:
    """Every value gets a new one, so that all of them are carried."""
    for value in values:
        text, _ = draw.expression([*(other for other in values if other != value), value], "", 1)
        lines.append(f"{margin}{value} = {text}")


def _condition(draw: Draw, values: Sequence[str]) -> str:
    total = f"op.ReduceMax({draw.random.choice(values)}, keepdims=0)"
    return f"{total} {draw.random.choice(_COMPARISONS)} op.ReduceMin({draw.random.choice(values)}, keepdims=0)"


def calls(seed: int, count: int, package: str) -> str:
    """`count` functions and the last one, which calls them all."""
    draw = Draw(seed, "calls")
    lines: list[str] = []
    for index in range(count):
        annotation = draw.random.choice(("", ": FLOAT[...]"))
        lines += _straight(draw, f"f{index}", draw.random.randint(2, 4), annotation, "")
    values = [draw.name() for _ in range(2)]
    lines += [
        "@script(default_opset=op)",
        "def main({}):".format(", ".join(f'{value}: FLOAT["N"]' for value in values)),
    ]
    for index in range(count):
        one, other = draw.value(values), values[-1]
        values.append(draw.name())
        lines.append(f"    {values[-1]} = f{index}({one}, {other})")
    return header(package) + "\n".join([*lines, f"    return {values[-1]}", ""])


def chain(seed: int, count: int, package: str) -> str:
    """`count` functions, each of which calls the one before."""
    draw = Draw(seed, "chain")
    lines: list[str] = []
    for index in range(count):
        value, made = draw.name(), draw.name()
        last = index == count - 1
        lines += ["@script(default_opset=op)", f'def {"main" if last else f"f{index}"}({value}: FLOAT["N"]):']
        called = f"f{index - 1}({value})" if index else f"op.Relu({value})"
        lines += [f"    {made} = {called}", f"    return {draw.expression([value, made], '', 1)[0]}", "", ""]
    return header(package) + "\n".join(lines)


def eager(seed: int, count: int, package: str) -> str:
    """One function of eight operators, to be called on arrays; the count does not matter."""
    draw = Draw(seed, "eager")
    return header(package) + "\n".join(_straight(draw, "main", _EAGER_OPERATORS, ": FLOAT[...]", ""))


def first(seed: int, count: int, package: str) -> str:
    """A program that makes one proto and calls one function on arrays."""
    called = "main.to_function_proto()\nx = np.ones((2, 2), np.float32)\nmain(x, x)\n"
    return f"import numpy as np\n{eager(seed, count, package)}{called}"


Program = Callable[[int, int, str], str]
PROGRAMS: dict[str, Program] = {
    "functions": functions,
    "long": long,
    "live": live,
    "nested": nested,
    "calls": calls,
    "chain": chain,
    "eager": eager,
    "first": first,
}
