"""What was made of the versions of a library: their parts, and what packages carry of one another and of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opwright.bundle.format import DomainEntry, FunctionEntry
from opwright.bundle.normal_name import normal_name

from opwright_build.dependencies.closures import Closure, Lender, collect_closure, lenders_of
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.run import Engine
from opwright_build.workflow.compiled.version_parts import BODIES, ENTRY, TEMPLATES, decode_blobs

if TYPE_CHECKING:
    from opwright_build.spec.model import Package
    from opwright_build.workflow.built.loaded_packages import LoadedPackages


@dataclass(frozen=True, slots=True)
class MadeVersions:
    """The versions of a library, compiled; `instances` replace what compiling gave for those that are templates."""

    engine: Engine
    packages: LoadedPackages
    compiled: Mapping[str, Result]
    instances: Mapping[tuple[str, str], bytes]

    def part(self, identity: str, name: str) -> bytes:
        """An output of compiling a version."""
        made = self.instances.get((identity, name))
        # `fetch` makes anew what the store has lost.
        return self.engine.fetch(self.compiled[identity], name) if made is None else made

    def closure_of(self, package: Package, built: Mapping[str, Mapping[str, Any]]) -> Closure:
        """What the bundle of a package carries of its siblings, whose figures are in `built`, and of others."""
        loaded, others = self.packages.loaded, self.packages.others
        siblings = [item for item in loaded.library.with_siblings([package.name]) if item is not package]
        lenders = [self._lender(item, built[item.name]["bundle"]) for item in siblings]
        for item in (package, *siblings):
            for library in others.of_package(item):
                lenders += lenders_of(library.bundle, library.locked.sha256)
        if not lenders:
            return Closure()
        first = {normal_name(lender.library): lender for lender in reversed(lenders)}
        entries = self.entries_of(package)
        templates = [
            text
            for identity, entry in entries.items()
            if entry.templates
            for text in decode_blobs(self.part(identity, TEMPLATES)).values()
        ]
        return collect_closure(entries.values(), templates, list(first.values()))

    def entries_of(self, package: Package) -> dict[str, FunctionEntry]:
        """The entries of a package's versions, by identity."""
        identities = (item.identity for item in self.packages.loaded.versions if item.domain.name in package.domains)
        return {identity: decode_value(FunctionEntry, self.part(identity, ENTRY)) for identity in identities}

    def _lender(self, package: Package, sha256: str) -> Lender:
        others = self.packages.others.of_package(package)
        entries = self.entries_of(package)
        bodies: dict[str, bytes] = {}
        for identity in entries:
            bodies |= decode_blobs(self.part(identity, BODIES))
        domains = [domain for domain in self.packages.loaded.domains if domain.name in package.domains]

        def since(domain: str, name: str) -> tuple[int, ...]:
            found = (item.since_version for item in entries.values() if (item.domain, item.name) == (domain, name))
            return tuple(sorted(found))

        return Lender(
            package.name,
            package.version,
            package.package,
            sha256,
            tuple(
                DomainEntry(domain.name, domain.version, domain.emitted)
                for domain in sorted(domains, key=lambda item: item.name)
            ),
            entries.get,
            since,
            bodies,
            (*package.siblings, *(library.bundle.index.library for library in others)),
        )
