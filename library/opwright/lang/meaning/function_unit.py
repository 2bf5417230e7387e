"""A function to compile, and what to compile it for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import field

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang.meaning.interface import Declaration, Interface
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.resolve import ModuleScope
from opwright.lang.text.syntax import Module
from opwright.lang.value_class import record

OpenScope = Callable[[Callable[[Diagnostic], None]], ModuleScope]


@record
class Unit:
    """A function to compile: where it stands, what is declared of it, and what it may refer to.

    `open_scope` gives its names a meaning; what is wrong with them goes to the function that it is called with.
    `shares_scope`: all attempts have one scope, which reports to whichever function it was given last.
    """

    module: Module
    node: ast.FunctionDef
    declaration: Declaration
    interface: Interface
    open_scope: OpenScope
    shares_scope: bool = False

    def scope(self, report: Callable[[Diagnostic], None]) -> ModuleScope:
        """What the names mean that the function does not bind itself; what is wrong with them goes to `report`."""
        return self.open_scope(report)

    def report_to(self, report: Callable[[Diagnostic], None]) -> None:
        """From now on what is wrong with names goes to `report`, where all attempts share one scope."""
        if self.shares_scope:
            self.open_scope(report)


@record
class Target:
    """What to compile for: a default-domain opset, and the answers to static questions, by axis.

    `values` are attributes that are known when the function is built: they are values in it, no attributes.
    """

    opset: int
    facts: Mapping[str, str]
    values: Mapping[str, Operand] = field(default_factory=dict)
