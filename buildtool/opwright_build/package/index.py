"""Compiled versions as the index of a bundle."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import DependencyEntry, DomainEntry, FunctionEntry, Index

from opwright_build.spec.model import Domain, Package


def build_index(
    package: Package,
    domains: Sequence[Domain],
    functions: Sequence[FunctionEntry],
    onnx_version: str,
    dependencies: tuple[DependencyEntry, ...] = (),
) -> Index:
    """The index: domains by name, functions by (domain, name, since_version).

    `onnx_version` is that of the schemas that the bodies were compiled against, `dependencies` what the bundle carries
    of other libraries.
    """
    entries = sorted(functions, key=lambda entry: (entry.domain, entry.name, entry.since_version))
    return Index(
        package.name,
        package.version,
        package.package,
        package.summary,
        package.license,
        (package.opsets.first, package.opsets.last),
        onnx_version,
        tuple(
            DomainEntry(domain.name, domain.version, domain.emitted)
            for domain in sorted(domains, key=lambda domain: domain.name)
        ),
        tuple(entries),
        _requirements(package),
        dependencies,
    )


def _requirements(package: Package) -> tuple[tuple[str, str], ...]:
    """What the installed library needs: opwright alone, since the bodies of other libraries that it calls are in it."""
    return tuple(sorted({"opwright": "", **package.requires}.items()))
