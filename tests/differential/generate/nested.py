"""Functions with variants that call functions with variants: what each question decides depends on the call."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.differential.generate.draw import Draw
from tests.differential.generate.statements import Lines, indented
from tests.differential.program import Case, Program

_TYPES = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64}
_NAMES = {"float": "FLOAT", "double": "DOUBLE", "int32": "INT32", "int64": "INT64"}


def generate_nested(random: Random, target: int = 18) -> Program:
    """`F` calls `f` and `g`, `f` calls `g`, each some times in different ways: with an optional input and without it,
    on tensors of different types and ranks, with different attributes."""
    draw = Draw(random)
    elements = [draw.pick(tuple(_TYPES)) for _ in range(2)]
    callees: list[str] = []
    lines: Lines = []
    for name in ("g", "f", "e")[: draw.pick((2, 2, 3))]:
        lines += _function(draw, name, callees)
        callees.append(name)
    calls, results, outputs = [], [], {}
    for index in range(draw.between(1, 3)):
        name = draw.pick(("x", "z"))
        calls.append(f"r{index} = {_call(draw, draw.pick(callees), name)}")
        results.append(f"r{index}")
        outputs[f"y{index}"] = elements[name == "z"]
    lines += ["def F(x, z):", *indented([*calls, f"return {', '.join(results)}"])]
    inputs = dict(zip(("x", "z"), elements, strict=True))
    shapes = [draw.pick(((), (3,), (2, 3))) for _ in range(2)]
    cases = tuple(
        Case({}, {name: _array(draw, inputs[name], shape) for name, shape in zip(inputs, shapes, strict=True)}, {})
        for _ in range(2)
    )
    return Program("\n".join(lines) + "\n", inputs, outputs, {}, (), 18, cases, target=target)


def _function(draw: Draw, name: str, callees: list[str]) -> Lines:
    body = ["r = x + 1"]
    for _ in range(draw.between(1, 4)):
        body += draw.pick(_QUESTIONS)(draw)
    for _ in range(draw.between(1, 3) if callees else 0):
        body.append(f"r = r {draw.pick('+-')} {_call(draw, draw.pick(callees), draw.pick(('x', 'r')), 'y')}")
    if len(callees) and draw.chance(0.4):
        body += ["if y is not None:", f"    r = r + {_call(draw, draw.pick(callees), 'y', 'x')}"]
    head = f"def {name}(x, y=None, *, k: int=1, a: float=0.1, mode: Literal['a', 'b']='a'):"
    return ['@script(Opset("com.acme", 1))', head, *indented([*body, "return r"])]


_QUESTIONS = (
    lambda draw: ["if y is not None:", f"    r = r {draw.pick('+-')} y"],
    lambda draw: ["if y is None:", "    r = r * 2", "else:", "    r = y - r"],
    lambda draw: [f"if x.dtype == {_NAMES[draw.pick(tuple(_NAMES))]}:", "    r = r * 3", "else:", "    r = r - 2"],
    lambda draw: ["if mode == 'a':", "    r = r + 3", "else:", "    r = r - x"],
    lambda draw: [f"if x.rank == {draw.between(0, 2)}:", "    r = r + r", "else:", "    r = r - 5"],
    lambda draw: [f"r = r % {draw.pick((3, 4))}"],
    lambda draw: ["r = r + k"],
    lambda draw: ["if k > 1:", "    r = r * 2"],
    lambda draw: [f"if x.dtype == {draw.pick(('FLOAT', 'DOUBLE', 'DOUBLE'))}:", f"    r = r {draw.pick('+-*')} a"],
)


def _call(draw: Draw, callee: str, name: str, other: str = "") -> str:
    arguments = [name]
    if other and draw.chance(0.5):
        arguments.append(other if other != "y" else draw.pick(("y", "x")))
    elif draw.chance(0.4):
        arguments.append(draw.pick((name, "None")))
    if draw.chance(0.3):
        arguments.append(f"k={draw.between(0, 3)}")
    if draw.chance(0.3):
        arguments.append(f"a={draw.pick((0.5, 0.3, -0.7))}")
    if draw.chance(0.3):
        arguments.append(f"mode={draw.pick('ab')!r}")
    return f"{callee}({', '.join(arguments)})"


def _array(draw: Draw, element: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    values = [draw.pick((0, 1, 2, -3, 5)) for _ in range(int(np.prod(shape)))]
    return np.array(values, _TYPES[element]).reshape(shape)
