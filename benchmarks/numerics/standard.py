"""The standard's own body of an operator for one call, from the installed onnx, as a function of another name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
from onnx import FunctionProto, NodeProto, TypeProto, helper
from opwright.bundle.format import FunctionEntry
from opwright.elements import element
from opwright_build.verify.run.models import Signature

DOMAIN = "standard"  # runtimes run their own kernel for a function that is named like the operator
_DEFAULT = ("", "ai.onnx")
OLDEST = 9


def schema_of(entry: FunctionEntry) -> Any:
    """The operator's `OpSchema`, whose stubs lack what is asked of it here; None where the standard has no body."""
    domain = "" if entry.domain == "ai.onnx" else entry.domain
    try:
        schema: Any = onnx.defs.get_schema(entry.name, entry.since_version, domain)
    except onnx.defs.SchemaError:
        return None
    bodied = schema.has_function or schema.has_context_dependent_function
    return schema if bodied and schema.since_version == entry.since_version else None


def standard_body(
    schema: Any,
    signature: Signature,
    shapes: Sequence[tuple[int, ...] | None],
    given: Mapping[str, object],
) -> tuple[FunctionProto, list[int]] | None:
    """The newest body for the call, and the opsets at which its operators are the same, newest first.

    `shapes` are those of the inputs; builders may read them. `given` are the attributes that the call itself gives: a
    builder may ask whether one is there. None where the standard makes no body for such a call.
    """
    node = _node(schema, signature, given)
    types = [_type(declared, shape) for declared, shape in zip(signature.inputs, shapes, strict=False)]
    function = _newest(schema, node, types)
    if function is None:
        return None
    function.domain, function.name = DOMAIN, schema.name
    del function.output[len(signature.outputs) :]
    opsets = range(onnx.defs.onnx_opset_version(), OLDEST - 1, -1)
    stated = next((item.version for item in function.opset_import if item.domain in _DEFAULT), None)
    if stated is None:  # a body of another domain may be of whatever version of the default one the model has
        return function, [opset for opset in opsets if _operators(function, opset) is not None]
    resolved = _operators(function, stated)
    return function, [opset for opset in opsets if _operators(function, opset) == resolved]


def stamped(function: FunctionProto, opset: int) -> FunctionProto:
    """The same body for a model of that opset."""
    result = FunctionProto()
    result.CopyFrom(function)
    del result.opset_import[:]
    result.opset_import.append(helper.make_opsetid("", opset))
    return result


def _newest(schema: Any, node: NodeProto, types: Sequence[TypeProto]) -> FunctionProto | None:
    serialised = [item.SerializeToString() for item in types]
    for opset in sorted(schema.context_dependent_function_opset_versions, reverse=True):
        data = schema.get_context_dependent_function_with_opset_version(opset, node.SerializeToString(), serialised)
        if data:
            return FunctionProto.FromString(data)
    for opset in sorted(schema.function_opset_versions, reverse=True):
        data = schema.get_function_with_opset_version(opset)
        if data:
            return FunctionProto.FromString(data)
    return None


def _node(schema: Any, signature: Signature, given: Mapping[str, object]) -> NodeProto:
    inputs = ["" if item is None else f"x{place}" for place, item in enumerate(signature.inputs)]
    while inputs and not inputs[-1]:
        inputs.pop()
    outputs = [f"y{place}" for place, _ in enumerate(signature.outputs)]
    node = helper.make_node(schema.name, inputs, outputs, domain=schema.domain)
    node.attribute.extend(
        helper.make_attribute(name, value, attr_type=onnx.AttributeProto.AttributeType.Value(kind))
        for name, kind, value in signature.attributes
        if name in given
    )
    return node


def _type(declared: tuple[str, int | None] | None, shape: tuple[int, ...] | None) -> TypeProto:
    return TypeProto() if declared is None else helper.make_tensor_type_proto(element(declared[0]).code, shape)


def _operators(function: FunctionProto, opset: int) -> list[tuple[str, int]] | None:
    """Each operator of the body with its version at that opset; None where one is not there yet."""
    found: list[tuple[str, int]] = []
    for node in _nodes(function.node):
        if node.domain not in _DEFAULT:
            continue
        try:
            found.append((node.op_type, onnx.defs.get_schema(node.op_type, opset, "").since_version))
        except onnx.defs.SchemaError:
            return None
    return found


def _nodes(nodes: Sequence[NodeProto]) -> Iterator[NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _nodes(graph.node)
