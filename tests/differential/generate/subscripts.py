"""Subscripts, shapes, and tensors of any shape at all (`Loose`)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.generate.draw import Production
from tests.differential.generate.scope import Scope
from tests.differential.generate.tensors import Tensors
from tests.differential.generate.tensors import Text as Shaped
from tests.differential.generate.types import ANY, FULL, ONE, ROW, SCALAR, Axes, Listed, Loose, Tensor

_RANKS = {SCALAR: 0, ONE: 1, ROW: 1, FULL: 2}
# What keeps shapes that broadcast with the others: the index, and the shape that comes out of it.
_KEEPING = {
    SCALAR: (("[None]", ONE), ("[...]", SCALAR), ("[()]", SCALAR), ("[..., None]", ONE)),
    ONE: (("[0]", SCALAR), ("[-1]", SCALAR), ("[::-1]", ONE), ("[...]", ONE), ("[:]", ONE), ("[[0]]", ONE)),
    ROW: (
        ("[0]", SCALAR),
        ("[-1]", SCALAR),
        ("[::-1]", ROW),
        ("[:]", ROW),
        ("[..., 0]", SCALAR),
        ("[:1]", ONE),
        ("[-1:]", ONE),
        ("[None]", ANY),
        ("[[-1]]", ONE),
        ("[0:1]", ONE),
    ),
    FULL: (
        ("[0]", ROW),
        ("[-1]", ROW),
        ("[-1, :]", ROW),
        ("[0, 0]", SCALAR),
        ("[0, -1]", SCALAR),
        ("[::-1]", FULL),
        ("[:, ::-1]", FULL),
        ("[..., ::-1]", FULL),
        ("[:1]", ANY),
        ("[:, :1]", ANY),
        ("[0, ::-1]", ROW),
        ("[None, 0]", ANY),
        ("[0][::-1]", ROW),
        ("[[0]]", ANY),
        ("[:, [-1]]", ANY),
    ),
}
_STEPS = ("", "", "", ":1", ":2", ":-1", ":-1", ":-2", ":3")
_LOOSE_FORMS = (
    "op.Transpose({})",
    "op.Identity({})",
    "op.Unsqueeze({}, [0])",
    "op.Reshape({}, [-1])",
    "{}[None]",
    "{}[...]",
    "{}[..., None]",
)
_LOOSE_NUMERIC = ("(-{})", "abs({})", "({} + 1)", "(2 * {})", "op.Relu({})", "({0} - {0})", "({0} * {0})")


class Subscripts(Tensors):
    """`ranked`: the ranks that are declared of inputs."""

    ranked: dict[str, int]

    def subscripted(self, scope: Scope, element: str, depth: int) -> Shaped | None:
        """A subscript that keeps to the shapes which broadcast."""
        text, shape = self.tensor(scope, element, depth - 1)
        if shape not in _KEEPING:
            return None
        index, after = self.draw.pick(_KEEPING[shape])
        return f"{text}{index}", after

    # ------------------------------------------------------------------------------------------------- any shape

    def loose(self, scope: Scope, element: str, depth: int) -> str | None:
        """A tensor of any shape."""
        found = self.draw.first_that_suits(
            [
                (5, lambda: self._indexed(scope, element, depth)),
                (2, lambda: self._loose_name(scope, element)),
                (1, lambda: self._item_of_list(scope, element)),
                (1.5 if depth > 0 else 0, lambda: self._loose_form(scope, element, depth)),
                (0.7 if depth > 0 else 0, lambda: self._loose_choice(scope, element, depth)),
                (0.7 if depth > 0 else 0, lambda: self._joined(scope, element, depth)),
                (2 if depth > 0 else 0, lambda: self._by_attribute(scope, element, depth)),
                (0.5 if depth > 0 else 0, lambda: self._taken(scope, element, depth)),
                *self.further_loose(scope, element, depth),
            ]
        )
        assert found is None or isinstance(found, str)
        return found

    def further_loose(self, scope: Scope, element: str, depth: int) -> Sequence[Production]:
        return ()

    def _loose_name(self, scope: Scope, element: str) -> str | None:
        names = scope.find(lambda type_: type_ == Loose(element))
        return self.draw.pick(names) if names else None

    def _item_of_list(self, scope: Scope, element: str) -> str | None:
        names = scope.find(lambda type_: type_ == Listed(element, True))
        return f"{self.draw.pick(names)}[{self.draw.pick(('0', '-1'))}]" if names else None

    def _loose_form(self, scope: Scope, element: str, depth: int) -> str | None:
        text = self.loose(scope, element, depth - 1)
        if text is None:
            return None
        forms = _LOOSE_FORMS + (_LOOSE_NUMERIC if scope.is_numeric(element) else ())
        form = self.draw.pick(forms)
        if "Relu" in form and not scope.is_float(element) and self.opset < 14:
            return None
        return form.format(text)

    def _loose_choice(self, scope: Scope, element: str, depth: int) -> str | None:
        first, second = (self.loose(scope, element, depth - 1) for _ in range(2))
        if first is None or second is None:
            return None
        return f"({first} if {self.condition(scope, depth - 1)} else {second})"

    def _by_attribute(self, scope: Scope, element: str, depth: int) -> str | None:
        """Axes that attributes give."""
        axes = scope.find(lambda type_: isinstance(type_, Axes))
        chosen = [name for name in scope.names if name.startswith("kc")]
        text, shape = self.tensor(scope, element, depth - 1)
        if chosen and shape != FULL and scope.is_numeric(element) and self.draw.chance(0.7):
            kept = self.draw.pick(("1 if {} else 0", "0 if {} == 1 else 1")).format(self.draw.pick(chosen))
            return f"op.ReduceSum({text}, keepdims={kept})"
        if axes and shape in (SCALAR, ROW) and self.draw.chance(0.5):
            return f"op.Unsqueeze({text}, {self.draw.pick(axes)})"
        if shape == FULL and chosen:
            name = self.draw.pick(chosen)
            forms = ["op.Concat({0}, {0}, axis=0 if {1} else -1)", "op.Concat({0}, {0}, axis={1})"]
            if scope.is_numeric(element):
                forms += ["op.ReduceSum({0}, [{1}], keepdims=0)", "op.ReduceMax({0}, [0 if {1} else 1])"]
            return self.draw.pick(forms).format(text, name)
        return None

    def _joined(self, scope: Scope, element: str, depth: int) -> str | None:
        """`Concat` of tensors, listed or starred."""
        text, shape = self.tensor(scope, element, depth - 1)
        if shape not in (ROW, FULL):
            return None
        axis = self.draw.pick((0, -1)) if shape == FULL else 0
        form = self.draw.pick(
            (
                "op.Concat({0}, {0}[::-1], axis={1})",
                "op.Concat(*[{0}, {0}], axis={1})",
                "op.Concat(*[{0}[::v] for v in (1, -1)], axis={1})",
                "op.Concat({0}, *({0}, {0}), axis={1})",
            )
        )
        return form.format(text, axis)

    def _indexed(self, scope: Scope, element: str, depth: int) -> str | None:
        given = [
            name
            for name in scope.given
            if name in self.ranked and isinstance(scope.names[name], Tensor) and scope.names[name].element == element  # type: ignore[union-attr]
        ]
        if given and self.draw.chance(0.7):
            name = self.draw.pick(sorted(given))
            return f"{name}{self._index(scope, name, self.ranked[name], element)}"
        text, shape = self.tensor(scope, element, depth - 1)
        if shape not in _RANKS:
            return f"{text}{self.draw.pick(('[None]', '[...]', '[..., None]', '[None, ...]'))}"
        return f"{text}{self._index(scope, '', _RANKS[shape], element)}"

    def _taken(self, scope: Scope, element: str, depth: int) -> str | None:
        """Positions that a tensor holds."""
        text, shape = self.tensor(scope, element, depth - 1)
        if shape not in (ROW, FULL):
            return None
        made = self.draw.pick(
            (
                "op.Constant(value_ints=[0, -1])",
                "op.Cast([0, 0], to=INT32)",
                "(op.Shape({}) * 0)",
                "op.Shape({})[:1] - 1",
            )
        ).format(text)
        return f"{text}[{made}]"

    def _index(self, scope: Scope, name: str, rank: int, element: str) -> str:
        """One index with all its brackets; `name` where the compiler surely knows that rank."""
        if not rank:
            return self.draw.pick(("[None]", "[...]", "[None, None]", "[None, ..., None]"))
        if name and self.draw.chance(0.5):
            return f"[{self._joint(scope, name, rank, element)}]"
        items: list[str] = []
        arrays = 0
        for _ in range(self.draw.between(1, rank)):
            if self.draw.chance(0.12):
                items.append("None")
            kind = self.draw.pick(("int", "slice", "slice", "slice", "list" if not arrays else "int"))
            arrays += kind == "list"
            if kind == "int":
                items.append(self._position(scope))
            elif kind == "list":
                items.append(self.draw.pick(("[0]", "[0, -1]", "[-1, 0, 0]", "[[0, -1]]")))
            else:
                items.append(self._slice(scope))
        if arrays and any(not item.startswith("[") and ":" not in item for item in items) and not name:
            items = [item if item.startswith("[") or item == "None" else ":" for item in items]
        if self.draw.chance(0.2):
            items.insert(self.draw.between(0, len(items)), "...")
        return f"[{', '.join(items)}]"

    def _position(self, scope: Scope) -> str:
        if self.draw.chance(0.15):
            return self.number(scope, "int", 0)
        if self.draw.chance(0.15):
            scalars = [name for name in ("n",) if scope.names.get(name) in _COUNTS]
            if scalars:
                return scalars[0]
        return self.draw.pick(("0", "0", "-1", "-1", "1", "-2"))

    def _slice(self, scope: Scope) -> str:
        if self.draw.chance(0.12):
            return self.draw.pick(("-1:-1:-1", "-2:-1:-1", "-1::-1", "-1:0:-1", "-1:-9:-1", "-3:-1:-2", "9:-1:-1"))
        bounds = [self._limit(scope) if self.draw.chance(0.5) else "" for _ in range(2)]
        return f"{bounds[0]}:{bounds[1]}{self.draw.pick(_STEPS)}"

    def _limit(self, scope: Scope) -> str:
        if self.draw.chance(0.25):
            return self.number(scope, "int", 1)
        if self.draw.chance(0.1) and scope.names.get("n") in _COUNTS:
            return "n"
        return self.draw.pick(("0", "1", "2", "-1", "-2", "3", "-3", "9", "-9"))

    def _joint(self, scope: Scope, name: str, rank: int, element: str) -> str:
        """What the compiler takes where it knows the rank: masks, and arrays side by side."""
        forms = ["[0, -1]", "[-1, 0], None", "..., [0, 0]"]
        if scope.is_numeric(element):
            forms += [f"{name} > 0", f"({name} == 1) | ({name} < 0)"]
        else:
            forms += [name, f"~{name}"]
        if rank == 2:
            forms += ["0, [-1, 0]", "[0, -1], 0", "::-1, [0, 0]", f"{name}[:, 0] == {name}[:, 0]"]
            if self.draw.chance(0.6):
                forms = ["[0, -1], [0, 0]", "[0, -1], op.Constant(value_ints=[0, 0])", "[0], [-1]", "[0], None, [-1]"]
                forms += ["[[0], [-1]], [0, -1]", f"[0, 0], {name}[0] == {name}[0]", "[-1, 0], [0, -1]"]
        return self.draw.pick(forms)


_COUNTS = (Tensor("int64", SCALAR), Tensor("int32", SCALAR))
