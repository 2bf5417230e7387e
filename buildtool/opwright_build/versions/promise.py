"""What a (domain, name, since_version) promises its users, as plain frozen data.

One model for the library that is being built, for a lock, for a bundle and for a state of the repository's history:
its interface (names, order, presence, types, defaults), the opsets it serves, and the digest of the body behind each
variant at each class of opsets. Documentation is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from opwright.bundle.format import BodyEntry, FunctionEntry, Index, TemplateEntry

TEMPLATE = (("", ""),)  # in the place of a variant: bodies are made for each call


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change of bodies that was judged, and accepted for a reason: by which release, how far results moved."""

    release: str
    reason: str
    within: str
    bodies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Promise:
    """`entry` has no documentation. `release` is the first that had the version; empty where none has. `superseded` are
    earlier bodies of it, which serve no call any more, and which released bodies of other functions name."""

    entry: FunctionEntry
    release: str = ""
    accepted: tuple[Accepted, ...] = ()
    superseded: tuple[BodyEntry, ...] = ()

    @property
    def identity(self) -> str:
        return self.entry.identity

    @property
    def key(self) -> tuple[str, str, int]:
        return self.entry.domain, self.entry.name, self.entry.since_version

    @property
    def opsets(self) -> frozenset[int]:
        """The opsets that have a body or a template."""
        items: tuple[BodyEntry | TemplateEntry, ...] = (*self.entry.bodies, *self.entry.templates)
        return frozenset(opset for item in items for opset in range(item.first_opset, item.last_opset + 1))

    @property
    def bodies(self) -> frozenset[str]:
        """The digests of all that serves calls."""
        return frozenset(
            (*(item.body for item in self.entry.bodies), *(item.template for item in self.entry.templates))
        )

    def admitted(self, opset: int) -> Mapping[str, frozenset[str]]:
        """The element types that some body takes at an opset, by type variable. At the opsets of a template calls
        decide, and all declared ones count."""
        found = {name: set[str]() for name, _ in self.entry.types}
        if any(item.first_opset <= opset <= item.last_opset for item in self.entry.templates):
            return {name: frozenset(types) for name, types in self.entry.types}
        for body in self.entry.bodies:
            if body.first_opset <= opset <= body.last_opset:
                for name, types in body.admits:
                    found.setdefault(name, set()).update(types)
        return {name: frozenset(types) for name, types in found.items()}

    def served(self, opset: int) -> Mapping[tuple[tuple[str, str], ...], str]:
        """What stands behind each variant at an opset, by its digest."""
        bodies = {item.variant: item.body for item in self.entry.bodies if item.first_opset <= opset <= item.last_opset}
        templates = [item for item in self.entry.templates if item.first_opset <= opset <= item.last_opset]
        return bodies | dict([(TEMPLATE, templates[0].template)] if templates else [])


@dataclass(frozen=True, slots=True)
class Terms:
    """What a library is had under: its license, and what has to be installed for it, with the releases that will do."""

    license: str
    requires: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Promised:
    """All that one state of a library promises.

    `emitted` maps each domain to the one that its functions are emitted in, `versions` to its version. `origin` is how
    users name the state: `release 1.1.0`, a file, a revision. `elsewhere` names the other library that has a domain in
    this state, also one of those whose functions are looked at. The names are empty where there was no such library,
    and `terms` are None where a lock does not say them.
    """

    library: str
    package: str
    version: str
    emitted: Mapping[str, str]
    versions: Mapping[str, int]
    promises: Mapping[str, Promise]
    origin: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    terms: Terms | None = None

    @property
    def domains(self) -> list[str]:
        """The library's own, in their order: modules of the first one have no prefix."""
        return sorted(self.emitted.keys() - self.elsewhere.keys())


def promised_by(index: Index, origin: str = "", elsewhere: Mapping[str, str] | None = None) -> Promised:
    """What the library of that index promises, beside those that have the domains in `elsewhere`."""
    return Promised(
        index.library,
        index.package,
        index.version,
        {domain.name: domain.mirror for domain in index.domains},
        {domain.name: domain.version for domain in index.domains},
        by_identity(Promise(bare(entry)) for entry in index.functions),
        origin,
        elsewhere or {},
        Terms(index.license, index.requires),
    )


def by_identity(promises: Iterable[Promise]) -> dict[str, Promise]:
    """In the order of (domain, name, since_version)."""
    return {promise.identity: promise for promise in sorted(promises, key=lambda promise: promise.key)}


def bare(entry: FunctionEntry) -> FunctionEntry:
    """The entry without documentation."""
    return replace(
        entry,
        summary="",
        doc="",
        inputs=tuple(replace(item, doc="") for item in entry.inputs),
        outputs=tuple(replace(item, doc="") for item in entry.outputs),
        attributes=tuple(replace(item, doc="") for item in entry.attributes),
    )
