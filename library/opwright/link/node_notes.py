"""What is written down on a node of what was changed about it, and how it is taken back.

A note is JSON in its metadata_props. A node that is changed twice, converted and then made a call, has the older note
in the newer one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from onnx import AttributeProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.link.metadata import CALL, attributes_digest, json_object
from opwright.link.value_sources import Sources

MOVED = "moved"  # in a note: the node was brought to another opset with the model, by the conversion of this mark
_BEFORE = "before"
_SOURCES = "sources"


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back of a node: the mark of the conversion that had `moved` it to another opset, empty where none
    had, what gave the inputs that came back by name, and the names of the attributes that came back."""

    moved: str
    sources: Mapping[str, str]
    attributes: Sequence[str]


def note_changes(node: NodeProto, changes: Mapping[str, object], sources: Sources) -> None:
    """Writes down what was changed about a node. `sources` are those of the model that it is of."""
    noted = dict(changes)
    inputs = noted.get("inputs")
    if isinstance(inputs, list):
        noted[_SOURCES] = {name: sources.of(name) for name in inputs if isinstance(name, str) and name}
    before = pop_entry(node.metadata_props, CALL)
    if before:
        noted[_BEFORE] = before
    node.metadata_props.add(key=CALL, value=_text(noted))


def add_to_notes(nodes: Iterable[NodeProto], key: str, value: object) -> None:
    """Says that more of nodes, in their newest notes; those without any stay so."""
    for node in nodes:
        for item in node.metadata_props:
            if item.key == CALL:
                item.value = _text({**(json_object(item.value) or {}), key: value})


def newest_note(node: NodeProto) -> dict[str, Any] | None:
    """The last note on a node; None where there is none that can be read."""
    return next((json_object(item.value) for item in node.metadata_props if item.key == CALL), None)


def undo_changes(node: NodeProto, file: str) -> Undone | None:
    """Takes back all that was changed; None where that is nothing. Raises DiagnosticError (OW576)."""
    moved, sources, found, back = "", dict[str, str](), False, list[str]()
    while (changes := read_entry(node.metadata_props, CALL, file)) is not None:
        pop_entry(node.metadata_props, CALL)
        back += _undo(node, changes, file)
        found, mark = True, changes.get(MOVED, "")
        told, before = changes.get(_SOURCES, {}), changes.get(_BEFORE, "")
        if not isinstance(told, dict) or not isinstance(before, str) or not isinstance(mark, str):
            raise DiagnosticError([unreadable(CALL, file)])
        moved = moved or mark
        sources |= told
        if before:
            node.metadata_props.add(key=CALL, value=before)
    return Undone(moved, sources, back) if found else None


def _undo(node: NodeProto, changes: Mapping[str, Any], file: str) -> list[str]:
    """Takes back one change; the names of the attributes that come back."""
    back: list[str] = []
    try:
        for field in ("domain", "op_type", "overload"):
            if field in changes:
                node.ClearField(field)
                if changes[field] is not None:
                    setattr(node, field, changes[field])
        if "inputs" in changes:
            now = list(node.input)
            node.input[:] = [now[item] if isinstance(item, int) else item for item in changes["inputs"]]
        if "outputs" in changes:
            del node.output[changes["outputs"] :]
        for index, name in changes.get("unread", ()):
            node.output.extend([""] * (index + 1 - len(node.output)))
            node.output[index] = name
        written = set(changes.get("attributes", ()))
        if changes.get("digest", "") not in ("", attributes_digest(node, written)):
            raise DiagnosticError([_altered(node, file)])
        kept = [attribute for attribute in node.attribute if attribute.name not in written]
        for index, text in changes.get("dropped", ()):
            kept.insert(index, AttributeProto.FromString(base64.b64decode(text, validate=True)))
            back.append(kept[index].name)
    except (IndexError, TypeError, ValueError, AttributeError, DecodeError):
        raise DiagnosticError([unreadable(CALL, file)]) from None
    del node.attribute[:]
    node.attribute.extend(kept)
    return back


def read_entry(metadata: Iterable[Any], key: str, file: str) -> dict[str, Any] | None:
    """A JSON object among metadata_props; None where there is none. Raises DiagnosticError (OW576)."""
    for item in metadata:
        if item.key == key:
            value = json_object(item.value)
            if value is None:
                raise DiagnosticError([unreadable(key, file)])
            return value
    return None


def pop_entry(metadata: MutableSequence[Any], key: str) -> str:
    """Takes an entry away; its text, empty where there is none."""
    for index, item in enumerate(metadata):
        if item.key == key:
            value: str = item.value
            del metadata[index]
            return value
    return ""


def unreadable(key: str, file: str) -> Diagnostic:
    """The finding about an entry that was altered."""
    return Diagnostic(
        "OW576",
        f"what attach wrote down under {key} cannot be read",
        Place(file),
        reason="some other tool has changed the metadata of the model",
        help="attach the library to the original model",
    )


def _altered(node: NodeProto, file: str) -> Diagnostic:
    return Diagnostic(
        "OW576",
        f"attributes of a node {node.domain or 'ai.onnx'}::{node.op_type} were altered after they were written",
        Place(file),
        reason="attach or polyfill has written them; taking them back would lose the alteration",
        help="attach the library to the original model",
    )


def _text(noted: Mapping[str, object]) -> str:
    return json.dumps(noted, sort_keys=True, separators=(",", ":"))
