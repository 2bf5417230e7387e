"""The keys of metadata_props under which the linker writes down what it did (docs/adr/0021, 0289)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import Any

from onnx import ModelProto, NodeProto

# Of functions that come from a library.
IDENTITY = "opwright.identity"  # domain::Name@since_version
VARIANT = "opwright.variant"  # axis=value pairs; absent where there is one variant
BODY = "opwright.body"  # digest of the body, as the library's index has it
LIBRARY = "opwright.library"  # distribution name
RELEASE = "opwright.release"  # the library's version
ATTRIBUTES = "opwright.attributes"  # in the body's order, where the proto (those with defaults last) has another
FLATTENED = "opwright.flattened"  # digest of a body into which callees were inlined to shorten a chain of calls
TEMPLATE = "opwright.template"  # digest of the template that made it, of a body that the library does not hold
TYPED = "opwright.typed"  # digest of a body whose casts name the types that its calls have
LATE = "opwright.late"  # digests of the library's bodies, one a type, that it is one body for
ATTACHED = "opwright.attached"  # JSON: what of the model changed when the function was added

IMPORTED = "opwright.imported"  # of a function of the model: domains whose import was added, separated by spaces
CALL = "opwright.call"  # of a node: JSON of what was changed about it, for detach

LIKE = "opwright.like"  # of a cast in a function: the value whose type it names

# Of nodes that stand in the place of one (docs/adr/0290): a mark that they share; of the last, JSON of the one.
INSTEAD = "opwright.instead"
REPLACED = "opwright.replaced"

# Of a model that was rewritten for another opset, and of its functions: JSON of what detach restores.
POLYFILLED = "opwright.polyfilled"

# What entries of a model begin with; a digest of the value ends them, so that models with several can be merged.
RECORDS = "opwright.records."  # where the IR has no metadata_props of functions and nodes: the records of all of them
OUTPUTS = "opwright.outputs."  # JSON, by name, of what was written of the types of its outputs
BODIES = "opwright.bodies."  # likewise of those of graphs of Scan, by the first output of its node

OF_FUNCTIONS = frozenset(
    {
        IDENTITY,
        VARIANT,
        BODY,
        LIBRARY,
        RELEASE,
        ATTRIBUTES,
        FLATTENED,
        TEMPLATE,
        LATE,
        TYPED,
        ATTACHED,
        IMPORTED,
        POLYFILLED,
    }
)


OF_NODES = frozenset({CALL, INSTEAD, REPLACED, LIKE})


def is_polyfilled(model: ModelProto) -> bool:
    """Whether it was brought to another opset, and can be taken back."""
    return any(item.key == POLYFILLED for item in model.metadata_props)


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is; None where it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def add_entry(model: ModelProto, key: str, value: object) -> None:
    """Writes something down on a model, as JSON, under a key that begins with `key`."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    model.metadata_props.add(key=key + hashlib.sha256(text.encode()).hexdigest()[:16], value=text)


def attributes_digest(node: NodeProto, names: Collection[str]) -> str:
    """Of those attributes of a node that are written on it and taken back."""
    digest = hashlib.sha256()
    for attribute in node.attribute:
        if attribute.name in names:
            digest.update(attribute.SerializeToString(deterministic=True))
    return digest.hexdigest()
