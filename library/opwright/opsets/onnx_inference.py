"""ONNX's own inference of types and shapes: a source of facts about a node."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto, TensorProto, TypeProto, checker, defs, helper, shape_inference


class Refused(Exception):
    """ONNX's inference does not take a node; the message is its reason."""


def infer_node(
    node: NodeProto,
    domain: str,
    imports: Mapping[str, int],
    types: Mapping[str, TypeProto],
    contents: Mapping[str, TensorProto] | None = None,
) -> dict[str, TypeProto]:
    """The types of what a node gives, by name, from those of what it takes; empty where nothing follows. `contents` are
    inputs whose elements are known. Raises Refused where no such node can be."""
    opsets = [helper.make_opsetid(name, version) for name, version in imports.items()]
    try:
        schema = defs.get_schema(node.op_type, imports.get(domain, 0), domain)
        found = shape_inference.infer_node_outputs(
            schema, node, dict(types), dict(contents or {}), opset_imports=opsets
        )
        return dict(found)
    except shape_inference.InferenceError as error:
        raise Refused(" ".join(str(error).split()).rpartition("Error] ")[2][:300]) from None  # without its kind
    except (checker.ValidationError, defs.SchemaError, ValueError, LookupError, RuntimeError):
        return {}  # about element types, of which one may stand for all, or attributes that others judge
