"""What of an operator can be differentiated, as the operators of its bodies say it: the standard's own schemas."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from onnx import FunctionProto, NodeProto, defs
from opwright.elements import BY_CODE
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import normal_domain

from opwright_build.propose.subject import Proposal, has_floats


class Differentiation(Enum):
    """`value` is the name of `OpSchema::DifferentiationCategory`."""

    NO = "NonDifferentiable"
    YES = "Differentiable"
    UNKNOWN = "Unknown"


_CATEGORIES = {
    defs.OpSchema.DifferentiationCategory.Differentiable: Differentiation.YES,
    defs.OpSchema.DifferentiationCategory.NonDifferentiable: Differentiation.NO,
    defs.OpSchema.DifferentiationCategory.Unknown: Differentiation.UNKNOWN,
}
_Reach = dict[str, Differentiation]  # the inputs of a function that a value depends on; never NO


def differentiation(proposal: Proposal) -> Mapping[str, Differentiation]:
    """Of every input, by its name, and of every output, by its name with `-> ` before it.

    A float is differentiable where a path through a body's nodes is, by what their schemas say of what they take
    and give; unknown where a schema on a path says nothing, or there is no body. What is no float has no derivative.
    """
    entry = proposal.entry
    functions = [variant.function for item in proposal.sets for variant in item.variants]
    found: dict[str, set[Differentiation]] = {}
    for function in functions:
        for output, reach in _reaches(function).items():
            for name, category in reach.items():
                found.setdefault(name, set()).add(category)
                found.setdefault(f"-> {output}", set()).add(category)
    told: dict[str, Differentiation] = {}
    values = [(item.name, item) for item in entry.inputs] + [(f"-> {item.name}", item) for item in entry.outputs]
    for key, item in values:
        categories = found.get(key, set())
        if not has_floats(entry, item.type):
            told[key] = Differentiation.NO
        elif not functions or proposal.is_template or Differentiation.UNKNOWN in categories:
            told[key] = Differentiation.UNKNOWN
        else:
            told[key] = Differentiation.YES if categories else Differentiation.NO
    return told


def _reaches(function: FunctionProto) -> Mapping[str, _Reach]:
    """For each output of the function, what it depends on."""
    versions = {normal_domain(item.domain): item.version for item in function.opset_import}
    reached: dict[str, _Reach] = {name: {name: Differentiation.YES} for name in function.input}
    for node in function.node:
        schema: Any = schema_at(node.op_type, normal_domain(node.domain), versions.get(normal_domain(node.domain), 1))
        taken = [(name, _of(schema and schema.inputs, index)) for index, name in enumerate(node.input)]
        taken += [(name, Differentiation.UNKNOWN) for graph in subgraphs(node) for name in _read(graph.node)]
        for index, output in enumerate(node.output):
            given = Differentiation.NO if _makes_no_floats(node) else _of(schema and schema.outputs, index)
            reach: _Reach = {}
            for name, category in taken:
                for source, before in reached.get(name, {}).items():
                    _add(reach, source, (before, category, given))
            reached[output] = reach
    return {name: reached.get(name, {}) for name in function.output}


def _add(reach: _Reach, source: str, path: tuple[Differentiation, ...]) -> None:
    """One more path: what it says of itself, and of several the one that is not known."""
    if Differentiation.NO in path:
        return
    unknown = Differentiation.UNKNOWN in path or reach.get(source) is Differentiation.UNKNOWN
    reach[source] = Differentiation.UNKNOWN if unknown else Differentiation.YES


def _of(formals: Any, index: int) -> Differentiation:
    """What a schema says of an input or output; the last formal one stands for all that are more."""
    if not formals:
        return Differentiation.UNKNOWN
    return _CATEGORIES[formals[min(index, len(formals) - 1)].differentiation_category]


def _makes_no_floats(node: NodeProto) -> bool:
    """Casts to other types are differentiable to their schemas, and cut every gradient."""
    codes = [attribute.i for attribute in node.attribute if attribute.name == "to"]
    return node.op_type == "Cast" and any(code in BY_CODE and not BY_CODE[code].is_float for code in codes)


def _read(nodes: Any) -> set[str]:
    return {name for node in all_nodes(nodes) for name in node.input if name}
