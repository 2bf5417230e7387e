"""The types of an operator's outputs from its schema and what is known of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from onnx import AttributeProto, NodeProto, TypeProto, checker, defs, helper, shape_inference

from opwright.link.value_types import proto_of, text_of, text_of_code

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
    schema = schema_at(node.op_type, domain, imports.get(domain, 0))
    if schema is None:
        return ()
    special = _by_attribute(node.op_type, attributes) if domain == "" else None
    if special is not None:
        return (special,)
    outputs = _by_variables(schema, inputs, len(node.output))
    if None in outputs and None not in inputs:
        inferred = _by_onnx(schema, node, inputs, attributes, imports)
        outputs = [known or inferred.get(name) for known, name in zip(outputs, node.output, strict=True)]
    return outputs


def _by_attribute(operator: str, attributes: Mapping[str, AttributeProto]) -> str | None:
    """The frequent operators whose output type is an attribute, without handing their (large) tensors around."""
    match operator:
        case "Cast":
            return text_of_code(attributes["to"].i) if "to" in attributes else None
        case "ConstantOfShape":
            return text_of_code(attributes["value"].t.data_type if "value" in attributes else 1)
        case "Constant":
            value = next(iter(attributes.values()), None)
            if value is None:
                return None
            match value.name:
                case "value":
                    return text_of_code(value.t.data_type)
                case "value_int" | "value_ints":
                    return "tensor(int64)"
                case "value_float" | "value_floats":
                    return "tensor(float)"
                case "value_string" | "value_strings":
                    return "tensor(string)"
    return None


def _by_variables(schema: defs.OpSchema, inputs: Sequence[str | None], arity: int) -> list[str | None]:
    allowed = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
    bound: dict[str, str] = {name: types[0] for name, types in allowed.items() if len(types) == 1}
    for formal, fact in zip(formals(schema.inputs), inputs, strict=False):
        if fact and formal.is_homogeneous and fact in allowed.get(formal.type_str, ()):
            bound.setdefault(formal.type_str, fact)
    outputs: list[str | None] = []
    for formal, _ in zip(formals(schema.outputs), range(arity), strict=False):
        variable = formal.type_str
        known = bound.get(variable) if variable in allowed else variable
        outputs.append(known if formal.is_homogeneous else None)
    return outputs + [None] * (arity - len(outputs))


def formals(declared: Sequence[defs.OpSchema.FormalParameter]) -> Iterator[defs.OpSchema.FormalParameter]:
    """The formal parameters, a variadic one without end."""
    yield from declared
    while declared and declared[-1].option == _VARIADIC:
        yield declared[-1]


def _by_onnx(
    schema: defs.OpSchema,
    node: NodeProto,
    inputs: Sequence[str | None],
    attributes: Mapping[str, AttributeProto],
    imports: Mapping[str, int],
) -> dict[str, str | None]:
    """onnx's own inference for this node alone; empty where it refuses: the checker is the one to complain."""
    plain = NodeProto(op_type=node.op_type, domain=node.domain, name=node.name)
    plain.input.extend(node.input)
    plain.output.extend(node.output)
    plain.attribute.extend(attributes.values())
    types: dict[str, TypeProto] = {}
    for name, fact in zip(node.input, inputs, strict=True):
        proto = proto_of(fact) if fact else None
        if proto is not None:
            types[name] = proto
    opsets = [helper.make_opsetid(domain, version) for domain, version in imports.items()]
    try:
        found = shape_inference.infer_node_outputs(schema, plain, types, opset_imports=opsets)
    except (checker.ValidationError, shape_inference.InferenceError, KeyError, ValueError, RuntimeError):
        return {}
    return {name: text_of(proto) for name, proto in found.items()}
