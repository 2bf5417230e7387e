"""Says of every function of a model which library release it came from and whether it was altered since; of the nodes
that nothing defines, which libraries at hand have their functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum

from opwright.bundle.format import Bundle, FunctionEntry
from opwright.bundle.read import installed_bundles
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.model_forms import AnyModel, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes
from opwright.link.check import undefined_calls
from opwright.link.digests import Record, function_digests, record_of
from opwright.link.library_forms import Libraries, given_libraries
from opwright.link.model_records import functions_with_records
from opwright.link.training_graphs import training_graphs
from opwright.variants import overload_of


class State(Enum):
    UNALTERED = "unaltered"  # its nodes are those of the body that its metadata name
    ALTERED = "altered"  # they are not, or the release named has no such body
    RECOGNISED = "recognised"  # no metadata, but a library given has this very body
    UNVERIFIED = "unverified"  # made of a library's template or bodies for this model; this body is not verified
    FOREIGN = "foreign"  # of no library that is known here
    UNDEFINED = "undefined"  # nodes call it, and neither ONNX, a runtime known here nor the model has it


class Requirement(Enum):
    """What a model may be required to be."""

    DEFINED = "defined"  # all that its nodes call is there
    UNALTERED = "unaltered"  # what came from a library is as it came
    VERIFIED = "verified"  # each function is one that a library has verified

    def refuses(self, state: State) -> bool:
        """Whether a function in that state is against it."""
        return state in _REFUSED[self]


_REFUSED: Mapping[Requirement, Set[State]] = {
    Requirement.DEFINED: {State.UNDEFINED},
    Requirement.UNALTERED: {State.ALTERED},
    Requirement.VERIFIED: {State.ALTERED, State.UNVERIFIED, State.FOREIGN, State.UNDEFINED},
}


@dataclass(frozen=True, slots=True)
class FunctionReport:
    """One function that a model has or that its nodes call. `digest` is that of its nodes, empty where they have no
    canonical form.

    `identity`, `variant`, `library`, `release` and `body` (the digest on record) are empty for foreign functions.
    `calls` counts the nodes of the model, functions included, that call it. `found_in` are the libraries at hand that
    have an undefined one; `uncovered` says what of an unverified one no vector of its library covers, where the library
    is at hand.
    """

    domain: str
    name: str
    overload: str
    state: State
    identity: str
    variant: str
    library: str
    release: str
    body: str
    digest: str
    calls: int
    found_in: tuple[str, ...] = ()
    uncovered: str = ""


def inspect(
    model: AnyModel, libraries: Libraries = (), file: str = "", *, beside: Sequence[str] = ()
) -> list[FunctionReport]:
    """A report on each function of the model, in the model's order, then on those that its nodes call and nothing has.

    `model` is a ModelProto, the bytes of one, a path, an onnx_ir.Model or a torch.onnx.ONNXProgram. With `libraries`,
    functions that lost their metadata are recognised by their digest, and metadata that name a release among them are
    held against it. Installed libraries, in the folders `beside` too, are asked for what is undefined or unverified
    alone. `file` names the model in messages. Raises DiagnosticError: OW551 when a name in the model is not
    UTF-8, OW550, OW551, OW578 and OW579 when `model` is none.
    """
    given = given_model(model, leave_weights=True)
    bundles = given_libraries(libraries)
    proto, file = given.proto, file or given.file
    check_structure(proto, file)
    functions = functions_with_records(proto, file)
    digests = function_digests(functions)
    calls: dict[FunctionId, int] = {}
    graphs = [proto.graph, *training_graphs(proto)]
    bodies = [*(graph.node for graph in graphs), *(function.node for function in functions)]
    for nodes in bodies:
        for node in all_nodes(nodes):
            calls[call_id(node)] = calls.get(call_id(node), 0) + 1
    unmarked = {digests[function_id(item)] for item in functions if record_of(item) is None}
    holders = _holders(bundles, unmarked)
    at_hand = _AtHand(bundles, beside)
    reports = []
    for function in functions:
        identity = function_id(function)
        record = record_of(function)
        digest = digests[identity]
        recognised = None if record is not None else holders.get(digest)
        state = _state(record, recognised, digest, bundles)
        reports.append(
            FunctionReport(
                function.domain,
                function.name,
                function.overload,
                state,
                *_origin(record or recognised),
                digest,
                calls.get(identity, 0),
                uncovered=at_hand.uncovered(record) if record is not None and state is State.UNVERIFIED else "",
            )
        )
    reports += (_undefined(identity, calls[identity], at_hand) for identity in undefined_calls(proto))
    return reports


def _undefined(identity: FunctionId, calls: int, at_hand: _AtHand) -> FunctionReport:
    return FunctionReport(
        *identity, State.UNDEFINED, "", "", "", "", "", "", calls, found_in=at_hand.having(identity[0], identity[1])
    )


class _AtHand:
    """The libraries that are given, and, once they are asked, those that are installed."""

    def __init__(self, given: Sequence[Bundle], beside: Sequence[str]) -> None:
        self._given = given
        self._beside = beside
        self._installed: Sequence[Bundle] | None = None

    def all(self) -> Sequence[Bundle]:
        if self._installed is None:
            self._installed = installed_bundles(self._beside)
        return [*self._given, *self._installed]

    def having(self, domain: str, name: str) -> tuple[str, ...]:
        """Those that have a function which stands under that name in models, by name and release."""
        found: dict[str, None] = {}
        for bundle in self.all():
            index = bundle.index
            owners = [item.name for item in index.domains if domain in (item.name, item.mirror)]
            if any(index.table.versions_of(owner, name) for owner in owners):
                found[f"{index.library} {index.version}"] = None
        return tuple(found)

    def uncovered(self, record: Record) -> str:
        """What of an instance of a template none of those that its library has verified has; empty where it is not at
        hand."""
        if record.late:
            return f"one body in the place of {len(record.late.split())}, one for each element type"
        for bundle in self.all():
            index = bundle.index
            entry = index.table.find_identity(record.identity)
            if (index.library, index.version) == (record.library, record.release) and entry is not None:
                return _uncovered(record, entry)
        return ""


def _uncovered(record: Record, entry: FunctionEntry) -> str:
    known: dict[str, dict[str, None]] = {}
    for body in entry.bodies:
        for written in body.variant:
            axis, _, value = overload_of([written]).partition("=")
            known.setdefault(axis, {})[value] = None
    graphs = {attribute.name for attribute in entry.attributes if attribute.type == "GRAPH"}
    parts = []
    for pair in filter(None, record.variant.split(",")):
        axis, _, value = pair.partition("=")
        covered = known.get(axis, {})
        if value in covered:
            continue
        if axis in graphs:
            parts.append(f"the graph {axis} is none of the {len(covered)} that vectors have")
        else:
            parts.append(f"{axis}={value}, where vectors have {', '.join(covered) or 'none'}")
    return "; ".join(parts) or f"no vector has {record.variant or 'these facts'} together"


def _origin(record: Record | None) -> tuple[str, str, str, str, str]:
    if record is None:
        return ("", "", "", "", "")
    return (record.identity, record.variant, record.library, record.release, record.body)


def _state(record: Record | None, recognised: Record | None, digest: str, libraries: Sequence[Bundle]) -> State:
    if record is None:
        return State.RECOGNISED if recognised is not None else State.FOREIGN
    if digest != record.expected:
        return State.ALTERED
    for library in libraries:
        index = library.index
        if (index.library, index.version) == (record.library, record.release):
            entries = [entry for entry in index.functions if entry.identity == record.identity]
            digests = {body.body for entry in entries for body in entry.bodies}
            if record.body in digests:
                return State.UNALTERED
            if record.late:
                return State.UNVERIFIED if digests.issuperset(record.late.split()) else State.ALTERED
            if not any(item.template == record.template for entry in entries for item in entry.templates):
                return State.ALTERED
    return State.UNVERIFIED if record.template or record.late else State.UNALTERED


def _holders(libraries: Sequence[Bundle], digests: Set[str]) -> Mapping[str, Record]:
    """For each of the digests that a body has the first function version that has it."""
    found: dict[str, Record] = {}
    if not digests:
        return found
    for library in libraries:
        index = library.index
        for entry in index.functions:
            for body in entry.bodies:
                if body.body in digests and body.body not in found:
                    variant = ",".join(f"{axis}={value}" for axis, value in body.variant)
                    found[body.body] = Record(entry.identity, variant, body.body, index.library, index.version, "", "")
    return found
