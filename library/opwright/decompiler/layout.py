"""Breaking lines that are too long, as formatters of Python break them.

The writers make one line of each statement. Those that are too long are taken apart here: what stands in the last
brackets goes into a line of its own, or into one for each item; a sum is parenthesised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from opwright.decompiler.python_names import ARRAY

WIDTH = 120
_TOKEN = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\[({]|[\])}]|, | = | (?:\*\*|<<|>>|[<>=]=|[-+*/%@&|^<>]) """
)
_POWER = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\*\*""")  # a text, or the sign
_STEP = "    "


def laid_out(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a module, none longer than need be."""
    if max(map(len, lines)) <= WIDTH:
        return lines
    found: list[str] = []
    for line in lines:
        if len(line) <= WIDTH:
            found.append(line)
        else:
            found += _broken(line)
    return found


def call_lines(indent: str, target: str, call: str, arguments: Sequence[str]) -> list[str]:
    """A statement that calls something, as `laid_out` would break it, when it is too long for a line.

    `target` is the text before the value: names and `=`, or `return`. `call` is that before the arguments, its bracket
    included. Statements of unusual form are left in one line.
    """
    head, inner, inside = f"{indent}{target} {call}", indent + _STEP, ", ".join(arguments)
    if len(head) > WIDTH or not arguments:
        return [f"{head}{inside})"]
    if len(inner) + len(inside) <= WIDTH:
        return [head, inner + inside, f"{indent})"]
    return [head, *(line for item in arguments for line in _expression(inner, "", item, ",")), f"{indent})"]


def sum_lines(indent: str, target: str, left: str, sign: str, right: str) -> list[str]:
    """The same of two operands with a sign between them."""
    head, inner = f"{indent}{target} = (", indent + _STEP
    line = f"{inner}{left}{sign}{right}"
    if len(head) > WIDTH:
        return [f"{indent}{target} = {left}{sign}{right}"]
    if len(line) <= WIDTH:
        return [head, line, f"{indent})"]
    return [head, f"{inner}{left}", f"{inner}{sign[1:]}{right}", f"{indent})"]


def def_lines(indent: str, name: str, parameters: Iterable[str], tail: str = "") -> list[str]:
    """The head of a function; `tail` stands before the colon."""
    listed = list(parameters)
    inside, inner = ", ".join(listed), indent + _STEP
    line = f"{indent}def {name}({inside}){tail}:"
    if len(line) <= WIDTH or len(listed) < 2 or len(inner) + len(inside) <= WIDTH:
        return [line]
    lines = [f"{indent}def {name}(", *(f"{inner}{item}," for item in listed), f"{indent}){tail}:"]
    return lines if max(map(len, lines)) <= WIDTH else [line]


def return_lines(indent: str, values: Iterable[str]) -> list[str]:
    """What a function returns."""
    return [f"{indent}return {', '.join(values)}"]


def _broken(line: str) -> list[str]:
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    if text[0] in "\"'#" or "\n" in text:
        return [line]
    word = text.partition(" ")[0]
    if word == "def":
        return _definition(indent, text)
    if word == "from":
        head, _, names = text.partition(" import ")
        return _bracketed(indent, f"{head} import (", names, ")", one_line=False)
    if word == "return":
        value = text[7:]
        if len(_Parts(value).items) > 1:
            return _bracketed(indent, "return (", value, ")", one_line=False)
        return _expression(indent, "return ", value, "")
    if word.endswith(ARRAY) and text.startswith((" = np.", " = ["), len(word)):
        return _filled(text)
    found = _Parts(text)
    if found.assigned is None:
        return _expression(indent, "", text, "")
    return _assignment(indent, text[: found.assigned], text[found.assigned + 3 :])


class _Parts:
    """Where a text comes apart outside of brackets: at its first ` = `, at signs, at commas, at its last brackets."""

    __slots__ = ("assigned", "bracket", "items", "signs")

    def __init__(self, text: str) -> None:
        self.assigned: int | None = None
        self.signs: list[re.Match[str]] = []
        self.bracket: int | None = None  # where the brackets begin with which the text ends
        self.items: list[str] = []
        depth, begin, start = 0, 0, 0
        for token in _TOKEN.finditer(text):
            sign = token[0]
            if sign in "[({":
                if not depth:
                    begin = token.start()
                depth += 1
            elif sign in "])}":
                depth -= 1
                if not depth and token.end() == len(text):
                    self.bracket = begin
            elif depth or sign[0] in "\"'":
                continue
            elif sign == ", ":
                self.items.append(text[start : token.start()])
                start = token.end()
            elif sign == " = ":
                self.assigned = token.start() if self.assigned is None else self.assigned
            else:
                self.signs.append(token)
        self.items.append(text[start:])


