"""Compiles any text as a spec's function would be: parsed, resolved statically, never run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.lang.families.family import build_family
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, read_interface
from opwright.lang.meaning.resolve import FileScope, NoFiles, NoLibraries
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module, parse

TYPES = ("float", "double", "int64")
FILE = "f.py"


def compile_text(text: str, types: Sequence[str] = TYPES) -> tuple[Diagnostic, ...]:
    """What is wrong with `def F` in a text; its inputs are of one type variable over `types`."""
    module = parse(Source(FILE, text))
    if isinstance(module, Diagnostic):
        return (module,)
    node = module.function("F")
    if node is None:
        return ()
    found: list[Diagnostic] = []
    unit = _unit(module, node, types, found)
    if found or unit is None:
        return tuple(found)
    return tuple(build_family(unit, 18).diagnostics)


def _unit(module: Module, node: ast.FunctionDef, types: Sequence[str], found: list[Diagnostic]) -> Unit | None:
    scope = FileScope(module, NoFiles(), NoLibraries(), evaluate_static, found.append)
    interface = read_interface(module.source, node, scope.constant, found.append, scope)
    declaration = Declaration(
        "test.domain",
        "F",
        1,
        {item.name: DeclaredValue("T") for item in interface.inputs},
        None,
        {"T": tuple(BY_NAME[name] for name in types)},
    )
    return Unit(module, node, declaration, interface, scope_of_text(module, NoFiles(), NoLibraries()))
