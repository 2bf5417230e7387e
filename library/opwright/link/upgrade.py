"""A model with attached functions, taken to another release of their library: what changes, and whether that may be.

The model is detached and attached again, at the versions of domains that it has, for the nodes that were served and as
they were. What a node called and what it calls now is compared: bodies by their digests and, where these or the calls
differ, by running both on inputs that are drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, overload

from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, TypeProto

from opwright.bundle.format import Bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity, has_errors
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes
from opwright.link.apply import Attached, apply_plan, finish
from opwright.link.attachment import PlannedFunction, plan_libraries
from opwright.link.call_comparison import (
    CallInput,
    Results,
    compare_calls,
    inputs_of,
    model_of_call,
    of_possible,
    open_attribute,
    worst_of,
)
from opwright.link.choose import Call
from opwright.link.detach import detach_libraries
from opwright.link.digests import Record, attributes_in_body_order, record_of
from opwright.link.library_forms import Libraries, given_libraries
from opwright.link.metadata import is_polyfilled
from opwright.link.model_records import spread_records
from opwright.link.naming import Instance
from opwright.link.propagate import imports_of
from opwright.suggest import close_or
from opwright.variants import Profile

_MARK = "opwright.upgraded"  # metadata of a node, while it is detached and attached again


class Change(Enum):
    """What becomes of a function."""

    SAME = "same"  # the same body, called as it was
    EQUAL = "equal"  # other nodes; all values that were compared are equal
    CLOSE = "close"  # other nodes; all values that were compared differ by rounding at most
    DIFFERENT = "different"  # other values
    UNKNOWN = "unknown"  # what it computes could not be compared
    REFUSED = "refused"  # the newer release does not take the call: inputs, attributes, types, opsets
    GONE = "gone"  # the newer release does not have it


_CHANGES = {
    Results.EQUAL: Change.EQUAL,
    Results.CLOSE: Change.CLOSE,
    Results.DIFFERENT: Change.DIFFERENT,
    Results.UNKNOWN: Change.UNKNOWN,
}
_BREAKS = frozenset({Change.DIFFERENT, Change.UNKNOWN})  # that may be accepted


@dataclass(frozen=True, slots=True)
class UpgradedFunction:
    """What becomes of a function of the model that nodes call, `nodes`, by their places.

    `variant`, `body` and `release` are those that it has, `new_...` those that it gets, empty where it gets none.
    `text` says what differs; `accepted`: it computes something else, and that was asked for.
    """

    identity: str
    variant: str
    body: str
    library: str
    release: str
    new_variant: str
    new_body: str
    new_release: str
    change: Change
    text: str
    nodes: tuple[str, ...]
    accepted: bool


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What a newer library does to a model, and the model that has it; none where something stands against that."""

    functions: tuple[UpgradedFunction, ...]
    diagnostics: tuple[Diagnostic, ...]
    model: ModelProto | None = field(repr=False, compare=False)

    @property
    def possible(self) -> bool:
        """Whether nothing stands against it."""
        return not has_errors(self.diagnostics)


@overload
def upgrade(model: ModelPath, libraries: Libraries, *, accept: str | Collection[str] = ()) -> ModelProto: ...


@overload
def upgrade(model: SameForm, libraries: Libraries, *, accept: str | Collection[str] = ()) -> SameForm: ...


def upgrade(model: AnyModel, libraries: Libraries, *, accept: str | Collection[str] = ()) -> Any:
    """The model with the functions of these releases in the place of those that were attached, in the form that is
    given (see `attach`).

    Versions of functions stay as they are. Raises DiagnosticError: OW542 for each function that computes something
    else, unless `accept` names it (`Swish`, `com.acme::Swish`, `com.acme::Swish@1`, or `all`), or that is no longer
    there for its nodes; OW543 for a model that cannot be upgraded.
    """
    given = given_model(model, leave_weights=True)
    plan = plan_upgrade_libraries(given.proto, given_libraries(libraries), accept=_names(accept), file=given.file)
    if plan.model is None:
        raise DiagnosticError(item for item in plan.diagnostics if item.severity is Severity.ERROR)
    return given.give_back(plan.model)


