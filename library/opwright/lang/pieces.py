"""Long functions: parsed in pieces, and plain statements read without a parser.

Python's tree of a line such as `z = x + y` is a dozen objects and some kilobytes, which live until the function is
compiled. For thousands of lines, making them, walking them and having the garbage collector walk them takes longer than
all the rest of compiling.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import chain
from keyword import kwlist
from sys import intern
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang.grammar import Field, Form, Kind, define
from opwright.lang.operators import BINARY_SYMBOLS
from opwright.lang.source import Source, split_lines
from opwright.lang.syntax import SIZE_LIMIT, Module, parse

LONG = 400  # lines of a function from which on this pays
_LEAST = 40  # lines of a piece: its tree is gone before the garbage collector comes by
_SHORT = 4  # lines of a piece whose places are corrected; before a longer one stand as many empty lines as there were
_MOST = 128  # long pieces at most

_OPERATORS = {symbol: kind for kind, symbol in BINARY_SYMBOLS.items()}


class PlainAssign(ast.Assign):
    """`z = x + y` or `z = op.Add(x, y)` of names, in one line. Its tree is made on demand.

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


define(PlainAssign, Form(Kind.BLOCK, (Field("target", Kind.BOUND),), refused=""))


def parse_function(source: Source, nested: bool) -> Module | Diagnostic:
    """The module of a text that holds one live function, inside the `if` of its first line where it is `nested`."""
    if source.text.count("\n") >= LONG and len(source.text) <= SIZE_LIMIT:
        tree = _in_pieces(split_lines(source.text), nested)
        if tree is not None:
            return Module(source, tree)
    return parse(source, warned=True)


def _in_pieces(lines: Sequence[str], nested: bool) -> ast.Module | None:
    """None where the text is not what it seems: a piece that ends inside of a string or a bracket is an error.

    A line that is a plain statement is one wherever a statement may begin, and so is the line behind it.
    """
    first = 1 if nested else 0
    outer = _margin(lines[first])
    margin = min((_margin(line) for line in lines[first + 1 : first + _LEAST] if _margin(line) > outer), default=0)
    step = max(_LEAST, len(lines) // _MOST + 1)
    start = _cut(lines, first + step, margin)
    if not margin or start == len(lines):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines[:start]))
            block = tree.body[0]
            function = block.body[0] if nested and isinstance(block, ast.If) else block
            if not isinstance(function, ast.FunctionDef) or function.body[0].col_offset != margin:
                return None
            spaces = lines[function.body[0].lineno - 1].startswith(" " * margin)
            while True:
                if spaces:
                    start = _read_plain(lines, start, margin, function.body)
                if start == len(lines):
                    return tree
                end = _end(lines, start, start + step, margin)
                piece = _parse_piece(lines[start:end], start, margin)
                if piece is None:
                    return None
                function.body += piece
                start = end
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _end(lines: Sequence[str], start: int, enough: int, margin: int) -> int:
    """Where the piece that begins there ends: before a plain statement, or at a statement when it is long enough."""
    for number in range(start + 1, min(enough, len(lines))):
        found = _PLAIN(lines[number])
        if found is not None and found.start(1) == margin:
            return number
    return _cut(lines, enough, margin)


def _parse_piece(lines: Sequence[str], start: int, margin: int) -> list[ast.stmt] | None:
    """The statements of these lines, which begin at that place; None where they are not whole statements."""
    is_short = len(lines) <= _SHORT
    before = 0 if is_short else start - 1
    tree = ast.parse("\n" * before + "if 1:\n" + "\n".join(lines))
    (block, *more) = tree.body
    if more or not isinstance(block, ast.If) or block.orelse or block.body[0].col_offset != margin:
        return None
    if is_short:
        ast.increment_lineno(block, start - 1)
    return block.body


def _cut(lines: Sequence[str], number: int, margin: int) -> int:
    """The first line from that one on which begins a statement of the function, as far as its margin tells."""
    while number < len(lines):
        if _margin(lines[number]) == margin and not lines[number].startswith(_INSIDE, margin):
            return number
        number += 1
    return len(lines)


def _read_plain(lines: Sequence[str], number: int, margin: int, into: list[ast.stmt]) -> int:
    """Reads plain statements, from a line on which a statement may begin to the first that is no such statement."""
    for text in lines[number:]:
        found = _PLAIN(text)
        if found is None:
            if not _NOTHING(text):
                break
            number += 1
            continue
        target, left, symbol, right, owner, name, arguments = found.groups()
        if found.start(1) != margin:
            break
        if symbol is not None:
            words = [target, left, right]
            columns = [found.start(2), found.start(4)]
            operands, begun = words[1:], columns[0]
        else:
            operands, begun = _NAMES(arguments), found.start(5)
            words = [target, owner, name, *operands]
            columns = [found.start(7) + operand.start() for operand in _EACH_NAME(arguments)]
        if not _KEYWORDS.isdisjoint(words):
            break
        number += 1
        made = PlainAssign.__new__(PlainAssign)
        made.lineno, made.end, made.target = number, len(text), intern(target)
        made.owner, made.name = (owner, name) if symbol is None else ("", symbol)
        made.parts = (margin, begun, *chain.from_iterable(zip(map(intern, operands), columns, strict=True)))
        into.append(made)
    return number


_KEYWORDS = frozenset(kwlist)
_NAME = r"[A-Za-z_]\w*"
_SYMBOLS = "|".join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True)))
_PLAIN = re.compile(
    rf" *({_NAME}) *= *(?:({_NAME}) *({_SYMBOLS}) *({_NAME})|({_NAME})\.({_NAME})\((|{_NAME}(?:, *{_NAME})*)\))",
    re.ASCII,
).fullmatch
_NAMES = re.compile(_NAME, re.ASCII).findall
_EACH_NAME = re.compile(_NAME, re.ASCII).finditer
_NOTHING = re.compile(r"\s*(?:#.*)?").fullmatch

# What continues a statement, or is none.
_INSIDE = ("#", ")", "]", "}", "elif", "else", "except", "finally")


def _margin(text: str) -> int:
    """Of an empty line 0."""
    rest = text.lstrip(" \t")
    return len(text) - len(rest) if rest.strip() else 0
