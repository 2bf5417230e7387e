"""Conditions: comparisons of one element, numbers, static questions, and `and`, `or`, `not` of them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.generate.draw import Production
from tests.differential.generate.numbers import Numbers
from tests.differential.generate.scope import Scope
from tests.differential.generate.types import ELEMENTS, ONE, SCALAR, TYPE_NAMES, Maybe, Number, Text, Weak

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Conditions(Numbers):
    def condition(self, scope: Scope, depth: int) -> str:
        found = self.draw.first_that_suits(
            [
                (6, lambda: self._of_tensor(scope, depth)),
                (3, lambda: self.number(scope, "bool", 1)),
                (1, lambda: self._truth_of_number(scope)),
                (1, lambda: self._of_weak(scope)),
                (1, lambda: self._static(scope)),
                *self.further_conditions(scope, depth),
                (1 if depth > 0 else 0, lambda: self._guarded(scope)),
                (2 if depth > 0 else 0, lambda: self._combined(scope, depth)),
                (1 if depth > 0 else 0, lambda: self._chained(scope, depth)),
                (
                    0.5 if depth > 0 else 0,
                    lambda: (
                        f"({self.condition(scope, depth - 1)} if "
                        f"{self.condition(scope, depth - 1)} else {self.condition(scope, depth - 1)})"
                    ),
                ),
            ]
        )
        assert isinstance(found, str)
        return found

    def further_conditions(self, scope: Scope, depth: int) -> Sequence[Production]:
        return ()

    def _of_tensor(self, scope: Scope, depth: int) -> str | None:
        scalar = self.scalar(scope, self._some_element(scope), depth - 1)
        if scalar is None:
            return None
        text, element = scalar
        if element == "bool":
            return text
        if self.draw.chance(0.1):
            return text
        other = self.meeting(scope, element, 0)
        return f"({text} {self.draw.pick(_COMPARISONS)} {other})"

    def _guarded(self, scope: Scope) -> str | None:
        """What is looked at only where it exists."""
        names = [name for name, tensor in scope.all_tensors() if tensor.shape == "row"]
        found = [
            form.format(name)
            for name in names
            if scope.is_numeric(scope.names[name].element)  # type: ignore[union-attr]
            for form in (
                "(len({0}) > 0 and {0}[0] > 0)",
                "(len({0}) == 0 or {0}[0] <= 1)",
                "({0}[0] > 0 if len({0}) else True)",
                "(len({0}) > 2 and {0}[2] != {0}[1])",
                "(not len({0}) or {0}[-1] == 0)",
            )
        ]
        return self.draw.pick(found) if found else None

    def _truth_of_number(self, scope: Scope) -> str | None:
        names = scope.find(lambda type_: isinstance(type_, Number))
        if not names:
            return None
        return self.draw.pick(names)

    def _of_weak(self, scope: Scope) -> str | None:
        """One element that is a number on some path."""
        names = scope.find(lambda type_: isinstance(type_, Weak) and type_.shape in (SCALAR, ONE))
        if not names:
            return None
        forms = (
            "({0} > {1})",
            "({0} == {1})",
            "{0}",
            "(not {0})",
            "({1} <= {0} < 4)",
            "(-{0} != {1})",
            "({0} >= -{1})",
        )
        return self.draw.pick(forms).format(self.draw.pick(names), self.draw.pick("012"))

    def _static(self, scope: Scope) -> str | None:
        questions = [f"(op.version {self.draw.pick(('<', '>='))} {self.draw.pick((14, 15, 18, 21))})"]
        for name, tensor in scope.all_tensors():
            wanted = TYPE_NAMES[self.draw.pick(ELEMENTS)]
            if tensor.element in scope.elements and self.draw.chance(0.5):
                wanted = TYPE_NAMES[self.draw.pick(scope.admitted(tensor.element))]
            if self.draw.chance(0.25):
                questions.append(f"({name}.dtype in ({wanted}, {TYPE_NAMES[self.draw.pick(ELEMENTS)]}))")
            else:
                questions.append(f"({name}.dtype {self.draw.pick(('==', '!='))} {wanted})")
        for name in self._texts(scope):
            choices = scope.names[name].choices  # type: ignore[union-attr]
            questions.append(f"({name} == {self.draw.pick(choices)!r})")
            questions.append(f"({name} {self.draw.pick(('in', 'not in'))} {(self.draw.pick(choices), 'c')!r})")
        for name in scope.find(lambda type_: type_ == Number("int", None, True)):
            if name.startswith("kc"):
                questions += [f"({name} == {self.draw.pick((0, 1))})", f"({name} in (1, 2))"]
        for name in scope.find(lambda type_: isinstance(type_, Maybe)):
            questions.append(f"({name} {self.draw.pick(('is', 'is not'))} None)")
        return self.draw.pick(questions)

    def _texts(self, scope: Scope) -> list[str]:
        return scope.find(lambda type_: isinstance(type_, Text))

    def _combined(self, scope: Scope, depth: int) -> str:
        if self.draw.chance(0.3):
            return f"(not {self.condition(scope, depth - 1)})"
        word = self.draw.pick(("and", "or"))
        count = 2 + self.draw.chance(0.25)
        return "(" + f" {word} ".join(self.condition(scope, depth - 1) for _ in range(count)) + ")"

    def _chained(self, scope: Scope, depth: int) -> str | None:
        element = self._some_element(scope)
        scalar = self.scalar(scope, element, depth - 1)
        if scalar is None or scalar[1] == "bool":
            return None
        numbers = [self.meeting(scope, scalar[1], 0) for _ in range(2)]
        symbols = [self.draw.pick(_COMPARISONS) for _ in range(2)]
        return f"({numbers[0]} {symbols[0]} {scalar[0]} {symbols[1]} {numbers[1]})"

    def _some_element(self, scope: Scope) -> str:
        found = [tensor.element for _, tensor in scope.all_tensors()]
        return self.draw.pick(found) if found else "int64"

    def scalar(self, scope: Scope, element: str, depth: int) -> tuple[str, str] | None:
        """One element of some type: its text and its element type."""
        names = scope.tensors(element, frozenset({SCALAR, ONE}))
        if names and self.draw.chance(0.5):
            return self.draw.pick(names), element
        text, shape = self.tensor(scope, element, max(depth, 0))
        if shape in (SCALAR, ONE):
            return text, element
        if element == "bool":
            return f"(op.ReduceSum(op.Cast({text}, to=INT32), keepdims=0) > 1)", "bool"
        kind = self.draw.pick(("ReduceSum", "ReduceMax", "ReduceMin"))
        return f"op.{kind}({text}, keepdims=0)", element

    def tensor(self, scope: Scope, element: str, depth: int) -> tuple[str, str]:
        raise NotImplementedError
