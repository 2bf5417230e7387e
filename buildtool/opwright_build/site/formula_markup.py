"""Formulas as MathML, which browsers draw themselves. All names and numbers are escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from opwright_build.site.site_record import Formula, Term

# How tightly a form binds, and what stands between its parts.
_BETWEEN: Mapping[str, tuple[int, str]] = {
    "or": (1, "&or;"),
    "and": (2, "&and;"),
    "=": (3, "="),
    "<": (3, "&lt;"),
    "<=": (3, "≤"),
    ">": (3, "&gt;"),
    ">=": (3, "≥"),
    "+": (4, "+"),
    "-": (4, "&minus;"),
    "*": (5, "·"),
}
_NEGATIVE, _POWER, _ATOM = 6, 7, 9
_DECIMAL = re.compile(r"(-?)([0-9.]+)(?:e([+-]?[0-9]+))?", re.ASCII)


def formula_markup(formula: Formula) -> str:
    return f'<math display="block"><mrow>{_name(formula.name)}<mo>=</mo>{_term(formula.term, 0)}</mrow></math>'


def _term(term: Term, around: int) -> str:
    """The term, in parentheses where it binds less than what is around it."""
    inner, binding = _drawn(term)
    return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>" if binding < around else inner


def _drawn(term: Term) -> tuple[str, int]:
    match term.form, term.parts:
        case "name", _:
            return _name(term.text), _ATOM
        case "number", _:
            return _number(term.text)
        case "/", (above, below):
            return f"<mfrac>{_row(_term(above, 0))}{_row(_term(below, 0))}</mfrac>", _ATOM
        case "^", (base, power):
            return f"<msup>{_row(_term(base, _POWER + 1))}{_row(_term(power, 0))}</msup>", _POWER
        case "sqrt", (inner,):
            return f"<msqrt>{_term(inner, 0)}</msqrt>", _ATOM
        case "abs", (inner,):
            return f"<mrow><mo>|</mo>{_term(inner, 0)}<mo>|</mo></mrow>", _ATOM
        case "inverse", (inner,):
            return f"<mfrac><mn>1</mn>{_row(_term(inner, 0))}</mfrac>", _ATOM
        case "neg", (inner,):
            return f"<mrow><mo>&minus;</mo>{_term(inner, _NEGATIVE)}</mrow>", _NEGATIVE
        case "cases", (condition, chosen, other):
            return _cases(condition, chosen, other), _ATOM
        case form, (left, right) if form in _BETWEEN:
            binding, sign = _BETWEEN[form]
            # What is subtracted, or compared, stands in parentheses where it binds no more.
            stricter = binding + (form not in "+*")
            return f"<mrow>{_term(left, binding)}<mo>{sign}</mo>{_term(right, stricter)}</mrow>", binding
        case _:
            return _call(term.text or term.form, term.parts), _ATOM


def _call(name: str, parts: Sequence[Term]) -> str:
    inner = "<mo>,</mo>".join(_term(part, 0) for part in parts)
    return f"<mrow><mi>{escape(name)}</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _cases(condition: Term, chosen: Term, other: Term) -> str:
    def line(value: Term, when: str) -> str:
        return f"<mtr><mtd>{_term(value, 0)}</mtd><mtd>{when}</mtd></mtr>"

    rows = line(chosen, f"<mtext>if </mtext>{_term(condition, 0)}") + line(other, "<mtext>otherwise</mtext>")
    return f'<mrow><mo>{{</mo><mtable columnalign="left">{rows}</mtable></mrow>'


def _name(text: str) -> str:
    """`t1` with its number below the line."""
    letter, digits = text[:1], text[1:]
    if letter == "t" and digits.isascii() and digits.isdigit():
        return f"<msub><mi>t</mi><mn>{digits}</mn></msub>"
    return f'<mi mathvariant="normal">{escape(text)}</mi>' if len(text) > 1 else f"<mi>{escape(text)}</mi>"


def _number(text: str) -> tuple[str, int]:
    found = _DECIMAL.fullmatch(text)
    if found is None:
        return f"<mtext>{escape(text)}</mtext>", _ATOM
    sign, digits, exponent = found.groups()
    shown = f"<mn>{digits}</mn>"
    if exponent:
        shown = f"<mrow>{shown}<mo>·</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup></mrow>"
    return (f"<mrow><mo>&minus;</mo>{shown}</mrow>", _NEGATIVE) if sign else (shown, _ATOM)


def _row(text: str) -> str:
    return f"<mrow>{text}</mrow>"
