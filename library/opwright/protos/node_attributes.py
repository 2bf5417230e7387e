"""Whether the attributes of two nodes, or of two functions, agree; defaults count as if they were written."""

from __future__ import annotations

from onnx import AttributeProto, NodeProto, defs

from opwright.graphs.walk import GRAPH_KINDS
from opwright.protos.canonical_attributes import encode_attribute
from opwright.protos.canonical_operators import Operator
from opwright.protos.canonical_tensors import RefusedError
from opwright.protos.difference import DifferenceError, DifferenceKind, Trail
from opwright.protos.node_text import attribute_text
from opwright.protos.scopes import LocalFunction, Meaning
from opwright.protos.wire import chunk, varint

# Kinds whose equality as messages decides; the others may be equal in another form, or hold names.
_PLAIN = frozenset(
    (
        AttributeProto.FLOAT,
        AttributeProto.INT,
        AttributeProto.STRING,
        AttributeProto.FLOATS,
        AttributeProto.INTS,
        AttributeProto.STRINGS,
    )
)


def check_attributes(left: NodeProto, right: NodeProto, ours: Meaning, theirs: Meaning, trail: Trail | None) -> None:
    """Raises DifferenceError when an attribute differs; of graphs only their number counts here."""
    if ours is theirs and left.attribute == right.attribute and _is_plain(left):
        return
    one, other = _written(left, ours), _written(right, theirs)
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            texts = (_attribute_of(left, ours, name), _attribute_of(right, theirs, name))
            raise DifferenceError(DifferenceKind.ATTRIBUTE, trail, *texts)


def function_attributes(left: LocalFunction, right: LocalFunction, trail: Trail | None) -> None:
    """Raises DifferenceError when two functions have other attributes, or others with defaults, or other defaults."""
    if left.attributes != right.attributes or left.defaults != right.defaults:
        raise DifferenceError(DifferenceKind.ATTRIBUTES, trail, _interface(left), _interface(right))


def _is_plain(node: NodeProto) -> bool:
    names = {item.name for item in node.attribute if item.type in _PLAIN}
    return len(names) == len(node.attribute)


def _written(node: NodeProto, meaning: Meaning) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for item in node.attribute:
        if item.name in found:
            raise RefusedError(f"a node has the attribute {item.name} twice")
        found[item.name] = _encoding(item)
    if isinstance(meaning, Operator):
        for name, default in meaning.defaults.items():
            found.setdefault(name, default[0])
    else:
        for name, encoding in meaning.defaults.items():
            found.setdefault(name, encoding)
    return found


def _encoding(item: AttributeProto) -> bytes:
    if item.ref_attr_name:
        return b"reference" + varint(item.type) + item.ref_attr_name.encode()
    if item.type in GRAPH_KINDS:
        return b"graphs" + varint(item.type) + varint(len(item.graphs))
    return encode_attribute(chunk(item.name.encode()), item)[0]


def _attribute_of(node: NodeProto, meaning: Meaning, name: str) -> str:
    for item in node.attribute:
        if item.name == name:
            return attribute_text(item)
    default: AttributeProto | None = None
    if isinstance(meaning, LocalFunction):
        default = meaning.unset.get(name)
    elif name in meaning.defaults:
        schema = defs.get_schema(node.op_type, meaning.since_version, meaning.import_domain)
        default = schema.attributes[name].default_value
    return f"{name} left out" if default is None else f"{attribute_text(default)} (the default)"


def _interface(function: LocalFunction) -> str:
    shown = [
        attribute_text(function.unset[name]) if name in function.unset else name for name in sorted(function.attributes)
    ]
    return ", ".join(shown) or "none"
