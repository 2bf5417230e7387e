"""Whether a node that was written for one opset computes the same at a newer one, by the reviewed table of changes."""

from __future__ import annotations

from onnx import NodeProto

from opwright.opsets.signatures import Option, Signature, history, newest_opset, signature


def means_the_same(node: NodeProto, written: int, opset: int) -> bool:
    """Of an operator of the default domain. What is not in the table is not the same."""
    meant = signature("", node.op_type, written) if written <= newest_opset() else None
    found = signature("", node.op_type, opset)
    if meant is None or found is None:
        return False
    if meant.since_version == found.since_version:
        return True
    if found.since_version < meant.since_version or found.deprecated:
        return False
    steps = [item for item in history("", node.op_type) if meant.since_version < item <= found.since_version]
    return all(_only_adds(item, meant) for item in steps) and _admits(node, meant, found)


def _only_adds(version: int, meant: Signature) -> bool:
    """Whether the version computes what the one before does, of all that the one before takes."""
    step = meant.record.steps.get(version)
    plain = step is None or step.up is None or meant.since_version < step.up_since
    return plain and version in meant.record.reviewed


def _admits(node: NodeProto, meant: Signature, found: Signature) -> bool:
    """Whether inputs and attributes are called and read alike, those that are left out too."""
    given = {item.name for item in node.attribute}
    if not given <= found.attributes.keys():
        return False
    for name, spec in meant.attributes.items():
        newer = found.attributes.get(name)
        if name not in given and spec.default != (None if newer is None else newer.default):
            return False
    for index, formal in enumerate(found.inputs):
        there = index < len(node.input) and bool(node.input[index])
        if formal.option is Option.REQUIRED and not there:
            return False
    return len(node.input) <= len(found.inputs) or found.variadic
