"""One operator of an opset: what it is called, since when it is what it is, and a call of it."""

from __future__ import annotations

from typing import Any

from opwright.opsets.opset import Opset
from opwright.opsets.signatures import Signature, history, is_known_domain, signature, similar


class Operator:
    """An operator at one opset of its domain. Calling it runs it on arrays or tensors, or adds it to a graph."""

    __slots__ = ("domain", "name", "opset", "signature")

    def __init__(self, opset: Opset, signature: Signature) -> None:
        self.opset = opset
        self.name = signature.name
        self.domain = opset.domain
        self.signature = signature

    @property
    def since_version(self) -> int:
        """The version of the domain that made the operator what it is here."""
        return self.signature.since_version

    def __repr__(self) -> str:
        return f"<{self.signature.identity} of opset {self.opset.version}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inputs by position or name, attributes by name; see the operator's own documentation."""
        from opwright.eager import call_operator

        return call_operator(self, args, kwargs)


def find_operator(opset: Opset, name: str) -> Operator:
    """The operator of that name. KeyError with a hint when the opset has none."""
    found = _signature(opset, name)
    if found is None:
        raise KeyError(_missing(opset, name))
    return Operator(opset, found)


def has_operator(opset: Opset, name: str) -> bool:
    return _signature(opset, name) is not None


def operator_names(opset: Opset) -> list[str]:
    """The operators of the opset, by name."""
    from opwright.opsets.signatures import operators_at

    return sorted({*(opset.signatures or ()), *operators_at(opset.domain, opset.version)})


def _signature(opset: Opset, name: str) -> Signature | None:
    given = None if opset.signatures is None else opset.signatures.get(name)
    return given or signature(opset.domain, name, opset.version)


def _missing(opset: Opset, name: str) -> str:
    """Why there is no such operator, and where one is that may be meant."""
    where = f"{opset.domain or 'ai.onnx'} has no operator {name!r} at opset {opset.version}"
    if opset.signatures is None and not is_known_domain(opset.domain):
        return f"nothing says what the operators of {opset.domain} accept: give `Opset(..., signatures=)`"
    versions = history(opset.domain, name)
    if versions and versions[0] > opset.version:
        return f"{where}; opset {versions[0]} has it"
    if versions:
        return f"{where}: it was removed"
    close = similar(opset.domain, name)
    return f"{where}; did you mean {' or '.join(map(repr, close))}?" if close else where
