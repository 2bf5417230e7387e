"""A body as people would write it: values named after the operators that make them, defaults left to the operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from onnx import AttributeProto, FunctionProto, NodeProto
from opwright.graphs.walk import all_nodes, rename_values, subgraphs
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import normal_domain


def make_readable(function: FunctionProto) -> FunctionProto:
    """The same function in other words; its interface keeps its names."""
    result = FunctionProto()
    result.CopyFrom(function)
    versions = {normal_domain(item.domain): item.version for item in function.opset_import}
    for node in all_nodes(result.node):
        _leave_out_defaults(node, versions)
        node.ClearField("name")
        node.ClearField("doc_string")
    names = _names(result)
    rename_values(result.node, lambda name: names.get(name, name))
    return result


def snake(name: str) -> str:
    """`ReduceLogSumExp` as `reduce_log_sum_exp`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _leave_out_defaults(node: NodeProto, versions: Mapping[str, int]) -> None:
    domain = normal_domain(node.domain)
    schema = schema_at(node.op_type, domain, versions.get(domain, 1))
    if schema is None:
        return
    defaults = {name: declared.default_value for name, declared in schema.attributes.items()}
    kept = [item for item in node.attribute if item.ref_attr_name or not _equal(item, defaults.get(item.name))]
    if len(kept) < len(node.attribute):
        del node.attribute[:]
        node.attribute.extend(kept)


def _equal(attribute: AttributeProto, default: AttributeProto | None) -> bool:
    if default is None or default.type != attribute.type:
        return False
    copy = AttributeProto()
    copy.CopyFrom(default)
    copy.name = attribute.name
    copy.ClearField("doc_string")
    return copy.SerializeToString(deterministic=True) == attribute.SerializeToString(deterministic=True)


def _names(function: FunctionProto) -> dict[str, str]:
    """A name for each value that has none of the interface's, from the operator that makes it."""
    interface = {*function.input, *function.output}
    makers = {name: node.op_type for node in all_nodes(function.node) for name in node.output if name}
    taken = {*interface, *_read_elsewhere(function, makers)}
    names: dict[str, str] = {}
    for value, operator in makers.items():
        if value in interface or value in names:
            continue
        base, count = snake(operator), 1
        name = base
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        names[value] = name
    return names


def _read_elsewhere(function: FunctionProto, makers: Mapping[str, str]) -> Iterable[str]:
    """Names that no node makes: those of graphs."""
    for node in all_nodes(function.node):
        yield from (name for name in node.input if name and name not in makers)
        for graph in subgraphs(node):
            yield from (value.name for value in graph.input)
            yield from (tensor.name for tensor in graph.initializer)
