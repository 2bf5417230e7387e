"""The texts of a function in a generated stub: its `def` line, its docstring, its defaults."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from opwright.bundle.declared_shapes import shape_text
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry

_WIDTH = 110
_QUOTES = '"""'
_LARGEST = float.fromhex("0x1.fffffep+127")  # of float32


def def_lines(name: str, parameters: Sequence[str], result: str) -> list[str]:
    """The `def` line, or a line for each parameter where it would be too long."""
    whole = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(whole) <= _WIDTH:
        return [whole]
    return [f"def {name}(", *(f"    {part}," for part in parameters), f") -> {result}:"]


def describe(entry: FunctionEntry, versions: Sequence[int]) -> tuple[str, ...]:
    """The docstring's lines, unindented: summary, doc, inputs, attributes, outputs, types, versions.

    `versions` are all since_versions of the function.
    """
    lines = [entry.summary]
    if entry.doc:
        lines += ["", *entry.doc.strip().split("\n")]
    if entry.templates:
        lines += ["", *_template(entry)]
    inputs = [_line(item.name, _kind(item, item.optional), item.doc) for item in entry.inputs]
    attributes = [_line(item.name, attribute_kind(item), item.doc) for item in entry.attributes]
    outputs = [_line(item.name, _kind(item), item.doc) for item in entry.outputs]
    types = [f"{name}: {', '.join(admitted)}" for name, admitted in entry.types]
    for title, items in (("Inputs", inputs), ("Attributes", attributes), ("Outputs", outputs), ("Types", types)):
        if items:
            lines += ["", f"{title}:", *(f"    {item}" for item in items)]
    lines += ["", _versions(entry, versions)]
    return tuple(escape(line.rstrip()) for line in lines)


def _template(entry: FunctionEntry) -> list[str]:
    """What those who call it should know of a template."""
    axes = " and ".join(dict.fromkeys(f"`{axis}`" for item in entry.templates for axis in item.axes))
    return [
        "A template: its body is made for each call, and depends on",
        f"{axes}. What no vector reaches is not verified.",
    ]


def _line(name: str, kind: str, doc: str) -> str:
    text = " ".join(doc.split())
    return f"{name} ({kind}): {text}" if text else f"{name} ({kind})"


def _kind(item: InputEntry | OutputEntry, optional: bool = False) -> str:
    parts = [item.type, *(["optional"] if optional else []), *(["any number"] if item.variadic else [])]
    return ", ".join(parts if item.declared_shape is None else [*parts, shape_text(item.declared_shape)])


def attribute_kind(attribute: AttributeEntry) -> str:
    """`float, default 0.2`."""
    kind = "bool" if attribute.is_bool else attribute.type.lower()
    if attribute.required:
        return f"{kind}, required"
    return f"{kind}, optional" if attribute.default is None else f"{kind}, default {literal(attribute)}"


def literal(attribute: AttributeEntry) -> str:
    """The default as a Python expression; floats by the shortest digits that give the same float32."""
    if attribute.is_bool:
        return repr(bool(attribute.default))
    if isinstance(attribute.default, tuple):
        items = ", ".join(map(_scalar, attribute.default))
        return f"({items},)" if len(attribute.default) == 1 else f"({items})"
    return _scalar(attribute.default)


def _scalar(value: object) -> str:
    if isinstance(value, float):
        return _float(value)
    return quoted(value) if isinstance(value, str) else repr(value)


def quoted(text: str) -> str:
    """A Python string literal in double quotes, on one line."""
    return '"' + _visible(text).replace('"', '\\"').replace("\n", "\\n") + '"'


def _float(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    bits = struct.pack("<f", value)
    for digits in range(1, 10):
        shorter = float(f"{value:.{digits}g}")
        if abs(shorter) <= _LARGEST and struct.pack("<f", shorter) == bits:
            return repr(shorter)
    return repr(value)


def _versions(entry: FunctionEntry, versions: Sequence[int]) -> str:
    others = [str(version) for version in versions if version != entry.since_version]
    text = f"Since version {entry.since_version} of {entry.domain}"
    text += f"; other versions: {', '.join(others)}." if others else "."
    return f"{text} Deprecated." if entry.deprecated else text


def escape(text: str) -> str:
    """The text inside a string literal of three quotes: nothing in it ends the literal or is invisible."""
    return _visible(text).replace(_QUOTES, '\\"\\"\\"')


def _visible(text: str) -> str:
    doubled = text.replace("\\", "\\\\")
    if doubled.isprintable():
        return doubled
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in doubled)
