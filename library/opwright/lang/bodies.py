"""Compiled functions as the index of a bundle holds them: anonymous, by digest."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import FunctionProto

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
    return _canonical(lowered, emit_function(function, "canonical"))


def _canonical(lowered: Lowered, proto: FunctionProto) -> CanonicalBody:
    callees = {call.identity: Callee(call.digest, call.attributes) for call in lowered.calls}
    return canonicalise(proto, callees=callees)


class AnonymousBodies:
    """The bodies of the families of one function. What is one function at several opsets is written once."""

    def __init__(self) -> None:
        self._made: dict[ir.Function, CanonicalBody] = {}
        self._written: dict[ir.Region, FunctionProto] = {}

    def of(self, lowered: Lowered) -> CanonicalBody:
        """The body of what compiled well. Raises RefusedError as `anonymous_body` does."""
        function = lowered.function
        assert function is not None
        found = self._made.get(function)
        if found is None:
            found = self._made[function] = _canonical(lowered, self._proto(function))
        return found

    def _proto(self, function: ir.Function) -> FunctionProto:
        written = self._written.get(function.body)
        if written is None:
            written = self._written[function.body] = emit_function(function, "canonical")
        for item in written.opset_import:
            if not item.domain:
                item.version = function.opset
        return written


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
