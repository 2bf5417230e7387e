"""f-strings: texts of what is known when the function is built."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.rules import evaluates, lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import Environment, Operand
from opwright.lang.meaning.static import StaticError
from opwright.lang.text.source import Span, span_of

_CONVERSIONS: dict[str, Callable[[object], str]] = {"s": str, "r": repr, "a": ascii}
_NUMBER = re.compile(r"\d+")
_WIDEST = 1000  # characters of one formatted value


@evaluates(ast.JoinedStr)
def lower_text(low: Lowering, node: ast.JoinedStr, env: Environment) -> Operand:
    """`f"{a} {b:.2f}"`: Python's own text, of numbers, texts, None and lists of them."""
    parts = [_part(low, part, env) for part in node.values]
    try:
        return static.checked("".join(parts))
    except StaticError as error:
        raise low.no_value(error, "the text is too long", span_of(node)) from None


def _part(low: Lowering, node: ast.expr, env: Environment) -> str:
    if not isinstance(node, ast.FormattedValue):
        found = lower_expression(low, node, env)
        assert isinstance(found, str)
        return found
    span = span_of(node.value)
    value = lower_expression(low, node.value, env)
    spec = "" if node.format_spec is None else lower_text_of(low, node.format_spec, env)
    need_static(low, value, span)
    try:
        shown = static.as_python(value)
    except StaticError:
        raise low.error(
            "OW304",
            f"{describe(value)} has no text when the function is built",
            span,
            reason="an f-string is made of numbers, texts, None and lists of them that are known then",
            help="print a value where the function runs as Python: `print(x)`",
        ) from None
    if node.conversion != -1:
        shown = _CONVERSIONS[chr(node.conversion)](shown)
    return _formatted(low, shown, spec, span)


def lower_text_of(low: Lowering, node: ast.expr, env: Environment) -> str:
    """The text of a format, `.2f` or `{width}d`."""
    assert isinstance(node, ast.JoinedStr)
    found = lower_text(low, node, env)
    assert isinstance(found, str)
    return found


def _formatted(low: Lowering, value: object, spec: str, span: Span) -> str:
    if any(int(number) > _WIDEST for number in _NUMBER.findall(spec)):
        raise low.error("OW311", f"a value is formatted with more than {_WIDEST:,} characters", span, "fuel is limited")
    if spec.endswith("n"):
        raise low.error("OW304", "the format `n` is not part of the language", span, "it depends on the machine", "")
    try:
        return format(value, spec)
    except (TypeError, ValueError) as error:
        raise low.error("OW312", "the f-string has no value here", span, reason=f"Python says: {error}") from None
