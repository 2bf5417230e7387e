"""Compiled functions as the index of a bundle holds them: anonymous, by digest."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import BodyEntry, CallEntry
from opwright.graphs.ids import FunctionId
from opwright.lang import ir
from opwright.lang.emit import emit_function
from opwright.lang.families.family import admitted
from opwright.lang.lower.function import Lowered
from opwright.protos.canonical import BodyAtOpsets, Callee, CanonicalBody, canonicalise
from opwright.variants import Key


def anonymous_body(lowered: Lowered) -> CanonicalBody:
    """The body of what compiled well. Raises RefusedError for a graph of a model that has no canonical form."""
    function = lowered.function
    assert function is not None
    return canonicalise(emit_function(function, "canonical"), callees=_callees(lowered))


def _callees(lowered: Lowered) -> dict[FunctionId, Callee]:
    return {call.identity: Callee(call.digest, call.attributes) for call in lowered.calls}


class AnonymousBodies:
    """The bodies of the families of one function. What is one function at several opsets is written once."""

    def __init__(self) -> None:
        self._made: dict[ir.Function, CanonicalBody] = {}
        self._written: dict[ir.Region, BodyAtOpsets] = {}

    def of(self, lowered: Lowered) -> CanonicalBody:
        """The body of what compiled well. Raises RefusedError as `anonymous_body` does."""
        function = lowered.function
        assert function is not None
        found = self._made.get(function)
        if found is None:
            written = self._written.get(function.body)
            if written is None:
                written = self._written[function.body] = BodyAtOpsets(emit_function(function, "canonical"))
            found = self._made[function] = written.at(function.opset, _callees(lowered))
        return found


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