def plan_upgrade(model: AnyModel, libraries: Libraries, *, accept: str | Collection[str] = ()) -> UpgradePlan:
    """What `upgrade` would do with the same arguments: for each attached function what becomes of it."""
    given = given_model(model, leave_weights=True)
    return plan_upgrade_libraries(given.proto, given_libraries(libraries), accept=_names(accept), file=given.file)


def _names(accept: str | Collection[str]) -> Collection[str]:
    return [accept] if isinstance(accept, str) else accept


def plan_upgrade_libraries(
    model: ModelProto, libraries: Sequence[Bundle], *, accept: Collection[str] = (), file: str = "model"
) -> UpgradePlan:
    """`plan_upgrade` of a ModelProto; `file` names it in messages."""
    check_structure(model, file)
    old = ModelProto()
    old.CopyFrom(model)
    spread_records(old, file)
    records = {function_id(item): record for item in old.functions if (record := record_of(item)) is not None}
    calls = _mark_calls(old, records)
    if not calls:
        return UpgradePlan((), (_nothing(file),), model)
    _refuse(old, (records[call_id(node)] for node in calls.values()), libraries, file)
    before = detach_libraries(old, file).model
    overloads = any(overload for _, _, overload in records)
    plan = plan_libraries(
        before,
        libraries,
        replace=lambda node: _mark_of(node) is not None,
        profile=Profile.OVERLOAD if overloads else Profile.PORTABLE,
        assumed=imports_of(old),
        late_types=any(record.late for record in records.values()),
        file=file,
    )
    work = plan.work
    if work is None:
        return UpgradePlan((), plan.diagnostics, None)
    ways = {id(item.node): [_way(call, item.instance) for call in item.calls] for item in work.served}
    apply_plan(work.model, work.served, work.additions)
    rows = _Rows(accept)
    judge = _Judge(old, work.model)
    pairs = zip(work.served, plan.nodes, strict=True)
    for served, planned in pairs:
        mark = _mark_of(served.node)
        if mark is None:
            continue  # a node that was added since: it is attached like any other
        node, record = calls[mark], records[call_id(calls[mark])]
        change, text = judge.compare(node, served.node, record, planned.function, ways[id(served.node)])
        rows.add(record, planned.function, change, text, planned.place)
    told: set[Diagnostic] = set()
    for unserved in work.unserved:
        mark = _mark_of(unserved.node)
        if mark is not None:
            record = records[call_id(calls[mark])]
            told.update(unserved.findings)
            rows.add(record, None, _refusal(record, libraries), unserved.findings[0].message, "")
    for holder in (before, work.model):
        _remove_marks(holder)
    functions = rows.made()
    others = [item for item in plan.diagnostics if item.severity is Severity.ERROR and item not in told]
    unfit = list(_unfit(accept, [row.identity for row in functions], file))
    found = [*others, *(item for row in functions for item in _findings(row, file)), *unfit]
    if has_errors(found):
        return UpgradePlan(functions, tuple(found), None)
    done: Attached = finish(plan, work, file)
    return UpgradePlan(functions, (*found, *done.diagnostics), done.model)


def _mark_calls(model: ModelProto, linked: Mapping[FunctionId, Record]) -> dict[str, NodeProto]:
    """Marks the nodes that call linked functions, those in such functions excepted; copies of them by mark."""
    found: dict[str, NodeProto] = {}
    own = (function.node for function in model.functions if function_id(function) not in linked)
    for nodes in (model.graph.node, *own):
        for node in all_nodes(nodes):
            if call_id(node) in linked:
                mark = str(len(found))
                found[mark] = NodeProto()
                found[mark].CopyFrom(node)
                node.metadata_props.add(key=_MARK, value=mark)
    return found


