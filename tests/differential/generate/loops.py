"""`for` and `while`, `break` and `continue`."""

from __future__ import annotations

from tests.differential.generate.scope import LOCALS, Scope, widened
from tests.differential.generate.statements import Block, Lines, Statements, indented
from tests.differential.generate.types import SCALAR, Axes, Listed, Maybe, Number, Tensor, Text, Type, Weak

_CONSTANT_RANGES = ((3,), (2,), (1,), (0,), (1, 4), (0, 5, 2), (4, 0, -2), (3, -1, -1), (2, 2), (-2, 1))
_RANGES = (
    "range({})",
    "range({})",
    "range({})",
    "range(1, {})",
    "range({}, 4)",
    "range({}, -1, -1)",
    "range(0, {}, 2)",
    "range(5, {}, -2)",
    "range({}, 6, 3)",
    "range({0}, {0} + 2)",
)
_INDEXES = ("i", "j", "k")


class Loops(Statements):
    leaves: list[bool]  # of the loops around this place: whether a `break` leaves it
    counters: int

    def loop(self, scope: Scope) -> Block | None:
        found = self.draw.first_that_suits(
            [
                (5, lambda: self._for_range(scope)),
                (4, lambda: self._while(scope)),
                (1.5, lambda: self._for_items(scope)),
            ]
        )
        assert found is None or isinstance(found, tuple)
        return found

    def leave_loop(self, scope: Scope) -> Block | None:
        """`if ...: ...; break`"""
        if scope.depth > 4:
            return None
        inner = scope.copy()
        inner.depth += 1
        lines, ended = self.block(inner, self.draw.between(0, 1))
        if not ended:
            way = self.draw.pick(("break", "break", "continue", "continue", "return", "return"))
            self.leaves[-1] = self.leaves[-1] or way == "break"
            lines.append(self.return_statement(inner) if way == "return" else way)
        return [f"if {self.condition(scope, 1)}:", *indented(lines)], False

    # -------------------------------------------------------------------------------------------- shared parts

    def _enter(self, scope: Scope) -> Scope:
        """The scope of the body: some names are carried under a type that they keep, the others are not assigned."""
        inner = scope.copy()
        inner.depth += 1
        inner.loops += 1
        free = [
            name
            for name, type_ in scope.names.items()
            if name not in scope.locked and not isinstance(type_, (Axes, Listed, Maybe, Text))
        ]
        carried = [name for name in free if self.draw.chance(0.6)]
        for name in carried:
            if name not in scope.kept:
                inner.names[name] = self._carried(scope, scope.names[name])
        inner.kept = scope.kept | frozenset(carried)
        inner.given -= inner.kept
        inner.locked = scope.locked | frozenset(name for name in scope.names if name not in carried)
        return inner

    def _carried(self, scope: Scope, type_: Type) -> Type:
        if isinstance(type_, Number) and self.draw.chance(0.45):
            elements = [tensor.element for _, tensor in scope.all_tensors() if scope.meets(type_, tensor.element)]
            if elements:
                return Weak(self.draw.pick(elements), "any")
        if isinstance(type_, Tensor) and self.draw.chance(0.5):
            return type_
        return widened(type_)

    def _after(self, scope: Scope, inner: Scope, start: dict[str, Type]) -> None:
        """After the loop a carried name has the type that it kept; a name bound in the body alone may have no value."""
        for name in inner.kept:
            if name in start:
                scope.names[name] = start[name]
        scope.gone |= {name for name in inner.gone if name not in scope.names}
        scope.given &= inner.given

    def _else(self, scope: Scope, lines: Lines, broken: bool) -> bool:
        """A loop's `else`; whether no path comes after it."""
        if not self.draw.chance(0.3):
            return False
        inner = scope.copy()
        inner.depth += 1
        body, ended = self.block(inner, self.draw.between(1, 2))
        lines += ["else:", *indented(body)]
        inner.depth -= 1
        if not broken:
            scope.names, scope.gone, scope.given = inner.names, inner.gone, inner.given
            return ended
        if not ended:
            scope.merge(scope.copy(), inner)
        return False

    def _body(self, inner: Scope) -> tuple[Lines, bool]:
        """The body's lines, and whether a `break` leaves the loop."""
        self.leaves.append(False)
        lines, ended = self.block(inner, self.draw.between(1, 4))
        if not ended and self.draw.chance(0.35):
            lines += (self.leave_loop(inner) or ([], False))[0]
        return lines, self.leaves.pop()

    # --------------------------------------------------------------------------------------------------- loops

    def _for_range(self, scope: Scope) -> Block | None:
        text, trips = self._range(scope)
        inner = self._enter(scope)
        names = [
            name
            for name in (*_INDEXES, *_INDEXES, *LOCALS)
            if name not in scope.locked
            and (name not in scope.kept or scope.names[name] == Number("int"))
            and name not in scope.gone
            and not (isinstance(scope.names.get(name), Number) and scope.names[name].kind != "int")  # type: ignore
        ]
        if not names:
            return None
        name = self.draw.pick(names)
        before = scope.names.get(name)
        stays = before is not None and isinstance(before, Number) and before.kind == "int"
        inner.names[name] = Number("int")
        inner.given -= {name}
        if stays or trips > 0:
            inner.kept |= {name}  # it may be assigned another int in the body
            inner.locked -= {name}
        if not (stays or trips > 0) or self.draw.chance(0.7):
            inner.locked |= {name}
        start = dict(inner.names)
        body, broken = self._body(inner)
        lines = [f"for {name} in {text}:", *indented(body)]
        if name in scope.kept and not (stays or trips > 0):
            return None
        self._after(scope, inner, start)
        if stays or trips > 0:
            scope.names[name] = Number("int")
        else:
            scope.forget(name)
            if before is not None:
                scope.gone.add(name)
        return lines, self._else(scope, lines, broken)

    def _range(self, scope: Scope) -> tuple[str, int]:
        """A range, and how many trips it makes at least."""
        if self.draw.chance(0.45):
            bounds = self.draw.pick(
                ((3,), (2,), (1,), (0,), (1, 4), (0, 5, 2), (4, 0, -2), (3, -1, -1), (2, 2), (-2, 1))
            )
            return f"range({', '.join(map(str, bounds))})", len(range(*bounds))
        counts = (Tensor("int64", SCALAR), Tensor("int32", SCALAR))
        names = scope.find(lambda type_: isinstance(type_, Number) and type_.kind == "int")
        names += [name for name in ("n", "n") if scope.names.get(name) in counts]
        bound = self.draw.pick(names) if names else f"op.Min(op.Size({self._some_tensor(scope)}), 2)"
        form = self.draw.pick(_RANGES)
        return form.format(bound), 0

    def _some_tensor(self, scope: Scope) -> str:
        names = [name for name, _ in scope.all_tensors()]
        return "x" if "x" in names or not names else names[0]

    def _for_items(self, scope: Scope) -> Block | None:
        inner = self._enter(scope)
        type_: Type
        elements = [tensor.element for _, tensor in scope.all_tensors()]
        if elements and self.draw.chance(0.4):
            element = self.draw.pick(elements)
            texts = [self.tensor(scope, element, 1)[0] for _ in range(self.draw.between(1, 3))]
            type_ = Tensor(element, "any")
        else:
            kind = self.draw.pick(("int", "float"))
            texts = [self.known(scope, kind, 1)[0] for _ in range(self.draw.between(1, 3))]
            type_ = Number(kind)
        names = [name for name in (*_INDEXES, *LOCALS) if name not in scope.names and name not in scope.gone]
        if not names:
            return None
        name = self.draw.pick(names)
        inner.names[name] = type_
        inner.given -= {name}
        if self.draw.chance(0.6):
            inner.locked |= {name}
        else:
            inner.kept |= {name}
        start = dict(inner.names)
        body, broken = self._body(inner)
        items = ", ".join(texts)
        lines = [f"for {name} in {self.draw.pick(('({},)', '[{}]')).format(items)}:", *indented(body)]
        self._after(scope, inner, start)
        scope.names[name] = type_
        return lines, self._else(scope, lines, broken)

    def _while(self, scope: Scope) -> Block | None:
        """With a counter that ends it."""
        self.counters += 1
        counter = f"w{self.counters}"
        limit = self.draw.pick(("1", "2", "3", "3", "0"))
        names = scope.find(lambda type_: isinstance(type_, Number) and type_.kind == "int")
        if names and self.draw.chance(0.3):
            limit = f"{self.draw.pick(names)}"
        scope.names[counter] = Number("int")
        inner = self._enter(scope)
        inner.kept |= {counter}
        inner.locked |= {counter}
        inner.names[counter] = Number("int")
        start = dict(inner.names)
        form = self.draw.pick(("{} < {}", "{} < {} and {}", "{2} and {0} < {1}", "True", "not {0} >= {1}"))
        test = form.format(counter, limit, self.condition(scope_of(start, inner), 1))
        head = [f"{counter} += 1"] if self.draw.chance(0.5) else [f"{counter} = {counter} + 1"]
        body, broken = self._body(inner)
        if form == "True":
            head += [f"if {counter} > {limit}:", "    break"]
            broken = True
        lines = [f"{counter} = 0", f"while {test}:", *indented([*head, *body])]
        self._after(scope, inner, start)
        scope.names[counter] = Number("int")
        if self.draw.chance(0.5):
            scope.locked |= {counter}
        return lines, self._else(scope, lines, broken)


def scope_of(names: dict[str, Type], like: Scope) -> Scope:
    """The scope at the start of a body, where a loop's condition is evaluated."""
    found = like.copy()
    found.names = dict(names)
    return found
