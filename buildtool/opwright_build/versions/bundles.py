"""States of a library as bundles: the bodies behind what was promised, ready to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.link.catalogue import catalogue_of, layered
from opwright.link.instantiate import find_callee
from opwright.link.naming import Instance

from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.versions.promise import Promise, Promised, bare


def bundle_of(
    promised: Promised,
    identities: Iterable[str],
    bodies_of: Callable[[Promise], Mapping[str, bytes]],
    beside: Bundle,
) -> Bundle:
    """A bundle of all versions, with the bodies of those and of all that they call, superseded ones too. `bodies_of`
    gives the bodies of one version by digest, as far as they are at hand; those of other libraries are taken from the
    bundle `beside`."""
    bodies: dict[str, bytes] = {}
    waiting = list(identities)
    seen = set(waiting)
    while waiting:
        promise = promised.promises.get(waiting.pop())
        if promise is None:
            continue
        bodies.update(bodies_of(promise))
        for body in (*promise.entry.bodies, *promise.superseded):
            for call in body.calls:
                identity = f"{call.domain}::{call.name}@{call.since_version}"
                if identity not in seen:
                    seen.add(identity)
                    waiting.append(identity)
    domains = tuple(
        DomainEntry(name, promised.versions[name], emitted) for name, emitted in sorted(promised.emitted.items())
    )
    functions = tuple(
        replace(promise.entry, bodies=(*promise.entry.bodies, *promise.superseded))
        for promise in promised.promises.values()
    )
    index = replace(
        beside.index,
        library=promised.library,
        version=promised.version,
        package=promised.package,
        domains=domains,
        functions=functions,
    )
    return Bundle(index, layered([bodies, beside.bodies]), "")


def at_hand(bundle: Bundle, entry: FunctionEntry) -> list[list[str]]:
    """What the bundle has of all that the bodies of a version run, their callees' too: the digest of each body with
    that of the interface which it serves there, empty where the bundle lacks the one or the other. A bundle made of a
    lock lacks some: it takes what other libraries had from the one beside it."""
    catalogue = catalogue_of(bundle.index, bundle.bodies)
    found: dict[str, str] = {}
    waiting = [Instance(entry, body) for body in entry.bodies]
    while waiting:
        instance = waiting.pop()
        digest = instance.body.body
        if digest in found:
            continue
        found[digest] = digest_bytes(encode_value(bare(instance.entry))) if digest in bundle.bodies else ""
        for call in instance.body.calls:
            try:
                waiting.append(find_callee(catalogue, instance, call, instance.body.last_opset))
            except DiagnosticError:
                found.setdefault(call.body, "")
    return sorted([digest, served] for digest, served in found.items())
