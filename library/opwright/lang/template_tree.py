"""Syntax trees as JSON and back: the form in which a template holds the statements of its functions.

A node is a list: the name of its class in Python's `ast`, then the fields of the table below. Places, docstrings,
decorators and the annotations of parameters are left out: none of them changes what a function means to a caller who
knows its interface. Nodes that the language does not know have no form here. The table is ours, so that the bytes do
not depend on the Python that writes them.
"""

from __future__ import annotations

import ast
from typing import Any

Json = Any  # what `json.loads` gives

_LONGEST_NAME = 500
_MOST_NODES = 100_000


class MalformedTreeError(Exception):
    """JSON that is no tree; the text says why."""


class UnknownSyntaxError(Exception):
    """A node that the language does not know."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node
        super().__init__(type(node).__name__)


# The fields of each class and what they hold: a node of that kind; `?`: one or nothing, `*`: a list.
_STATEMENT, _EXPRESSION = "statement", "expression"
_FIELDS: dict[str, dict[type[ast.AST], tuple[tuple[str, str], ...]]] = {
    _STATEMENT: {
        ast.AnnAssign: (
            ("target", _EXPRESSION),
            ("annotation", _EXPRESSION),
            ("value", "expression?"),
            ("simple", "flag"),
        ),
        ast.Assert: (("test", _EXPRESSION), ("msg", "expression?")),
        ast.Assign: (("targets", "expression*"), ("value", _EXPRESSION)),
        ast.AugAssign: (("target", _EXPRESSION), ("op", "operator"), ("value", _EXPRESSION)),
        ast.Break: (),
        ast.Continue: (),
        ast.Delete: (("targets", "expression*"),),
        ast.Expr: (("value", _EXPRESSION),),
        ast.For: (
            ("target", _EXPRESSION),
            ("iter", _EXPRESSION),
            ("body", "statement*"),
            ("orelse", "statement*"),
        ),
        ast.FunctionDef: (("name", "name"), ("args", "parameters"), ("body", "statement*")),
        ast.If: (("test", _EXPRESSION), ("body", "statement*"), ("orelse", "statement*")),
        ast.Match: (("subject", _EXPRESSION), ("cases", "case*")),
        ast.Pass: (),
        ast.Return: (("value", "expression?"),),
        ast.While: (("test", _EXPRESSION), ("body", "statement*"), ("orelse", "statement*")),
    },
    _EXPRESSION: {
        ast.Attribute: (("value", _EXPRESSION), ("attr", "name"), ("ctx", "context")),
        ast.BinOp: (("left", _EXPRESSION), ("op", "operator"), ("right", _EXPRESSION)),
        ast.BoolOp: (("op", "operator"), ("values", "expression*")),
        ast.Call: (("func", _EXPRESSION), ("args", "expression*"), ("keywords", "keyword*")),
        ast.Compare: (("left", _EXPRESSION), ("ops", "operator*"), ("comparators", "expression*")),
        ast.Constant: (("value", "value"),),
        ast.Dict: (("keys", "expression?*"), ("values", "expression*")),
        ast.FormattedValue: (("value", _EXPRESSION), ("conversion", "conversion"), ("format_spec", "expression?")),
        ast.GeneratorExp: (("elt", _EXPRESSION), ("generators", "comprehension*")),
        ast.IfExp: (("test", _EXPRESSION), ("body", _EXPRESSION), ("orelse", _EXPRESSION)),
        ast.JoinedStr: (("values", "expression*"),),
        ast.Lambda: (("args", "parameters"), ("body", _EXPRESSION)),
        ast.List: (("elts", "expression*"), ("ctx", "context")),
        ast.ListComp: (("elt", _EXPRESSION), ("generators", "comprehension*")),
        ast.NamedExpr: (("target", _EXPRESSION), ("value", _EXPRESSION)),
        ast.Name: (("id", "name"), ("ctx", "context")),
        ast.Slice: (("lower", "expression?"), ("upper", "expression?"), ("step", "expression?")),
        ast.Starred: (("value", _EXPRESSION), ("ctx", "context")),
        ast.Subscript: (("value", _EXPRESSION), ("slice", _EXPRESSION), ("ctx", "context")),
        ast.Tuple: (("elts", "expression*"), ("ctx", "context")),
        ast.UnaryOp: (("op", "operator"), ("operand", _EXPRESSION)),
    },
    "parameters": {
        ast.arguments: (
            ("posonlyargs", "parameter*"),
            ("args", "parameter*"),
            ("vararg", "parameter?"),
            ("kwonlyargs", "parameter*"),
            ("kw_defaults", "expression?*"),
            ("kwarg", "parameter?"),
            ("defaults", "expression*"),
        )
    },
    "case": {ast.match_case: (("pattern", "pattern"), ("guard", "expression?"), ("body", "statement*"))},
    "pattern": {
        ast.MatchAs: (("pattern", "pattern?"), ("name", "name?")),
        ast.MatchOr: (("patterns", "pattern*"),),
        ast.MatchSequence: (("patterns", "pattern*"),),
        ast.MatchSingleton: (("value", "value"),),
        ast.MatchStar: (("name", "name?"),),
        ast.MatchValue: (("value", _EXPRESSION),),
    },
    "parameter": {ast.arg: (("arg", "name"),)},
    "keyword": {ast.keyword: (("arg", "name?"), ("value", _EXPRESSION))},
    "comprehension": {
        ast.comprehension: (("target", _EXPRESSION), ("iter", _EXPRESSION), ("ifs", "expression*")),
    },
}
_OPERATORS: tuple[type[ast.AST], ...] = (
    *(ast.Add, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Div, ast.FloorDiv, ast.LShift, ast.MatMult, ast.Mod, ast.Mult),
    *(ast.Pow, ast.RShift, ast.Sub, ast.And, ast.Or, ast.Invert, ast.Not, ast.UAdd, ast.USub),
    *(ast.Eq, ast.Gt, ast.GtE, ast.In, ast.Is, ast.IsNot, ast.Lt, ast.LtE, ast.NotEq, ast.NotIn),
)
_CONVERSIONS = (ord("s"), ord("r"), ord("a"))  # `!r` in an f-string; -1 for none
_WORDS: dict[str, dict[str, type[ast.AST]]] = {
    "operator": {kind.__name__: kind for kind in _OPERATORS},
    "context": {kind.__name__: kind for kind in (ast.Load, ast.Store, ast.Del)},
}
_CLASSES = {
    kind: {made.__name__: (made, fields) for made, fields in classes.items()} for kind, classes in _FIELDS.items()
}


# ------------------------------------------------------------------------------------------------------ writing


def write_function(node: ast.FunctionDef) -> Json:
    """A function as JSON. Raises UnknownSyntaxError."""
    return _write(node, _STATEMENT)


def _write(value: Any, kind: str) -> Json:
    if kind.endswith("*"):
        return [_write(item, kind[:-1]) for item in value]
    if kind.endswith("?"):
        return None if value is None else _write(value, kind[:-1])
    if kind in ("name", "flag", "conversion"):
        return value
    if kind == "value":
        return write_constant(value)
    if kind in _WORDS:
        if type(value).__name__ not in _WORDS[kind]:
            raise UnknownSyntaxError(value)
        return type(value).__name__
    fields = _FIELDS[kind].get(type(value))
    if fields is None or (isinstance(value, ast.Constant) and not _is_plain(value.value)):
        raise UnknownSyntaxError(value)
    if isinstance(value, ast.FunctionDef):
        return ["FunctionDef", value.name, _write(value.args, "parameters"), _write(_body(value), "statement*")]
    return [type(value).__name__, *(_write(getattr(value, name), inner) for name, inner in fields)]


def _is_plain(value: object) -> bool:
    return value is None or value is ... or isinstance(value, (bool, int, float, str))


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    """The statements but for the docstring."""
    first = node.body[0]
    said = first.value if isinstance(first, ast.Expr) else None
    documented = isinstance(said, ast.Constant) and isinstance(said.value, str)
    return (node.body[1:] if documented else node.body) or [ast.Pass()]


def write_constant(value: bool | int | float | str | object | None) -> Json:
    """A plain constant: floats are hexadecimal, so that none of their bits depends on who prints them."""
    if isinstance(value, float):
        return {"float": value.hex()}
    if value is ...:
        return {"ellipsis": True}
    return value


# ------------------------------------------------------------------------------------------------------ reading


def read_function(value: Json) -> ast.FunctionDef:
    """The function that `write_function` wrote; its nodes are numbered by their places, one line each.

    Raises MalformedTreeError for everything else.
    """
    reader = _Reader()
    try:
        node = reader.read(value, _STATEMENT)
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

    def read(self, value: Json, kind: str) -> Any:
        if kind.endswith("*"):
            return [self.read(item, kind[:-1]) for item in _list(value)]
        if kind.endswith("?"):
            return None if value is None else self.read(value, kind[:-1])
        if kind == "name":
            if not isinstance(value, str) or not value.isidentifier() or len(value) > _LONGEST_NAME:
                raise MalformedTreeError(f"{str(value)[:40]!r} is no name")
            return value
        if kind == "flag":
            return int(value == 1)
        if kind == "conversion":
            return value if value in _CONVERSIONS else -1
        if kind == "value":
            return read_constant(value)
        if kind in _WORDS:
            found = _WORDS[kind].get(value) if isinstance(value, str) else None
            if found is None:
                raise MalformedTreeError(f"{str(value)[:40]!r} is no {kind}")
            return found()
        return self._node(_list(value), kind)

    def _node(self, value: list[Json], kind: str) -> ast.AST:
        head = value[0] if value else None
        found = _CLASSES[kind].get(head) if isinstance(head, str) else None
        if found is None or len(value) != 1 + len(found[1]):
            raise MalformedTreeError(f"{str(head)[:40]!r} is no {kind}")
        self.count += 1
        if self.count > _MOST_NODES:
            raise MalformedTreeError(f"it has more than {_MOST_NODES} nodes")
        place, made = self.count, found[0]()
        for (name, inner), item in zip(found[1], value[1:], strict=True):
            setattr(made, name, self.read(item, inner))
        if isinstance(made, ast.FunctionDef):
            vars(made).update(decorator_list=[], returns=None, type_comment=None, type_params=[])
        elif isinstance(made, ast.comprehension):
            made.is_async = 0
        elif isinstance(made, ast.arg):
            made.annotation = None
        for name, number in (("lineno", place), ("col_offset", 0), ("end_lineno", place), ("end_col_offset", 1)):
            setattr(made, name, number)
        return made


def read_constant(value: Json) -> bool | int | float | str | object | None:
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
