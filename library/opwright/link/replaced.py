"""Nodes that stand in the place of one, marked so that it can be put back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.walk import all_graphs, graphs_in
from opwright.link.metadata import INSTEAD, REPLACED, json_object
from opwright.link.node_notes import MOVED


def remember_replaced(node: NodeProto, group: Sequence[NodeProto], mark: str) -> None:
    """Writes down on nodes, of which the last gives what `node` gave, that they stand in its place. `mark` is that of
    the conversion of the model."""
    memo = {
        "digest": _digest(group),
        MOVED: mark,
        "node": base64.b64encode(node.SerializeToString(deterministic=True)).decode("ascii"),
    }
    given = next(filter(None, node.output), "")
    for item in group:
        item.metadata_props.add(key=INSTEAD, value=given)
    group[-1].metadata_props.add(key=REPLACED, value=json.dumps(memo, sort_keys=True, separators=(",", ":")))


def is_instead(node: NodeProto) -> bool:
    """Whether it is one of those that stand in the place of another."""
    return any(item.key == INSTEAD for item in node.metadata_props)


def restore_replaced(model: ModelProto, file: str) -> list[tuple[NodeProto, str]]:
    """Puts back, in place, each node that others stand for; gives those, with the mark of the conversion.

    Raises DiagnosticError (OW576) where the others are not what they were: what a tool has done to them would be lost.
    """
    owners: list[GraphProto | FunctionProto] = [*all_graphs(model.graph)]
    for function in model.functions:
        owners += [function, *graphs_in(function)]
    return [found for owner in owners for found in _restore(owner, file)]


def _restore(owner: GraphProto | FunctionProto, file: str) -> list[tuple[NodeProto, str]]:
    groups: dict[str, list[NodeProto]] = {}
    memos: dict[str, str] = {}
    for node in owner.node:
        facts = {item.key: item.value for item in node.metadata_props}
        if INSTEAD in facts:
            groups.setdefault(facts[INSTEAD], []).append(node)
        if REPLACED in facts:
            memos[facts.get(INSTEAD, "")] = facts[REPLACED]
    if not groups:
        return []
    restored = []
    originals = {mark: _original(groups[mark], memo, file) for mark, memo in memos.items()}
    for index in reversed(range(len(owner.node))):
        facts = {item.key: item.value for item in owner.node[index].metadata_props}
        if facts.get(INSTEAD) in originals:
            if REPLACED in facts:
                original, moved = originals[facts[INSTEAD]]
                owner.node[index].CopyFrom(original)
                restored.append((owner.node[index], moved))
            else:
                del owner.node[index]
    return restored


def _original(group: Sequence[NodeProto], text: str, file: str) -> tuple[NodeProto, str]:
    memo = json_object(text) or {}
    try:
        digest, mark, original = (
            memo["digest"],
            str(memo[MOVED]),
            NodeProto.FromString(base64.b64decode(memo["node"], validate=True)),
        )
    except (ValueError, TypeError, KeyError, DecodeError):
        raise DiagnosticError([_altered(group, "what stands there of it cannot be read", file)]) from None
    if digest != _digest(group):
        raise DiagnosticError([_altered(group, "they have been altered since", file)])
    return original, mark


def _digest(group: Iterable[NodeProto]) -> str:
    """Of what the nodes compute, under the names that their values have."""
    digest = hashlib.sha256()
    for node in group:
        plain = NodeProto(op_type=node.op_type, domain=node.domain, input=node.input, output=node.output)
        plain.attribute.extend(node.attribute)
        digest.update(plain.SerializeToString(deterministic=True))
    return digest.hexdigest()


def _altered(group: Sequence[NodeProto], reason: str, file: str) -> Diagnostic:
    given = next(filter(None, group[-1].output), "")
    return Diagnostic(
        "OW576",
        f"the nodes that give {given} stand in the place of another one, which cannot be put back",
        Place(file),
        reason=reason,
        help="take the original model",
    )
