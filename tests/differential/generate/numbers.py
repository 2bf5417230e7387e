"""Expressions that are Python numbers: literals, constants, attributes, loop indices, and arithmetic on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.differential.generate.draw import Draw, Production
from tests.differential.generate.scope import Scope
from tests.differential.generate.types import FULL, ONE, ROW, Items, Listed, Number

_INTS = (0, 1, 2, 3, 4, -1, -2, 5)
_FLOATS = (0.5, 1.0, 2.0, -1.5, 0.25, 3.0, 0.1, -0.5, 1e-3, 0.7, 0.3)  # some that FLOAT does not hold
_MATH = ("math.sqrt(2.0)", "math.floor(2.5)", "math.exp(1)", "math.pi", "math.fabs(-0.75)", "math.ceil(0.3)")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_FOLDED_LIMIT = 10_000

Known = tuple[str, Any]


class Numbers:
    """`draw` decides; the names that may be read are in the scope."""

    draw: Draw
    ranked: dict[str, int]

    def known(self, scope: Scope, kind: str, depth: int) -> Known:
        """A number whose value is known when the function is built: its text and its value."""
        found = self.draw.first_that_suits(
            [
                (4, lambda: self._literal(kind)),
                (3, lambda: self._known_name(scope, kind)),
                (2 if depth > 0 else 0, lambda: self._folded(scope, kind, depth)),
                (1 if kind != "bool" else 0, lambda: self._from_math(kind)),
                (1.5, lambda: self._item(scope, kind)),
                (0.5 if kind == "int" else 0, lambda: self._rank(scope)),
                *self.further_known(scope, kind, depth),
            ]
        )
        assert found is not None
        text, value = found
        return text, value

    def further_known(self, scope: Scope, kind: str, depth: int) -> Sequence[Production]:
        """What `python.py` adds here, and in the like of this below."""
        return ()

    def further_numbers(self, scope: Scope, kind: str, depth: int) -> Sequence[Production]:
        return ()

    def _literal(self, kind: str) -> Known:
        items = {"int": _INTS, "float": _FLOATS, "bool": (True, False)}[kind]
        value = self.draw.pick(items)
        return (f"({value!r})" if value < 0 else repr(value)), value

    def _known_name(self, scope: Scope, kind: str) -> Known | None:
        names = scope.find(lambda type_: isinstance(type_, Number) and type_.kind == kind and type_.value is not None)
        if not names:
            return None
        name = self.draw.pick(names)
        type_ = scope.names[name]
        assert isinstance(type_, Number)
        return name, type_.value

    def _item(self, scope: Scope, kind: str) -> Known | None:
        """`P[1]` of a static tuple."""
        found = [
            (f"{name}[{index if not self.draw.chance(0.3) else index - len(type_.items)}]", item.value)
            for name, type_ in scope.names.items()
            if isinstance(type_, Items)
            for index, item in enumerate(type_.items)
            if isinstance(item, Number) and item.kind == kind and item.value is not None
        ]
        if not found:
            return None
        return self.draw.pick(found)

    def _rank(self, scope: Scope) -> Known | None:
        """The rank of a parameter that is declared with it."""
        names = [name for name in sorted(scope.given) if name in self.ranked]
        if not names:
            return None
        name = self.draw.pick(names)
        return self.draw.pick((f"{name}.rank", f"len({name}.shape)")), self.ranked[name]

    def _from_math(self, kind: str) -> Known | None:
        texts = [text for text in _MATH if type(fold(text, {})).__name__ == kind]
        text = self.draw.pick(texts)
        return text, fold(text, {})

    def _folded(self, scope: Scope, kind: str, depth: int) -> Known | None:
        first = self.known(scope, "int" if kind == "bool" else kind, depth - 1)
        second = self.known(scope, self.draw.pick(("int", "float")) if kind != "int" else "int", depth - 1)
        if kind == "bool":
            form = f"({{}} {self.draw.pick(_COMPARISONS)} {{}})"
        else:
            form = self.draw.pick(("({} + {})", "({} - {})", "({} * {})", "min({}, {})", "max({}, {})"))
            if second[1] and self.draw.chance(0.4):
                form = self.draw.pick(("({} // {})", "({} % {})") if kind == "int" else ("({} / {})", "({} % {})"))
        value = fold(form, {"l": first[1], "r": second[1]}, "l", "r")
        if type(value).__name__ != kind or abs(value) > _FOLDED_LIMIT or (value and abs(value) < 1e-4):
            return None
        return form.format(first[0], second[0]), value

    # -------------------------------------------------------------------------------------------------- unknown

    def number(self, scope: Scope, kind: str, depth: int) -> str:
        """A number, known or not. Int numbers stay small where their operands do."""
        names = scope.find(lambda type_: isinstance(type_, Number) and type_.kind == kind and type_.value is None)
        found = self.draw.first_that_suits(
            [
                (6 if names else 0, lambda: self.draw.pick(names)),
                (2, lambda: self.known(scope, kind, depth)[0]),
                (1.5 if kind == "int" else 0, lambda: self._dimension(scope)),
                (1 if depth > 0 else 0, lambda: self._by_builtin(scope, kind, depth)),
                (3 if depth > 0 else 0, lambda: self._arithmetic(scope, kind, depth)),
                (0.7 if depth > 0 else 0, lambda: self._conditional_number(scope, kind, depth)),
                *self.further_numbers(scope, kind, depth),
            ]
        )
        assert isinstance(found, str)
        return found

    def _dimension(self, scope: Scope) -> str | None:
        """An entry of a shape."""
        lists = scope.find(lambda type_: isinstance(type_, Listed))
        if lists and self.draw.chance(0.3):
            return f"len({self.draw.pick(lists)})"
        found = [(name, tensor.shape) for name, tensor in scope.all_tensors() if tensor.shape in (ONE, ROW, FULL)]
        if not found:
            return None
        name, shape = self.draw.pick(found)
        forms = ["{}.shape[0]", "{}.shape[-1]", "len({})"]
        if shape == FULL:
            forms += ["{}.shape[1]", "{}.shape[1:][0]", "{}.shape[:1][-1]"]
        if name in self.ranked and name in scope.given:
            forms += ["min({}.shape)", "sum({}.shape)", "max(*{0}.shape, 1)"]
        return self.draw.pick(forms).format(name)

    def _by_builtin(self, scope: Scope, kind: str, depth: int) -> str:
        """`int`, `float`, `bool`, `abs`, `min`, `max`, `round` of numbers."""
        if kind == "bool":
            return f"bool({self.number(scope, self.draw.pick(('int', 'float')), depth - 1)})"
        first, second = (self.number(scope, kind, depth - 1) for _ in range(2))
        forms = ["min({}, {})", "max({}, {})", "abs({})"]
        if kind == "int":
            if self.draw.chance(0.2):
                return f"int({self.number(scope, 'bool', depth - 1)})"
            forms += ["({} // 2)", "({} % 3)", "({} // -2)", "({} % -3)", "int({})"]
            if self.draw.chance(0.3):
                return self.draw.pick(("int({})", "round({})")).format(self.number(scope, "float", depth - 1))
        else:
            forms += ["float({})", "({} // 2)", "({} % 3)"]
            if self.draw.chance(0.2):
                return f"float({self.number(scope, 'int', depth - 1)})"
        return self.draw.pick(forms).format(first, second)

    def _arithmetic(self, scope: Scope, kind: str, depth: int) -> str:
        inner = depth - 1
        if kind == "bool":
            sides = [self.number(scope, self.draw.pick(("int", "float")), inner) for _ in range(2)]
            if self.draw.chance(0.25):
                return f"(not {sides[0]})"
            return f"({sides[0]} {self.draw.pick(_COMPARISONS)} {sides[1]})"
        left = self.number(scope, kind, inner)
        if self.draw.chance(0.15):
            return f"(-{left})"
        if kind == "int":
            right = self.number(scope, "int", 0)
            return f"({left} {self.draw.pick('+-*')} {right})"
        if self.draw.chance(0.3):
            divisor = self.draw.pick(("2", "4", "0.5", "3"))
            return f"({self.number(scope, self.draw.pick(('int', 'float')), inner)} / {divisor})"
        right = self.number(scope, self.draw.pick(("int", "float")), inner)
        sides = (left, right) if self.draw.chance(0.5) else (right, left)
        return f"({sides[0]} {self.draw.pick('+-*')} {sides[1]})"

    def _conditional_number(self, scope: Scope, kind: str, depth: int) -> str:
        first, second = (self.number(scope, kind, depth - 1) for _ in range(2))
        if self.draw.chance(0.3):
            return f"({first} {self.draw.pick(('and', 'or'))} {second})"
        return f"({first} if {self.condition(scope, depth - 1)} else {second})"

    def meeting(self, scope: Scope, element: str, depth: int) -> str | None:
        """A number that may meet tensors of an element type."""
        if not scope.is_numeric(element):
            return self.known(scope, "bool", 0)[0] if element == "bool" else None
        if not scope.is_float(element):
            if self.draw.chance(0.05):
                return self.draw.pick(("2.0", "(-1.0)"))  # a float without a fraction fits
            return self.number(scope, "int", depth)
        if self.draw.chance(0.08):
            return self.known(scope, "bool", 0)[0]
        return self.number(scope, self.draw.pick(("int", "float")), depth)

    def condition(self, scope: Scope, depth: int) -> str:
        raise NotImplementedError


def fold(form: str, values: dict[str, Any], *names: str) -> Any:
    """What the text means, with names for the numbers that it is made of."""
    try:
        found = eval(form.format(*names), {"math": math, "np": np, **values})
        return found.item() if isinstance(found, np.generic) else found
    except (ArithmeticError, ValueError):
        return math.inf
