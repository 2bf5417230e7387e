"""What Python programmers write beside statements and operators.

Lambdas, dictionaries, namedtuples, f-strings, `match`, `:=`, items of lists that are assigned, rows of tensors, slices
as objects, numpy's constants, and Python's arithmetic on numbers that are known at run time. The corpus is frozen with
programs that have none of these: they are drawn here alone, so that its seeds stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.differential.generate.draw import Production
from tests.differential.generate.numbers import Known, fold
from tests.differential.generate.programs import Writer
from tests.differential.generate.scope import Scope
from tests.differential.generate.statements import Block, Lines, indented
from tests.differential.generate.tensors import Text as Shaped
from tests.differential.generate.types import (
    ANY,
    FULL,
    ONE,
    ROW,
    SCALAR,
    TYPE_NAMES,
    Function,
    Listed,
    Loose,
    Number,
    Table,
    Tensor,
    Type,
    broadcast,
)
from tests.differential.program import Program

_IMPORTS = (
    "import numpy as np",
    "import onnx",
    "from collections import namedtuple",
    "from typing import NamedTuple",
    "from onnx import TensorProto",
)
_CLASS = ("class Pair(NamedTuple):", "    first: int", "    second: float = 0.5")
_HELPERS = (
    "def power(x, n):",
    "    return x if n <= 0 else x + power(x, n - 1)",
    "def twice(f, x):",
    "    return f(f(x))",
)
_NUMPY = {"float": "float32", "double": "float64", "int32": "int32", "int64": "int64", "bool": "bool_"}
_FOLDED = {
    "int": (
        "sum(({}, {}))",
        "sum([{}, {}], 1)",
        "max(v for v in ({}, {}))",
        "divmod({}, 3)[1]",
        "divmod({}, -2)[0]",
        "pow({}, 2)",
        "round({} / 2)",
        "len(f'{{{}}}')",
        "len(f'{{{}:04d}}|{{{}!r:>3}}')",
        "{{'a': {}, 'b': {}}}['b']",
        "{{'a': {}}}.get('b', {})",
        "len({{'a': {}, 2: {}}})",
        "np.prod(({}, {}))",
        "np.sum([{}, {}])",
        "np.int64({})",
        "np.abs({})",
        "np.max(({}, {}))",
        "int(np.floor({} / 2))",
        "(lambda v, w=2: v * w - {})({})",
        "Pair({}, 0.5).first",
    ),
    "float": (
        "sum(({}, {}))",
        "min([{}, {}])",
        "divmod({}, 2)[1]",
        "pow({}, 2)",
        "round({}, 1)",
        "np.float64({})",
        "np.sqrt(abs({}))",
        "np.floor({})",
        "np.square({})",
        "math.fabs({})",
        "math.fmod({}, 2)",
        "Pair(1, {}).second",
        "Pair(second={}, first=2)[1]",
    ),
    "bool": ("any(({}, {}))", "all([{}, {}])", "all(v for v in ({}, {}))", "bool({} and {})"),
}
_UNKNOWN = {
    "int": (
        "divmod({}, 3)[1]",
        "divmod({}, -4)[0]",
        "pow({}, 2)",
        "sum(({}, {}))",
        "sum([{}, {}], 2)",
        "max([{}, {}, 1])",
        "min(({}, {}))",
        "abs({})",
        "(lambda v, w=3: v - w)({})",
        "{{'a': {}, 'b': {}}}['a']",
    ),
    "float": (
        "sum(({}, {}))",
        "max([{}, {}])",
        "math.fabs({})",
        "math.fmod({}, 3)",
        "math.sqrt(abs({}))",
        "divmod({}, 2)[1]",
        "pow({}, 2)",
        "(lambda v: v / 2)({})",
    ),
}
_TO_INT = ("math.floor({})", "math.ceil({})", "math.trunc({})", "round({})")
# The index written with `slice()` and `*`, and the shape that comes out of it.
_SLICED = {
    ONE: (("[slice(None)]", ONE), ("[*(0,)]", SCALAR)),
    ROW: (
        ("[slice(None, None, -1)]", ROW),
        ("[slice(1)]", ONE),
        ("[*(0,)]", SCALAR),
        ("[*[slice(0, 1)]]", ONE),
        (".T", ROW),
    ),
    FULL: (
        ("[slice(None, None, -1)]", FULL),
        ("[slice(1), slice(None)]", ANY),
        ("[*(0, slice(None))]", ROW),
        ("[*[0, -1]]", SCALAR),
        ("[:, slice(-1, None)]", ANY),
        (".T.T", FULL),
        (".T[0, ::-1][:1]", ONE),
        ("[np.newaxis, 0]", ANY),
    ),
    SCALAR: ((".T", SCALAR), ("[np.newaxis]", ONE), ("[*(None,)]", ONE)),
}
_LAMBDAS = (
    "lambda v: v + {0}",
    "lambda v, by={0}: v * by",
    "lambda v: {0} - v",
    "lambda v: -v if {1} else v * {0}",
    "lambda v: op.Max(v, {0})",
)


def generate_python(random: Random) -> Program:
    """A program of the whole language, with all that is drawn here."""
    return PythonWriter(random).program()


def generate_at(random: Random, opset: int) -> Program:
    """The same, written against that opset."""
    return PythonWriter(random, opset=opset).program()


class PythonWriter(Writer):
    def __init__(self, random: Random, risky: bool = False, opset: int | None = None) -> None:
        super().__init__(random, risky, opset)
        self.tables: dict[str, tuple[str, str]] = {}  # constants of the module that are arrays: element type, shape
        self.tensors: dict[str, str] = {}  # those that are TensorProtos
        self.sizes: dict[str, tuple[str, ...]] = {}  # the dimensions that are declared of inputs
        self.united: set[str] = set()  # inputs that are annotated with all that they admit

    # ----------------------------------------------------------------------------------------------- the module

    def declare(self) -> None:
        super().declare()
        draw = self.draw
        if draw.chance(0.4):
            self.constants["D"] = (
                "{'a': 2, 'b': -1, 'c': 3}",
                Table((("a", Number("int", 2)), ("b", Number("int", -1)), ("c", Number("int", 3))), False),
            )
        if draw.chance(0.3):
            self.constants["Q"] = (
                draw.pick(("Pair(3, 0.25)", "Pair(second=0.25, first=3)")),
                Table((("first", Number("int", 3)), ("second", Number("float", 0.25))), True),
            )
        if draw.chance(0.15):
            self.constants["Z"] = (
                "namedtuple('Z', 'one two')(1, -2)",
                Table((("one", Number("int", 1)), ("two", Number("int", -2))), True),
            )
        elements = [tensor.element for tensor in self.inputs.values() if tensor.element in TYPE_NAMES]
        for name in ("TA", "TB")[: draw.pick((0, 0, 1, 2)) if elements else 0]:
            element = draw.pick(elements)
            text, shape = self._array_text(element)
            self.tables[name] = element, shape
            self.constants[name] = text, Table((), False)
        if elements and draw.chance(0.25):
            element = draw.pick(elements)
            self.tensors["C"] = element
            self.constants["C"] = self._proto_text(element, "[1]"), Table((), False)
        for name, tensor in self.inputs.items():
            if tensor.element in TYPE_NAMES and name in self.ranked and draw.chance(0.3):
                self.sizes[name] = {SCALAR: (), ROW: ("B",), FULL: ("A", "B"), ONE: ("1",)}[tensor.shape]
            elif set(self.elements.get(tensor.element, ())) == {"float", "double"} and draw.chance(0.2):
                self.united.add(name)

    def header(self) -> list[str]:
        return [*_IMPORTS, *_CLASS, *_HELPERS]

    def parameter(self, name: str) -> str:
        tensor = self.inputs[name]
        if name in self.united:
            shape = "" if tensor.shape == SCALAR else "[...]"
            return f"{name}: FLOAT{shape} | DOUBLE{shape}"
        if name not in self.sizes:
            return name
        dims = ", ".join(size if size.isdigit() else repr(size) for size in self.sizes[name])
        return f"{name}: {TYPE_NAMES[tensor.element]}{f'[{dims}]' if dims else ''}"

    def declared(self, name: str, tensor: Tensor) -> str:
        found, dims = super().declared(name, tensor), self.sizes.get(name)
        return f"{found}:{','.join(dims)}" if dims else found

    def _array_text(self, element: str) -> Shaped:
        """An array of numpy: its text and its shape."""
        dtype = f"dtype=np.{_NUMPY[element]}"
        value = self._value(element)
        return self.draw.pick(
            (
                (f"np.array([{value}], {dtype})", ONE),
                (f"np.array([{value}], {dtype})", ONE),
                (f"np.array([[{value}]], {dtype})", ANY),
                (f"np.asarray({value}, {dtype})", SCALAR),
                (f"np.full((1,), {value}, {dtype})", ONE),
                (f"np.ones((1,), {dtype})", ONE),
                (f"np.zeros((1, 1), {dtype})", ANY),
                (f"np.eye(1, {dtype})", ANY),
            )
        )

    def _value(self, element: str) -> str:
        if element == "bool":
            return self.draw.pick(("True", "False"))
        return self.draw.pick(
            ("0.5", "-1.5", "2.0", "0.1") if element in ("float", "double") else ("2", "-3", "0", "1")
        )

    def _proto_text(self, element: str, dims: str) -> str:
        """A TensorProto of one number."""
        code = self.draw.pick(("TensorProto.", "onnx.TensorProto.")) + TYPE_NAMES[element]
        value = self._value(element)
        if self.draw.chance(0.2):
            array = f"np.array({value if dims == '[]' else f'[{value}]'}, dtype=np.{_NUMPY[element]})"
            return f"onnx.numpy_helper.from_array({array})"
        return f"onnx.helper.make_tensor('c', {code}, {dims}, [{value}])"

    # ------------------------------------------------------------------------------------------------- numbers

    def further_known(self, scope: Scope, kind: str, depth: int) -> Sequence[Production]:
        return (
            (1.5, lambda: self._entry(scope, kind)),
            (2 if depth > 0 else 0, lambda: self._folded_further(scope, kind, depth)),
        )

    def _entry(self, scope: Scope, kind: str) -> Known | None:
        """A number of a dictionary or a namedtuple."""
        found = [
            (self._entry_text(scope, name, key), item.value)
            for name, table in self._all_tables(scope)
            for key, item in table.entries
            if isinstance(item, Number) and item.kind == kind and item.value is not None
        ]
        if kind == "int":
            found += [(f"len({name})", len(table.entries)) for name, table in self._all_tables(scope) if table.entries]
        return self.draw.pick(found) if found else None

    def _all_tables(self, scope: Scope) -> list[tuple[str, Table]]:
        return [(name, type_) for name, type_ in scope.names.items() if isinstance(type_, Table)]

    def _entry_text(self, scope: Scope, name: str, key: str) -> str:
        table = scope.names[name]
        assert isinstance(table, Table)
        if table.fields:
            place = [item for item, _ in table.entries].index(key)
            return self.draw.pick((f"{name}.{key}", f"{name}.{key}", f"{name}[{place}]"))
        return self.draw.pick(
            (f"{name}[{key!r}]", f"{name}[f'{key}']", f"{name}.get({key!r})", f"{name}.get({key!r}, 7)")
        )

    def _folded_further(self, scope: Scope, kind: str, depth: int) -> Known | None:
        form = self.draw.pick(_FOLDED[kind])
        inner = "bool" if kind == "bool" else kind
        first, second = (self.known(scope, inner, depth - 1) for _ in range(2))
        if "f'" in form and "'" in first[0] + second[0]:
            return None
        value = fold(form, {"l": first[1], "r": second[1], "Pair": _Pair}, "l", "r")
        if type(value).__name__ != kind or abs(value) > 10_000 or (value and abs(value) < 1e-4):
            return None
        return form.format(first[0], second[0]), value

    def further_numbers(self, scope: Scope, kind: str, depth: int) -> Sequence[Production]:
        return (
            (2 if depth > 0 and kind in _UNKNOWN else 0, lambda: self._python_arithmetic(scope, kind, depth)),
            (1 if kind == "int" else 0, lambda: self._size(scope)),
        )

    def _python_arithmetic(self, scope: Scope, kind: str, depth: int) -> str:
        if kind == "int" and self.draw.chance(0.25):
            return self.draw.pick(_TO_INT).format(self.number(scope, "float", depth - 1))
        form = self.draw.pick(_UNKNOWN[kind])
        return form.format(*(self.number(scope, kind, depth - 1) for _ in range(2)))

    def _size(self, scope: Scope) -> str | None:
        names = [(name, tensor.shape) for name, tensor in scope.all_tensors()]
        if not names:
            return None
        name, shape = self.draw.pick(names)
        forms = ["{}.size", "{}.size", "{}.T.size"]
        if shape in (ROW, FULL):
            forms += ["{}.T.shape[0]", "len({}.T)"]
        if name in self.ranked and name in scope.given:
            forms.append("{}.ndim")
        return self.draw.pick(forms).format(name)

    # ---------------------------------------------------------------------------------------------- conditions

    def further_conditions(self, scope: Scope, depth: int) -> Sequence[Production]:
        return ((1, lambda: self._of_text(scope)), (0.5, lambda: self._of_dict(scope)))

    def _of_text(self, scope: Scope) -> str:
        texts = self._texts(scope)
        number, value = self._in_text(scope)
        if texts and self.draw.chance(0.6):
            name = self.draw.pick(texts)
            form = self.draw.pick(
                ("(f'{{{0}}}{{{1}}}' == 'a{2}')", "(f'<{{{0}!r}}>' != \"<'b'>\")", "('b' in f'{{{0}}}c')")
            )
            return form.format(name, number, value)
        form = self.draw.pick(("(f'{{{0}}}' == '{1}')", "(f'{{{0}:+d}}' != '{1}')", "(len(f'{{{0}}}-') > 2)"))
        return form.format(number, value)

    def _in_text(self, scope: Scope) -> Known:
        """A known number that may stand in an f-string: Python 3.11 has no quotes inside one."""
        text, value = self.known(scope, "int", 0)
        return (text if "'" not in text else f"({value})"), value

    def _of_dict(self, scope: Scope) -> str | None:
        names = [name for name, table in self._all_tables(scope) if not table.fields and table.entries]
        if not names:
            return None
        return self.draw.pick(("('a' in {})", "('z' not in {})", "(len({}) > 1)")).format(self.draw.pick(names))

    # ------------------------------------------------------------------------------------------------- tensors

    def further_tensors(self, scope: Scope, element: str, depth: int) -> Sequence[Production]:
        numeric, own = scope.is_numeric(element), element in TYPE_NAMES
        return (
            (1 if own else 0, lambda: self._constant(scope, element, depth)),
            (1.5 if numeric else 0, lambda: self._by_lambda(scope, element, depth)),
            (1 if numeric else 0, lambda: self._by_function(scope, element, depth)),
            (0.7 if numeric else 0, lambda: self._recursive(scope, element, depth)),
            (0.7 if numeric else 0, lambda: self._sum_of_list(scope, element, depth)),
            (0.8, lambda: self._of_table(scope, element, depth)),
            (1.2, lambda: self._sliced(scope, element, depth)),
        )

    def _constant(self, scope: Scope, element: str, depth: int) -> Shaped:
        """What numpy or `make_tensor` made, beside a tensor or alone."""
        tables = [(name, shape) for name, (wanted, shape) in self.tables.items() if wanted == element]
        protos = [name for name, wanted in self.tensors.items() if wanted == element]
        made = [
            self._array_text(element),
            (f"op.Constant(value={self._proto_text(element, '[]')})", SCALAR),
            (f"op.Constant(value={self._proto_text(element, '[1]')})", ONE),
            *((f"op.Constant(value={name})", ONE) for name in protos),
            *tables,
            *((f"{name}[0]", SCALAR) for name, shape in tables if shape == ONE),
            *((f"{name}[np.newaxis]", ANY) for name, shape in tables if shape == ONE),
            *((f"{name}.T", ANY) for name, shape in tables if shape == ANY),
        ]
        if element in ("float", "int32"):
            made.append((f"np.{_NUMPY[element]}({self.known(scope, 'int', 0)[0]})", SCALAR))
        text, shape = self.draw.pick(made)
        if text.startswith("op."):
            return text, shape
        if depth <= 0:
            return f"op.Identity({text})", shape
        beside, other = self.tensor(scope, element, depth - 1)
        if "np." in beside and not scope.tensors(element):
            return f"op.Identity({text})", shape
        if element == "bool":
            return f"op.And({beside}, {text})", broadcast(shape, other)
        form = self.draw.pick(("op.Add({}, {})", "({} + {})", "({1} * {0})", "op.Max({}, {})", "({1} - {0})"))
        if "op." not in form:  # numpy's own arithmetic is not compared
            beside = f"op.Identity({beside})"
        return form.format(beside, text), broadcast(shape, other)

    def _by_lambda(self, scope: Scope, element: str, depth: int) -> Shaped:
        text, shape = self.tensor(scope, element, depth - 1)
        form = self.draw.pick(("({})({})", "({})({})", "twice({}, {})", "{{'a': {}, 'b': op.Abs}}['a']({})"))
        return form.format(self._lambda(scope, element), text), shape

    def _lambda(self, scope: Scope, element: str) -> str:
        number = self.meeting(scope, element, 0) or "2"
        return self.draw.pick(_LAMBDAS).format(number, self.condition(scope, 0))

    def _by_function(self, scope: Scope, element: str, depth: int) -> Shaped | None:
        """A call of a lambda that has a name."""
        names = scope.find(lambda type_: type_ == Function(element))
        if not names:
            return None
        text, shape = self.tensor(scope, element, depth - 1)
        form = self.draw.pick(("{0}({1})", "{0}({0}({1}))", "twice({0}, {1})"))
        return form.format(self.draw.pick(names), text), shape

    def _recursive(self, scope: Scope, element: str, depth: int) -> Shaped:
        text, shape = self.tensor(scope, element, depth - 1)
        return f"power({text}, {self.draw.pick(('0', '1', '2', '3'))})", shape

    def _sum_of_list(self, scope: Scope, element: str, depth: int) -> Shaped:
        texts = [self.tensor(scope, element, depth - 1) for _ in range(self.draw.between(1, 3))]
        items = ", ".join(text for text, _ in texts)
        return f"sum([{items}])", broadcast(*(shape for _, shape in texts))

    def _of_table(self, scope: Scope, element: str, depth: int) -> Shaped | None:
        """A tensor in a dictionary or a namedtuple."""
        found = [
            (name, key, item.shape)
            for name, table in self._all_tables(scope)
            for key, item in table.entries
            if isinstance(item, Tensor) and item.element == element
        ]
        if found and self.draw.chance(0.7):
            name, key, shape = self.draw.pick(found)
            return self._entry_text(scope, name, key), shape
        texts = [self.tensor(scope, element, depth - 1) for _ in range(2)]
        made = f"{{'a': {texts[0][0]}, 'b': {texts[1][0]}}}"
        if "mode" in scope.names:
            return f"{made}[f'{{mode}}']", texts[0][1] if texts[0][1] == texts[1][1] else ANY
        index = self.draw.between(0, 1)
        return f"{made}[{self.draw.pick(('{!r}', 'f{!r}')).format('ab'[index])}]", texts[index][1]

    def _sliced(self, scope: Scope, element: str, depth: int) -> Shaped | None:
        text, shape = self.tensor(scope, element, depth - 1)
        if shape not in _SLICED:
            return None
        index, after = self.draw.pick(_SLICED[shape])
        return f"{text}{index}", after

    def further_loose(self, scope: Scope, element: str, depth: int) -> Sequence[Production]:
        return ((1 if depth > 0 else 0, lambda: self._transposed(scope, element, depth)),)

    def _transposed(self, scope: Scope, element: str, depth: int) -> str | None:
        text, shape = self.tensor(scope, element, depth - 1)
        forms = ["{}.T", "{}.T[...]", "{}[*(None, slice(None))]" if shape not in (SCALAR, ANY) else "{}[None]"]
        if shape == FULL:
            forms += [
                "{}.T[slice(1)]",
                "{}[*(slice(None), 0, None)]",
                "{}.T[0]",
                "{}[[0, -1], [0, 0]]",
                "{}[(0,), [-1]]",
            ]
        return self.draw.pick(forms).format(text)

    # ---------------------------------------------------------------------------------------------- statements

    def further_statements(self, scope: Scope, nests: bool) -> Sequence[Production]:
        return (
            (1, lambda: self._assign_loose(scope)),  # which the others make rarer
            (0.6, lambda: self._listed(scope)),
            (0.6, lambda: self._odd(scope)),
            (0.8, lambda: self._print(scope)),
            (1 if self.sizes else 0, lambda: self._assert_sizes(scope)),
            (1.5, lambda: self._walrus(scope)),
            (1 if not scope.loops else 0.3, lambda: self._named_lambda(scope)),
            (1, lambda: self._table(scope)),
            (1.2, lambda: self._items(scope)),
            (0.6, lambda: self._indices(scope)),
            (0.6, lambda: self._joined_list(scope)),
            (0.8, lambda: self._changed_list(scope)),
            (0.5, lambda: self._over_entries(scope)),
            (0.5, lambda: self._numbers_together(scope)),
            (0.6, lambda: self._numbered_items(scope)),
            (2 if nests else 0, lambda: self._match(scope)),
            (3 if nests else 0, lambda: self._rows(scope)),
        )

    def _print(self, scope: Scope) -> Block:
        texts = ["'text'", "1, 'a', sep=''"] + [name for name, _ in scope.all_tensors()]
        return [f"print({self.draw.pick(texts)})"], False

    def _assert_sizes(self, scope: Scope) -> Block | None:
        """Of what the annotations say."""
        known = {name: dims for name, dims in self.sizes.items() if name in scope.given and dims}
        places = [
            (dim, f"{name}.shape[{index if self.draw.chance(0.7) else index - len(dims)}]")
            for name, dims in known.items()
            for index, dim in enumerate(dims)
        ]
        places += [(dims[0], f"len({name})") for name, dims in known.items()]
        if not places:
            return None
        dim, text = self.draw.pick(places)
        others = [other for size, other in places if size == dim]
        return [f"assert {text} == {dim if dim == '1' else self.draw.pick(others)}"], False

    def _walrus(self, scope: Scope) -> Block | None:
        """A name that is bound in the midst of an expression, on every path."""
        text, type_ = self.value(scope, 1)
        assert isinstance(type_, Tensor)
        name = self._fresh("u")
        if scope.is_numeric(type_.element) and self.draw.chance(0.6):
            form = self.draw.pick(("({0} := {1}) + {0}", "({0} := {1}) * 2", "op.Max(({0} := {1}), {0})"))
            target = self.target(scope, type_)
            if target is None:
                return None
            scope.names[name] = type_
            scope.bind(target, type_)
            return [f"{target} = {form.format(name, text)}"], False
        scalar = self.scalar(scope, type_.element, 0)
        if scalar is None or type_.element == "bool":
            return None
        test = f"({name} := {scalar[0]}) > {self.meeting(scope, scalar[1], 0)}"
        shape = next((item.shape for other, item in scope.all_tensors() if other == scalar[0]), SCALAR)
        scope.names[name] = Tensor(scalar[1], shape)
        if scope.depth < 3 and self.budget > 0:
            lines: Lines = [f"if {test}:"]
            sides: list[Scope] = []
            self._side(scope, lines, sides)
            sides.append(scope.copy())
            return lines, self._meet(scope, sides)
        target = self.target(scope, type_)
        if target is None:
            return None
        scope.bind(target, Tensor(type_.element, ANY if type_.shape != SCALAR else SCALAR))
        return [f"{target} = {text} if {test} else {text}"], False

    def _named_lambda(self, scope: Scope) -> Block | None:
        elements = [tensor.element for _, tensor in scope.all_tensors() if scope.is_numeric(tensor.element)]
        if not elements:
            return None
        element = self.draw.pick(elements)
        name = self._fresh("f")
        lines = [f"{name} = {self._lambda(_fixed(scope), element)}"]
        scope.names[name] = Function(element)
        scope.locked |= {name}
        return lines, False

    def _table(self, scope: Scope) -> Block:
        """A dictionary or a namedtuple of tensors and numbers."""
        fields = self.draw.chance(0.4)
        entries: list[tuple[str, Tensor | Number]] = []
        texts = []
        for key in ("first", "second") if fields else ("a", "b"):
            if self.draw.chance(0.4):
                kind = self.draw.pick(("int", "float"))
                text, value = self.known(scope, kind, 1)
                entries.append((key, Number(kind, value)))
            else:
                text, type_ = self.value(scope, 1)
                assert isinstance(type_, Tensor)
                entries.append((key, type_))
            texts.append(text)
        name = self._fresh("d")
        made = f"Pair({texts[0]}, second={texts[1]})" if fields else f"{{'a': {texts[0]}, 'b': {texts[1]}}}"
        scope.names[name] = Table(tuple(entries), fields)
        scope.locked |= {name}
        lines = [f"{name} = {made}"]
        if fields and self.draw.chance(0.4):
            targets: list[str] = []
            for _, item in entries:
                free = [other for other in scope.targets(item) if other not in targets]
                if not free:
                    return lines, False
                targets.append(self.draw.pick(free))
            for target, (_, item) in zip(targets, entries, strict=True):
                scope.bind(target, item)
            lines.append(f"{', '.join(targets)} = {name}")
        return lines, False

    def _items(self, scope: Scope) -> Block | None:
        """A list some of whose items are assigned again."""
        element = self._element(scope)
        if element is None or not scope.is_numeric(element):
            return None
        texts = [self.tensor(scope, element, 1)[0] for _ in range(3)]
        name = self._fresh("q")
        lines = [f"{name} = {self.draw.pick(('[{0}, {1}]', '[{0}] * 2', '[*({0}, {1})]')).format(*texts)}"]
        forms = ["{0}[0] = {1}", "{0}[-1] = {1}", "{0}[1] += {1}", "{0}[0], {0}[1] = {0}[1], {0}[0]"]
        if scope.depth < 3:
            index = self._fresh("i")
            forms.append(f"for {index} in range(2):\n    {{0}}[{index}] = {{0}}[{index}] * ({index} + 1)")
            forms.append("if {2}:\n    {0}[1] = {1}")
        for _ in range(self.draw.between(1, 2)):
            lines += self.draw.pick(forms).format(name, texts[2], self.condition(scope, 1)).split("\n")
        scope.names[name] = Listed(element, True)
        scope.locked |= {name}
        return lines + self._used(scope, name), False

    def _indices(self, scope: Scope) -> Block | None:
        """Subscripts in a list, taken by `*`."""
        found = self._row_or_matrix(scope)
        if found is None:
            return None
        text, element, shape = found
        target = self.target(scope, Loose(element))
        if target is None:
            return None
        name = self._fresh("k")
        parts = ["slice(1)", "slice(None, None, -1)", "None", "slice(0, 2)"]
        made = [self.draw.pick(parts) for _ in range(2 if shape == FULL else 1)]
        start = self.draw.pick((f"({', '.join(made)},)", f"[{', '.join(made)}]", f"(slice(1), {made[0]})[1:]"))
        scope.bind(target, Loose(element))
        return [f"{name} = {start}", f"{target} = {text}[*{name}]"], False

    def _listed_to_target(self, scope: Scope) -> tuple[str, str, str] | None:
        """A row or matrix of which items of a list are made, its element type, and another name for what joins them."""
        found = self._row_or_matrix(scope)
        if found is None or scope.depth > 2:
            return None
        text, element, _ = found
        target = self.target(scope, Loose(element))
        return None if target is None or target == text else (text, element, target)

    def _joined_list(self, scope: Scope) -> Block | None:
        """What a loop appends, joined along a new axis."""
        found = self._listed_to_target(scope)
        if found is None:
            return None
        text, element, target = found
        name, index = self._fresh("q"), self._fresh("i")
        bound = self.draw.pick(("2", "3", "1"))
        start = self.draw.pick(("", text))
        scope.bind(target, Loose(element))
        return [
            f"{name} = [{start}]",
            f"for {index} in range({bound}):",
            f"    {name}.append({text} {self.draw.pick('+*')} {index})",
            f"{target} = op.ConcatFromSequence({name}, axis={self.draw.pick('01')}, new_axis=1)",
        ], False

    def _changed_list(self, scope: Scope) -> Block | None:
        """A list whose length only the run tells, which statements change, joined in the end. It keeps two items."""
        found = self._listed_to_target(scope)
        if found is None:
            return None
        text, element, target = found
        name, index, item, kept = (self._fresh(letter) for letter in "qivt")
        scope.bind(target, Loose(element))
        starts = (
            f"[{text} {{0}} {index} for {index} in range(len({text}) + 2)]",
            f"[{text} {{0}} {index} for {index} in range(len({text}) + 3) if {index} != 1]",
            f"[{text} {{0}} {index} for {index}, {item} in enumerate({text})] + [{text}, {text}]",
            f"[*({text} for {index} in range(2)), *[{text} for {index}, {item} in zip(range(3), {text})]]",
            f"[{text} for {item} in reversed({text}) if op.ReduceSum({item}, keepdims=0) > 0] + [{text}] * 2",
        )
        changes = (
            f"{name}.append({name}[0])",
            f"{name}.insert(0, {text} {{0}} 2)",
            f"{name}.insert(len({text}), {text} {{0}} 3)",
            f"{name}.insert(-1, {text} {{0}} 3)",
            f"{name}.reverse()",
            f"{name}[len({text}) % 2] = {text} {{0}} 4",
            f"{name}[-1] = {name}[0]",
            f"{name} = {name} + {name}[1:]",
            f"{name}.extend({name}[:1])",
            f"{kept} = {name}.pop()\n{name}.append({kept})\n{name}.append({kept} {{0}} 1)",
            f"{kept} = {name}.pop(0)\n{name} += [{kept} {{0}} 1]",
            f"{name}.append({text})\ndel {name}[len({text}) % 2]",
            f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
            f"if {self.condition(scope, 1)}:\n    {name}.insert(1, {text})",
            f"for {index} in range(len({name}) - 1):\n    {name}[{index}] = {name}[{index} + 1] {{0}} {index}",
        )
        lines = [f"{name} = {self.draw.pick(starts)}"]
        for _ in range(self.draw.between(1, 3)):
            lines += self.draw.pick(changes).split("\n")
        lines = [line.replace("{0}", self.draw.pick("+*-")) for line in lines]
        return [*lines, f"{target} = op.ConcatFromSequence({name}, axis={self.draw.pick('01')}, new_axis=1)"], False

    def _over_entries(self, scope: Scope) -> Block | None:
        """A loop over a dictionary."""
        text, type_ = self.value(scope, 1)
        if not isinstance(type_, Tensor) or not scope.is_numeric(type_.element):
            return None
        target = self.target(scope, type_)
        if target is None:
            return None
        scope.bind(target, type_)
        key, item = self._fresh("k"), self._fresh("v")
        head, step = self.draw.pick(
            (
                (f"for {key}, {item} in {{'a': 2, 'bb': -1}}.items():", f"{target} * {item} + len({key})"),
                (f"for {item} in {{'a': 2, 'b': 3}}.values():", f"{target} - {item}"),
                (f"for {key} in {{'a': 2, 'b': 3}}.keys():", f"{target} + len(f'{{{key}}}!')"),
                (f"for {key} in {{'a': 2, 'b': 3}}:", f"({target} if {key} == 'a' else {target} * 3)"),
                (f"for {item}, ({key}, _) in enumerate({{'a': 2, 'b': 3}}.items()):", f"{target} + {item}"),
            )
        )
        return [f"{target} = {text}", head, f"    {target} = {step}"], False

    def _numbers_together(self, scope: Scope) -> Block | None:
        """`a, b = divmod(...)`."""
        kind = self.draw.pick(("int", "float"))
        names: list[str] = []
        for _ in range(2):
            free = [name for name in scope.targets(Number(kind)) if name not in names]
            if not free:
                return None
            names.append(self.draw.pick(free))
        text = self.number(scope, kind, 1)
        for name in names:
            scope.bind(name, Number(kind))
        return [f"{', '.join(names)} = divmod({text}, {self.draw.pick(('2', '-3', '4'))})"], False

    def _numbered_items(self, scope: Scope) -> Block | None:
        """A loop over a list or a sequence, with numbers."""
        names = scope.find(lambda type_: isinstance(type_, Listed) and scope.is_numeric(type_.element))
        if not names or scope.depth > 2:
            return None
        name = self.draw.pick(names)
        type_ = scope.names[name]
        assert isinstance(type_, Listed)
        target = self.target(scope, Tensor(type_.element, SCALAR))
        if target is None:
            return None
        start, shape = self.tensor(scope, type_.element, 1)
        if target in scope.kept and not scope.may_become(scope.names[target], Tensor(type_.element, shape)):
            return None
        scope.bind(target, Tensor(type_.element, shape))
        index, item = self._fresh("i"), self._fresh("v")
        return [
            f"{target} = {start}",
            f"for {index}, {item} in enumerate({name}{self.draw.pick(('', ', 1', ', start=2'))}):",
            f"    {target} = {target} + op.ReduceSum({item}, keepdims=0) * {index}",
        ], False

    def _match(self, scope: Scope) -> Block | None:
        """On a value that is known; names that a pattern binds are numbers in its case."""
        number, value = self._in_text(scope)
        subjects: list[tuple[str, list[tuple[str, Type | None]]]] = [
            ("op.version", [("13 | 14", None), ("18", None), ("21", None)]),
            (number, [(repr(value), None), ("0 | 1", None), ("{name}", Number("int", value))]),
            (f"({number}, 'a')", [("(1, 'a')", None), ("({name}, 'b' | 'a')", Number("int", value)), ("_", None)]),
            (
                f"[{number}, 2.5]",
                [("(_, 1)", None), ("[2 as {name}, *_]", None), ("[{name}, _]", Number("int", value))],
            ),
            (f"f'{{{number}}}!'", [(f"'{value}!'", None), ("'1!' | '2!'", None)]),
        ]
        subjects += [(name, [("'a'", None), ("'b' | 'c'", None)]) for name in self._texts(scope)]
        for name in scope.find(lambda type_: type_ == Number("int", None, True)):
            if name.startswith("kc"):
                subjects += [(name, [("0", None), ("1", None)]), (f"({name}, 1)", [("(1, _)", None)])]
        subject, cases = self.draw.pick(subjects)
        lines: Lines = [f"match {subject}:"]
        sides: list[Scope] = []
        whole = False
        for pattern, bound in self.draw.random.sample(cases, self.draw.between(1, len(cases))):
            start = scope.copy()
            name = self._fresh("m")
            if bound is not None:
                start.names[name] = bound
            guard = f" if {self.known(start, 'bool', 0)[0]}" if self.draw.chance(0.25) else ""
            irrefutable = pattern in ("_", "{name}") and not guard
            inner: Lines = []
            before = len(sides)
            self._side(scope, inner, sides, start)
            if len(sides) > before:
                sides[-1].forget(name)
            lines += [f"    case {pattern.replace('{name}', name)}{guard}:", *indented(inner)]
            if irrefutable:
                whole = True
                break
        if not whole and self.draw.chance(0.5):
            inner = []
            self._side(scope, inner, sides)
            lines += ["    case _:", *indented(inner)]
        elif not whole:
            sides.append(scope.copy())
        return lines, self._meet(scope, sides)

    def _rows(self, scope: Scope) -> Block | None:
        """A loop over a tensor's first axis."""
        found = self._row_or_matrix(scope, numeric=False)
        if found is None:
            return None
        text, element, shape = found
        type_ = Tensor(element, ROW if shape == FULL else SCALAR)
        inner = self._enter(scope)
        item, index = self._fresh("r"), self._fresh("i")
        inner.names[item] = type_
        numbered = self.draw.chance(0.4)
        if numbered:
            inner.names[index] = Number("int")
        inner.locked |= {item, index}
        start = dict(inner.names)
        body, broken = self._body(inner)
        head = f"for {item} in {text}{self.draw.pick(('', '', '[::-1]'))}:"
        if numbered:
            head = f"for {index}, {item} in enumerate({text}{self.draw.pick(('', ', 1', ', start=2'))}):"
        lines = [head, *indented(body)]
        self._after(scope, inner, start)
        return lines, self._else(scope, lines, broken)


class _Pair(tuple[Any, ...]):
    """The namedtuple of a generated program, where the generator folds."""

    def __new__(cls, first: Any, second: Any = 0.5) -> _Pair:
        return super().__new__(cls, (first, second))

    @property
    def first(self) -> Any:
        return self[0]

    @property
    def second(self) -> Any:
        return self[1]


def _fixed(scope: Scope) -> Scope:
    """What a lambda by name may read, which is called later: names that keep their values."""
    found = scope.copy()
    found.names = {name: type_ for name, type_ in scope.names.items() if name in scope.locked}
    return found
