"""What is a number on one path and a tensor on another: what it may be used for, and what it must not be.

Arithmetic of such values alone is exact here: with floats only signs change, since Python computes in doubles until a
tensor comes, and the graph in the element type of that tensor.
"""

from __future__ import annotations

from tests.differential.generate.conditions import Conditions
from tests.differential.generate.scope import Scope
from tests.differential.generate.types import ANY, SCALAR, TYPE_NAMES, Weak, broadcast, joined_shape

Text = tuple[str, str]

# `{0}` is the value, `{1}` a tensor of its element type, `{2}` a small int.
_BESIDE = (
    "({0} + {1})",
    "({0} * {1})",
    "({1} - {0})",
    "({0} - {1})",
    "op.Add({0}, {1})",
    "op.Max({1}, {0})",
    "op.Min({0}, {2}, {1})",
    "op.Where({1} > {0}, {0}, {1})",
    "(-{0} + {1})",
    "(abs({0}) + {1})",
    "({0} if {1} is not None else {1}) + {1}",
)
_BESIDE_INTEGERS = (
    "(({0} + {2}) * {1})",
    "({0} * {0} + {1})",
    "({0} // 2 + {1})",
    "({0} % 3 - {1})",
    "({0} ** 2 + {1})",
    "({2} - {0} - {1})",
)
_ALONE = ("{0}", "(-{0})", "abs({0})", "(+{0})")
_ALONE_INTEGERS = ("({0} + {2})", "({0} * {2})", "({2} - {0})", "({0} // 2)", "({0} % 3)", "({0} + {0})")
# What numbers lack, and operators that would take their element type of a number alone.
_MISUSES = (
    "({1} * len({0}))",
    "({1} + {0}.rank)",
    "({1} + {0}.shape[0])",
    "({1} * len({0}.shape))",
    "({1} + {0}[0])",
    "({1} + {0}[...])",
    "({1} + {0}[None])",
    "({1} if {0}.dtype == {3} else -{1})",
    "op.Abs({0})",
    "op.Identity({0})",
    "op.Neg({0})",
    "op.Add({0}, {2})",
    "op.Max({0}, {0})",
    "op.ReduceSum({0}, keepdims=0)",
    "op.Cast(op.Identity({0}), to={3})",
    "op.Expand({0}, op.Shape({1}))",
    "op.Reshape({0}, [-1])",
    "({0} / 2 + {1})",
    "({0} / {0})",
)
_MISUSES_INTEGERS = ("({2} ** {0} + {1})", "({1} + {0} / {1} / {0})")


class Weaks(Conditions):
    risky: bool

    def weak(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A tensor made of such a value and a tensor beside it."""
        names = self._weak_names(scope, element)
        if not names:
            return None
        name = self.draw.pick(names)
        if self.risky and self.draw.chance(0.3):
            return self.misused(scope, name), ANY
        shape = scope.names[name].shape  # type: ignore[union-attr]
        text, other = self.tensor(scope, element, depth - 1)
        forms = (*_BESIDE, *_BESIDE_INTEGERS) if scope.is_integer(element) else _BESIDE
        return self._formed(forms, name, text), broadcast(shape, other)

    def misused(self, scope: Scope, name: str) -> str:
        """A use that means something else where the value is a number, if it means anything."""
        type_ = scope.names[name]
        assert isinstance(type_, Weak)
        tensors = scope.tensors(type_.element)
        text = self.draw.pick(tensors) if tensors else self.tensor(scope, type_.element, 0)[0]
        forms = (*_MISUSES, *_MISUSES_INTEGERS) if scope.is_integer(type_.element) else _MISUSES
        return self._formed(forms, name, text, self.draw.pick(tuple(TYPE_NAMES.values())))

    def weak_alone(self, scope: Scope) -> tuple[str, Weak] | None:
        """Such a value made of another."""
        names = [name for element in self._weak_elements(scope) for name in self._weak_names(scope, element)]
        if not names:
            return None
        name = self.draw.pick(names)
        type_ = scope.names[name]
        assert isinstance(type_, Weak)
        forms = (*_ALONE, *_ALONE_INTEGERS) if scope.is_integer(type_.element) else _ALONE
        text = self._formed(forms, name, "")
        if self.draw.chance(0.2):
            number = self.meeting(scope, type_.element, 0)
            if number is not None:
                return f"({text} if {self.condition(scope, 1)} else {number})", Weak(type_.element, ANY)
        return text, type_

    def new_weak(self, scope: Scope, name: str) -> list[str] | None:
        """Lines that give a name a number on one path and a tensor on the other."""
        elements = [tensor.element for _, tensor in scope.all_tensors() if scope.is_numeric(tensor.element)]
        if not elements:
            return None
        element = self.draw.pick(elements)
        number = self.meeting(scope, element, 1)
        text, shape = self.tensor(scope, element, 1)
        scope.names[name] = Weak(element, joined_shape(shape, SCALAR))
        test = self.condition(scope.without(name), 1)
        forms = [
            [f"{name} = {number}", f"if {test}:", f"    {name} = {text}"],
            [f"if {test}:", f"    {name} = {text}", "else:", f"    {name} = {number}"],
            [f"{name} = {text} if {test} else {number}"],
        ]
        if "n" in scope.given:
            forms.append([f"{name} = {number}", f"for i{name} in range(n):", f"    {name} = {text}"])
        return self.draw.pick(forms)

    def _weak_elements(self, scope: Scope) -> list[str]:
        elements = [type_.element for type_ in scope.names.values() if isinstance(type_, Weak)]
        return list(dict.fromkeys(elements))

    def _weak_names(self, scope: Scope, element: str) -> list[str]:
        if not scope.is_numeric(element):
            return []
        return scope.find(lambda type_: isinstance(type_, Weak) and type_.element == element)

    def _formed(self, forms: tuple[str, ...], name: str, text: str, type_: str = "FLOAT") -> str:
        return f"({self.draw.pick(forms).format(name, text, self.draw.pick('123'), type_)})"
