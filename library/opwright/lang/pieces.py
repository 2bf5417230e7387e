"""Long functions: parsed in pieces, of which plain statements are kept without their trees.

Python's tree of a line such as `z = x + y` is a dozen objects and some kilobytes, which live until the function is
compiled. For thousands of lines, making them, walking them and having the garbage collector walk them takes longer than
all the rest of compiling.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from opwright.diagnostics.model import Diagnostic
from opwright.lang.operators import BINARY_SYMBOLS
from opwright.lang.source import Source, split_lines
from opwright.lang.syntax import SIZE_LIMIT, Module, parse

LONG = 400  # lines of a function from which on this pays
_LEAST = 40  # lines of a piece: its tree is gone before the garbage collector comes by
_MOST = 128  # pieces: each is read behind as many empty lines as stand before it, so that its places are right

_OPERATORS = {symbol: kind for kind, symbol in BINARY_SYMBOLS.items()}


class PlainAssign(ast.Assign):
    """`z = x + y` or `z = op.Add(x, y)` of names, in one line. Its tree is made when somebody asks for it.

    `owner` is empty where `name` is an operator's symbol. `parts` holds the columns in which the target and the value
    begin, then the name and the column of each operand; `end` is the column behind the value. All names are of ASCII
    letters.
    """

    __slots__ = ("end", "lineno", "name", "owner", "parts", "target")

    lineno: int
    end: int
    target: str
    owner: str
    name: str
    parts: tuple[Any, ...]

    @property
    def col_offset(self) -> int:  # type: ignore[override]
        begun: int = self.parts[0]
        return begun

    @property
    def end_lineno(self) -> int:  # type: ignore[override]
        return self.lineno

    @property
    def end_col_offset(self) -> int:  # type: ignore[override]
        return self.end

    @property
    def targets(self) -> list[ast.expr]:  # type: ignore[override]
        return [self._named(self.target, self.parts[0], ast.Store())]

    @property
    def value(self) -> ast.expr:  # type: ignore[override]
        names = zip(self.parts[2::2], self.parts[3::2], strict=True)
        operands = [self._named(name, column, ast.Load()) for name, column in names]
        begun = self.parts[1]
        where = self._where(begun, self.end)
        if not self.owner:
            return ast.BinOp(operands[0], _OPERATORS[self.name](), operands[1], **where)
        owner = self._named(self.owner, begun, ast.Load())
        callee = ast.Attribute(
            owner, self.name, ast.Load(), **self._where(begun, begun + len(f"{self.owner}.{self.name}"))
        )
        return ast.Call(callee, operands, [], **where)

    def _named(self, name: str, column: int, context: ast.expr_context) -> ast.expr:
        return ast.Name(name, context, **self._where(column, column + len(name)))

    def _where(self, column: int, end: int) -> dict[str, int]:
        return {"lineno": self.lineno, "col_offset": column, "end_lineno": self.lineno, "end_col_offset": end}


def parse_function(source: Source, nested: bool) -> Module | Diagnostic:
    """The module of a text that holds one living function, inside the `if` of its first line where it is `nested`."""
    if source.text.count("\n") >= LONG and len(source.text) <= SIZE_LIMIT:
        tree = _in_pieces(split_lines(source.text), nested)
        if tree is not None:
            return Module(source, tree)
    return parse(source, warned=True)


def _in_pieces(lines: Sequence[str], nested: bool) -> ast.Module | None:
    """None where the text is not what it seems: a piece that ends inside of a string or a bracket is an error."""
    bounds = _bounds(lines, 1 if nested else 0)
    if bounds is None:
        return None
    margin, ends = bounds
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines[: ends[0]]))
            block = tree.body[0]
            function = block.body[0] if nested and isinstance(block, ast.If) else block
            if not isinstance(function, ast.FunctionDef) or function.body[0].col_offset != margin:
                return None
            for start, end in zip(ends, [*ends[1:], len(lines)], strict=True):
                text = "\n".join(lines[start:end])
                piece = ast.parse("\n" * (start - 1) + "if 1:\n" + text).body
                if len(piece) != 1 or not isinstance(piece[0], ast.If) or piece[0].orelse:
                    return None
                # Python has its own spelling of other letters, of another length.
                function.body.extend(map(_compact, piece[0].body) if text.isascii() else piece[0].body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree


def _bounds(lines: Sequence[str], first: int) -> tuple[int, list[int]] | None:
    """The margin of the function's statements, and the lines before which the text is cut: each begins a statement."""
    outer = _margin(lines[first])
    margin = min((_margin(line) for line in lines[first + 1 : first + _LEAST] if _margin(line) > outer), default=0)
    step = max(_LEAST, len(lines) // _MOST + 1)
    ends: list[int] = []
    following = first + step
    for number in range(following, len(lines)):
        if number >= following and _margin(lines[number]) == margin and not lines[number].startswith(_INSIDE, margin):
            ends.append(number)
            following = number + step
    return (margin, ends) if margin and ends else None


# What continues a statement, or is none.
_INSIDE = ("#", ")", "]", "}", "elif", "else", "except", "finally")


def _margin(text: str) -> int:
    """Of an empty line 0."""
    rest = text.lstrip(" \t")
    return len(text) - len(rest) if rest.strip() else 0


def _compact(statement: ast.stmt) -> ast.stmt:
    """The statement, without its tree where it is a plain one. What stands in parentheses keeps its tree, too."""
    if type(statement) is not ast.Assign or len(statement.targets) != 1:
        return statement
    target, value, line, end = statement.targets[0], statement.value, statement.lineno, statement.end_col_offset
    if type(target) is not ast.Name or statement.end_lineno != line or value.end_col_offset != end or end is None:
        return statement
    parts: tuple[Any, ...]
    if type(value) is ast.BinOp:
        left, right, begun = value.left, value.right, value.col_offset
        if type(left) is not ast.Name or type(right) is not ast.Name:
            return statement
        if left.col_offset != begun or right.end_col_offset != end:
            return statement
        owner, name = "", BINARY_SYMBOLS[type(value.op)]
        parts = (statement.col_offset, begun, left.id, begun, right.id, right.col_offset)
    else:
        call = _plain_call(value)
        if call is None:
            return statement
        owner, name, parts = *call[:2], (statement.col_offset, *call[2])
    made = PlainAssign.__new__(PlainAssign)
    made.lineno, made.end, made.target, made.owner, made.name, made.parts = line, end, target.id, owner, name, parts
    return made


def _plain_call(node: ast.expr) -> tuple[str, str, tuple[Any, ...]] | None:
    """Owner, name and parts of `op.Add(x, y)`."""
    if type(node) is not ast.Call or node.keywords or type(node.func) is not ast.Attribute:
        return None
    owner, name, begun = node.func.value, node.func.attr, node.col_offset
    if type(owner) is not ast.Name or owner.col_offset != begun:
        return None
    if node.func.end_col_offset != begun + len(owner.id) + 1 + len(name):
        return None
    parts: list[Any] = [begun]
    for operand in node.args:
        if type(operand) is not ast.Name:
            return None
        parts += (operand.id, operand.col_offset)
    return owner.id, name, tuple(parts)
