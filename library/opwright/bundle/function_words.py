"""A function in words: how it is called, and what it says of itself. One text for `help()`, stubs and pages."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opwright.bundle.call_interface import shape_text
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry

if TYPE_CHECKING:
    import inspect

_LARGEST = float.fromhex("0x1.fffffep+127")  # of float32
_VALUES: dict[str, object] = {
    "INT": int,
    "FLOAT": float,
    "STRING": str,
    "INTS": Sequence[int],
    "FLOATS": Sequence[float],
    "STRINGS": Sequence[str],
}
_WORDS = {
    "INT": "int",
    "FLOAT": "float",
    "STRING": "str",
    "INTS": "Sequence[int]",
    "FLOATS": "Sequence[float]",
    "STRINGS": "Sequence[str]",
    "GRAPH": "Graph",
}


def python_signature(entry: FunctionEntry) -> inspect.Signature:
    """How the function is called from Python: inputs by position or name, attributes by name."""
    from inspect import Parameter, Signature

    parameters = [
        Parameter(item.name, Parameter.VAR_POSITIONAL)
        if item.variadic
        else Parameter(item.name, Parameter.POSITIONAL_OR_KEYWORD, default=None if item.optional else Parameter.empty)
        for item in entry.inputs
    ]
    for attribute in entry.attributes:
        kind = bool if attribute.is_bool else _VALUES.get(attribute.type, Parameter.empty)
        default = Parameter.empty if attribute.required else _value(attribute)
        parameters.append(Parameter(attribute.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    return Signature(parameters)


def _value(attribute: AttributeEntry) -> object:
    """The default as one writes it: a truth value, floats of few digits."""
    default = attribute.default
    if attribute.is_bool and default is not None:
        return bool(default)
    if isinstance(default, tuple):
        return tuple(shortest(item) if isinstance(item, float) else item for item in default)
    return shortest(default) if isinstance(default, float) else default


def call_text(entry: FunctionEntry) -> str:
    """`Scale(X: T, *, alpha: float = 1.0) -> T`, with the types of ONNX."""
    return f"{entry.name}({', '.join(parameter_texts(entry))}) -> {result_text(entry)}"


def parameter_texts(entry: FunctionEntry) -> list[str]:
    """What stands between the parentheses of a call's signature."""
    star = [] if any(item.variadic for item in entry.inputs) or not entry.attributes else ["*"]
    return [*map(_parameter, entry.inputs), *star, *map(_keyword, entry.attributes)]


def result_text(entry: FunctionEntry) -> str:
    results = [item.type for item in entry.outputs]
    return results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"


def _parameter(item: InputEntry) -> str:
    if item.variadic:
        return f"*{item.name}: {item.type}"
    return f"{item.name}: {item.type} | None = None" if item.optional else f"{item.name}: {item.type}"


def _keyword(attribute: AttributeEntry) -> str:
    kind = value_word(attribute)
    if attribute.required:
        return f"{attribute.name}: {kind}"
    if attribute.default is None:
        return f"{attribute.name}: {kind} | None = None"
    return f"{attribute.name}: {kind} = {literal(attribute)}"


def value_word(attribute: AttributeEntry) -> str:
    """The type of its values as Python calls it."""
    return "bool" if attribute.is_bool else _WORDS.get(attribute.type, attribute.type)


def describe(entry: FunctionEntry, versions: Sequence[int]) -> list[str]:
    """What the function says of itself, in lines: summary, doc, inputs, attributes, outputs, types, versions.

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
    return [line.rstrip() for line in lines]


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
    return '"' + visible(text).replace('"', '\\"').replace("\n", "\\n") + '"'


def _float(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    return repr(shortest(value))


def shortest(value: float) -> float:
    """The number of the fewest digits that is the same float32; itself where none is."""
    if value != value or abs(value) > _LARGEST:
        return value
    bits = struct.pack("<f", value)
    for digits in range(1, 10):
        shorter = float(f"{value:.{digits}g}")
        if abs(shorter) <= _LARGEST and struct.pack("<f", shorter) == bits:
            return shorter
    return value


def _versions(entry: FunctionEntry, versions: Sequence[int]) -> str:
    others = [str(version) for version in versions if version != entry.since_version]
    text = f"Since version {entry.since_version} of {entry.domain}"
    text += f"; other versions: {', '.join(others)}." if others else "."
    return f"{text} Deprecated." if entry.deprecated else text


def visible(text: str) -> str:
    """The text between quotes: nothing in it is invisible, and a backslash is one."""
    doubled = text.replace("\\", "\\\\")
    if doubled.isprintable():
        return doubled
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in doubled)
