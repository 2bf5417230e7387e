"""Syntax trees as JSON and back: the form in which a template holds the statements of its functions.

A node is a list: the name of its class in Python's `ast`, then the fields of its form in the grammar (`grammar.py`).
Places, docstrings, decorators and the annotations of parameters are left out: none of them changes what a function
means to a caller who knows its interface. The grammar is ours, so that the bytes do not depend on the Python that
writes them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import EllipsisType
from typing import TypeAlias

from opwright.lang.text.grammar import FORMS, Count, Kind

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None  # what `json.loads` gives

_LONGEST_NAME = 500
_MOST_NODES = 100_000


class MalformedTreeError(Exception):
    """JSON that is no tree; the text says why."""


class UnknownSyntaxError(Exception):
    """A node that the language does not know."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node
        super().__init__(type(node).__name__)


_OPERATORS: tuple[type[ast.AST], ...] = (
    *(ast.Add, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Div, ast.FloorDiv, ast.LShift, ast.MatMult, ast.Mod, ast.Mult),
    *(ast.Pow, ast.RShift, ast.Sub, ast.And, ast.Or, ast.Invert, ast.Not, ast.UAdd, ast.USub),
    *(ast.Eq, ast.Gt, ast.GtE, ast.In, ast.Is, ast.IsNot, ast.Lt, ast.LtE, ast.NotEq, ast.NotIn),
)
_CONVERSIONS = (ord("s"), ord("r"), ord("a"))  # `!r` in an f-string; -1 for none
_WORDS: dict[Kind, dict[str, type[ast.AST]]] = {
    Kind.OPERATOR: {kind.__name__: kind for kind in _OPERATORS},
    Kind.CONTEXT: {kind.__name__: kind for kind in (ast.Load, ast.Store, ast.Del)},
}
_AS_THEY_ARE = (Kind.NAME, Kind.BOUND, Kind.FLAG, Kind.CONVERSION)
_LISTS = {Count.MANY: Count.ONE, Count.MANY_OPTIONAL: Count.OPTIONAL}


def _classes() -> dict[Kind, dict[str, type[ast.AST]]]:
    """For each kind of field the classes of nodes that it may hold, by their names."""
    made: dict[Kind, dict[str, type[ast.AST]]] = {kind: {} for kind in Kind}
    for cls, form in FORMS.items():
        if form.refused is None:
            made[form.kind][cls.__name__] = cls
    made[Kind.LOOPED] = made[Kind.SCOPE] = made[Kind.BLOCK]
    made[Kind.TARGET] = made[Kind.UPDATED] = made[Kind.ANNOTATION] = made[Kind.EXPRESSION]
    return made


_CLASSES = _classes()


# ------------------------------------------------------------------------------------------------------ writing


def write_function(node: ast.FunctionDef, written_out: Callable[[ast.expr], ast.expr]) -> Json:
    """A function as JSON. `written_out` gives annotations of local names without names of the module. Raises
    UnknownSyntaxError."""
    return _write(node, Kind.BLOCK, Count.ONE, written_out)


def _write(value: object, kind: Kind, count: Count, written_out: Callable[[ast.expr], ast.expr]) -> Json:
    if count in _LISTS:
        assert isinstance(value, list)
        items = _body(value) if kind is Kind.SCOPE else value
        return [_write(item, kind, _LISTS[count], written_out) for item in items]
    if count is Count.OPTIONAL and value is None:
        return None
    if kind in _AS_THEY_ARE:
        assert isinstance(value, (int, str))
        return value
    if kind is Kind.VALUE:
        return write_constant(value)
    if kind is Kind.ANNOTATION:
        assert isinstance(value, ast.expr)
        value = written_out(value)
    assert isinstance(value, ast.AST)
    word = type(value).__name__
    if kind in _WORDS:
        if word not in _WORDS[kind]:
            raise UnknownSyntaxError(value)
        return word
    if _CLASSES[kind].get(word) is not type(value) or not _is_plain_constant(value):
        raise UnknownSyntaxError(value)
    fields = FORMS[type(value)].fields
    return [word, *(_write(getattr(value, part.name), part.kind, part.count, written_out) for part in fields)]


def _is_plain_constant(node: ast.AST) -> bool:
    """Whether it can be written, if it is a constant."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value is None or value is ... or isinstance(value, (bool, int, float, str))


def _body(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a function but for the docstring."""
    first = statements[0]
    said = first.value if isinstance(first, ast.Expr) else None
    documented = isinstance(said, ast.Constant) and isinstance(said.value, str)
    return (statements[1:] if documented else statements) or [ast.Pass()]


