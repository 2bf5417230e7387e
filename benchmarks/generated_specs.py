"""`python -m benchmarks.generated_specs COUNT FOLDER [--seed N]`: a library of that many different specs, to build.

Each function has ten operators, drawn anew, with constants of its own; a quarter of them call another function of the
library. Three element types, opsets 15 to 28; four files a spec, as people write them.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

DOMAIN = "com.example"
LARGE = 24  # functions of the library that is attached to large models
OPERATORS = 9  # in lines of their own, and one that reads the attribute
_UNARY = ("Abs", "Neg", "Exp", "Tanh", "Sigmoid", "Relu", "Floor", "Ceil", "Sqrt", "Reciprocal", "Softplus", "Erf")
_BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")

_LIBRARY = """\
schema: 1
library: generated-ops
version: 1.0.0
package: generated_ops
summary: Specs to measure with.
license: Apache-2.0
opsets: ">=15,<=28"
requires: {opwright: ">=0.1"}
dependencies: {}
"""
_DOMAIN = f"""\
schema: 1
domain: {DOMAIN}
version: 1
summary: Functions that are drawn.
"""
_SPEC = """\
schema: 1
domain: {domain}
name: {name}
summary: {operators} operators, {number}.
since_version: 1
opset: ">=15"
inputs: {{x: T, y: T}}
outputs: {{z: T}}
attributes:
  alpha: A factor.
types: {{T: [float16, float, double]}}
reference: reference.py
vectors: [vectors.yaml]
"""
_VECTORS = """\
schema: 1
rows:
  - name: zero
    types: {T: [float]}
    inputs: {x: [0, 1], y: [1, 2]}
"""


def write_library(folder: Path, count: int, seed: int) -> None:
    """Writes the library into an empty folder."""
    specs = folder / "specs"
    _write(specs / "library.yaml", _LIBRARY)
    _write(specs / DOMAIN / "domain.yaml", _DOMAIN)
    for number in range(count):
        numbers = random.Random(f"{seed} {number}")
        name = function_name(number)
        called = function_name(numbers.randrange(number)) if number and number % 4 == 3 else ""
        place = specs / DOMAIN / name
        _write(place / "function.py", function_text(name, numbers, called))
        _write(place / "spec.yaml", _SPEC.format(domain=DOMAIN, name=name, operators=OPERATORS, number=number))
        _write(place / "reference.py", f"def {name}(x, y, alpha=1.0):\n    return x\n")
        _write(place / "vectors.yaml", _VECTORS)


def function_name(number: int) -> str:
    return f"Made{number:05}"


def function_text(name: str, numbers: random.Random, called: str = "") -> str:
    """The source of one function."""
    head = ["from opwright import opset15 as op", ""]
    if called:
        head.insert(0, "from generated_ops import opset1 as own")
    lines = [f"def {name}(x, y, alpha: float = {numbers.uniform(0.1, 9):.6f}):"]
    values = ["x", "y"]
    for position in range(OPERATORS):
        if called and position == OPERATORS // 2:
            made = f"own.{called}({values[-1]}, {numbers.choice(values)})"
        elif numbers.random() < 0.4:
            made = f"op.{numbers.choice(_UNARY)}({values[-1]})"
        else:
            other = numbers.choice(["alpha", f"{numbers.uniform(0.1, 9):.6f}", *values])
            made = f"op.{numbers.choice(_BINARY)}({values[-1]}, {other})"
        if not position:
            made = f"op.{numbers.choice(_BINARY)}({made}, alpha)"  # an attribute that nothing reads is a finding
        values.append(f"v{position}")
        lines.append(f"    {values[-1]} = {made}")
    return "\n".join([*head, "", *lines, f"    return {values[-1]}", ""])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.generated_specs")
    parser.add_argument("count", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write_library(arguments.folder, arguments.count, arguments.seed)


if __name__ == "__main__":
    main()
