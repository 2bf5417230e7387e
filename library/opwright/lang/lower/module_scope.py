"""Names of modules: what their text says, and what expressions at module level are."""

from __future__ import annotations

import ast
from functools import partial

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang import ir
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.function_unit import OpenScope
from opwright.lang.meaning.objects import MISSING, ArrayObject, TypeObject
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.resolve import Files, FileScope, Libraries, ModuleScope
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import Module
from opwright.opsets.signatures import newest_opset


def scope_of_text(module: Module, files: Files, libraries: Libraries) -> OpenScope:
    """Opens scopes in which names mean what the text of their module says."""
    return partial(FileScope, module, files, libraries, evaluate_static)


def evaluate_static(scope: ModuleScope, node: ast.expr) -> Operand:
    """The value of a module-level expression; MISSING after its diagnostic has been reported."""
    low = Lowering(scope, ir.Function("", "", 1, newest_opset(), None), {}, {})
    try:
        value = lower_expression(low, node, {})
    except Poisoned:
        value = MISSING
    for diagnostic in low.diagnostics:
        scope.report(diagnostic)
    if isinstance(value, ir.Value) and value in low.contents:
        value = _of_numpy(low, node, value)
    if isinstance(value, ir.Value):
        place = scope.module.source.place(span_of(node))
        scope.report(
            Diagnostic(
                "OW309",
                "a tensor cannot be made at module level",
                place,
                reason="module-level names are known when the function is built",
                help="call the operator inside the function",
            )
        )
        return MISSING
    return value


def _of_numpy(low: Lowering, node: ast.expr, value: ir.Value) -> Operand:
    """What a constant at module level is: an array or scalar of numpy. A typed scalar stays a tensor."""
    data = low.contents[value]
    callee = lower_expression(low, node.func, {}) if isinstance(node, ast.Call) else None
    if not isinstance(callee, TypeObject):
        return ArrayObject(data)
    return ArrayObject(data, is_scalar=True) if callee.of_numpy else value