def _assignment(indent: str, target: str, value: str) -> list[str]:
    found = _Parts(value)
    inner = indent + _STEP
    if len(indent) + len(target) + 4 > WIDTH and target[-1] == "]":
        begin = target.index("[") + 1
        head = _bracketed(indent, target[:begin], target[begin:-1], "]", one_line=True)
        return [*head[:-1], *_expression(indent, "] = ", value, "")]
    several = ", " in target and "[" not in target
    names = [f"{indent}(", *(f"{inner}{item}," for item in target.split(", "))]
    if len(found.items) > 1:
        if not several or len(indent) + len(target) + 4 <= WIDTH:
            return _bracketed(indent, f"{target} = (", value, ")", one_line=False)
        return [*names, *_bracketed(indent, ") = (", value, ")", one_line=False)]
    if found.signs:
        return [f"{indent}{target} = (", *_sum(inner, value, found), f"{indent})"]
    opening = found.bracket
    fits = opening is not None and len(indent) + len(target) + 4 + opening <= WIDTH
    if opening is not None and fits and opening + 2 < len(value):
        return _expression(indent, f"{target} = ", value, "")
    if several and opening is not None:
        return [*names, *_expression(indent, ") = ", value, "")]
    if opening is None and len(inner) + len(value) > WIDTH:
        # Formatters write powers without spaces where all is in one line.
        spaced = _POWER.sub(lambda sign: " ** " if sign[0] == "**" else sign[0], value)
        return _assignment(indent, target, spaced) if _Parts(spaced).signs else [f"{indent}{target} = {value}"]
    broken = _expression(inner, "", value, "")
    if max(len(indent) + len(target) + 4, *map(len, broken)) > WIDTH and opening is not None:
        return _expression(indent, f"{target} = ", value, "")  # brackets around it help nothing
    return [f"{indent}{target} = (", *broken, f"{indent})"]


def _sum(indent: str, value: str, found: _Parts) -> list[str]:
    """Operands with signs between them: in one line, else each in its own behind its sign."""
    if len(indent) + len(value) <= WIDTH:
        return [f"{indent}{value}"]
    lines, start = [], 0
    for sign in found.signs:
        lines.append(f"{indent}{value[start : sign.start()]}")
        start = sign.start() + 1
    return [*lines, f"{indent}{value[start:]}"]


def _expression(indent: str, head: str, value: str, tail: str) -> list[str]:
    """A value after `head` and before `tail`: in a line if it fits, else broken at its last brackets."""
    line = f"{indent}{head}{value}{tail}"
    if len(line) <= WIDTH:
        return [line]
    opening = _Parts(value).bracket
    if opening is None or opening + 2 == len(value):
        return [line]
    called = opening > 0 and (value[opening - 1].isalnum() or value[opening - 1] in "_)]")
    head += value[: opening + 1]
    return _bracketed(indent, head, value[opening + 1 : -1], f"{value[-1]}{tail}", one_line=called)


def _bracketed(indent: str, head: str, inside: str, tail: str, one_line: bool) -> list[str]:
    """What stands in brackets: together, where that is the custom and fits, else each item by itself."""
    inner = indent + _STEP
    if one_line and len(inner) + len(inside) <= WIDTH:
        return [f"{indent}{head}", f"{inner}{inside}", f"{indent}{tail}"]
    items = _Parts(inside).items
    comma = "" if len(items) == 1 and head[-1] == "[" and one_line else ","
    broken = [line for item in items for line in _expression(inner, "", item, comma)]
    return [f"{indent}{head}", *broken, f"{indent}{tail}"]


def _filled(text: str) -> list[str]:
    """An array of the module: as many of its elements in a line as fit, which formatters are asked to leave so."""
    lines, start, last = [], 0, 0
    for token in _TOKEN.finditer(text):
        if token[0] == ", ":
            if token.start() - start > WIDTH - 12 and last > start:
                lines.append(text[start:last])
                start = last + 1
            last = token.start() + 1
    if len(text) - start > WIDTH - 18 and last > start:
        lines.append(text[start:last])
        start = last + 1
    return [*(f"{_STEP if index else ''}{line}" for index, line in enumerate([*lines, f"{text[start:]}  # fmt: skip"]))]


def _definition(indent: str, text: str) -> list[str]:
    """The head of a function."""
    name, _, rest = text.partition("(")
    end = _closing(rest)
    parameters, tail = rest[:end], rest[end:]
    if not parameters:
        return _result(indent, f"{name}({tail}")
    single = len(_Parts(parameters).items) == 1
    lines = _bracketed(indent, f"{name}(", parameters, tail, one_line=not single)
    if len(lines[-1]) <= WIDTH:
        return lines
    return [*lines[:-1], *_result(indent, lines[-1].strip())]


def _result(indent: str, text: str) -> list[str]:
    """The end of a function's head, with what the function gives if that is said."""
    before, arrow, result = text.partition(" -> ")
    return _expression(indent, before + arrow, result[:-1], ":") if arrow else [indent + text]


def _closing(text: str) -> int:
    """Where the brackets close that have been opened before the text."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[({":
            depth += 1
        elif token[0] in "])}":
            depth -= 1
            if depth < 0:
                return token.start()
    return len(text)
