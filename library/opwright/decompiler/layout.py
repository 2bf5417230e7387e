"""Breaking lines that are too long."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 110


def assignment_lines(indent: str, target: str, value: str) -> list[str]:
    """A value that is not to be broken, bound to a name."""
    line = f"{indent}{target} = {value}"
    return [line] if len(line) <= WIDTH else [f"{indent}{target} = (", f"{indent}    {value}", f"{indent})"]


def sum_lines(indent: str, target: str, operands: Sequence[str], sign: str) -> list[str]:
    """An operator between operands, each in a line of its own."""
    first, *rest = operands
    inner = f"{indent}    "
    joined = f"{inner}{sign.join(operands)}"
    if rest and len(joined) <= WIDTH:
        return [f"{indent}{target} = (", joined, f"{indent})"]
    others = [f"{inner}{sign.strip()} {item}" for item in rest]
    return [f"{indent}{target} = (", f"{inner}{first}" if rest else f"{inner}{sign}{first}", *others, f"{indent})"]


def def_lines(indent: str, name: str, parameters: Sequence[str], tail: str = "") -> list[str]:
    """The head of a function; `tail` stands before the colon."""
    line = f"{indent}def {name}({', '.join(parameters)}){tail}:"
    if len(line) <= WIDTH:
        return [line]
    if len(parameters) == 1:
        return [f"{indent}def {name}(", f"{indent}    {parameters[0]},", f"{indent}){tail}:"]
    return call_lines(indent, f"def {name}(", parameters, f"){tail}:")


def return_lines(indent: str, values: Sequence[str]) -> list[str]:
    """What a function returns."""
    line = f"{indent}return {', '.join(values)}"
    if len(line) <= WIDTH or len(values) == 1:
        return [line]
    return [f"{indent}return (", *(f"{indent}    {value}," for value in values), f"{indent})"]


def call_lines(indent: str, head: str, items: Sequence[str], tail: str) -> list[str]:
    """A call, or anything else in brackets, over several lines: its items in one of them, else each in its own."""
    inner = f"{indent}    "
    joined = f"{inner}{', '.join(items)}"
    if len(joined) <= WIDTH:
        return [f"{indent}{head}", joined, f"{indent}{tail}"]
    return [f"{indent}{head}", *(f"{inner}{item}," for item in items), f"{indent}{tail}"]
