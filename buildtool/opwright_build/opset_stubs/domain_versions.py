"""The domains of ONNX, version by version: which operators each version adds or changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opwright.opsets import DOMAINS
from opwright.opsets.signatures import Signature, history, newest_opset, operators_at, signature


@dataclass(frozen=True, slots=True)
class DomainVersion:
    """A domain at one version. `changed` are the signatures that this version adds or changes, by name."""

    prefix: str
    domain: str
    version: int
    changed: tuple[Signature, ...]

    @property
    def name(self) -> str:
        """The name of the opset in `opwright`, and of its stub: `opset18`, `opset_ai_onnx_ml5`."""
        return f"{self.prefix}{self.version}"

    @property
    def class_name(self) -> str:
        return self.name.capitalize()


def all_versions() -> list[DomainVersion]:
    """Every version of every domain that the installed onnx defines, each domain's ascending."""
    found = []
    for prefix, domain in DOMAINS.items():
        for version in range(1, newest_opset(domain) + 1):
            found.append(DomainVersion(prefix, domain, version, _changed(domain, version)))
    return found


def _changed(domain: str, version: int) -> tuple[Signature, ...]:
    names: Sequence[str] = operators_at(domain, version)
    signatures = [signature(domain, name, version) for name in names if version in history(domain, name)]
    return tuple(item for item in signatures if item is not None and item.since_version == version)
