"""The types of what a function returns, where its author does not say them: they follow from those of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright.bundle.call_interface import split_type
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir
from opwright.lang.families.solve import Solver
from opwright.lang.looked_up import LookedUp
from opwright.lang.lower.function import Lowered
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, Interface, read_interface
from opwright.lang.meaning.resolve import FileScope, NoFiles, NoLibraries
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import parse

_MOST_CASES = 50  # of answers to static questions that are tried until one has a body


def inferred_outputs(
    text: str, name: str, inputs: Mapping[str, str], variables: Mapping[str, Sequence[str]], opset: int
) -> list[str]:
    """The types of a function's outputs as a spec writes them; none where they do not follow, or the function has no
    body at the opset. `inputs` are types by name, `variables` the element types that type variables admit."""
    unit = _unit(text, name, inputs, {key: tuple(BY_NAME[item] for item in given) for key, given in variables.items()})
    lowered = None if unit is None else _first_body(unit, opset)
    found = [] if lowered is None else [_text(type_, variables) for type_ in lowered.outputs]
    return found if all(found) else []


def _unit(
    text: str, name: str, inputs: Mapping[str, str], variables: Mapping[str, tuple[ElementType, ...]]
) -> Unit | None:
    module = parse(Source("function.py", text))
    node = None if isinstance(module, Diagnostic) else module.function(name)
    if isinstance(module, Diagnostic) or node is None:
        return None
    found: list[Diagnostic] = []
    scope = FileScope(module, NoFiles(), NoLibraries(), evaluate_static, found.append)
    interface = read_interface(module.source, node, scope.constant, found.append, scope)
    if found or {item.name for item in interface.inputs} != inputs.keys():
        return None
    declaration = Declaration("", name, 1, _declared(interface, inputs), None, variables)
    return Unit(module, node, declaration, interface, scope_of_text(module, NoFiles(), NoLibraries()))


def _declared(interface: Interface, inputs: Mapping[str, str]) -> dict[str, DeclaredValue]:
    declared: dict[str, DeclaredValue] = {}
    for item in interface.inputs:
        wrap, inner = split_type(inputs[item.name])
        shape = item.annotation.shape
        declared[item.name] = DeclaredValue(inner, None if shape is None else len(shape), shape, wrap)
    return declared


def _first_body(unit: Unit, opset: int) -> Lowered | None:
    """The body of the first variant that has one. None where the element types of the variables decide which."""
    with Solver(unit, Target(opset, {}), LookedUp()) as solver:
        for _ in range(_MOST_CASES):
            if not solver.pending:
                return None
            found = solver.next()
            if isinstance(found, Question):
                if found.axis in unit.declaration.types:
                    return None
                solver.split(found, found.values)
            elif found.function is not None:
                return found
    return None


def _text(type_: ir.Type, variables: Mapping[str, Sequence[str]]) -> str:
    """A type as a spec writes it; empty for one that it cannot say."""
    if isinstance(type_, ir.SequenceType):
        item = _text(type_.item, variables)
        return item and f"seq({item})"
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    return element.name if element is not None and element.name in {*BY_NAME, *variables} else ""
