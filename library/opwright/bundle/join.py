"""Several libraries as one, for what looks at all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from opwright.bundle.format import Bundle
from opwright.bundle.normal_name import normal_name


def join_bundles(bundles: Sequence[Bundle]) -> Bundle:
    """One bundle with the functions and bodies of all, which have no domain in common. It is not to be written: it has
    no digest of its own, and the name and release of the first. A single one is returned as it is."""
    first = bundles[0]
    if len(bundles) == 1:
        return first
    indices = [bundle.index for bundle in bundles]
    functions = sorted(
        chain.from_iterable(index.functions for index in indices),
        key=lambda entry: (entry.domain, entry.name, entry.since_version),
    )
    joined = {normal_name(index.library) for index in indices}
    others = {item.library: item for index in indices for item in index.dependencies}
    index = replace(
        first.index,
        opsets=(min(index.opsets[0] for index in indices), max(index.opsets[1] for index in indices)),
        domains=tuple(sorted(chain.from_iterable(index.domains for index in indices), key=lambda domain: domain.name)),
        functions=tuple(functions),
        dependencies=tuple(item for name, item in sorted(others.items()) if normal_name(name) not in joined),
    )
    bodies = {digest: data for bundle in bundles for digest, data in bundle.bodies.items()}
    templates = {digest: data for bundle in bundles for digest, data in bundle.templates.items()}
    return Bundle(index, bodies, "", templates=templates)
