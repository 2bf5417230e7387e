"""Constants of a graph that are initializers, since `Constant` of the opset that it was brought to lacks their type."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, TensorProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.walk import all_nodes
from opwright.link.metadata import POLYFILLED
from opwright.link.node_notes import read_entry, unreadable


@dataclass(frozen=True, slots=True)
class InitializerNote:
    """The node that an initializer was, its place among those of the graph, and a digest of the initializer."""

    place: int
    node: NodeProto
    digest: str

    @classmethod
    def of(cls, place: int, node: NodeProto, tensor: TensorProto) -> InitializerNote:
        copy = NodeProto()
        copy.CopyFrom(node)
        return cls(place, copy, _digest(tensor))

    def as_json(self) -> Sequence[object]:
        data = self.node.SerializeToString(deterministic=True)
        return [self.place, base64.b64encode(data).decode("ascii"), self.digest]

    @classmethod
    def from_json(cls, value: Any) -> InitializerNote:
        """Raises TypeError, ValueError or DecodeError for what is none."""
        place, text, digest = value
        return cls(int(place), NodeProto.FromString(base64.b64decode(text, validate=True)), str(digest))


def noted_constants(model: ModelProto, file: str) -> list[InitializerNote]:
    """What is written down on a model of such constants, in the order of their places. Raises DiagnosticError (OW576)
    when that cannot be read."""
    memo = read_entry(model.metadata_props, POLYFILLED, file) or {}
    try:
        return list(map(InitializerNote.from_json, memo.get("constants", ())))
    except (TypeError, ValueError, DecodeError):
        raise DiagnosticError([unreadable(POLYFILLED, file)]) from None


def put_constants_back(graph: GraphProto, notes: Iterable[InitializerNote], file: str) -> None:
    """Puts the nodes in the place of the initializers, each before those that read it. Raises DiagnosticError (OW576)
    where an initializer is another one."""
    held = {tensor.name: index for index, tensor in enumerate(graph.initializer)}
    first_reader: dict[str, int] = {}
    for index, node in enumerate(graph.node):
        for inner in all_nodes([node]):
            for name in inner.input:
                first_reader.setdefault(name, index)
    gaps: list[tuple[int, int, NodeProto]] = []
    gone: list[int] = []
    for count, note in enumerate(notes):
        name = note.node.output[0]
        if name not in held or _digest(graph.initializer[held[name]]) != note.digest:
            text = f"the initializer {name}, which was a constant, is no more what it was"
            reason = "another tool has changed, renamed or removed it since the model was brought to another opset"
            raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])
        gone.append(held[name])
        gap = note.place - count  # among the nodes that were no such constants
        gaps.append((min(gap, first_reader.get(name, gap)), count, note.node))
    for index in sorted(gone, reverse=True):
        del graph.initializer[index]
    for count, (gap, _, node) in enumerate(sorted(gaps, key=lambda item: item[:2])):
        graph.node.insert(gap + count, node)


def _digest(tensor: TensorProto) -> str:
    return hashlib.sha256(tensor.SerializeToString(deterministic=True)).hexdigest()[:16]
