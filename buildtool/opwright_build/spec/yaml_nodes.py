"""The tree that a YAML file becomes: every key and value with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.diagnostics.diagnostic import Place

from opwright_build.spec.yaml_scalars import Resolved


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar. `plain` says that it stood without quotes, so `value` was resolved from `text`."""

    value: Resolved
    text: str
    plain: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value`; `key` is where the key stands."""

    key: Place
    value: Node


@dataclass(frozen=True, slots=True)
class MappingNode:
    entries: Mapping[str, Entry]
    place: Place


Node = Scalar | Sequence | MappingNode


def plain_data(node: Node) -> Any:
    """The tree as dictionaries, lists and values, without places. Recursion is bounded by MAX_DEPTH."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain_data(item) for item in node.items]
        case MappingNode():
            return {key: plain_data(entry.value) for key, entry in node.entries.items()}


def node_at(node: Node, path: Iterable[object]) -> Node | None:
    """The node below `node` that a path of keys and positions leads to, or None."""
    found: Node | None = node
    for step in path:
        match found, step:
            case MappingNode(), str() if step in found.entries:
                found = found.entries[step].value
            case Sequence(), int() if 0 <= step < len(found.items):
                found = found.items[step]
            case _:
                return None
    return found


def key_places(node: Node, prefix: str = "") -> dict[str, Place]:
    """Dotted path of every key (its own place) and of every item of a sequence (by position) below `node`."""
    places: dict[str, Place] = {}
    match node:
        case MappingNode():
            for key, entry in node.entries.items():
                places[prefix + key] = entry.key
                places.update(key_places(entry.value, f"{prefix}{key}."))
        case Sequence():
            for position, item in enumerate(node.items):
                places[f"{prefix}{position}"] = item.place
                places.update(key_places(item, f"{prefix}{position}."))
        case Scalar():
            pass
    return places


def kind_of(value: object) -> str:
    """What a value of YAML is, in words for a message."""
    match value:
        case None:
            return "empty (null)"
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return "text"
        case list() | tuple() | Sequence():
            return "a sequence"
        case _:
            return "a mapping"