def write_constant(value: object) -> Json:
    """A plain constant: floats are hexadecimal, so that none of their bits depends on who prints them."""
    if isinstance(value, float):
        return {"float": value.hex()}
    if value is ...:
        return {"ellipsis": True}
    assert value is None or isinstance(value, (bool, int, str))
    return value


# ------------------------------------------------------------------------------------------------------ reading


def read_function(value: Json) -> ast.FunctionDef:
    """The function that `write_function` wrote; its nodes are numbered by their places, one line each.

    Raises MalformedTreeError for everything else.
    """
    reader = _Reader()
    try:
        node = reader.read(value, Kind.BLOCK, Count.ONE)
        if not isinstance(node, ast.FunctionDef):
            raise MalformedTreeError("it is no function")
        # Whether it is a program at all; nothing is run.
        compile(ast.Module([node], []), "<template>", "exec", dont_inherit=True)
    except RecursionError:
        raise MalformedTreeError("it is nested too deeply") from None
    except (SyntaxError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise MalformedTreeError(f"it is no program: {error}") from None
    return node


class _Reader:
    def __init__(self) -> None:
        self.count = 0

    def read(self, value: Json, kind: Kind, count: Count) -> object:
        if count in _LISTS:
            return [self.read(item, kind, _LISTS[count]) for item in _list(value)]
        if count is Count.OPTIONAL and value is None:
            return None
        reads = _READERS.get(kind)
        if reads is not None:
            return reads(value)
        if kind in _WORDS:
            found = _WORDS[kind].get(value) if isinstance(value, str) else None
            if found is None:
                raise MalformedTreeError(f"{str(value)[:40]!r} is no {kind.name.lower()}")
            return found()
        return self._node(_list(value), kind)

    def _node(self, value: list[Json], kind: Kind) -> ast.AST:
        head = value[0] if value else None
        found = _CLASSES[kind].get(head) if isinstance(head, str) else None
        fields = () if found is None else FORMS[found].fields
        if found is None or len(value) != 1 + len(fields):
            raise MalformedTreeError(f"{str(head)[:40]!r} is no {_NOUNS.get(kind, kind.name.lower())}")
        self.count += 1
        if self.count > _MOST_NODES:
            raise MalformedTreeError(f"it has more than {_MOST_NODES} nodes")
        place = self.count
        parts = {
            part.name: self.read(item, part.kind, part.count) for part, item in zip(fields, value[1:], strict=True)
        }
        made = found(**parts, **_LEFT_OUT.get(found, dict)())  # all at once: Python 3.15 wants it so
        for name, number in (("lineno", place), ("col_offset", 0), ("end_lineno", place), ("end_col_offset", 1)):
            setattr(made, name, number)
        return made


def _name(value: Json) -> str:
    if not isinstance(value, str) or not value.isidentifier() or len(value) > _LONGEST_NAME:
        raise MalformedTreeError(f"{str(value)[:40]!r} is no name")
    return value


def _flag(value: Json) -> int:
    return int(value == 1)


def _conversion(value: Json) -> int:
    return value if isinstance(value, int) and value in _CONVERSIONS else -1


def read_constant(value: Json) -> bool | int | float | str | EllipsisType | None:
    """The opposite of `write_constant`. Raises MalformedTreeError."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict) and list(value) == ["float"] and isinstance(value["float"], str):
        try:
            return float.fromhex(value["float"])
        except (ValueError, OverflowError):
            raise MalformedTreeError("it has a float that is none") from None
    if value == {"ellipsis": True}:
        return ...
    raise MalformedTreeError("it has a constant that is none")


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise MalformedTreeError("it has something else where a list must be")
    return value


_READERS: dict[Kind, Callable[[Json], object]] = {
    Kind.NAME: _name,
    Kind.BOUND: _name,
    Kind.FLAG: _flag,
    Kind.CONVERSION: _conversion,
    Kind.VALUE: read_constant,
}
_NOUNS = {
    **dict.fromkeys((Kind.BLOCK, Kind.LOOPED, Kind.SCOPE), "statement"),
    **dict.fromkeys((Kind.TARGET, Kind.UPDATED, Kind.ANNOTATION), "expression"),
}

# Fields that Python's compiler asks for and a template leaves out.
_LEFT_OUT: dict[type[ast.AST], Callable[[], dict[str, object]]] = {
    ast.FunctionDef: lambda: {"decorator_list": [], "returns": None, "type_comment": None, "type_params": []},
    ast.comprehension: lambda: {"is_async": 0},
    ast.arg: lambda: {"annotation": None},
}
