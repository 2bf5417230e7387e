"""Extracted cases of the suite as bytes, for a content-addressed store. No pickle: a JSON header and plain elements."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import onnx
from opwright.elements import element

from opwright_build.verify.case_model import Array, Items, Value
from opwright_build.verify.cases import oracle_messages
from opwright_build.verify.cases.suite import SuiteCase
from opwright_build.verify.dtypes import array_bytes, array_from_bytes, element_of

_FORMAT = "opwright.suite/2"
_PROTOS: dict[str, Any] = {
    "graph": onnx.GraphProto,
    "tensor": onnx.TensorProto,
    "type": onnx.TypeProto,
    "sparse": onnx.SparseTensorProto,
}


def encode_suite(cases: Sequence[SuiteCase]) -> bytes:
    """The same cases, the same bytes. `decode_suite` inverts it."""
    parts: list[bytes] = []
    entries = []
    for case in cases:
        entries.append(
            {
                "name": case.name,
                "operator": [case.domain, case.operator, case.since_version],
                "attributes": [[name, _encode_attribute(case.attributes[name])] for name in case.attributes],
                "inputs": [_encode_value(value, parts) for value in case.inputs],
                "outputs": [_encode_value(value, parts) for value in case.outputs],
                "tolerance": [case.rtol, case.atol],
                "obstacle": case.obstacle,
            }
        )
    return oracle_messages.pack({"format": _FORMAT, "cases": entries}, parts)


def decode_suite(data: bytes) -> tuple[SuiteCase, ...]:
    """Raises oracle_messages.BadMessage for bytes that `encode_suite` did not write."""
    header, parts = oracle_messages.unpack(data)
    try:
        if header["format"] != _FORMAT:
            raise oracle_messages.BadMessage(f"the format is {header['format']!r}, not {_FORMAT!r}")
        rest = iter(parts)
        return tuple(_decode_case(entry, rest) for entry in header["cases"])
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise oracle_messages.BadMessage(f"no extracted suite ({error})") from None


def _decode_case(entry: Any, parts: Any) -> SuiteCase:
    domain, operator, since_version = entry["operator"]
    rtol, atol = entry["tolerance"]
    return SuiteCase(
        name=entry["name"],
        domain=domain,
        operator=operator,
        since_version=since_version,
        attributes={name: _decode_attribute(value) for name, value in entry["attributes"]},
        inputs=tuple(_decode_value(described, parts) for described in entry["inputs"]),
        outputs=tuple(_decode_value(described, parts) for described in entry["outputs"]),
        rtol=rtol,
        atol=atol,
        obstacle=entry["obstacle"],
    )


def _encode_value(value: Value | None, parts: list[bytes]) -> Any:
    if value is None:
        return None
    if isinstance(value, Items):
        return {"sequence": value.kind, "items": [_encode_array(array, parts) for array in value.arrays]}
    return _encode_array(value, parts)


def _encode_array(array: Array, parts: list[bytes]) -> Any:
    parts.append(array_bytes(array))
    return [element_of(array).name, list(array.shape)]


def _decode_value(described: Any, parts: Any) -> Value | None:
    if described is None:
        return None
    if isinstance(described, dict):
        return Items(described["sequence"], tuple(_decode_array(item, parts) for item in described["items"]))
    return _decode_array(described, parts)


def _decode_array(described: Any, parts: Any) -> Array:
    name, shape = described
    return array_from_bytes(next(parts), element(name), tuple(shape))


def _encode_attribute(value: Any) -> Any:
    """Numbers, strings and lists of them are JSON's own; a proto is named and in base64."""
    if isinstance(value, tuple):
        return [_encode_attribute(item) for item in value]
    for label, proto in _PROTOS.items():
        if isinstance(value, proto):
            serialised = value.SerializeToString(deterministic=True)
            return {label: base64.b64encode(serialised).decode("ascii")}
    return value


def _decode_attribute(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode_attribute(item) for item in value)
    if isinstance(value, dict):
        ((label, text),) = value.items()
        return _PROTOS[label].FromString(base64.b64decode(text))
    return value
