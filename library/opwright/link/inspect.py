"""Says of every function of a model which library release it came from and whether it was altered since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum

from opwright.bundle.format import Bundle
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.model_forms import AnyModel, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes
from opwright.link.digests import Record, function_digests, record_of
from opwright.link.model_records import functions_with_records


class State(Enum):
    UNALTERED = "unaltered"  # its nodes are those of the body that its metadata name
    ALTERED = "altered"  # they are not, or the release named has no such body
    RECOGNISED = "recognised"  # no metadata, but a library given has this very body
    UNVERIFIED = "unverified"  # made of a library's template for this model; this body is not verified
    FOREIGN = "foreign"  # of no library that is known here


@dataclass(frozen=True, slots=True)
class FunctionReport:
    """One function of a model. `digest` is that of its nodes, empty where they have no canonical form.

    `identity`, `variant`, `library`, `release` and `body` (the digest on record) are empty for foreign functions.
    `calls` counts the nodes of the model, functions included, that call it.
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


def inspect(model: AnyModel, libraries: Bundle | Sequence[Bundle] = (), file: str = "") -> list[FunctionReport]:
    """A report on each function of the model, in the model's order.

    `model` is a ModelProto, the bytes of one, a path, an onnx_ir.Model or a torch.onnx.ONNXProgram. With `libraries`,
    functions that lost their metadata are recognised by their digest, and metadata that name a release among them are
    held against it. `file` names the model in messages. Raises DiagnosticError: OW551 when a name in the model is not
    UTF-8, OW550, OW551, OW578 and OW579 when `model` is none.
    """
    given = given_model(model)
    bundles = [libraries] if isinstance(libraries, Bundle) else libraries
    proto, file = given.proto, file or given.file
    check_structure(proto, file)
    functions = functions_with_records(proto, file)
    digests = function_digests(functions)
    calls: dict[FunctionId, int] = {}
    bodies = [proto.graph.node, *(function.node for function in functions)]
    for nodes in bodies:
        for node in all_nodes(nodes):
            calls[call_id(node)] = calls.get(call_id(node), 0) + 1
    unmarked = {digests[function_id(item)] for item in functions if record_of(item) is None}
    holders = _holders(bundles, unmarked)
    reports = []
    for function in functions:
        identity = function_id(function)
        record = record_of(function)
        digest = digests[identity]
        recognised = None if record is not None else holders.get(digest)
        reports.append(
            FunctionReport(
                function.domain,
                function.name,
                function.overload,
                _state(record, recognised, digest, bundles),
                *_origin(record or recognised),
                digest,
                calls.get(identity, 0),
            )
        )
    return reports


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
            if any(body.body == record.body for entry in entries for body in entry.bodies):
                return State.UNALTERED
            if not any(item.template == record.template for entry in entries for item in entry.templates):
                return State.ALTERED
    return State.UNVERIFIED if record.template else State.UNALTERED


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
