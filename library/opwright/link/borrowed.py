"""What libraries carry of others because their functions call it: to be called, never to serve a model's own nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from opwright.bundle.format import DomainEntry, FunctionEntry


@dataclass(frozen=True, slots=True)
class Origin:
    """A library release."""

    library: str
    version: str

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


@dataclass(frozen=True, slots=True)
class Borrowed:
    """Functions by identity, with the release that each is of; every version that a function has where it is from, by
    (domain, name); the domains."""

    functions: Mapping[str, FunctionEntry] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    versions: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    domains: Mapping[str, DomainEntry] = field(default_factory=dict)

    def versions_of(self, domain: str, name: str) -> tuple[FunctionEntry, ...]:
        """The versions of one function that are carried, oldest first."""
        found = (self.functions.get(f"{domain}::{name}@{since}") for since in self.versions.get((domain, name), ()))
        return tuple(entry for entry in found if entry is not None)


def same_function(left: FunctionEntry, right: FunctionEntry) -> bool:
    """Whether two entries of one identity say the same, but for what they tell people."""
    return left is right or left == right or _without_texts(left) == _without_texts(right)


def _without_texts(entry: FunctionEntry) -> FunctionEntry:
    return replace(
        entry,
        summary="",
        doc="",
        deprecated=False,
        inputs=tuple(replace(item, doc="") for item in entry.inputs),
        outputs=tuple(replace(item, doc="") for item in entry.outputs),
        attributes=tuple(replace(item, doc="") for item in entry.attributes),
    )
