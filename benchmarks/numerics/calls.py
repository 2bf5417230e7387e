"""One call of both bodies, ours and the standard's, on the same runtime at the same opset."""

from __future__ import annotations

from dataclasses import dataclass, replace

from onnx import ModelProto
from onnx.inliner import inline_local_functions
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.link.instantiate import instantiate
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Array, Case
from opwright_build.verify.items import tensor_in
from opwright_build.verify.run.case_bodies import bodies_for, refused_types
from opwright_build.verify.run.models import Signature, arguments_of, one_node_model, signature_of
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime, Session, available

from benchmarks.numerics.standard import schema_of, stamped, standard_body


class NoComparison(Exception):
    """The standard has no body for the call, or none that runs; the text says why."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One body, ready to be called. `nodes` are those of the body, constants left out."""

    session: Session
    opset: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Answers:
    """What both gave for a call; `ours` is None where ours failed."""

    runtime: str
    opsets: tuple[int, int]
    nodes: tuple[int, int]
    ours: list[Array] | None
    standard: list[Array]


class Caller:
    """Makes calls of the functions of one bundle; sessions are kept for calls that share them."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._domains = {domain.name: domain.mirror for domain in bundle.index.domains}
        self._pairs: dict[tuple[object, ...], tuple[Loaded | str, Loaded]] = {}

    def call(self, entry: FunctionEntry, case: Case) -> Answers:
        """On the first runtime that runs the standard's body. Raises NoComparison."""
        reasons: list[str] = []
        for runtime in available((ONNXRUNTIME_OFF, REFERENCE)):
            try:
                ours, standard = self._pair(runtime, entry, case)
                everything = tuple(array for array in case.inputs if array is not None)
                theirs = [tensor_in(value) for value in standard.session.run(everything)]
            except (NoComparison, Refused, Failed) as error:
                reasons.append(f"{runtime.name}: {error}")
                continue
            if isinstance(ours, str):
                return Answers(runtime.name, (0, standard.opset), (0, standard.nodes), None, theirs)
            mine = self._run(ours, entry, case)
            return Answers(runtime.name, (ours.opset, standard.opset), (ours.nodes, standard.nodes), mine, theirs)
        raise NoComparison("; ".join(reasons))

    def _run(self, ours: Loaded, entry: FunctionEntry, case: Case) -> list[Array] | None:
        body = self._body_at(entry, case, ours.opset)
        assert body is not None
        try:
            return [tensor_in(value) for value in ours.session.run(arguments_of(entry, body, case))]
        except Failed:
            return None

    def _pair(self, runtime: Runtime, entry: FunctionEntry, case: Case) -> tuple[Loaded | str, Loaded]:
        """Ours, or why it does not load; and the standard's. Raises NoComparison, Refused, Failed for the latter."""
        arrays = [None if value is None else tensor_in(value) for value in case.inputs]
        types = tuple(None if array is None else (array.dtype.str, array.shape) for array in arrays)
        given = repr(sorted(case.attributes.items()))
        key = (runtime.name, entry.identity, tuple(case.bindings.items()), types, given)
        if key not in self._pairs:
            self._pairs[key] = self._load(runtime, entry, case)
        return self._pairs[key]

    def _load(self, runtime: Runtime, entry: FunctionEntry, case: Case) -> tuple[Loaded | str, Loaded]:
        schema = schema_of(entry)
        assert schema is not None
        shapes = [None if value is None else tensor_in(value).shape for value in case.inputs]
        # Some calls may not ask for all outputs; the first one is always there.
        for count in dict.fromkeys((len(entry.outputs), 1)):
            whole = _whole_signature(entry, case, count)
            found = standard_body(schema, whole, shapes, case.attributes)
            if found is not None:
                break
        else:
            raise NoComparison("the standard has no body for such a call")
        function, opsets = found
        accepted = [opset for opset in opsets if runtime.accepts(opset) is None]
        if not accepted:
            raise NoComparison("no opset of the standard's body is accepted")
        # The same opset for both, if there is one.
        opset = next((item for item in accepted if self._body_at(entry, case, item) is not None), accepted[0])
        theirs = one_node_model([stamped(function, opset)], whole, opset)
        standard = Loaded(runtime.load(theirs, whole), opset, _size(theirs))
        return self._load_ours(runtime, entry, case, opset), standard

    def _load_ours(self, runtime: Runtime, entry: FunctionEntry, case: Case, wanted: int) -> Loaded | str:
        first, last = self._bundle.index.opsets
        for opset in (wanted, *range(last, first - 1, -1)):
            body = self._body_at(entry, case, opset)
            if body is not None and runtime.accepts(opset) is None:
                mine, signature = self._model(entry, case, body, opset)
                try:
                    return Loaded(runtime.load(mine, signature), opset, _size(mine))
                except (Refused, Failed) as error:
                    return str(error)
        return "it has no body for such a call"

    def _model(self, entry: FunctionEntry, case: Case, body: BodyEntry, opset: int) -> tuple[ModelProto, Signature]:
        functions = instantiate(
            self._bundle.index, self._bundle.bodies, entry, body, opset=opset, domain=self._domains[entry.domain]
        )
        signature = signature_of(entry, body, case).without_ranks()
        return one_node_model(functions, signature, opset), signature

    def _body_at(self, entry: FunctionEntry, case: Case, opset: int) -> BodyEntry | None:
        for body in bodies_for(entry, case):
            if body.first_opset <= opset <= body.last_opset and not refused_types(body, case):
                return body
        return None


def _whole_signature(entry: FunctionEntry, case: Case, outputs: int) -> Signature:
    """The call as the operator takes it: every input, every attribute that has a value, the first outputs."""
    names = tuple(item.name for item in entry.inputs), tuple(item.name for item in entry.attributes)
    whole = signature_of(entry, BodyEntry(0, 0, (), "", *names, ()), case).without_ranks()
    return replace(whole, outputs=whole.outputs[:outputs])


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
