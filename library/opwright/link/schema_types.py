"""The types of an operator's outputs as texts: what inference finds, and else ONNX's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from onnx import AttributeProto, NodeProto, TypeProto, defs

from opwright.lang import ir
from opwright.lang.infer.of_protos import attributes_of, node_types
from opwright.link.value_types import fact_of, proto_of, text_of, type_of
from opwright.opsets.onnx_inference import Refused, infer_node
from opwright.opsets.signatures import Signature, signature

_VARIADIC = defs.OpSchema.FormalParameterOption.Variadic


@lru_cache(maxsize=4096)
def schema_at(name: str, domain: str, version: int) -> defs.OpSchema | None:
    """The operator that a domain's import of `version` means; None when onnx knows no such operator."""
    try:
        return defs.get_schema(name, version, domain)
    except defs.SchemaError:
        return None


def infer_outputs(
    node: NodeProto,
    domain: str,
    inputs: Sequence[str | None],
    attributes: Mapping[str, AttributeProto],
    imports: Mapping[str, int],
) -> Sequence[str | None]:
    """The types of the outputs, None for those that do not follow. `attributes` holds no references."""
    found = signature(domain, node.op_type, imports.get(domain, 0))
    if found is None:
        return ()
    if found.record.typing is None:
        outputs = _by_inputs(found, tuple(inputs), len(node.output))
    else:
        made = node_types(found, list(map(_value, inputs)), attributes_of(attributes.values()), len(node.output))
        outputs = tuple(map(fact_of, made))
    if None in outputs and None not in inputs:
        inferred = _by_onnx(node, domain, inputs, attributes, imports)
        return [known or inferred.get(name) for known, name in zip(outputs, node.output, strict=True)]
    return outputs


@lru_cache(maxsize=4096)
def _by_inputs(found: Signature, inputs: tuple[str | None, ...], count: int) -> tuple[str | None, ...]:
    return tuple(map(fact_of, node_types(found, list(map(_value, inputs)), {}, count)))


def _value(fact: str | None) -> ir.Value | None:
    type_ = type_of(fact)
    return None if type_ is None else ir.Value(type_)


def formals(declared: Sequence[defs.OpSchema.FormalParameter]) -> Iterator[defs.OpSchema.FormalParameter]:
    """The formal parameters, a variadic one without end."""
    yield from declared
    while declared and declared[-1].option == _VARIADIC:
        yield declared[-1]


def _by_onnx(
    node: NodeProto,
    domain: str,
    inputs: Sequence[str | None],
    attributes: Mapping[str, AttributeProto],
    imports: Mapping[str, int],
) -> dict[str, str | None]:
    """ONNX's own inference for this node alone; empty where it refuses: the checker is the one to complain."""
    plain = NodeProto(op_type=node.op_type, domain=node.domain, name=node.name)
    plain.input.extend(node.input)
    plain.output.extend(node.output)
    plain.attribute.extend(attributes.values())
    types: dict[str, TypeProto] = {}
    for name, fact in zip(node.input, inputs, strict=True):
        proto = proto_of(fact) if fact else None
        if proto is not None:
            types[name] = proto
    try:
        found = infer_node(plain, domain, imports, types)
    except Refused:
        return {}
    return {name: text_of(proto) for name, proto in found.items()}
