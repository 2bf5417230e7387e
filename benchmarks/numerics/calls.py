"""One call of both bodies, ours and the standard's, on the same runtime at the same opset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onnx import ModelProto
from onnx.inliner import inline_local_functions
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.link.instantiate import instantiate
from opwright_build.verify.model import Array, Case
from opwright_build.verify.models import Signature, arguments_of, one_node_model, signature_of
from opwright_build.verify.runtimes import ONNXRUNTIME_OFF, REFERENCE, Failed, Refused, Runtime, Session, available
from opwright_build.verify.variants import bodies_for, refused_types

from benchmarks.numerics.standard import schema_of, stamped, standard_body


class NoComparison(Exception):
    """The call cannot be made of both bodies; the text says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both bodies, loaded. `nodes` are ours' and the standard's, constants left out."""

    runtime: str
    opset: int
    ours: Session
    standard: Session
    nodes: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Answers:
    """What both gave for a call; None where a body failed."""

    pair: Pair
    ours: list[Array] | None
    standard: list[Array] | None


class Caller:
    """Makes calls of the functions of one bundle; sessions are kept for calls that share them."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._domains = {domain.name: domain.mirror for domain in bundle.index.domains}
        self._pairs: dict[tuple[object, ...], Pair | str] = {}

    def call(self, entry: FunctionEntry, case: Case) -> Answers:
        """Raises NoComparison."""
        pair = self._pair(entry, case)
        everything = tuple(array for array in case.inputs if array is not None)
        ours = arguments_of(entry, self._body(entry, case, pair.opset), case)
        return Answers(pair, _run(pair.ours, ours), _run(pair.standard, everything))

    def _pair(self, entry: FunctionEntry, case: Case) -> Pair:
        types = tuple(None if array is None else (array.dtype.str, array.ndim) for array in case.inputs)
        key = (entry.identity, tuple(case.bindings.items()), types, repr(sorted(case.attributes.items())))
        if key not in self._pairs:
            try:
                self._pairs[key] = self._load(entry, case)
            except NoComparison as why:
                self._pairs[key] = str(why)
        found = self._pairs[key]
        if isinstance(found, str):
            raise NoComparison(found)
        return found

    def _load(self, entry: FunctionEntry, case: Case) -> Pair:
        schema = schema_of(entry)
        assert schema is not None
        whole = _whole_signature(entry, case)
        found = standard_body(schema, whole, case.attributes)
        if found is None:
            raise NoComparison("the standard has no body for such a call")
        function, opsets = found
        reasons: list[str] = []
        for runtime in available((ONNXRUNTIME_OFF, REFERENCE)):
            for opset in opsets:
                body = self._body_at(entry, case, opset)
                if body is None or runtime.accepts(opset) is not None:
                    continue
                theirs = one_node_model([stamped(function, opset)], whole, opset)
                mine, signature = self._model(entry, case, body, opset)
                try:
                    loaded = runtime.load(mine, signature), runtime.load(theirs, whole)
                    return Pair(runtime.name, opset, *loaded, (_size(mine), _size(theirs)))
                except (Refused, Failed) as error:
                    reasons.append(f"{runtime.name} at opset {opset}: {error}")
                    break  # an older opset of the same operators changes nothing
        raise NoComparison("; ".join(reasons) or "no opset has both bodies")

    def _model(self, entry: FunctionEntry, case: Case, body: BodyEntry, opset: int) -> tuple[ModelProto, Signature]:
        functions = instantiate(
            self._bundle.index, self._bundle.bodies, entry, body, opset=opset, domain=self._domains[entry.domain]
        )
        signature = signature_of(entry, body, case).without_ranks()
        return one_node_model(functions, signature, opset), signature

    def _body(self, entry: FunctionEntry, case: Case, opset: int) -> BodyEntry:
        body = self._body_at(entry, case, opset)
        assert body is not None
        return body

    def _body_at(self, entry: FunctionEntry, case: Case, opset: int) -> BodyEntry | None:
        for body in bodies_for(entry, case):
            if body.first_opset <= opset <= body.last_opset and not refused_types(body, case):
                return body
        return None


def _whole_signature(entry: FunctionEntry, case: Case) -> Signature:
    """The call as the operator takes it: every input, every attribute that has a value."""
    names = tuple(item.name for item in entry.inputs), tuple(item.name for item in entry.attributes)
    return signature_of(entry, BodyEntry(0, 0, (), "", *names, ()), case).without_ranks()


def _run(session: Session, arrays: Sequence[Array]) -> list[Array] | None:
    try:
        return session.run(arrays)
    except Failed:
        return None


def _size(model: ModelProto) -> int:
    """Nodes of the body, those of subgraphs too, constants left out."""
    pending, count = list(inline_local_functions(model).graph.node), 0
    while pending:
        node = pending.pop()
        count += node.op_type != "Constant"
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)
    return count
