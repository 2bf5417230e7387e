"""Templates at a call: a function whose body depends on what only a call says is lowered for this very call.

Its `*xs` are then a static list, its graphs functions that can be called, its attributes the values that are given;
the ranks of its inputs are those of the arguments. The body stands in place of the call, as a helper's does.
"""

from __future__ import annotations

import ast
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.calls.attributes import convert_operand
from opwright.lang.lower.calls.function_calls import bind_parameters, run_body
from opwright.lang.lower.expressions.expression_rules import attribute_of_object
from opwright.lang.lower.numbers.number_operands import as_tensor, describe, is_number
from opwright.lang.lower.rules import reads_attribute
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Parts, each
from opwright.lang.lower.values.annotated import output_names
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Arity, AttributeDeclaration, Input
from opwright.lang.meaning.objects import FunctionObject, GraphObject, NestedObject, ScriptObject
from opwright.lang.meaning.operands import Absent, Arguments, AttributeOperand, Environment, Operand, is_tensor
from opwright.lang.text.grammar import items_of_tuple, returned_by
from opwright.lang.text.source import Span, span_of
from opwright.opsets.signatures import elements_of, mask_of

_CALLABLE = (FunctionObject, GraphObject, NestedObject, ScriptObject)


def call_template(low: Lowering, unit: Unit, arguments: Arguments, env: Environment) -> Operand:
    """The body of a template for this call; `env` is the caller's, where graphs find the names around them."""
    scope = unit.scope(low.report)
    bound = bind_parameters(low, unit.node, scope, scope.constant, arguments)
    parts = Parts()
    places = _places(unit, arguments)
    for declared in unit.interface.attributes:
        place = places.get(declared.name, arguments.span)
        with parts:
            bound[declared.name] = _attribute(low, unit, declared, bound[declared.name], place)
    elements = _elements(low, unit, bound)
    for item in unit.interface.inputs:
        place = places.get(item.name, arguments.span)
        operand = bound[item.name]
        given = _items(operand) if item.arity is Arity.VARIADIC else (operand,)
        with parts:
            step = partial(_input, low, unit, item, elements=elements, place=place)
            made = each(step, given)
            bound[item.name] = tuple(made) if item.arity is Arity.VARIADIC else made[0]
    parts.close()
    return run_body(low, unit.node, scope, bound, env, arguments.span)


def _places(unit: Unit, arguments: Arguments) -> dict[str, Span]:
    """Where each argument stands, by the name of its parameter."""
    formal = unit.node.args
    names = [argument.arg for argument in (*formal.posonlyargs, *formal.args)]
    places = {name: place for name, (_, place) in zip(names, arguments.positional, strict=False)}
    places.update({name: place for name, (_, place) in arguments.keywords.items()})
    return places


def _attribute(low: Lowering, unit: Unit, declared: AttributeDeclaration, operand: Operand, place: Span) -> Operand:
    """An attribute's value as the body sees it: rounded and checked as where a call of the function stays a call."""
    if operand is None and not declared.required:
        return operand
    if declared.kind == "GRAPH":
        if isinstance(operand, (*_CALLABLE, AttributeOperand)):
            return operand
        raise low.error(
            "OW207",
            f"`{declared.name}` of {unit.declaration.name} takes a function, not {describe(operand)}",
            place,
            reason="it is a graph",
            help="define one with `def`, and pass its name",
        )
    made = convert_operand(low, unit.declaration.name, declared.name, declared.kind, operand, place)
    if made.refers_to is not None:
        return operand
    value = made.value
    if declared.choices and value not in declared.choices:
        raise low.error(
            "OW207",
            f"`{declared.name}` of {unit.declaration.name} cannot be {describe(operand)}",
            place,
            reason=f"its values are {', '.join(map(repr, declared.choices))}",
        )
    assert isinstance(value, (int, float, str, tuple))
    return bool(value) if declared.is_bool else value


def _elements(low: Lowering, unit: Unit, bound: Environment) -> dict[str, ir.Element]:
    """The element type that stands for each declared type variable: that of the first tensor of it."""
    found: dict[str, ir.Element] = {}
    for item in unit.interface.inputs:
        declared = unit.declaration.inputs.get(item.name)
        operands = _items(bound[item.name]) if item.arity is Arity.VARIADIC else (bound[item.name],)
        for operand in operands:
            if declared is not None and is_tensor(operand):
                found.setdefault(declared.type, operand.type.element)
    return found


