"""Bodies that were released and have been superseded, kept as long as what was released calls them.

A body names those that it calls by their digests. Where a new body of the callee is accepted, the released callers are
still compared by running them, and that takes the body that they name. So no body is locked that calls one which
nothing keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from opwright.bundle.format import BodyEntry, CallEntry

from opwright_build.versions.promise import Promise


def unaccepted_callees(
    callers: Iterable[Promise],
    now: Mapping[str, Promise],
    before: Mapping[str, Promise],
    coming: Collection[tuple[str, str]],
) -> list[tuple[str, str]]:
    """The callers among those to lock that call a body which no lock would keep, each with the released version whose
    body that is. `now` are the promises of a library's locks as they become, `before` as they are, `coming` the digests
    of bodies, each behind its version, that the next release locks without their being accepted: they replace none."""
    found: dict[tuple[str, str], None] = {}
    for caller in callers:
        for call in _calls(caller.entry.bodies):
            callee = _identity(call)
            held = callee not in now or call.body in now[callee].bodies or (callee, call.body) in coming
            if not held and not (callee in before and _bodies_of(before[callee], call)):
                found[caller.identity, callee] = None
    return list(found)


def with_superseded(
    now: Mapping[str, Promise], before: Mapping[str, Promise], coming: Collection[tuple[str, str]]
) -> dict[str, Promise]:
    """The promises of a library's locks as they become, each with those of its earlier bodies that some of them still
    calls, whichever calls that takes. `before` are the promises of the locks as they are, and there are no
    `unaccepted_callees`: a ValueError tells of one."""
    # Locks that were written before superseded bodies were kept lack some.
    lacking = {call for item in before.values() for call in _calls((*item.entry.bodies, *item.superseded))}
    needed: dict[str, dict[str, tuple[BodyEntry, ...]]] = {}
    waiting = [call for promise in now.values() for call in _calls(promise.entry.bodies)]
    seen = set(waiting)
    while waiting:
        call = waiting.pop()
        identity = _identity(call)
        if identity not in now or identity not in before or call.body in now[identity].bodies:
            continue
        found = _bodies_of(before[identity], call)
        if not found:
            if (identity, call.body) in coming or call in lacking:
                continue
            raise ValueError(f"no lock keeps the body {call.body} of {identity}, which is called")
        needed.setdefault(identity, {})[call.body] = found
        fresh = [inner for inner in dict.fromkeys(_calls(found)) if inner not in seen]
        seen.update(fresh)
        waiting += fresh
    return {
        identity: replace(promise, superseded=_in_order(needed.get(identity, {}))) for identity, promise in now.items()
    }


def _identity(call: CallEntry) -> str:
    return f"{call.domain}::{call.name}@{call.since_version}"


def _bodies_of(promise: Promise, call: CallEntry) -> tuple[BodyEntry, ...]:
    return tuple(body for body in (*promise.entry.bodies, *promise.superseded) if body.body == call.body)


def _calls(bodies: tuple[BodyEntry, ...]) -> list[CallEntry]:
    return [call for body in bodies for call in body.calls]


def _in_order(found: Mapping[str, tuple[BodyEntry, ...]]) -> tuple[BodyEntry, ...]:
    return tuple(body for digest in sorted(found) for body in found[digest])
