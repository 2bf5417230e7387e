"""Bodies that were released and have been superseded, kept as long as what was released calls them.

A body names those that it calls by their digests. Where a new body of the callee is accepted, the released callers are
still compared by running them, and that takes the body that they name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opwright.bundle.format import BodyEntry, CallEntry

from opwright_build.versions.promise import Promise


def with_superseded(now: Mapping[str, Promise], before: Mapping[str, Promise]) -> dict[str, Promise]:
    """The promises of a library's locks as they become, each with those of its earlier bodies that some of them still
    calls, whichever calls that takes. `before` are the promises of the locks as they are."""
    needed: dict[str, dict[str, tuple[BodyEntry, ...]]] = {}
    waiting = [call for promise in now.values() for call in _calls(promise.entry.bodies)]
    seen = set(waiting)
    while waiting:
        call = waiting.pop()
        identity = f"{call.domain}::{call.name}@{call.since_version}"
        if identity not in now or identity not in before or call.body in now[identity].bodies:
            continue
        known = (*before[identity].entry.bodies, *before[identity].superseded)
        found = tuple(body for body in known if body.body == call.body)
        needed.setdefault(identity, {})[call.body] = found
        fresh = [inner for inner in dict.fromkeys(_calls(found)) if inner not in seen]
        seen.update(fresh)
        waiting += fresh
    return {
        identity: replace(promise, superseded=_in_order(needed.get(identity, {}))) for identity, promise in now.items()
    }


def _calls(bodies: tuple[BodyEntry, ...]) -> list[CallEntry]:
    return [call for body in bodies for call in body.calls]


def _in_order(found: Mapping[str, tuple[BodyEntry, ...]]) -> tuple[BodyEntry, ...]:
    return tuple(body for digest in sorted(found) for body in found[digest])
