"""Lists and sequences, nested functions and the operators that take them, and functions under `@script`."""

from __future__ import annotations

from tests.differential.generate.scope import Scope
from tests.differential.generate.subscripts import Subscripts
from tests.differential.generate.types import FULL, ROW, SCALAR, Listed, Loose, Tensor, Type

Lines = list[str]
Block = tuple[Lines, bool]


class Structures(Subscripts):
    made: int  # how many names of lists and functions were made up

    def target(self, scope: Scope, type_: Type) -> str | None:
        raise NotImplementedError

    def _fresh(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def structure(self, scope: Scope) -> Block | None:
        found = self.draw.first_that_suits(
            [
                (2, lambda: self._grown(scope)),
                (1.2, lambda: self._listed(scope)),
                (1, lambda: self._split(scope)),
                (1.5, lambda: self._over_list(scope)),
                (1.2, lambda: self._scan(scope)),
                (0.8, lambda: self._branches(scope)),
                (0.8, lambda: self._repeated(scope)),
                (0.8 if self.opset >= 17 else 0, lambda: self._mapped(scope)),
                (1.5, lambda: self._nested(scope)),
                (1.5, lambda: self._by_index(scope)),
            ]
        )
        assert found is None or isinstance(found, tuple)
        return found

    def _row_or_matrix(self, scope: Scope, numeric: bool = True) -> tuple[str, str, str] | None:
        """A tensor of rank 1 or 2 by name: name, element type and shape."""
        found = [
            (name, tensor.element, tensor.shape)
            for name, tensor in scope.all_tensors()
            if tensor.shape in (ROW, FULL) and (not numeric or scope.is_numeric(tensor.element))
        ]
        return self.draw.pick(found) if found else None

    def _element(self, scope: Scope) -> str | None:
        elements = [tensor.element for _, tensor in scope.all_tensors()]
        return self.draw.pick(elements) if elements else None

    # ------------------------------------------------------------------------------------------------------ lists

    def _grown(self, scope: Scope) -> Block | None:
        """A list that a loop grows, which is a sequence."""
        found = self._row_or_matrix(scope)
        if found is None or scope.depth > 2:
            return None
        text, element, _ = found
        name, index = self._fresh("q"), self._fresh("i")
        bounds = ["2", "3", "1", "0"] + (["n"] * 2 if "n" in scope.given else [])
        bound = self.draw.pick(bounds)
        start = self.draw.pick(("", "", text))
        form = self.draw.pick(("{0}.append({1})", "{0}.append({1})", "{0} += [{1}]", "{0}.extend([{1}, {1}])"))
        item = self.draw.pick(("{0} + {1}", "{0} * {1}", "{0}", "-{0}")).format(text, index)
        lines = [f"{name} = [{start}]", f"for {index} in range({bound}):"]
        if self.draw.chance(0.3):
            lines += [f"    if {index} != 1:", f"        {form.format(name, item)}"]
        else:
            lines.append(f"    {form.format(name, item)}")
        scope.names[name] = Listed(element, bool(start) or bound in "123")
        scope.locked |= {name}
        return lines + self._used(scope, name), False

    def _listed(self, scope: Scope) -> Block | None:
        """A list of known length."""
        element = self._element(scope)
        if element is None:
            return None
        items = [self.tensor(scope, element, 1)[0] for _ in range(self.draw.between(1, 3))]
        name = self._fresh("q")
        made = f"[{', '.join(items)}]"
        form = self.draw.pick(("{0}", "{0}", "{0} + [{1}]", "list(reversed({0}))", "[{1}] * 2", "[*{0}, {1}]"))
        lines = [f"{name} = {form.format(made, items[0])}"]
        if self.draw.chance(0.3) and "*" not in form:
            target = self.target(scope, Loose(element))
            if target is not None:
                rest = self._fresh("q")
                names = self.draw.pick((f"{target}, *{rest}", f"*{rest}, {target}"))
                scope.bind(target, Loose(element))
                scope.names[rest] = Listed(element, len(items) > 1)
                scope.locked |= {rest}
                lines.append(f"{names} = {name}")
        if self.draw.chance(0.5):
            lines.append(f"{name}.append({self.tensor(scope, element, 1)[0]})")
        scope.names[name] = Listed(element, True)
        scope.locked |= {name}
        return lines + self._used(scope, name), False

    def _split(self, scope: Scope) -> Block | None:
        found = self._row_or_matrix(scope, numeric=False)
        if found is None:
            return None
        text, element, shape = found
        name = self._fresh("q")
        axis = self.draw.pick(("0", "-1")) if shape == FULL else "0"
        scope.names[name] = Listed(element, False)
        scope.locked |= {name}
        lines = [f"{name} = op.SplitToSequence({text}, axis={axis}{self.draw.pick(('', ', keepdims=0'))})"]
        return lines + self._used(scope, name), False

    def _used(self, scope: Scope, name: str) -> Lines:
        """What a list is for."""
        type_ = scope.names[name]
        assert isinstance(type_, Listed)
        target = self.target(scope, Loose(type_.element))
        if target is None:
            return []
        forms = ["{}[0]", "{}[-1]", "op.SequenceAt({}, 0)"] if type_.filled else []
        if type_.filled and scope.is_numeric(type_.element):
            forms += ["{0}[-1] * len({0})", "{0}[0] + {0}[-1]"]
        if not forms:
            return []
        scope.bind(target, Loose(type_.element))
        return [f"{target} = {self.draw.pick(forms).format(name)}"]

    def _over_list(self, scope: Scope) -> Block | None:
        """A loop over a list or a sequence."""
        names = scope.find(lambda type_: isinstance(type_, Listed))
        if not names or scope.depth > 2:
            return None
        name = self.draw.pick(names)
        type_ = scope.names[name]
        assert isinstance(type_, Listed)
        target = self.target(scope, Loose(type_.element))
        start = self.loose(scope, type_.element, 1)
        if target is None or start is None or target in scope.kept:
            return None
        item = self._fresh("v")
        scope.bind(target, Loose(type_.element))
        step = self.draw.pick((f"{target} = {item}", f"{target} = {item}[...]", f"{target} = op.Identity({item})"))
        lines = [f"{target} = {start}", f"for {item} in {name}:"]
        if self.draw.chance(0.3):
            lines += [f"    if {self.condition(scope, 1)}:", "        break"]
        return [*lines, f"    {step}"], False

    # -------------------------------------------------------------------------------------------------- functions

    def _captured(self, scope: Scope, element: str) -> str:
        """A single element from around a function, or a number."""
        names = scope.tensors(element, frozenset({SCALAR}))
        return self.draw.pick(names) if names and self.draw.chance(0.6) else self.draw.pick(("2", "1", "(-1)"))

    def _nested(self, scope: Scope) -> Block | None:
        """A nested function, called."""
        element = self._element(scope)
        if element is None or not scope.is_numeric(element):
            return None
        name = self._fresh("g")
        parameter = self.draw.pick(("v", "v", "x", "a"))
        captured = self._captured(scope, element)
        if captured == parameter:
            captured = "2"
        made = self.draw.pick(("{0} * {1}", "{0} + {1}", "{1} - {0}", "op.Max({0}, {1})")).format(parameter, captured)
        body = [f"    return {made}"]
        if self.draw.chance(0.5):
            local = self.draw.pick(("w", "b", "s"))
            if local not in (parameter, captured):
                body = [f"    {local} = {made}", f"    return {local} + {parameter}"]
        first, shape = self.tensor(scope, element, 1)
        target = self.target(scope, Tensor(element, shape))
        if target is None:
            return None
        lines = [f"def {name}({parameter}):", *body]
        scope.bind(target, Tensor(element, shape))
        call = f"{name}({name}({first}))" if self.draw.chance(0.3) else f"{name}({first})"
        return [*lines, f"{target} = {call}"], False

    def _scan(self, scope: Scope) -> Block | None:
        found = self._row_or_matrix(scope)
        if found is None:
            return None
        text, element, shape = found
        last, all_ = self.target(scope, Tensor(element, ROW if shape == FULL else SCALAR)), None
        if last is not None and last not in scope.kept:
            free = [name for name in scope.targets(Loose(element)) if name not in (last, text)]
            all_ = self.draw.pick(free) if free else None
        if last is None or all_ is None or last == text:
            return None
        captured = self._captured(scope, element)
        step = self.draw.pick(("total + item", "total - item", f"total * {captured} + item", "op.Max(total, item)"))
        name = self._fresh("g")
        state = f"op.ReduceSum({text}, {'[0], ' if shape == FULL else ''}keepdims=0)"
        lines = [
            *(["@graph()"] if self.draw.chance(0.7) else []),
            f"def {name}(total, item):",
            f"    total = {step}",
            f"    return total, {self.draw.pick(('total * 2', 'op.Identity(total)', 'item - total'))}",
            f"{last}, {all_} = op.Scan({state}, {text}, body={name}, num_scan_inputs=1)",
        ]
        scope.bind(last, Tensor(element, ROW if shape == FULL else SCALAR))
        scope.bind(all_, Loose(element))
        return lines, False

    def _branches(self, scope: Scope) -> Block | None:
        """`op.If` of two nested functions."""
        element = self._element(scope)
        if element is None:
            return None
        texts = [self.tensor(scope, element, 1) for _ in range(2)]
        scalar = self.scalar(scope, element, 0)
        shape = texts[0][1] if texts[0][1] == texts[1][1] else "any"
        target = self.target(scope, Tensor(element, shape))
        if scalar is None or target is None:
            return None
        condition = scalar[0] if element == "bool" else f"({scalar[0]} > 0)"
        if any(name in texts[0][0] + texts[1][0] for name in (f"{target}[", f"{target}.")):
            return None
        first, second = self._fresh("g"), self._fresh("g")
        lines = [
            f"def {first}():",
            f"    return op.Identity({texts[0][0]})",
            f"def {second}():",
            f"    return op.Identity({texts[1][0]})",
            f"{target} = op.If({condition}, then_branch={first}, else_branch={second})",
        ]
        scope.bind(target, Tensor(element, shape))
        return lines, False

    def _repeated(self, scope: Scope) -> Block | None:
        """`op.Loop` of a nested function."""
        element = self._element(scope)
        if element is None or not scope.is_numeric(element):
            return None
        text, shape = self.tensor(scope, element, 1)
        target = self.target(scope, Tensor(element, shape))
        if target is None:
            return None
        name = self._fresh("g")
        lines = [
            f"def {name}(trip, going, value):",
            f"    return {self.draw.pick(('going', 'trip < 1'))}, value * {self._captured(scope, element)}",
            f"{target} = op.Loop({self.draw.pick(('0', '2', '3'))}, {self.draw.pick(('True', 'None'))}, {text},"
            f" body={name})",
        ]
        scope.bind(target, Tensor(element, shape))
        return lines, False

    def _mapped(self, scope: Scope) -> Block | None:
        """`op.SequenceMap` of a nested function."""
        found = self._row_or_matrix(scope)
        if found is None:
            return None
        text, element, _ = found
        target = self.target(scope, Loose(element))
        if target is None:
            return None
        name = self._fresh("g")
        scope.bind(target, Loose(element))
        return [
            f"def {name}(item):",
            f"    return item * {self._captured(scope, element)}",
            f"{target} = op.SequenceMap(op.SplitToSequence({text}, axis=0), body={name})[0]",
        ], False

    # ---------------------------------------------------------------------------------------------------- by index

    def _by_index(self, scope: Scope) -> Block | None:
        """A loop whose body needs its index when the function is built."""
        found = self._row_or_matrix(scope)
        if found is None:
            return None
        text, element, shape = found
        target = self.target(scope, Loose(element))
        if target is None or target in scope.kept:
            return None
        start = self.loose(scope, element, 1)
        if start is None:
            return None
        index = self._fresh("i")
        forms = ["op.Concat({t}, {t}, axis={i} // 2)", "op.Unsqueeze({t}, [{i}])", "{t}[None] * (2, 1.0, -1)[{i}]"]
        if not scope.is_float(element):
            forms = forms[:2]
        if shape == FULL:
            forms += ["op.ReduceSum({t}, [{i}], keepdims=0)", "op.Concat({t}, {t}, axis={i})", "{t}[:, ::({i} + 1)]"]
        form = self.draw.pick(forms).replace("{t}", text).replace("{i}", index)
        over = self.draw.pick(("range(2)", "range(1)", "(0, 1)", "[1, 0]", "range(1, -1, -1)"))
        lines = [f"{target} = {start}", f"for {index} in {over}:"]
        if self.draw.chance(0.3):
            over = self.draw.pick(("enumerate({0})", "zip({0}, (0.5, 2.0))")).format(over)
            lines[1] = f"for {self._fresh('j')}, {index} in {over}:"
            if "zip" in over:
                lines[1] = f"for {index}, {self._fresh('j')} in {over}:"
        if self.draw.chance(0.4):
            lines += [f"    if {self.condition(scope, 1)}:", f"        {self.draw.pick(('break', 'continue'))}"]
        scope.bind(target, Loose(element))
        return [*lines, f"    {target} = {form}"], False


def script_text(name: str, kind: str, index: int) -> tuple[str, Lines]:
    """A function under `@script` that takes two tensors of a type and a float: its first line and its body."""
    bodies = (
        ["return x + y * k"],
        ["if k > 1:", "    x = x - y", "return op.Max(x, y)"],
        ["for i in range(2):", "    x = x + y * i", "return x"],
        ["return (x - y) * k"],
    )
    default = "0.5" if kind == "float" else "2"
    return f"def {name}(x, y, k: {kind} = {default}):", bodies[index % len(bodies)]
