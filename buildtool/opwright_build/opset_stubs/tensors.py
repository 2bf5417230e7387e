"""The tensor classes of `types.pyi`: which of Python's operators each has, from the compiler's own table."""

from __future__ import annotations

from dataclasses import dataclass

from opwright.elements import BY_NAME, ElementType
from opwright.lang.operators import BINARY, UNARY, Entry, Form, class_of
from opwright.opsets.signatures import newest_opset, signature

_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_UNARY = {"-": "neg", "+": "pos", "~": "invert", "abs": "abs"}
_CONSTANTS = {"float": "float", "int": "int", "uint": "int", "bool": "bool", "string": "str", "complex": "complex"}
_LITERALS = {"float": "Floats", "int": "Ints", "uint": "Ints", "bool": "Bools", "string": "Strings"}
_EXPANDED = {
    "floor_divide_floats": "Div",
    "floor_divide_halves": "Div",
    "floor_divide_signed": "Div",
    "modulo_floats": "Mod",
}


@dataclass(frozen=True, slots=True)
class TensorClass:
    """`constant` is the Python type of one element; `methods` the stubs' lines."""

    name: str
    element: str
    constant: str
    methods: tuple[str, ...]


def tensor_classes() -> list[TensorClass]:
    return [
        TensorClass(element.name.upper(), element.name, _CONSTANTS[element.kind], tuple(_methods(element)))
        for element in BY_NAME.values()
    ]


def _methods(element: ElementType) -> list[str]:
    name, lines = element.name.upper(), []
    number = _LITERALS.get(element.kind, _CONSTANTS[element.kind])
    for symbol, dunder in _BINARY.items():
        if not _has(BINARY[symbol].get(class_of(element)), element):
            continue
        others = _exponents() if symbol == "**" else name
        given = others if symbol == "@" else f"{others} | {number}"
        lines.append(f"def __{dunder}__(self, other: {given}, /) -> {name}: ...")
        if symbol != "@":
            lines.append(f"def __r{dunder}__(self, other: {number}, /) -> {name}: ...")
    for symbol, dunder in _COMPARE.items():
        if _has(BINARY[symbol].get(class_of(element)), element):
            lines.append(f"def __{dunder}__(self, other: {name} | {number}, /) -> BOOL: ...")
    for symbol, dunder in _UNARY.items():
        if _has(UNARY[symbol].get(class_of(element)), element):
            lines.append(f"def __{dunder}__(self) -> {name}: ...")
    if element.is_integer:
        lines.append("def __index__(self) -> int: ...")
    return lines


def _has(entry: Entry | None, element: ElementType) -> bool:
    """Whether the table has a form for the element, and the newest opset an operator that takes it."""
    if not isinstance(entry, Form):
        return False
    operator = signature("", entry.operator or _EXPANDED[entry.expansion], newest_opset())
    return operator is not None and bool(operator.masks[operator.inputs[0].type] >> element.code & 1)


def _exponents() -> str:
    """An exponent has a type of its own: everything that `Pow` takes as its second input."""
    power = signature("", "Pow", newest_opset())
    assert power is not None
    mask = power.masks[power.inputs[1].type]
    return " | ".join(element.name.upper() for element in BY_NAME.values() if mask >> element.code & 1)