def _mark_of(node: NodeProto) -> str | None:
    return next((item.value for item in node.metadata_props if item.key == _MARK), None)


def _remove_marks(model: ModelProto) -> None:
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        for node in all_nodes(nodes):
            kept = [item for item in node.metadata_props if item.key != _MARK]
            if len(kept) < len(node.metadata_props):
                del node.metadata_props[:]
                node.metadata_props.extend(kept)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a node is run: what it is given, for each assumption about types, as `inputs_of` has it."""

    inputs: Sequence[tuple[str, Sequence[CallInput]]]
    attributes: Mapping[str, AttributeProto]
    imports: Mapping[str, int]
    open_attribute: str


def _way(call: Call, instance: Instance) -> _Way:
    visit = call.visit
    return _Way(inputs_of(call, instance), visit.attributes, visit.imports, open_attribute(visit))


class _Judge:
    """Compares calls; calls that are alike once."""

    def __init__(self, old: ModelProto, new: ModelProto) -> None:
        self._old = old
        self._new = new
        self._old_orders, self._new_orders = (
            {function_id(item): attributes_in_body_order(item) for item in model.functions} for model in (old, new)
        )
        self._known: dict[object, tuple[Results, str]] = {}

    def compare(
        self, node: NodeProto, new_node: NodeProto, record: Record, function: PlannedFunction, ways: Iterable[_Way]
    ) -> tuple[Change, str]:
        calls = _call_of(node, self._old_orders), _call_of(new_node, self._new_orders)
        if record.body == function.body and calls[0] == calls[1]:
            return Change.SAME, ""
        results, text = worst_of([self._compare_way(node, new_node, record, function, way) for way in ways])
        return _CHANGES[results], text

    def _compare_way(
        self, node: NodeProto, new_node: NodeProto, record: Record, function: PlannedFunction, way: _Way
    ) -> tuple[Results, str]:
        if way.open_attribute:
            return Results.UNKNOWN, f"the value of its attribute {way.open_attribute} is not known"
        given = tuple(sorted(item.SerializeToString(deterministic=True) for item in way.attributes.values()))
        found = []
        for assumed, inputs in way.inputs:
            facts = tuple((_bytes(item.type), item.shape, _bytes(item.constant)) for item in inputs)
            key = (record.identity, record.body, function.name, facts, given)
            if key not in self._known:
                models = (
                    model_of_call(call, inputs, way.attributes, model.functions, {**imports_of(model), **way.imports})
                    for call, model in ((node, self._old), (new_node, self._new))
                )
                self._known[key] = compare_calls(*models)
            found.append((assumed, self._known[key]))
        return of_possible(found)


def _bytes(message: TypeProto | TensorProto | None) -> bytes:
    return b"" if message is None else message.SerializeToString(deterministic=True)


def _call_of(node: NodeProto, orders: Mapping[FunctionId, list[str]]) -> tuple[object, ...]:
    """What a call gives the body of its function, whose inputs and attributes have places and no names."""
    given = {item.name: item.SerializeToString(deterministic=True) for item in node.attribute}
    attributes = [(name, given.pop(name, None)) for name in orders[call_id(node)]]
    return tuple(node.input), len(node.output), attributes, sorted(given.items())


class _Rows:
    """What becomes of functions; calls of which the same becomes make one row."""

    def __init__(self, accept: Collection[str]) -> None:
        self._accept = accept
        self._found: dict[tuple[object, ...], tuple[Record, PlannedFunction | None, Change, str, list[str]]] = {}

    def add(self, record: Record, function: PlannedFunction | None, change: Change, text: str, place: str) -> None:
        key = (record, None if function is None else function.name, change, text)
        row = self._found.setdefault(key, (record, function, change, text, []))
        if place:
            row[4].append(place)

    def made(self) -> tuple[UpgradedFunction, ...]:
        return tuple(
            UpgradedFunction(
                record.identity,
                record.variant,
                record.body,
                record.library,
                record.release,
                "" if function is None else function.variant,
                "" if function is None else function.body,
                "" if function is None else function.release,
                change,
                text,
                tuple(places),
                change in _BREAKS and not _names_of(record.identity).isdisjoint(self._accept),
            )
            for record, function, change, text, places in self._found.values()
        )


_ALL = "all"


def _names_of(identity: str) -> set[str]:
    """What accepts a function."""
    function = identity.partition("@")[0]
    return {identity, function, function.rpartition("::")[2], _ALL}


def _unfit(accept: Iterable[str], identities: Sequence[str], file: str) -> Iterator[Diagnostic]:
    """A warning for each name to accept that fits none of the functions that the model calls."""
    known = set[str]().union(*map(_names_of, identities))
    short = sorted({identity.partition("@")[0].rpartition("::")[2] for identity in identities})
    for name in dict.fromkeys(accept):
        if name not in known:
            text = f"the model calls no attached function {name}"
            help_text = close_or(name, short, "`opwright upgrade --dry-run` lists them")
            yield Diagnostic("OW548", text, Place(file), help=help_text, severity=Severity.WARNING)


def _refusal(record: Record, libraries: Iterable[Bundle]) -> Change:
    """Why a node has no function: there is none of that identity any more, or it does not take the call."""
    has = any(library.index.table.find_identity(record.identity) is not None for library in libraries)
    return Change.REFUSED if has else Change.GONE


def _findings(row: UpgradedFunction, file: str) -> list[Diagnostic]:
    of = f"{row.identity} of {row.library} {row.release}"
    place = Place(file)
    match row.change:
        case Change.GONE:
            text = f"{of} is not in the newer release"
            return [Diagnostic("OW542", text, place, row.text, "keep the release that has it")]
        case Change.REFUSED:
            text = f"the newer release does not take a call of {of}"
            return [Diagnostic("OW542", text, place, row.text, "change the node, or keep the release")]
        case Change.DIFFERENT | Change.UNKNOWN:
            different = row.change is Change.DIFFERENT
            what = "computes something else" if different else "has other nodes, which could not be compared,"
            text = f"{of} {what} in {row.library} {row.new_release}"
            name = row.identity.rpartition("::")[2].partition("@")[0]
            severity = Severity.WARNING if row.accepted else Severity.ERROR
            help_text = "" if row.accepted else f"where that is right, accept it: `--accept {name}`"
            return [Diagnostic("OW542", text, place, row.text, help_text, severity=severity)]
        case _:
            return []


def _refuse(model: ModelProto, called: Iterable[Record], libraries: Sequence[Bundle], file: str) -> None:
    """Raises DiagnosticError (OW543) for a model that cannot be attached to again."""
    if is_polyfilled(model):
        reason = "its nodes were rewritten for the opset that it has now, and the functions are for that"
        help_text = "detach it, then run `opwright convert` or `opwright polyfill` again, with the newer library"
        text = "a model that was brought to another opset is not upgraded"
        raise DiagnosticError([Diagnostic("OW543", text, Place(file), reason, help_text)])
    given = {library.index.library for library in libraries}
    missing = sorted({record.origin for record in called if record.library not in given})
    if missing:
        text = f"the model calls functions of {', '.join(missing)}, which is not given"
        reason = "all that is attached is attached again, in the releases that are given"
        help_text = "give that library too, in the release that is wanted, with --library"
        raise DiagnosticError([Diagnostic("OW543", text, Place(file), reason, help_text)])


def _nothing(file: str) -> Diagnostic:
    reason = "it calls no function that was attached from a library"
    return Diagnostic("OW544", "nothing to upgrade", Place(file), reason, severity=Severity.WARNING)
