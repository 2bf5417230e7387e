"""A program through the compiler: its family of variants, or the diagnostics that refuse it."""

from __future__ import annotations

from dataclasses import replace

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.lang.families.family import Family, build_family
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, read_interface
from opwright.lang.meaning.resolve import FileScope, NoFiles, NoLibraries
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import parse

from tests.differential.program import Program

DOMAIN = "test.domain"
HEADER = """\
import math
from typing import Literal, Sequence

from opwright import BOOL, DOUBLE, FLOAT, INT32, INT64, UINT8, Opset, graph, opset{opset} as op, script
"""


def compile_program(program: Program) -> Family | tuple[Diagnostic, ...]:
    """Never raises for a program of any text: what it raises is an error of the compiler."""
    module = parse(Source("f.py", HEADER.format(opset=program.opset) + program.text))
    if isinstance(module, Diagnostic):
        return (module,)
    found: list[Diagnostic] = []
    scope = FileScope(module, NoFiles(), NoLibraries(), evaluate_static, found.append)
    node = module.function("F")
    if node is None:
        return (Diagnostic("OW301", "there is no function F"),)
    interface = read_interface(module.source, node, scope.constant, found.append, scope)
    names = {item.name for item in interface.inputs}
    attributes = {item.name for item in interface.attributes}
    if found or names != set(program.inputs) or attributes != set(program.attributes):
        return tuple(found) or (Diagnostic("OW301", "F has other parameters than are declared"),)
    declaration = Declaration(
        DOMAIN,
        "F",
        1,
        {name: _declared(type_) for name, type_ in program.inputs.items()},
        {name: _declared(type_) for name, type_ in program.outputs.items()},
        {name: tuple(BY_NAME[item] for item in items) for name, items in program.types.items()},
    )
    unit = Unit(module, node, declaration, interface, scope_of_text(module, NoFiles(), NoLibraries()))
    family = build_family(unit, program.opset)
    return family if family.variants else family.diagnostics


def _declared(type_: str) -> DeclaredValue:
    """`float`, `float/1`, `float/2:A,B`, `seq float`: an element type or variable, perhaps with a rank, with the names
    or sizes of its dimensions, or in a sequence."""
    *wrap, name = type_.split(" ")
    name, _, known = name.partition("/")
    rank, _, dims = known.partition(":")
    shape = tuple(int(size) if size.isdigit() else size for size in dims.split(",")) if dims else None
    value = DeclaredValue(name, int(rank) if rank else None, shape)
    return replace(value, wrap=tuple(wrap)) if wrap else value
