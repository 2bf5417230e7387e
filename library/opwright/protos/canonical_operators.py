"""What a node means, apart from its names: the operator at its schema version, or the body that it calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from onnx import defs

from opwright.opsets.domains import STANDARD_DOMAINS
from opwright.opsets.record import CONTROL_FLOW, Role
from opwright.opsets.signatures import Option, Signature, is_known_domain, newest_opset, signature
from opwright.protos import wire
from opwright.protos.canonical_attributes import encode_attribute
from opwright.protos.canonical_tensors import Encoded, RefusedError, check_text
from opwright.protos.wire import chunk, varint

BODY_DOMAIN = "body1"
BODY_PREFIX = "body1:"

_OPERATOR, _BODY = b"\x00", b"\x01"

# The standard calls these random because their graphs may be. In digests SequenceMap counts as random.
_CONTROL_FLOW = CONTROL_FLOW - {Role.SEQUENCE_MAP}


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One meaning of a node.

    `encoding` stands for it in the digest; `op_type` and `domain` are the node's protobuf fields. `defaults` are the
    attributes that hold where a node does not write them, `encoded_defaults` the same in the digest; `no_attributes`
    are all of them joined, for a node that writes none. Calls alone have `called`, the body's digest, and `positions`,
    which maps the callee's attribute names to their canonical ones (None: the call has those already).
    """

    encoding: bytes
    op_type: bytes
    domain: bytes
    import_domain: str
    since_version: int
    deterministic: bool
    control_flow: bool
    trims_outputs: bool
    defaults: Mapping[str, Encoded]
    no_attributes: Encoded
    encoded_defaults: Mapping[bytes, bytes] = field(default_factory=dict)
    called: str | None = None
    positions: Mapping[str, str] | None = None

    def canonical_attribute(self, attribute: str) -> str:
        """What an attribute of such a node is called in a body."""
        check_text(attribute)
        if self.positions is None:
            return attribute
        if attribute not in self.positions:
            raise RefusedError(f"it calls a function with the attribute {attribute}, which that has not")
        return self.positions[attribute]


@lru_cache(maxsize=1 << 14)
def standard_operator(domain: str, name: str, opset: int) -> Operator:
    """The operator's version at that opset of its domain. Raises RefusedError when the installed onnx has none."""
    if domain not in STANDARD_DOMAINS:
        # No schema is the standard's own; one that was registered in this process must not change a digest.
        return _operator(domain, name, opset)
    shown = domain or "ai.onnx"
    newest = newest_opset(domain) if is_known_domain(domain) else 0
    if opset > newest:
        raise RefusedError(f"it imports {shown} {opset}; the installed onnx knows versions up to {newest}")
    found = signature(domain, name, opset)
    if found is None:
        raise RefusedError(f"{shown} has no operator {name} at opset {opset}")
    return _from_signature(found)


@cache
def _from_signature(found: Signature) -> Operator:
    schema = defs.get_schema(found.name, found.since_version, found.domain)
    defaults = {
        key: encode_attribute(chunk(key.encode()), formal.default_value)
        for key, formal in sorted(schema.attributes.items())
        if formal.default_value.type
    }
    return _operator(
        found.domain,
        found.name,
        found.since_version,
        deterministic=found.deterministic,
        control_flow=found.record.role in _CONTROL_FLOW,
        trims_outputs=not (found.outputs and found.outputs[-1].option is Option.VARIADIC),
        defaults=defaults,
    )


def _operator(
    domain: str,
    name: str,
    since_version: int,
    *,
    deterministic: bool = False,
    control_flow: bool = False,
    trims_outputs: bool = False,
    defaults: Mapping[str, Encoded] | None = None,
) -> Operator:
    in_order = list((defaults or {}).values())
    return Operator(
        encoding=_OPERATOR + chunk(domain.encode()) + chunk(name.encode()) + varint(since_version),
        op_type=wire.NODE_OP_TYPE + chunk(name.encode()),
        domain=wire.NODE_DOMAIN + chunk(domain.encode()) if domain else b"",
        import_domain=domain,
        since_version=since_version,
        deterministic=deterministic,
        control_flow=control_flow,
        trims_outputs=trims_outputs,
        defaults=defaults or {},
        no_attributes=(
            varint(len(in_order)) + b"".join(item[0] for item in in_order),
            wire.repeated(wire.NODE_ATTRIBUTE, [chunk(item[1]) for item in in_order]),
        ),
        encoded_defaults={key.encode(): item[0] for key, item in (defaults or {}).items()},
    )


def called_body(digest: str, attributes: tuple[str, ...] | None) -> Operator:
    """A call of another body; `attributes` are that body's by name, None where the call has canonical names already."""
    hexadecimal = digest.removeprefix(BODY_PREFIX)
    if len(hexadecimal) != 64 or hexadecimal.strip("0123456789abcdef"):
        raise RefusedError(f"it calls a body by {hexadecimal!r}, which is no digest")
    positions = None if attributes is None else {name: f"a{index}" for index, name in enumerate(attributes)}
    return Operator(
        encoding=_BODY + bytes.fromhex(hexadecimal),
        op_type=wire.NODE_OP_TYPE + chunk(hexadecimal.encode()),
        domain=wire.NODE_DOMAIN + chunk(BODY_DOMAIN.encode()),
        import_domain=BODY_DOMAIN,
        since_version=1,
        deterministic=False,
        control_flow=False,
        trims_outputs=True,
        defaults={},
        no_attributes=(varint(0), b""),
        called=BODY_PREFIX + hexadecimal,
        positions=positions,
    )
