"""States of a library as bundles: the bodies behind what was promised, ready to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry
from opwright.link.catalogue import layered

from opwright_build.versions.promise import Promised


def bundle_of(
    promised: Promised,
    identities: Iterable[str],
    bodies_of: Callable[[FunctionEntry], Mapping[str, bytes]],
    beside: Bundle,
) -> Bundle:
    """A bundle of all versions, with the bodies of those and of all that they call. `bodies_of` gives the bodies of one
    version by digest, as far as they are at hand; those of other libraries are taken from the bundle `beside`."""
    bodies: dict[str, bytes] = {}
    waiting = list(identities)
    seen = set(waiting)
    while waiting:
        promise = promised.promises.get(waiting.pop())
        if promise is None:
            continue
        bodies.update(bodies_of(promise.entry))
        for body in promise.entry.bodies:
            for call in body.calls:
                identity = f"{call.domain}::{call.name}@{call.since_version}"
                if identity not in seen:
                    seen.add(identity)
                    waiting.append(identity)
    domains = tuple(
        DomainEntry(name, promised.versions[name], emitted) for name, emitted in sorted(promised.emitted.items())
    )
    functions = tuple(promise.entry for promise in promised.promises.values())
    index = replace(
        beside.index,
        library=promised.library,
        version=promised.version,
        package=promised.package,
        domains=domains,
        functions=functions,
    )
    return Bundle(index, layered([bodies, beside.bodies]), "")
