"""Expressions that are tensors of one element type."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.generate.draw import Production
from tests.differential.generate.helpers import Helper
from tests.differential.generate.scope import Scope
from tests.differential.generate.types import (
    ANY,
    ELEMENTS,
    FULL,
    INTEGERS,
    ONE,
    ROW,
    SCALAR,
    TYPE_NAMES,
    Maybe,
    Number,
    Tensor,
    Weak,
    broadcast,
)
from tests.differential.generate.weak import Weaks

Text = tuple[str, str]  # an expression and its shape
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Tensors(Weaks):
    opset: int
    helpers: list[Helper]
    variadic: str  # the helper of any number of arguments, where there is one
    scripts: dict[
        str, tuple[str, str]
    ]  # functions under `@script`: their element types, and the kind of their attribute

    def tensor(self, scope: Scope, element: str, depth: int) -> Text:
        leaves = [(5.0, lambda: self._name(scope, element)), (0.4, lambda: self._made(scope, element, depth))]
        if depth <= 0:
            found = self.draw.first_that_suits(leaves)
            return found if found is not None else self._converted(scope, element, 0) or self._last_resort(element)
        numeric, floats = scope.is_numeric(element), scope.is_float(element)
        found = self.draw.first_that_suits(
            [
                *leaves,
                (7 if numeric else 0, lambda: self._arithmetic_tensor(scope, element, depth)),
                (1.5 if numeric else 0, lambda: self._division(scope, element, depth)),
                (2, lambda: self._unary(scope, element, depth)),
                (6 if element == "bool" else 0, lambda: self._compared(scope, depth)),
                (3 if element == "bool" else 0, lambda: self._bits(scope, element, depth)),
                (1 if self.opset >= 18 and scope.is_integer(element) else 0, lambda: self._bits(scope, element, depth)),
                (2.5 if numeric else 0, lambda: self._operator(scope, element, depth)),
                (1.5 if floats else 0, lambda: self._float_operator(scope, element, depth)),
                (1.5, lambda: self._chosen(scope, element, depth)),
                (1.2, lambda: self._reshaped(scope, element, depth)),
                (1, lambda: self._converted(scope, element, depth)),
                (12 if self.risky else 3, lambda: self.weak(scope, element, depth)),
                (2, lambda: self._helper(scope, element, depth)),
                (0.5 if numeric else 0, lambda: self._product(scope, element, depth)),
                (1 if numeric else 0, lambda: self._clipped(scope, element, depth)),
                (2.5, lambda: self.subscripted(scope, element, depth)),
                (1 if numeric else 0, lambda: self._of_loose(scope, element, depth)),
                (0.8 if numeric else 0, lambda: self._comprehended(scope, element, depth)),
                (0.5 if element in INTEGERS else 0, lambda: self._shifted(scope, element, depth)),
                (0.8 if numeric and self.variadic else 0, lambda: self._variadic(scope, element, depth)),
                (1.5 if numeric and self.scripts else 0, lambda: self._script(scope, element, depth)),
                *self.further_tensors(scope, element, depth),
            ]
        )
        return found if found is not None else self._last_resort(element)

    def further_tensors(self, scope: Scope, element: str, depth: int) -> Sequence[Production]:
        return ()

    def subscripted(self, scope: Scope, element: str, depth: int) -> Text | None:
        raise NotImplementedError

    def loose(self, scope: Scope, element: str, depth: int) -> str | None:
        raise NotImplementedError

    def _shifted(self, scope: Scope, element: str, depth: int) -> Text:
        """Bits of unsigned integers, moved."""
        text, shape = self.tensor(scope, element, depth - 1)
        symbol = self.draw.pick(("<<", ">>"))
        return (
            f"op.Cast(op.Cast(abs({text}) % 16, to=UINT8) {symbol} {self.draw.pick('12')}, to={TYPE_NAMES[element]})",
            shape,
        )

    def _variadic(self, scope: Scope, element: str, depth: int) -> Text:
        """A helper of any number of arguments."""
        texts = [self.tensor(scope, element, depth - 1) for _ in range(self.draw.between(1, 3))]
        call = ", ".join(text for text, _ in texts)
        return f"{self.variadic}({call})", broadcast(*(shape for _, shape in texts))

    def _script(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A call of a function under `@script`."""
        names = [name for name, (wanted, _) in self.scripts.items() if wanted == element]
        if not names:
            return None
        name = self.draw.pick(names)
        kind = self.scripts[name][1]
        first, second = (self.tensor(scope, element, depth - 1) for _ in range(2))
        own = scope.find(lambda type_: type_ == Number(kind, None, True))
        value = self.draw.pick([*own, *(("0.1", "2.0") if kind == "float" else ("1", "3"))])
        form = self.draw.pick(("{}({}, {})", "{}({}, {}, k={})", "{0}({1}, y={2}, k={3})"))
        return form.format(name, first[0], second[0], value), broadcast(first[1], second[1])

    def _of_loose(self, scope: Scope, element: str, depth: int) -> Text | None:
        """What a subscript makes, summed: one element."""
        text = self.loose(scope, element, depth - 1)
        return None if text is None else (f"op.ReduceSum({text}, keepdims=0)", SCALAR)

    def _comprehended(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A variadic operator of what a comprehension makes of a static list."""
        text, shape = self.tensor(scope, element, depth - 1)
        if element in scope.elements and not scope.is_float(element) and not scope.is_integer(element):
            return None
        names = ("Max", "Min", "Sum") if scope.is_float(element) else ("Max", "Min")
        items = self.draw.pick(("(1, 2)", "(1, 2, 3)", "range(1, 3)", "[2, -1]"))
        made = self.draw.pick(("{} + v", "{} * v", "v - {}", "{} if v > 1 else -{}")).replace("{}", text)
        test = self.draw.pick(("", "", "", " if v != 2"))
        name = self.draw.pick(names)
        form = self.draw.pick(("op.{}(*[{} for v in {}{}])", "op.{}(*tuple({} for v in {}{}))"))
        if self.draw.chance(0.3):
            items, form = f"enumerate({items})", form.replace(" v in", " w, v in")
        elif self.draw.chance(0.3):
            items, form = f"zip({items}, {items})", form.replace(" v in", " v, w in")
        return form.format(name, made, items, test), shape

    # -------------------------------------------------------------------------------------------------- leaves

    def _name(self, scope: Scope, element: str) -> Text | None:
        names = scope.tensors(element)
        if not names:
            return None
        name = self.draw.pick(names)
        return name, scope.names[name].shape  # type: ignore[union-attr]

    def _made(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A typed scalar, or a constant that is made by an operator."""
        if element not in ELEMENTS:
            return None
        kind = "bool" if element == "bool" else "float" if scope.is_float(element) else "int"
        if element == "int64" and self.draw.chance(0.3):
            names = [name for name, _ in scope.all_tensors()]
            if names:
                return f"op.Size({self.draw.pick(names)})", SCALAR
        if kind == "bool":
            return f"BOOL({self.known(scope, 'bool', 0)[0]})", SCALAR
        return f"{TYPE_NAMES[element]}({self.number(scope, kind, 1)})", SCALAR

    def _converted(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A tensor of another element type, cast."""
        others = [name for name, tensor in scope.all_tensors() if tensor.element != element]
        if not others:
            return None
        name = self.draw.pick(others)
        shape = scope.names[name].shape  # type: ignore[union-attr]
        source = name
        if element != "bool" and depth > 0 and self.draw.chance(0.4):
            source, shape = self.tensor(scope, scope.names[name].element, depth - 1)  # type: ignore[union-attr]
        if element in ELEMENTS:
            return f"op.Cast({source}, to={TYPE_NAMES[element]})", shape
        like = scope.tensors(element)
        if not like or self.opset < 15:
            return None
        return f"op.CastLike({source}, {self.draw.pick(like)})", shape

    def _last_resort(self, element: str) -> Text:
        """Inputs of a type variable are locked, so that one of them is always there; other types have a constant."""
        assert element in TYPE_NAMES, element
        return f"{TYPE_NAMES[element]}({'True' if element == 'bool' else '2'})", SCALAR

    # ----------------------------------------------------------------------------------------------- operators

    def _beside(self, scope: Scope, element: str, depth: int) -> Text:
        """What may stand beside a tensor: a tensor of its type, a number, or a value that is either."""
        if self.draw.chance(0.45):
            number = self.meeting(scope, element, min(depth, 1))
            if number is not None:
                return number, SCALAR
        weak = scope.find(lambda type_: isinstance(type_, Weak) and type_.element == element)
        if weak and self.draw.chance(0.5):
            name = self.draw.pick(weak)
            return name, scope.names[name].shape  # type: ignore[union-attr]
        return self.tensor(scope, element, depth)

    def _pair(self, scope: Scope, element: str, depth: int) -> tuple[str, str, str]:
        first = self.tensor(scope, element, depth - 1)
        second = self._beside(scope, element, depth - 1)
        shape = broadcast(first[1], second[1])
        return (first[0], second[0], shape) if self.draw.chance(0.7) else (second[0], first[0], shape)

    def _arithmetic_tensor(self, scope: Scope, element: str, depth: int) -> Text:
        left, right, shape = self._pair(scope, element, depth)
        symbol = self.draw.pick(("+", "+", "-", "*"))
        return f"({left} {symbol} {right})", shape

    def _division(self, scope: Scope, element: str, depth: int) -> Text:
        symbol = self.draw.pick(("/", "//", "%"))
        left, shape = self.tensor(scope, element, depth - 1)
        if scope.is_float(element) and self.draw.chance(0.6):
            right, other = self._beside(scope, element, depth - 1)
            return f"({left} {symbol} {right})", broadcast(shape, other)
        if self.draw.chance(0.5):
            return f"({left} {symbol} {self.draw.pick(('2', '3', '(-2)', '(-3)', '7'))})", shape
        right, other = self.tensor(scope, element, depth - 1)
        sign = self.draw.pick(("", "-"))
        return f"({left} {symbol} ({sign}abs({right}) {self.draw.pick(('+', '-')) if sign else '+'} 1))", broadcast(
            shape, other
        )

    def _unary(self, scope: Scope, element: str, depth: int) -> Text | None:
        text, shape = self.tensor(scope, element, depth - 1)
        if element == "bool":
            return f"(~{text})", shape
        if not scope.is_numeric(element):
            return None
        forms = ["(-{})", "(-{})", "(+{})", "abs({})", "({} ** 2)"]
        if self.opset >= 18 and scope.is_integer(element):
            forms.append("(~{})")
        form = self.draw.pick(forms)
        return form.format(text), shape

    def _compared(self, scope: Scope, depth: int) -> Text:
        element = self._some_element(scope)
        if element == "bool":
            left, right, shape = self._pair(scope, element, depth)
            return f"({left} {self.draw.pick(('==', '!='))} {right})", shape
        left, right, shape = self._pair(scope, element, depth)
        symbol = self.draw.pick(_COMPARISONS)
        return f"({left} {symbol} {right})", shape

    def _bits(self, scope: Scope, element: str, depth: int) -> Text:
        left, right, shape = self._pair(scope, element, depth)
        symbol = self.draw.pick("&|^")
        return f"({left} {symbol} {right})", shape

    def _operator(self, scope: Scope, element: str, depth: int) -> Text:
        name = self.draw.pick(("Add", "Sub", "Mul", "Max", "Min", "Max", "Relu", "Identity", "Sign", "Neg", "Abs"))
        if name in ("Identity", "Sign", "Neg", "Abs", "Relu"):
            if name == "Relu" and (not scope.is_float(element) and self.opset < 14):
                name = "Abs"
            text, shape = self.tensor(scope, element, depth - 1)
            return f"op.{name}({text})", shape
        left, right, shape = self._pair(scope, element, depth)
        if name in ("Max", "Min") and self.draw.chance(0.3):
            third, other = self._beside(scope, element, 0)
            return f"op.{name}({left}, {right}, {third})", broadcast(shape, other)
        return f"op.{name}({left}, {right})", shape

    def _float_operator(self, scope: Scope, element: str, depth: int) -> Text:
        text, shape = self.tensor(scope, element, depth - 1)
        form = self.draw.pick(
            (
                "op.Floor({})",
                "op.Ceil({})",
                "op.Sqrt(abs({}))",
                "op.Tanh({})",
                "op.Sigmoid({})",
                "op.Exp(op.Min({}, 3))",
                "op.LeakyRelu({}, alpha=0.25)",
                "op.Sum({}, {})",
                "op.LeakyRelu({}, alpha=%s)",
                "op.LeakyRelu({}, alpha=%s)",
            )
        )
        if "%s" in form:
            names = scope.find(lambda type_: type_ == Number("float", None, True))
            form = form % self.draw.pick(names) if names else "op.LeakyRelu({})"
        return form.format(text, text), shape

    def _chosen(self, scope: Scope, element: str, depth: int) -> Text | None:
        """`Where`, conditional expressions, and `and`/`or` of single elements."""
        if self.draw.chance(0.45) and element != "bool":
            mask, mask_shape = self.tensor(scope, "bool", depth - 1)
            left, right, shape = self._pair(scope, element, depth)
            return f"op.Where({mask}, {left}, {right})", broadcast(mask_shape, shape)
        if self.draw.chance(0.3):
            sides = [self.scalar(scope, element, depth - 1) for _ in range(2)]
            if sides[0] is None or sides[1] is None:
                return None
            word = self.draw.pick(("and", "or"))
            return f"({sides[0][0]} {word} {sides[1][0]})", ANY
        first, second = self.tensor(scope, element, depth - 1), self.tensor(scope, element, depth - 1)
        shape = first[1] if first[1] == second[1] else ANY
        return f"({first[0]} if {self.condition(scope, depth - 1)} else {second[0]})", shape

    def _reshaped(self, scope: Scope, element: str, depth: int) -> Text | None:
        text, shape = self.tensor(scope, element, depth - 1)
        forms: list[tuple[str, str]] = [
            ("op.Reshape({0}, op.Shape({0}))", shape),
            ("op.Expand({0}, op.Shape({0}))", shape),
        ]
        if shape == SCALAR:
            names = [(name, tensor.shape) for name, tensor in scope.all_tensors()]
            forms = [("op.Unsqueeze({}, [0])", ONE)]
            if names:
                name, other = self.draw.pick(names)
                forms.append((f"op.Expand({{}}, op.Shape({name}))", other))
        elif shape == ROW:
            forms += [("op.Gather({}, 0)", SCALAR), ("op.Gather({}, [-1])", ONE)]
        elif shape == FULL:
            forms += [("op.Gather({}, 0)", ROW), ("op.Transpose(op.Transpose({}), perm=[1, 0])", FULL)]
            forms += [("op.Gather({}, -1, axis=0)", ROW)]
            if element != "bool":
                forms += [("op.ReduceSum({}, [0], keepdims=0)", ROW), ("op.ReduceMax({}, axes=[1])", ANY)]
                forms += [("op.ReduceSum({}, axes=[1], keepdims=1)", ANY)]
        if element != "bool":
            forms.append(("op.ReduceSum({}, keepdims=0)", SCALAR))
            forms.append(("op.ReduceMin({}, keepdims=0)", SCALAR))
        form, result = self.draw.pick(forms)
        return form.format(text), result

    def _product(self, scope: Scope, element: str, depth: int) -> Text | None:
        text, shape = self.tensor(scope, element, depth - 1)
        if shape == ROW:
            return f"({text} @ {text})", SCALAR
        if shape == FULL:
            return f"op.ReduceSum({text} @ op.Transpose({text}), keepdims=0)", SCALAR
        return None

    def _clipped(self, scope: Scope, element: str, depth: int) -> Text | None:
        """Clip: optional inputs given by place, by name, skipped, or the function's own."""
        text, shape = self.tensor(scope, element, depth - 1)
        bounds = [self._bound(scope, element) for _ in range(2)]
        if None in bounds:
            return None
        form = self.draw.pick(
            (
                "op.Clip({}, {}, {})",
                "op.Clip({}, {})",
                "op.Clip({}, max={})",
                "op.Clip({}, None, {})",
                "op.Clip({}, min={})",
                "op.Clip({}, max={}, min={})",
            )
        )
        return form.format(text, *bounds), shape

    def _bound(self, scope: Scope, element: str) -> str | None:
        names = scope.find(
            lambda type_: isinstance(type_, Maybe) and type_.tensor.element == element and type_.tensor.shape == SCALAR
        ) + scope.tensors(element, frozenset({SCALAR}))
        if names and self.draw.chance(0.6):
            return self.draw.pick(names)
        return self.meeting(scope, element, 0)

    # ---------------------------------------------------------------------------------------- helpers

    def _helper(self, scope: Scope, element: str, depth: int) -> Text | None:
        """A call of a helper; numbers go where numbers are wanted, by place or by name."""
        suitable = [helper for helper in self.helpers if helper.results == (element,) and self.can_call(scope, helper)]
        if not suitable:
            return None
        helper = self.draw.pick(suitable)
        return self.call(scope, helper, depth), ANY

    def can_call(self, scope: Scope, helper: Helper) -> bool:
        """Whether something of each type variable that it takes is in scope."""
        wanted = [type_.element for _, type_, _ in helper.parameters if isinstance(type_, Tensor)]
        return all(scope.tensors(element) for element in wanted if element in scope.elements)

    def call(self, scope: Scope, helper: Helper, depth: int) -> str:
        arguments: list[str] = []
        by_name = False
        for name, type_, default in helper.parameters:
            if default and self.draw.chance(0.5):
                by_name = True
                continue
            text = self._argument(scope, type_, depth - 1)
            by_name = by_name or (bool(arguments) and self.draw.chance(0.15))
            arguments.append(f"{name}={text}" if by_name else text)
        return f"{helper.name}({', '.join(arguments)})"

    def _argument(self, scope: Scope, type_: Tensor | Number, depth: int) -> str:
        if isinstance(type_, Number):
            return self.number(scope, type_.kind, 1)
        return self.tensor(scope, type_.element, depth)[0]
