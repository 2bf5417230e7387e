"""The tree that a YAML file becomes: every key and value with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.diagnostics.diagnostic import Place, Replacement
from opwright.suggest import sure_name

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


def rewritten(place: Place, old: str, new: str, *, quoted: bool = False) -> Replacement | None:
    """The fix that writes another scalar where `old` stands, plain or in quotes; None where it stands there in another
    way, such as with escapes or over lines. With `quoted` the new one needs quotes."""
    width = place.end_column - place.column
    if not old or not new or place.line == 0 or place.line != place.end_line or "\n" in old:
        return None
    if width == len(old):
        return Replacement(place, old, f'"{new}"' if quoted else new)
    if width == len(old) + 2:  # within the quotes
        inner = Place(place.file, place.line, place.column + 1, place.line, place.end_column - 1)
        return Replacement(inner, old, new)
    return None


def renamed_key(parent: Node | None, key: str, known: Iterable[str]) -> Replacement | None:
    """The fix that writes the known key that `key` is sure to mean, where the mapping does not have that already."""
    if not isinstance(parent, MappingNode) or key not in parent.entries:
        return None
    meant = sure_name(key, known)
    return None if meant in parent.entries else rewritten(parent.entries[key].key, key, meant)


def renamed_word(node: Node | None, known: Iterable[str]) -> Replacement | None:
    """The fix that writes the known word that a scalar is sure to mean."""
    if not isinstance(node, Scalar):
        return None
    return rewritten(node.place, node.text, sure_name(node.text, known))
