"""A function to compile, and what to compile it for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import field

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang import ir
from opwright.lang.interface import Declaration, Interface
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.operands import Operand
from opwright.lang.lower.poison import Poisoned
from opwright.lang.lower.rules import lower_expression
from opwright.lang.objects import MISSING, ArrayObject, TypeObject
from opwright.lang.resolve import Files, FileScope, Libraries, ModuleScope
from opwright.lang.source import span_of
from opwright.lang.syntax import Module
from opwright.lang.value_class import record
from opwright.opsets.signatures import newest_opset


@record
class Unit:
    """A function to compile: where it stands, what is declared of it, and what it may refer to.

    `open_scope` gives its names a meaning, where they are not those of the module's text.
    """

    module: Module
    node: ast.FunctionDef
    declaration: Declaration
    interface: Interface
    files: Files
    libraries: Libraries
    open_scope: Callable[[Callable[[Diagnostic], None]], ModuleScope] | None = None

    def scope(self, report: Callable[[Diagnostic], None]) -> ModuleScope:
        """What the names mean that the function does not bind itself; what is wrong with them goes to `report`."""
        if self.open_scope is not None:
            return self.open_scope(report)
        return FileScope(self.module, self.files, self.libraries, evaluate_static, report)

    def report_to(self, report: Callable[[Diagnostic], None]) -> None:
        """From now on what is wrong with names goes to `report`, where all attempts share one scope."""
        if self.open_scope is not None:
            self.open_scope(report)


@record
class Target:
    """What to compile for: a default-domain opset, and the answers to static questions, by axis.

    `values` are attributes that are known when the function is built: they are values in it, no attributes.
    """

    opset: int
    facts: Mapping[str, str]
    values: Mapping[str, Operand] = field(default_factory=dict)


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
