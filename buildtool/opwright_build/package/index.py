"""Compiled versions as the index of a bundle."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import DomainEntry, Index

from opwright_build.compile.compiled_version import CompiledVersion
from opwright_build.spec.model import Domain, Library


def build_index(
    library: Library, domains: Sequence[Domain], compiled: Sequence[CompiledVersion], onnx_version: str
) -> Index:
    """The index: domains by name, functions by (domain, name, since_version).

    `onnx_version` is that of the schemas that the bodies were compiled against.
    """
    entries = sorted(
        (item.entry for item in compiled), key=lambda entry: (entry.domain, entry.name, entry.since_version)
    )
    return Index(
        library.name,
        library.version,
        library.package,
        library.summary,
        library.license,
        (library.opsets.first, library.opsets.last),
        onnx_version,
        tuple(
            DomainEntry(domain.name, domain.version, domain.emitted)
            for domain in sorted(domains, key=lambda domain: domain.name)
        ),
        tuple(entries),
        _requirements(library),
    )


def _requirements(library: Library) -> tuple[tuple[str, str], ...]:
    """What the installed library needs: opwright, and the libraries that it calls."""
    wanted = {"opwright": "", **library.requires, **dict.fromkeys(library.dependencies, "")}
    return tuple(sorted(wanted.items()))
