"""What a model need not say: attributes that have their default value, results without uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from onnx import AttributeProto, ModelProto, NodeProto

from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import RECORDS
from opwright.opsets.signatures import Option, signature

# What onnx's reference evaluator or onnxruntime does not take, even at the defaults that bodies write out.
_NOT_TAKEN = {name: record.runtimes_lack for name, record in RECORDS.items() if record.runtimes_lack}
_UNREAD = re.compile(r"_(_\d+)?")  # the values that are called `_`


def leave_out_defaults(model: ModelProto) -> None:
    """Drops them from the nodes of a model and of its functions: an attribute that is left out has its default."""
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        leave_out_in(nodes)


def lacked_by_runtimes(operators: Iterable[str]) -> bool:
    """Whether one of these has attributes that are dropped here."""
    return not _NOT_TAKEN.keys().isdisjoint(operators)


def leave_out_in(nodes: Iterable[NodeProto]) -> None:
    """The same of nodes, and of those of graphs within them. A function of an operator's name has defaults of its
    own."""
    for node in all_nodes(nodes):
        lacks = _NOT_TAKEN.get(node.op_type)
        if lacks is not None and not normal_domain(node.domain):
            kept = [item for item in node.attribute if not _is_default(item, lacks.get(item.name))]
            if len(kept) < len(node.attribute):
                del node.attribute[:]
                node.attribute.extend(kept)


def _is_default(attribute: AttributeProto, default: bytes | int | None) -> bool:
    return not attribute.ref_attr_name and default in (attribute.i or attribute.s, attribute.i)


def leave_out_unread(
    nodes: Iterable[NodeProto],
    given: Iterable[str],
    imports: Mapping[str, int],
    functions: Collection[tuple[str, str, str]],
) -> None:
    """Drops the results that are bound to `_`, where nothing reads them and the operator need not give them.

    `nodes` are all of a graph or function, those of graphs within it included; `given` its outputs. An operator that is
    neither known nor one of `functions`, by domain, name and overload, need not give any.
    """
    listed = list(nodes)
    several = [node for node in listed if len(node.output) > 1 and any(map(_UNREAD.fullmatch, node.output))]
    if not several:
        return
    read = {*given}
    for node in listed:
        read.update(node.input)
        read.update(item.name for attribute in node.attribute for item in attribute.g.output)
    for node in several:
        domain = normal_domain(node.domain)
        found = signature(domain, node.op_type, imports.get(domain, 1))
        for index, name in enumerate(node.output):
            formals = () if found is None else found.outputs
            optional = index < len(formals) and formals[index].option is Option.OPTIONAL
            optional = optional or (found is None and (node.domain, node.op_type, node.overload) not in functions)
            if optional and name not in read and _UNREAD.fullmatch(name):
                node.output[index] = ""
