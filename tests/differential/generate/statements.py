"""Statements: assignments of all kinds, `if`, `return`, `del`; loops are in `loops.py`."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.generate.draw import Production
from tests.differential.generate.scope import Scope
from tests.differential.generate.structures import Structures
from tests.differential.generate.types import (
    ONE,
    ROW,
    SCALAR,
    TYPE_NAMES,
    Axes,
    Items,
    Listed,
    Loose,
    Maybe,
    Number,
    Tensor,
    Text,
    Type,
    Weak,
    broadcast,
)

Lines = list[str]
Block = tuple[Lines, bool]  # the lines, and whether no path falls out of them
DEPTH = 3
_AUGMENTED = ("+", "-", "*")


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines or ["pass"]]


class Statements(Structures):
    """Of the function at hand: the element types of its `results`, and how many statements it may have (`budget`).

    `by_rank`: names whose values depend on the rank of an input.
    `returns_numbers`: its results have declared types, so that a number is as good as a tensor there.
    """

    results: tuple[str, ...]
    budget: int
    by_rank: set[str]
    returns_numbers: bool

    def block(self, scope: Scope, size: int) -> Block:
        lines: Lines = []
        for _ in range(size):
            if self.budget <= 0:
                break
            self.budget -= 1
            found, ended = self.statement(scope)
            lines += found
            if ended:
                if self.draw.chance(0.1):
                    lines.append(f"return {self.draw.pick(sorted(scope.names))}")  # never reached
                return lines, True
        return lines, False

    def statement(self, scope: Scope) -> Block:
        nests = scope.depth < DEPTH and self.budget > 0
        found = self.draw.first_that_suits(
            [
                (8, lambda: self._assign(scope)),
                (3, lambda: self._assign_number(scope)),
                (2.5, lambda: self._augmented(scope)),
                (2, lambda: self._several(scope)),
                (2, lambda: self._swap(scope)),
                (1, lambda: self._several_results(scope)),
                (7, lambda: self._weak_sum(scope)),
                (2.5, lambda: self._assign_loose(scope)),
                (2, lambda: self._assign_weak(scope)),
                (0.7, lambda: self._unpacked_shape(scope)),
                (2.5 if nests else 0, lambda: self.structure(scope)),
                (0.6, lambda: self._odd(scope)),
                (5 if nests else 0, lambda: self._if(scope)),
                (1 if nests else 0, lambda: self._presence(scope)),
                (0.7 if nests else 0, lambda: self._by_type(scope)),
                (0.7 if nests else 0, lambda: self._by_rank(scope)),
                (8 if nests else 0, lambda: self.loop(scope)),
                (0.8 if scope.depth else 0, lambda: self._return(scope)),
                (6 if scope.loops else 0, lambda: self.leave_loop(scope)),
                *self.further_statements(scope, nests),
            ]
        )
        return found if found is not None else (["pass"], False)

    def further_statements(self, scope: Scope, nests: bool) -> Sequence[Production]:
        return ()

    def loop(self, scope: Scope) -> Block | None:
        raise NotImplementedError

    def leave_loop(self, scope: Scope) -> Block | None:
        raise NotImplementedError

    # --------------------------------------------------------------------------------------------- assignments

    def value(self, scope: Scope, depth: int = 2) -> tuple[str, Type]:
        element = self.draw.pick([tensor.element for _, tensor in scope.all_tensors()] or ["float"])
        if self.draw.chance(0.15):
            element = "bool"
        text, shape = self.tensor(scope, element, self.draw.between(1, depth))
        return text, Tensor(element, shape)

    def target(self, scope: Scope, type_: Type) -> str | None:
        names = scope.targets(type_)
        if not names:
            return None
        present = [name for name in names if name in scope.names]
        return self.draw.pick(present) if present and self.draw.chance(0.7) else self.draw.pick(names)

    def _assign(self, scope: Scope) -> Block | None:
        text, type_ = self.value(scope)
        name = self.target(scope, type_)
        if name is None:
            return None
        scope.bind(name, type_)
        if self.draw.chance(0.08):
            other = self.target(scope, type_)
            if other is not None:
                scope.bind(other, type_)
                return [f"{name} = {other} = {text}"], False
        if self.draw.chance(0.05) and isinstance(type_, Tensor) and type_.element in TYPE_NAMES:
            return [f"{name}: {TYPE_NAMES[type_.element]}{'' if type_.shape == SCALAR else '[...]'} = {text}"], False
        return [f"{name} = {text}"], False

    def _assign_weak(self, scope: Scope) -> Block | None:
        """A name for what is a number on some path still."""
        found = self.weak_alone(scope)
        name = None if found is None else self.target(scope, found[1])
        if found is None or name is None:
            return None
        scope.bind(name, found[1])
        return [f"{name} = {found[0]}"], False

    def _assign_loose(self, scope: Scope) -> Block | None:
        """A name for what a subscript makes."""
        elements = [tensor.element for _, tensor in scope.all_tensors()]
        if not elements:
            return None
        element = self.draw.pick(elements)
        text = self.loose(scope, element, 2)
        name = self.target(scope, Loose(element))
        if text is None or name is None:
            return None
        scope.bind(name, Loose(element))
        return [f"{name} = {text}"], False

    def _unpacked_shape(self, scope: Scope) -> Block | None:
        """`a, b = x.shape`."""
        names = [name for name in sorted(scope.given) if self.ranked.get(name)]
        if not names:
            return None
        name = self.draw.pick(names)
        free = [other for other in scope.targets(Number("int")) if other != name]
        rank = self.ranked[name]
        if len(free) < rank:
            return None
        targets = self.draw.random.sample(free, rank)
        for target in targets:
            scope.bind(target, Number("int"))
        return [f"{', '.join(targets)}{',' if rank == 1 else ''} = {name}.shape"], False

    def _assign_number(self, scope: Scope) -> Block | None:
        kind = self.draw.pick(("int", "int", "float", "bool"))
        if self.draw.chance(0.5):
            text, value = self.known(scope, kind, 1)
            type_ = Number(kind, value)
        else:
            text, type_ = self.number(scope, kind, 2), Number(kind)
        name = self.target(scope, type_)
        if name is None:
            return None
        scope.bind(name, type_)
        return [f"{name} = {text}"], False

    def _augmented(self, scope: Scope) -> Block | None:
        names = [name for name in scope.names if name not in scope.locked]
        if not names:
            return None
        name = self.draw.pick(names)
        type_ = scope.names[name]
        symbol = self.draw.pick(_AUGMENTED)
        result: Type
        if isinstance(type_, Number) and type_.kind in ("int", "float"):
            text = self.known(scope, "int", 0)[0] if type_.kind == "int" else self.number(scope, "float", 1)
            result = Number(type_.kind)
        elif isinstance(type_, (Tensor, Weak)) and scope.is_numeric(type_.element):
            text, shape = self.tensor(scope, type_.element, 1)
            if isinstance(type_, Tensor) and self.draw.chance(0.4):
                text = self.meeting(scope, type_.element, 1) or text
                shape = type_.shape
            result = Tensor(type_.element, broadcast(type_.shape, shape))
        else:
            return None
        if name in scope.kept and not scope.may_become(type_, result):
            return None
        scope.bind(name, result)
        return [f"{name} {symbol}= {text}"], False

    def _several(self, scope: Scope) -> Block | None:
        """`a, b = ..., ...`: the right side before any name is bound."""
        values = [self.value(scope, 1) for _ in range(self.draw.between(2, 3))]
        names: list[str] = []
        for _, type_ in values:
            free = [name for name in scope.targets(type_) if name not in names]
            if not free:
                return None
            names.append(self.draw.pick(free))
        if self.draw.chance(0.2):
            return self._packed(scope, values)
        for name, (_, type_) in zip(names, values, strict=True):
            scope.bind(name, type_)
        left, right = ", ".join(names), ", ".join(text for text, _ in values)
        if len(names) == 3 and self.draw.chance(0.4):
            left, right = f"{names[0]}, ({names[1]}, {names[2]})", f"{values[0][0]}, ({values[1][0]}, {values[2][0]})"
        return [f"{left} = {right}"], False

    def _packed(self, scope: Scope, values: list[tuple[str, Type]]) -> Block | None:
        """A tuple by name, taken apart in the next line."""
        type_ = Items(tuple(item for _, item in values))
        name = self.target(scope, type_)
        if name is None:
            return None
        scope.bind(name, type_)
        lines = [f"{name} = ({', '.join(text for text, _ in values)})"]
        targets: list[str] = []
        for item in type_.items:
            free = [other for other in scope.targets(item) if other != name and other not in targets]
            if not free:
                return lines, False
            targets.append(self.draw.pick(free))
        for target, item in zip(targets, type_.items, strict=True):
            scope.bind(target, item)
        return [*lines, f"{', '.join(targets)} = {name}"], False

    def _swap(self, scope: Scope) -> Block | None:
        others = (Axes, Listed, Maybe, Text)
        names = [name for name in scope.names if name not in scope.locked and not isinstance(scope.names[name], others)]
        pairs = [
            (one, other)
            for one in names
            for other in names
            if one < other
            and (one not in scope.kept or scope.may_become(scope.names[one], scope.names[other]))
            and (other not in scope.kept or scope.may_become(scope.names[other], scope.names[one]))
        ]
        if not pairs:
            return None
        one, other = self.draw.pick(pairs)
        first, second = scope.names[one], scope.names[other]
        scope.bind(one, second)
        scope.bind(other, first)
        return [f"{one}, {other} = {other}, {one}"], False

    def _several_results(self, scope: Scope) -> Block | None:
        """Operators and helpers that give two values."""
        helpers = [helper for helper in self.helpers if len(helper.results) == 2 and self.can_call(scope, helper)]
        if helpers and self.draw.chance(0.6):
            helper = self.draw.pick(helpers)
            call = self.call(scope, helper, 2)
            types: list[Type] = [Tensor(element, "any") for element in helper.results]
        else:
            rows = [name for name, tensor in scope.all_tensors() if tensor.shape == ROW and tensor.element != "bool"]
            if not rows:
                return None
            name = self.draw.pick(rows)
            element = scope.names[name].element  # type: ignore[union-attr]
            types = [Tensor(element, ONE), Tensor("int64", ONE)]
            call = f"op.TopK({name}, [1])"
        names: list[str] = []
        for type_ in types:
            free = [name for name in scope.targets(type_) if name not in names]
            if not free:
                return None
            names.append(self.draw.pick(free))
        for name, type_ in zip(names, types, strict=True):
            scope.bind(name, type_)
        return [f"{', '.join(names)} = {call}"], False

    def _weak_sum(self, scope: Scope) -> Block | None:
        """`s = s + x`, where s enters the loop as a number."""
        names = [
            name
            for name in scope.kept
            if isinstance(scope.names[name], Weak)
            and name not in scope.locked
            and scope.is_numeric(scope.names[name].element)  # type: ignore[union-attr]
        ]
        if not names:
            return None
        name = self.draw.pick(sorted(names))
        element = scope.names[name].element  # type: ignore[union-attr]
        text, _ = self.tensor(scope, element, 1)
        form = self.draw.pick(("{0} = {0} + {1}", "{0} += {1}", "{0} = {1} - {0}", "{0} = {1}"))
        return [form.format(name, text)], False

    def _odd(self, scope: Scope) -> Block | None:
        free = [name for name in scope.names if name not in scope.locked and name not in scope.kept]
        if self.draw.chance(0.3) and len(free) > 1 and not scope.loops:
            name = self.draw.pick(free)
            if isinstance(scope.names[name], Maybe):
                return None
            scope.forget(name)
            return [f"del {name}"], False
        texts = ["pass", "'a string'", "assert 1 < 2", "assert op.version >= 13, 'text'"]
        texts += [f"op.Identity({name})" for name, _ in scope.all_tensors()]
        texts += [f"assert {name} in {scope.names[name].choices!r}" for name in self._texts(scope)]  # type: ignore
        return [self.draw.pick(texts)], False

    # ------------------------------------------------------------------------------------------- if and return

    def _if(self, scope: Scope) -> Block:
        lines: Lines = []
        sides: list[Scope] = []
        word = "if"
        while True:
            lines.append(f"{word} {self.condition(scope, 2)}:")
            self._side(scope, lines, sides)
            word = "elif"
            if len(sides) >= 3 or not self.draw.chance(0.25):
                break
        if self.draw.chance(0.5):
            lines.append("else:")
            self._side(scope, lines, sides)
        else:
            sides.append(scope.copy())
        return lines, self._meet(scope, sides)

    def _side(self, scope: Scope, lines: Lines, sides: list[Scope], start: Scope | None = None) -> None:
        inner = (start or scope).copy()
        inner.depth += 1
        body, ended = self.block(inner, self.draw.between(1, 3))
        lines += indented(body)
        if not ended:
            inner.depth -= 1
            inner.elements = scope.elements
            sides.append(inner)

    def _meet(self, scope: Scope, sides: list[Scope]) -> bool:
        """The scope after a statement of several paths; whether none of them comes here."""
        if not sides:
            return True
        scope.names, scope.gone, scope.given = dict(sides[0].names), set(sides[0].gone), sides[0].given
        for side in sides[1:]:
            scope.merge(scope.copy(), side)
        return False

    def _presence(self, scope: Scope) -> Block | None:
        """`if y is not None:`, inside of which y is a tensor; or y gets a value where it has none."""
        names = scope.find(lambda type_: isinstance(type_, Maybe))
        if not names:
            return None
        name = self.draw.pick(names)
        maybe = scope.names[name]
        assert isinstance(maybe, Maybe)
        lines: Lines = []
        sides: list[Scope] = []
        given = scope.copy()
        given.names[name] = maybe.tensor
        if not scope.loops and self.draw.chance(0.3) and name not in scope.locked:
            text, shape = self.tensor(scope, maybe.tensor.element, 1)
            after = Tensor(maybe.tensor.element, "any" if shape != maybe.tensor.shape else shape)
            scope.names[name] = after
            scope.given -= {name}
            return [f"if {name} is None:", f"    {name} = {text}"], False
        lines.append(f"if {name} is not None:")
        self._side(scope, lines, sides, given)
        if self.draw.chance(0.5):
            lines.append("else:")
            self._side(scope, lines, sides)
        else:
            sides.append(scope.copy())
        for side in sides:
            if side.names.get(name) == maybe.tensor:
                side.names[name] = maybe
            elif not isinstance(side.names.get(name), Maybe):
                side.forget(name)
        return lines, self._meet(scope, sides)

    def _by_type(self, scope: Scope) -> Block | None:
        """`if x.dtype == FLOAT:`, inside of which constants need fit that type alone."""
        names = [name for name, tensor in scope.all_tensors() if tensor.element in scope.elements]
        if not names:
            return None
        name = self.draw.pick(names)
        variable = scope.names[name].element  # type: ignore[union-attr]
        if len(scope.elements[variable]) < 2:
            return None
        one = self.draw.pick(scope.elements[variable])
        others = tuple(item for item in scope.elements[variable] if item != one)
        narrowed, rest = scope.copy(), scope.copy()
        narrowed.elements = {**scope.elements, variable: (one,)}
        rest.elements = {**scope.elements, variable: others}
        lines: Lines = [f"if {name}.dtype == {TYPE_NAMES[one]}:"]
        sides: list[Scope] = []
        self._side(scope, lines, sides, narrowed)
        lines.append("else:")
        self._side(scope, lines, sides, rest)
        return lines, self._meet(scope, sides)

    def _by_rank(self, scope: Scope) -> Block | None:
        """`if x.rank == 2:`, inside of which x has that rank."""
        names = [name for name in sorted(scope.given) if isinstance(scope.names[name], Tensor)]
        names = [name for name in names if name not in self.ranked]
        if not names:
            return None
        name = self.draw.pick(names)
        element = scope.names[name].element  # type: ignore[union-attr]
        target = self.target(scope, Loose(element))
        if target is None:
            return None
        rank = self.draw.pick((0, 1, 1, 2, 2))
        question = self.draw.pick(("{}.rank == {}", "{}.rank == {}", "len({}.shape) == {}", "{}.rank in ({}, 7)"))
        index = self._index(scope, name, rank, element) if "in" not in question else "[...]"
        other = f"{name}{self.draw.pick(('[None]', '[...]', '[..., None]'))}"
        scope.bind(target, Loose(element))
        self.by_rank.add(target)
        return [
            f"if {question.format(name, rank)}:",
            f"    {target} = {name}{index}",
            "else:",
            f"    {target} = {other}",
        ], False

    def _return(self, scope: Scope) -> Block:
        return [self.return_statement(scope)], True

    def return_statement(self, scope: Scope) -> str:
        texts: list[str] = []
        for element in self.results:
            weak = scope.find(lambda type_, element=element: isinstance(type_, Weak) and type_.element == element)
            by_rank = sorted(name for name in self.by_rank if scope.names.get(name) == Loose(element))
            if by_rank and self.draw.chance(0.5):  # or what a rank decides would seldom reach a result
                texts.append(self.draw.pick(by_rank))
            elif weak and self.returns_numbers and self.draw.chance(0.6):
                texts.append(self.draw.pick(weak))
            elif self.returns_numbers and self.draw.chance(0.2) and (text := self.loose(scope, element, 2)):
                texts.append(text)
            elif self.returns_numbers and self.draw.chance(0.08):
                texts.append(self.meeting(scope, element, 1) or self.tensor(scope, element, 1)[0])
            else:
                texts.append(self.tensor(scope, element, self.draw.between(1, 2))[0])
        return f"return {', '.join(texts)}"
