"""Compiled functions as the index of a bundle holds them: anonymous, by digest."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import BodyEntry, CallEntry
from opwright.lang import ir
from opwright.lang.emit import emit_function
from opwright.lang.family import admitted
from opwright.lang.lower.function import Lowered
from opwright.protos.canonical import Callee, CanonicalBody, canonicalise
from opwright.variants import Key


def anonymous_body(lowered: Lowered) -> CanonicalBody:
    """The body of what compiled well. Raises RefusedError for a graph of a model that has no canonical form."""
    function = lowered.function
    assert function is not None
    proto = emit_function(function, "canonical")
    callees = {call.identity: Callee(call.digest, call.attributes) for call in lowered.calls}
    return canonicalise(proto, callees=callees)


def body_entry(
    key: Key, lowered: Lowered, made: CanonicalBody, opsets: tuple[int, int], outputs: tuple[str, ...] = ()
) -> BodyEntry:
    """What the index says of a body at these opsets (both ends included); `made` is its anonymous form."""
    function = lowered.function
    assert function is not None
    return BodyEntry(
        *opsets, key, made.digest, made.inputs, made.attributes, admitted(function), _called(lowered.calls), outputs
    )


def _called(calls: Sequence[ir.FunctionReference]) -> tuple[CallEntry, ...]:
    entries = {
        call.identity: CallEntry(call.domain, call.name, call.since_version, call.variant, call.digest)
        for call in calls
    }
    return tuple(entries.values())
