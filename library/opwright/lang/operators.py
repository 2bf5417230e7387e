"""The one table of what Python's operators mean on tensors: operator x class of element types -> form, or why not."""

from __future__ import annotations

import ast
from enum import Enum

from opwright.elements import ElementType
from opwright.opsets.signatures import elements_of, mask_of


class ElementClass(Enum):
    FLOAT = "float"
    HALF = "float of 16 bits"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    BOOL = "bool"
    STRING = "string"
    COMPLEX = "complex"


BINARY_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


# A comparison with its sides exchanged.
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Form:
    """One ONNX operator, possibly followed by `Not`; or `expansion`, a longer form of `floor_division.py`."""

    __slots__ = ("attributes", "expansion", "negated", "operator")

    def __init__(
        self, operator: str, negated: bool = False, expansion: str = "", attributes: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.operator = operator
        self.negated = negated
        self.expansion = expansion
        self.attributes = attributes


class Refusal:
    """Why the operator has no meaning for that class, and what to write instead."""

    __slots__ = ("help", "reason")

    def __init__(self, reason: str, help: str = "") -> None:
        self.reason = reason
        self.help = help


Entry = Form | Refusal
_C = ElementClass
_FLOATS = (_C.FLOAT, _C.HALF)
_NUMERIC = (*_FLOATS, _C.SIGNED, _C.UNSIGNED)
_INTEGER = (_C.SIGNED, _C.UNSIGNED)


_HALVES = ("float16", "bfloat16")
_CLASSES = {"float": _C.FLOAT, "int": _C.SIGNED, "uint": _C.UNSIGNED, "bool": _C.BOOL, "string": _C.STRING}


def class_of(element: ElementType) -> ElementClass:
    return _C.HALF if element.name in _HALVES else _CLASSES.get(element.kind, _C.COMPLEX)


def _rows(*groups: tuple[tuple[ElementClass, ...], Entry]) -> dict[ElementClass, Entry]:
    return {member: entry for classes, entry in groups for member in classes}


_ON_BOOLS = Refusal("ONNX has no arithmetic on bool tensors", "use `&`, `|`, `^`, or cast to a number first")
_ON_STRINGS = Refusal("ONNX has no such operator on strings")
_SHIFT_SIGNED = Refusal("ONNX shifts unsigned integers only", "cast to an unsigned type, or multiply by a power of two")
_BITS_OF_FLOATS = Refusal("bits are defined for integers and bools", "compare or cast first")


UNDEFINED = Refusal("ONNX has no such operator on these elements")


class Table(dict[str, dict[ElementClass, Entry]]):
    """By symbol and class of element types: the form, or why there is none."""

    def __init__(self, rows: dict[str, dict[ElementClass, Entry]]) -> None:
        super().__init__(rows)
        self._common: dict[tuple[str, int], Entry | None] = {}
        self._defined: dict[tuple[str, int], tuple[int, tuple[Form, ...]]] = {}

    def defined(self, symbol: str, mask: int) -> tuple[int, tuple[Form, ...]]:
        """Those element types of a mask for which the operator is defined, strings only where nothing else is, and the
        forms that they need, each once."""
        key = (symbol, mask)
        if key not in self._defined:
            row = self[symbol]
            entries = {item: row.get(class_of(item), UNDEFINED) for item in elements_of(mask)}
            forms = {item: entry for item, entry in entries.items() if isinstance(entry, Form)}
            numeric = {item: form for item, form in forms.items() if item.kind != "string"}
            found = numeric or forms
            self._defined[key] = mask_of(tuple(found)), tuple({id(form): form for form in found.values()}.values())
        return self._defined[key]

    def common(self, symbol: str, mask: int) -> Entry | None:
        """The entry of all element types of a mask; None where they differ."""
        key = (symbol, mask)
        if key not in self._common:
            row = self[symbol]
            entries = {id(entry): entry for entry in (row.get(class_of(item), UNDEFINED) for item in elements_of(mask))}
            self._common[key] = next(iter(entries.values())) if len(entries) == 1 else None
        return self._common[key]


BINARY = Table(
    {
        "+": _rows((_NUMERIC, Form("Add")), ((_C.STRING,), Form("StringConcat")), ((_C.BOOL,), _ON_BOOLS)),
        "-": _rows((_NUMERIC, Form("Sub")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "*": _rows((_NUMERIC, Form("Mul")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "/": _rows((_NUMERIC, Form("Div")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "@": _rows((_NUMERIC, Form("MatMul")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "**": _rows(
            ((*_FLOATS, _C.SIGNED), Form("Pow")),
            ((_C.UNSIGNED,), Refusal("ONNX raises floats and signed integers only", "cast to one of them first")),
            ((_C.STRING,), _ON_STRINGS),
            ((_C.BOOL,), _ON_BOOLS),
        ),
        "//": _rows(
            ((_C.FLOAT,), Form("", expansion="floor_divide_floats")),
            ((_C.HALF,), Form("", expansion="floor_divide_halves")),
            ((_C.SIGNED,), Form("", expansion="floor_divide_signed")),
            ((_C.UNSIGNED,), Form("Div")),
            ((_C.STRING,), _ON_STRINGS),
            ((_C.BOOL,), _ON_BOOLS),
        ),
        "%": _rows(
            (_FLOATS, Form("", expansion="modulo_floats")),
            (_INTEGER, Form("Mod")),
            ((_C.STRING,), _ON_STRINGS),
            ((_C.BOOL,), _ON_BOOLS),
        ),
        "&": _rows(((_C.BOOL,), Form("And")), (_INTEGER, Form("BitwiseAnd")), ((*_FLOATS, _C.STRING), _BITS_OF_FLOATS)),
        "|": _rows(((_C.BOOL,), Form("Or")), (_INTEGER, Form("BitwiseOr")), ((*_FLOATS, _C.STRING), _BITS_OF_FLOATS)),
        "^": _rows(((_C.BOOL,), Form("Xor")), (_INTEGER, Form("BitwiseXor")), ((*_FLOATS, _C.STRING), _BITS_OF_FLOATS)),
        "<<": _rows(
            ((_C.UNSIGNED,), Form("BitShift", attributes=(("direction", "LEFT"),))),
            ((_C.SIGNED,), _SHIFT_SIGNED),
            ((*_FLOATS, _C.STRING, _C.BOOL), _BITS_OF_FLOATS),
        ),
        ">>": _rows(
            ((_C.UNSIGNED,), Form("BitShift", attributes=(("direction", "RIGHT"),))),
            ((_C.SIGNED,), _SHIFT_SIGNED),
            ((*_FLOATS, _C.STRING, _C.BOOL), _BITS_OF_FLOATS),
        ),
        "==": _rows((tuple(_C), Form("Equal"))),
        "!=": _rows((tuple(_C), Form("Equal", negated=True))),
        "<": _rows((_NUMERIC, Form("Less")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "<=": _rows((_NUMERIC, Form("LessOrEqual")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        ">": _rows((_NUMERIC, Form("Greater")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        ">=": _rows((_NUMERIC, Form("GreaterOrEqual")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
    }
)

UNARY = Table(
    {
        "-": _rows(
            ((*_FLOATS, _C.SIGNED), Form("Neg")),
            ((_C.UNSIGNED,), Refusal("an unsigned integer has no negative", "cast to a signed type first")),
            ((_C.STRING,), _ON_STRINGS),
            ((_C.BOOL,), _ON_BOOLS),
        ),
        "+": _rows((_NUMERIC, Form("Identity")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
        "~": _rows(((_C.BOOL,), Form("Not")), (_INTEGER, Form("BitwiseNot")), ((*_FLOATS, _C.STRING), _BITS_OF_FLOATS)),
        "abs": _rows((_NUMERIC, Form("Abs")), ((_C.STRING,), _ON_STRINGS), ((_C.BOOL,), _ON_BOOLS)),
    }
)
