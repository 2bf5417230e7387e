"""The inputs that a variant does not need: it is named by their element type, and reads nothing else of them.

Runtimes refuse some element types of an input for no other reason than that no operator reads it.
"""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.families.family import Family
from opwright.lang.meaning.function_unit import Unit


def drop_settled_inputs(unit: Unit, family: Family) -> None:
    """Takes them out of every variant's function; callers pass what a body's `inputs` name."""
    declared = unit.declaration.inputs
    for variant in family.variants:
        function = variant.lowered.function
        axes = {axis for axis, _ in variant.key}
        # Those of `*xs` have names of their own, which nothing is declared for.
        settled = {name for name, value in declared.items() if value.type in axes}
        if function is not None and any(value.name in settled for value in function.inputs):
            read = _read(function)
            function.inputs = [value for value in function.inputs if value in read or value.name not in settled]


def _read(function: ir.Function) -> set[ir.Value]:
    read = set(function.body.yields)
    for _, node in ir.walk(function.body):
        read.update(node.read())
        for inner in node.regions():
            read.update(inner.yields)
    return read