def _items(operand: Operand) -> tuple[Operand, ...]:
    """What a variadic parameter is bound to."""
    assert isinstance(operand, tuple)
    return operand


def _input(
    low: Lowering, unit: Unit, item: Input, operand: Operand, elements: dict[str, ir.Element], place: Span
) -> Operand:
    """An argument as a tensor of the declared type."""
    if operand is None or isinstance(operand, Absent):
        if item.arity is Arity.OPTIONAL or item.has_gaps:
            return operand
        raise low.error("OW204", f"{unit.declaration.name} needs its input `{item.name}`", place)
    declared = unit.declaration.inputs.get(item.name)
    admitted = low.element_of(declared.type) if declared is not None and declared.type in BY_NAME else None
    own = unit.declaration.types.get(declared.type) if declared is not None else None
    if is_number(operand) or isinstance(operand, tuple):
        element = admitted or (elements.get(declared.type) if declared is not None else None)
        operand = as_tensor(low, operand, element or (own[0] if own is not None and len(own) == 1 else None), place)
    if not is_tensor(operand):
        return operand
    mask = mask_of([admitted]) if admitted is not None else mask_of(own) if own else 0
    given = operand.type.element
    if mask and ir.element_mask(given) & ~mask:
        names = ", ".join(element.name for element in elements_of(mask))
        raise low.error(
            "OW208",
            f"{unit.declaration.name} does not take {operand.type!r} as `{item.name}`",
            place,
            reason=f"its declaration admits {names}",
            help="cast the operand",
            depends_on=Choice.ELEMENT_TYPE,
        )
    first = elements.get(declared.type) if declared is not None and own is not None else None
    if first is not None and not unit.declaration.inferred and not ir.unify_elements(first, given, low.trail):
        raise low.error(
            "OW315",
            f"{unit.declaration.name} takes tensors of one element type, not {first!r} and {given!r}",
            place,
            reason=f"`{item.name}` has the type of another input",
            depends_on=Choice.INFERRED_TYPE,
        )
    return operand


_Graph = FunctionObject | GraphObject | NestedObject | ScriptObject
_GRAPHS: tuple[type[_Graph], ...] = (FunctionObject, GraphObject, NestedObject, ScriptObject)


@reads_attribute(*_GRAPHS)
def _attribute_of_graph(low: Lowering, owner: _Graph, node: ast.Attribute) -> Operand:
    if node.attr == "outputs":
        return graph_outputs(low, owner, span_of(node))
    return attribute_of_object(low, owner, node)


def graph_outputs(low: Lowering, function: Operand, span: Span) -> tuple[str, ...]:
    """`body.outputs`: the names of what a function that is passed as a graph returns."""
    return _OUTPUTS.of(function)(function, low, span)


def _no_graph(function: Operand, low: Lowering, span: Span) -> tuple[str, ...]:
    raise AssertionError(f"{type(function).__name__} is not passed as a graph")


_OUTPUTS: Operation[Operand, [Lowering, Span], tuple[str, ...]] = Operation(_no_graph)


@_OUTPUTS.on(GraphObject)
def _of_proto(graph: GraphObject, low: Lowering, span: Span) -> tuple[str, ...]:
    return tuple(item.name for item in graph.proto.output)


@_OUTPUTS.on(ScriptObject)
def _of_script(script: ScriptObject, low: Lowering, span: Span) -> tuple[str, ...]:
    return tuple(formal.name for formal in script.at(low.target.opset).signature.outputs)


def _of_function(function: FunctionObject | NestedObject, low: Lowering, span: Span) -> tuple[str, ...]:
    node = function.node
    if function.run is not None:
        raise low.error(
            "OW307",
            f"the results of `{node.name}` are not known before it is called",
            span,
            reason="it is a Python function that is run, not compiled",
            help="pass a function under `@script`, which is compiled",
        )
    counts = {_count(value) for value in returned_by(node)}
    if len(counts) != 1:
        raise low.error(
            "OW307", f"the returns of `{node.name}` disagree", span, reason="a graph has a fixed number of outputs"
        )
    arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return tuple(output_names(node, arguments, counts.pop()))


_OUTPUTS.on(FunctionObject)(_of_function)
_OUTPUTS.on(NestedObject)(_of_function)


def _count(value: ast.expr | None) -> int:
    items = items_of_tuple(value)
    return 0 if value is None else 1 if items is None else len(items)
