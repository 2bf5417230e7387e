"""A plugin that lets mypy read tensor types with shapes: `FLOAT["N", 3]`, `FLOAT[...]`.

In mypy's configuration: `plugins = ["opwright.mypy"]`. A checker sees the element type alone; of a shape it is
only checked what may stand in it: sizes, names, None. Other type checkers need no plugin.

mypy takes a string between brackets for a type that is defined later. So the strings are marked before it looks at a
file, and the brackets left out when it analyses the annotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from mypy.nodes import (
    AssignmentStmt,
    Expression,
    FuncDef,
    Import,
    ImportAll,
    ImportFrom,
    IndexExpr,
    MemberExpr,
    MypyFile,
    NameExpr,
    OpExpr,
    StrExpr,
    TupleExpr,
)
from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.types import CallableType, EllipsisType, NoneType, RawExpressionType, Type, TypeList, UnboundType, UnionType

from opwright.elements import BY_NAME

_NAMES = {"Tensor", *(name.upper() for name in BY_NAME)}
_CLASSES = {f"opwright.types.{name}" for name in _NAMES}
# Where statements hold other statements: blocks, branches, handlers, decorated and overloaded functions.
_INNER = ("body", "else_body", "defs", "func", "items", "bodies", "handlers", "finally_body")
_MARK = "dimension "  # no expression begins like that, so mypy keeps the text as text


class TensorPlugin(Plugin):
    """Reads the annotations; everything else is in the stubs."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """None; but it is here that a file is seen before its names are looked up."""
        if not file.fullname.startswith("opwright."):
            names = _tensor_names(file)
            if names:
                _Marker(names).mark(file)
        return []

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return partial(_without_shape, fullname) if fullname in _CLASSES else None


def _tensor_names(file: MypyFile) -> set[str]:
    """What the file may call tensor types; empty when it does not import this package."""
    names: set[str] = set()
    for statement in file.imports:
        modules = [statement.id] if isinstance(statement, (ImportFrom, ImportAll)) else []
        if isinstance(statement, Import):
            modules = [name for name, _ in statement.ids]
        if any(name.partition(".")[0] == "opwright" for name in modules):
            names |= _NAMES
            if isinstance(statement, ImportFrom):
                names |= {other for name, other in statement.names if other is not None and name in _NAMES}
    return names


class _Marker:
    """Marks the strings between the brackets of tensor types: in annotations, and in what may be a name for a type."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def mark(self, file: MypyFile) -> None:
        waiting: list[Any] = list(file.defs)
        while waiting:
            node = waiting.pop()
            if isinstance(node, (FuncDef, AssignmentStmt)):
                self._mark_types([node.type, node.unanalyzed_type])
            if isinstance(node, AssignmentStmt):
                self._mark_expression(node.rvalue)
            for place in _INNER:
                inner = getattr(node, place, None)
                waiting += inner if isinstance(inner, list) else [] if inner is None else [inner]

    def _mark_types(self, types: Iterable[Type | None]) -> None:
        waiting = list(types)
        while waiting:
            written = waiting.pop()
            if isinstance(written, CallableType):
                waiting += [*written.arg_types, written.ret_type]
            elif isinstance(written, (UnionType, TypeList)):
                waiting += written.items
            elif isinstance(written, UnboundType):
                if written.name.rpartition(".")[2] in self._names:
                    written.args = tuple(map(_as_text, written.args))
                waiting += written.args

    def _mark_expression(self, expression: Expression) -> None:
        waiting: list[tuple[Expression, bool]] = [(expression, False)]
        while waiting:
            node, within = waiting.pop()
            if isinstance(node, StrExpr) and within:
                node.value = _MARK + node.value
            elif isinstance(node, TupleExpr):
                waiting += [(item, within) for item in node.items]
            elif isinstance(node, OpExpr):
                waiting += [(node.left, within), (node.right, within)]
            elif isinstance(node, IndexExpr) and isinstance(node.base, (NameExpr, MemberExpr)):
                waiting.append((node.index, node.base.name in self._names))


def _as_text(dim: Type) -> Type:
    text = getattr(dim, "original_str_expr", None)
    if text is None:
        return dim
    return RawExpressionType(_MARK + text, "builtins.str", dim.line, dim.column)


def _without_shape(fullname: str, context: AnalyzeTypeContext) -> Type:
    """The class itself; a dimension that is none is reported."""
    args = context.type.args
    for dim in args:
        if not _is_dimension(dim, alone=len(args) == 1):
            context.api.fail("A dimension is an int, a name or None", context.context)
    return context.api.named_type(fullname, [])


def _is_dimension(dim: Type, alone: bool) -> bool:
    if isinstance(dim, EllipsisType):
        return alone
    if isinstance(dim, RawExpressionType):
        return isinstance(dim.literal_value, int | str) and not isinstance(dim.literal_value, bool)
    if isinstance(dim, UnboundType):  # a name in quotes, where nothing has marked it
        return dim.original_str_expr is not None or dim.name == "None"
    return isinstance(dim, NoneType)


def plugin(version: str) -> type[Plugin]:
    """What mypy asks for."""
    return TensorPlugin
