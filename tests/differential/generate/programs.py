"""Whole programs: constants, helpers, parameters, the body of `F`, and inputs to run it with."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

import numpy as np

from tests.differential.generate.draw import Draw
from tests.differential.generate.helpers import Helper
from tests.differential.generate.loops import Loops
from tests.differential.generate.scope import Scope
from tests.differential.generate.statements import indented
from tests.differential.generate.structures import script_text
from tests.differential.generate.types import (
    ANY,
    FULL,
    ONE,
    ROW,
    SCALAR,
    Axes,
    Items,
    Maybe,
    Number,
    Tensor,
    Text,
    Type,
    Weak,
)
from tests.differential.program import Case, Program
from tests.differential.values import DTYPES

OPSETS = (13, 14, 18, 18, 21)
CASES = 4
_VARIABLES = (
    ("float", "double"),
    ("int32", "int64"),
    ("float", "int64"),
    ("float", "double", "int32", "int64"),
    ("double", "int32"),
)
_PLAIN = ("float", "float", "double", "int32", "int64", "bool")
_FLOAT_VALUES = (0.0, 0.5, 1.0, 2.0, -1.0, -0.25, 3.5, -2.5, 1.5, 4.0)
_ODD_FLOATS = (0.1, -7.3, 1e30, float("inf"), float("nan"), -0.0, 1e-20)
_INT_VALUES = (0, 1, 2, 3, -1, -2, 5, -4)
_GIVEN: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, 3),
    "float": (0.5, 0.3, -2.0),
    "bool": (True, False),
    "Literal['a', 'b']": ("a", "b"),
    "Literal[0, 1]": (0, 1),
    "Sequence[int]": ((0,), (0, 1)),
}
_SIZES = ((2, 3), (1, 1), (3, 2), (0, 2), (2, 0), (1, 3), (2, 1))


def generate(random: Random) -> Program:
    """A program of the whole language that the compiler takes, with inputs to run it with."""
    return Writer(random).program()


def generate_mixed(random: Random) -> Program:
    """A program about a value that is a number on one path and a tensor on another: about every second one misuses it,
    which the compiler refuses or, where only one of the paths is left, takes as Python does."""
    return Writer(random, risky=True).program()


def _attribute_type(kind: str) -> Type:
    if kind == "Sequence[int]":
        return Axes()
    return Text(("a", "b")) if "'" in kind else Number("int" if "Literal" in kind else kind, None, True)


class Writer(Loops):
    def __init__(self, random: Random, risky: bool = False, opset: int | None = None) -> None:
        self.draw = Draw(random)
        drawn = self.draw.pick(OPSETS)  # always, so that a seed stays what it is
        self.opset = drawn if opset is None else opset
        self.risky = risky
        self.returns_numbers = True
        self.helpers = []
        self.leaves = []
        self.counters = 0
        self.elements: dict[str, tuple[str, ...]] = {}
        self.inputs: dict[str, Tensor] = {}
        self.optional: dict[str, Tensor] = {}
        self.attributes: dict[str, tuple[str, Any]] = {}  # kind, default
        self.constants: dict[str, tuple[str, Type]] = {}
        self.ranked: dict[str, int] = {}
        self.by_rank: set[str] = set()
        self.made = 0
        self.variadic = ""
        self.scripts = {}

    def program(self) -> Program:
        self.declare()
        lines = [*self.header(), *(f"{name} = {text}" for name, (text, _) in self.constants.items())]
        for index in range(self.draw.pick((0, 0, 1, 1, 2))):
            lines += ["", *self._write_helper(f"h{index}")]
        elements = [tensor.element for tensor in self.inputs.values()]
        lines += self._write_others([item for item in elements if self._scope().is_numeric(item)])
        self.results = tuple(self.draw.pick([*elements, *elements, "bool"]) for _ in range(self.draw.pick((1, 1, 2))))
        scope = self._scope()
        parameters = [
            *map(self.parameter, self.inputs),
            *(f"{name}=None" for name in self.optional),
            *self._attribute_parameters(),
        ]
        lines += [
            "",
            f"def F({', '.join(parameters)}):",
            *(['    """What it is for."""'] if self.draw.chance(0.1) else []),
            *indented([*self._mixed(scope), *self._function_body(scope, self.draw.between(3, 12))]),
        ]
        text = ast.unparse(ast.parse("\n".join(lines))) + "\n"
        types = {**self.inputs, **self.optional}
        return Program(
            text=text,
            inputs={name: self.declared(name, tensor) for name, tensor in types.items()},
            outputs={f"y{index}": element for index, element in enumerate(self.results)},
            types=self.elements,
            attributes=tuple(self.attributes),
            opset=self.opset,
            cases=tuple(self._case() for _ in range(CASES)),
        )

    def _function_body(self, scope: Scope, size: int) -> list[str]:
        self.budget = size
        lines, ended = self.block(scope, size)
        return lines if ended else [*lines, self.return_statement(scope)]

    def _mixed(self, scope: Scope) -> list[str]:
        """In a program about such a value: the value, and a use of it."""
        lines = self.new_weak(scope, "w") if self.risky else None
        if lines is None:
            return []
        type_ = scope.names["w"]
        assert isinstance(type_, Weak)
        if self.draw.chance(0.5):
            text = self.misused(scope, "w")
        else:
            text, _ = self.weak(scope, type_.element, 1) or ("w", ANY)
        scope.names["r"] = Tensor(type_.element, ANY)
        return [*lines, f"r = {text}"]

    # ----------------------------------------------------------------------------------------------- interface

    def header(self) -> list[str]:
        """What stands before all else."""
        return []

    def parameter(self, name: str) -> str:
        """How an input is written in the signature."""
        return name

    def declare(self) -> None:
        draw = self.draw
        for name in ("T", "U")[: draw.pick((0, 0, 1, 1, 2))]:
            self.elements[name] = draw.pick(_VARIABLES)
        for name in ("x", "y", "z")[: draw.pick((1, 2, 2, 3))]:
            element = draw.pick([*self.elements, *self.elements, *_PLAIN])
            self.inputs[name] = Tensor(element, draw.pick((SCALAR, ROW, ROW, FULL, ANY, ONE)))
        for name in self.elements:
            if all(tensor.element != name for tensor in self.inputs.values()):
                self.inputs[f"x{name.lower()}"] = Tensor(name, ROW)
        if draw.chance(0.5):
            self.inputs["n"] = Tensor(draw.pick(("int64", "int64", "int32")), SCALAR)
        if draw.chance(0.35):
            for name in ("o", "p")[: draw.between(1, 2)]:
                element = draw.pick([tensor.element for tensor in self.inputs.values()])
                self.optional[name] = Tensor(element, draw.pick((SCALAR, SCALAR, ROW)))
        for name, tensor in {**self.inputs, **self.optional}.items():  # the rank is declared here and there
            rank = {SCALAR: 0, ONE: 1, ROW: 1, FULL: 2}.get(tensor.shape)
            if rank is not None and draw.chance(0.8 if rank == 2 else 0.5):
                self.ranked[name] = rank
        if draw.chance(0.5):
            for name in ("ka", "kb")[: draw.between(1, 2)]:
                kind = draw.pick(("int", "int", "float", "bool"))
                default = draw.pick(({"int": (0, 1, 2, 3), "float": (0.5, 0.1, -1.0), "bool": (True, False)})[kind])
                self.attributes[name] = kind, default if draw.chance(0.7) else None
        if draw.chance(0.2):
            self.attributes["mode"] = "Literal['a', 'b']", draw.pick(("'a'", "'b'"))
        if draw.chance(0.25):
            self.attributes["kc"] = "Literal[0, 1]", draw.pick((0, 1))
        if draw.chance(0.2):
            self.attributes["axes"] = "Sequence[int]", "(0,)"
        if draw.chance(0.5):
            self.constants["K"] = "3", Number("int", 3)
        if draw.chance(0.3):
            self.constants["H"] = "math.sqrt(0.25)", Number("float", 0.5)
        if draw.chance(0.3):
            self.constants["P"] = (
                "(1, 2.5, (-2))",
                Items((Number("int", 1), Number("float", 2.5), Number("int", -2))),
            )

    def _attribute_parameters(self) -> list[str]:
        found = []
        for name, (kind, default) in self.attributes.items():
            found.append(f"{name}: {kind}" + ("" if default is None else f" = {default}"))
        return ["*", *found] if found else []

    def declared(self, name: str, tensor: Tensor) -> str:
        return f"{tensor.element}/{self.ranked[name]}" if name in self.ranked else tensor.element

    def _scope(self) -> Scope:
        scope = Scope(self.elements)
        scope.names.update(self.inputs)
        scope.names.update({name: Maybe(tensor) for name, tensor in self.optional.items()})
        scope.names.update({name: _attribute_type(kind) for name, (kind, _) in self.attributes.items()})
        scope.names.update({name: type_ for name, (_, type_) in self.constants.items()})
        scope.given = frozenset(self.inputs)
        scope.locked = frozenset([*self.constants, *self._one_of_each_type(self.inputs), "mode", "kc", "axes"])
        return scope

    def _one_of_each_type(self, tensors: dict[str, Tensor]) -> list[str]:
        """One tensor of each type variable keeps its name: other values of that type are made of it."""
        first: dict[str, str] = {}
        for name, tensor in tensors.items():
            if tensor.element in self.elements:
                first.setdefault(tensor.element, name)
        return list(first.values())

    # ------------------------------------------------------------------------------------------------- helpers

    def _write_others(self, elements: list[str]) -> list[str]:
        """A helper of any number of arguments, and functions under `@script`."""
        lines: list[str] = []
        if self.draw.chance(0.15):
            self.variadic = "total"
            lines += [
                "def total(*xs):",
                "    result = xs[0]",
                "    for item in xs[1:]:",
                f"        result = {self.draw.pick(('result + item', 'item - result', 'op.Max(result, item)'))}",
                "    return result",
            ]
        for index in range(self.draw.pick((0, 0, 1, 2))):
            if elements:
                element = self.draw.pick(elements)
                name = f"S{index}"
                kind = "float" if self._scope().is_float(element) else "int"
                first, body = script_text(name, kind, self.draw.between(0, 3))
                lines += ['@script(Opset("com.acme", 1))', first, *indented(body)]
                self.scripts[name] = element, kind
        return lines

    def _write_helper(self, name: str) -> list[str]:
        draw = self.draw
        usual = [tensor.element for tensor in self.inputs.values()]
        element = draw.pick(usual)
        results = (element,) if draw.chance(0.7) else (element, element)
        parameters: list[tuple[str, Tensor | Number, bool]] = [("x", Tensor(element, ANY), False)]
        if draw.chance(0.5):
            parameters.append(("y", Tensor(draw.pick(usual), ANY), False))
        texts = [name for name, _, _ in parameters]
        with_default = draw.chance(0.5)
        defaults: list[int | float] = []
        for parameter in ("a", "b")[: draw.pick((0, 1, 2, 2))]:
            kind = draw.pick(("int", "float"))
            parameters.append((parameter, Number(kind), with_default))
            default = draw.pick((2, 3, -1)) if kind == "int" else draw.pick((0.5, -1.5))
            defaults.append(default + 2 if default in defaults else default)
            default = defaults[-1]
            texts.append(f"{parameter}={default}" if with_default else parameter)
        if len(texts) > 1 and draw.chance(0.15):
            texts.insert(1, "/")
        scope = Scope(self.elements)
        scope.names.update({parameter: type_ for parameter, type_, _ in parameters})
        scope.names.update({constant: type_ for constant, (_, type_) in self.constants.items()})
        tensors = {parameter: type_ for parameter, type_, _ in parameters if isinstance(type_, Tensor)}
        scope.locked = frozenset([*self.constants, *self._one_of_each_type(tensors)])
        self.results, outer = results, self.returns_numbers
        self.returns_numbers = False
        body = self._function_body(scope, draw.between(0, 4))
        self.returns_numbers = outer
        numbers = [type_ for _, type_, _ in parameters if isinstance(type_, Number)]
        if len(numbers) == 2 and all(scope.meets(number, element) for number in numbers):
            body.insert(0, "x = x * a - b")  # which is not what it is the other way round
        self.helpers.append(Helper(name, tuple(parameters), results))
        return [f"def {name}({', '.join(texts)}):", *indented(body)]

    # --------------------------------------------------------------------------------------------------- cases

    def _case(self) -> Case:
        draw = self.draw
        types = {name: draw.pick(admitted) for name, admitted in self.elements.items()}
        size = draw.pick(_SIZES) if draw.chance(0.6) else (2, 3)
        odd = draw.chance(0.2)
        arrays = {
            name: self._array(types.get(tensor.element, tensor.element), tensor.shape, size, odd)
            for name, tensor in self.inputs.items()
        }
        if "n" in arrays:
            arrays["n"] = np.array(draw.pick((0, 1, 2, 3, 4, -1)), arrays["n"].dtype)
        for name, tensor in self.optional.items():
            if draw.chance(0.5):
                arrays[name] = self._array(types.get(tensor.element, tensor.element), tensor.shape, size, odd)
        attributes = {}
        for name, (kind, default) in self.attributes.items():
            if default is None or draw.chance(0.6):
                attributes[name] = draw.pick(_GIVEN[kind])
        return Case(types, arrays, attributes)

    def _array(self, element: str, shape: str, size: tuple[int, int], odd: bool) -> np.ndarray[Any, Any]:
        draw = self.draw
        kinds = {SCALAR: (), ONE: (1,), ROW: size[1:], FULL: size}
        dims = draw.pick((*kinds.values(), (1, size[1]), (size[0], 1))) if shape == ANY else kinds[shape]
        count = int(np.prod(dims))
        if element == "bool":
            values: list[Any] = [draw.chance(0.5) for _ in range(count)]
        elif element in ("int32", "int64"):
            values = [draw.pick(_INT_VALUES) for _ in range(count)]
            if odd and count:
                values[0] = draw.pick((2**31 - 1, -(2**31) + 1, 1000, 46341))
        else:
            values = [draw.pick(_ODD_FLOATS if odd and draw.chance(0.3) else _FLOAT_VALUES) for _ in range(count)]
        return np.array(values, DTYPES[element]).reshape(dims)
