"""Which nodes of a model that was brought to another opset were in it before: the others are of the new opset alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from onnx import AttributeProto, NodeProto

from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import signature

_CONTENTS = (
    AttributeProto.TENSOR,
    AttributeProto.TENSORS,
    AttributeProto.SPARSE_TENSOR,
    AttributeProto.SPARSE_TENSORS,
    AttributeProto.GRAPH,
    AttributeProto.GRAPHS,
)


def count_kept(nodes: Iterable[NodeProto], before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """How many nodes of each kind stand among those that stayed as they were, though their operator is another one at
    the imports `after`."""
    return dict(Counter(_kind(node) for node in _of_other_versions(nodes, before, after)))


def added_node(
    nodes: Iterable[NodeProto], before: Mapping[str, int], after: Mapping[str, int], kept: Mapping[str, int]
) -> NodeProto | None:
    """A node more than were `kept` of its kind, among those of which nothing had to be taken back; None where there is
    none. Its operator is another at the imports `before`, which would give it another meaning without a word."""
    left = Counter(kept)
    for node in _of_other_versions(nodes, before, after):
        kind = _kind(node)
        if left[kind] <= 0:
            return node
        left[kind] -= 1
    return None


def _of_other_versions(
    nodes: Iterable[NodeProto], before: Mapping[str, int], after: Mapping[str, int]
) -> Iterator[NodeProto]:
    for node in nodes:
        domain = normal_domain(node.domain)
        old, new = before.get(domain), after.get(domain)
        if old is None or new is None or old == new:
            continue
        if _since(domain, node.op_type, old) != _since(domain, node.op_type, new):
            yield node


def _since(domain: str, name: str, opset: int) -> int | None:
    found = signature(domain, name, opset)
    return None if found is None else found.since_version


def _kind(node: NodeProto) -> str:
    """Of what a version of the operator can read in another way: not the names of values, nor what weights hold."""
    taken, given = ("".join("1" if name else "0" for name in names).rstrip("0") for names in (node.input, node.output))
    digest = hashlib.sha256(f"{normal_domain(node.domain)}::{node.op_type}({taken}) -> {given}".encode())
    for attribute in sorted(node.attribute, key=lambda item: item.name):
        if attribute.type in _CONTENTS:
            plain = AttributeProto(name=attribute.name, type=attribute.type, ref_attr_name=attribute.ref_attr_name)
            digest.update(plain.SerializeToString(deterministic=True))
        else:
            digest.update(attribute.SerializeToString(deterministic=True))
    return digest.hexdigest()[:16]
