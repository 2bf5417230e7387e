"""The linker's records on functions and nodes, in models whose IR has no place for them there (docs/adr/0289).

From IR 10 on they are metadata_props of what they speak of. Below it one entry of the model holds them all as JSON:

    {"functions": [[[domain, name, overload], {key: value}]],
     "nodes": [[owner, position, [domain, operator, overload], [outputs], {key: value}]],
     "wiring": digest}

The owner of a node is a function of the model's own, or null for the main graph; the position counts its nodes, those
of nested graphs included. Nothing is said of a node that was a complete call before. The digest is of all nodes, of
which value each reads and of which ones graphs give, whatever values are called: where it holds, positions do. Else
nodes were added, removed or moved, and they are found by their outputs.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from onnx import FunctionProto, ModelProto, NodeProto, ValueInfoProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.ir_versions import METADATA_IR
from opwright.graphs.walk import all_graphs, all_nodes, graphs_in, subgraphs
from opwright.link.digests import record_of
from opwright.link.metadata import OF_FUNCTIONS, OF_NODES, RECORDS, add_entry, json_object

_Facts = Mapping[str, str]
_Owner = FunctionId | None


@dataclass(frozen=True, slots=True)
class _NodeRecord:
    owner: _Owner
    position: int
    callee: FunctionId
    outputs: tuple[str, ...]
    facts: _Facts

    @property
    def name(self) -> tuple[_Owner, FunctionId, tuple[str, ...]]:
        return self.owner, self.callee, self.outputs


@dataclass(frozen=True, slots=True)
class _Records:
    functions: tuple[tuple[FunctionId, _Facts], ...]
    nodes: tuple[_NodeRecord, ...]
    wiring: str


def gather_records(model: ModelProto) -> None:
    """Moves the records of functions and nodes to the model, in place, where its IR has no place for them there."""
    if model.ir_version >= METADATA_IR:
        return
    linked = {function_id(function) for function in model.functions if record_of(function) is not None}
    functions = [(function_id(function), facts) for function in model.functions if (facts := _taken(function))]
    nodes: list[_NodeRecord] = []
    for owner, position, node in _positions(model):
        facts = _taken(node)
        if facts or (owner not in linked and call_id(node) in linked):
            nodes.append(_NodeRecord(owner, position, call_id(node), tuple(node.output), facts))
    if functions or nodes:
        listed = [[item.owner, item.position, item.callee, item.outputs, item.facts] for item in nodes]
        add_entry(model, RECORDS, {"functions": functions, "nodes": listed, "wiring": _wiring(model)})


def spread_records(model: ModelProto, file: str) -> None:
    """Moves the records that the model holds back to its functions and nodes, in place.

    Raises DiagnosticError (OW576) when they cannot be read, or when a node that one speaks of cannot be told from
    others any more.
    """
    entries = _read(model, file)
    if not entries:
        return
    kept = [item for item in model.metadata_props if not item.key.startswith(RECORDS)]
    pairs = [pair for records in entries for pair in _found(model, records, file)]  # before anything is changed
    facts = {identity: found for records in entries for identity, found in records.functions}
    for function in model.functions:
        for key, value in facts.get(function_id(function), {}).items():
            function.metadata_props.add(key=key, value=value)
    for node, texts in pairs:
        for key, value in texts.items():
            node.metadata_props.add(key=key, value=value)
    del model.metadata_props[:]
    model.metadata_props.extend(kept)


def functions_with_records(model: ModelProto, file: str) -> Sequence[FunctionProto]:
    """The model's functions, with what the model records of them on copies. Raises DiagnosticError (OW576) when that
    cannot be read."""
    facts = {identity: found for records in _read(model, file) for identity, found in records.functions}
    return [_with_facts(function, facts.get(function_id(function))) for function in model.functions]


def _with_facts(function: FunctionProto, facts: _Facts | None) -> FunctionProto:
    if not facts:
        return function
    copy = FunctionProto()
    copy.CopyFrom(function)
    for key, value in facts.items():
        copy.metadata_props.add(key=key, value=value)
    return copy


def _taken(holder: FunctionProto | NodeProto) -> dict[str, str]:
    """The linker's records on a function or a node, which loses them."""
    ours = OF_NODES if isinstance(holder, NodeProto) else OF_FUNCTIONS
    facts = {item.key: item.value for item in holder.metadata_props if item.key in ours}
    if facts:
        kept = [item for item in holder.metadata_props if item.key not in ours]
        del holder.metadata_props[:]
        holder.metadata_props.extend(kept)
    return facts


def _positions(model: ModelProto) -> Iterator[tuple[_Owner, int, NodeProto]]:
    for position, node in enumerate(all_nodes(model.graph.node)):
        yield None, position, node
    for function in model.functions:
        owner = function_id(function)
        for position, node in enumerate(all_nodes(function.node)):
            yield owner, position, node


def _wiring(model: ModelProto) -> str:
    """A digest of the nodes, of which value each reads and of which ones graphs give, whatever values are called. What
    nothing reads counts as not given: some tools leave the last of such outputs out, or give them names."""
    digest = hashlib.sha256()
    count = 0
    numbers: dict[str, int] = {}
    read = _read_names(model)

    def numbered(name: str, *, anew: bool) -> int:
        nonlocal count
        if name and (anew or name not in numbers):
            numbers[name] = count = count + 1
        return numbers[name] if name else 0

    def add(line: str) -> None:
        digest.update(line.encode())

    def numbers_of(names: Iterable[str], *, anew: bool) -> str:
        return f"[{','.join([str(numbered(name, anew=anew)) for name in names])}]"

    def add_body(inputs: Iterable[str], nodes: Iterable[NodeProto], outputs: Iterable[str]) -> None:
        add(f"[{numbers_of(inputs, anew=True)}]")
        for node in nodes:
            given = _without_last([name if name in read else "" for name in node.output])
            add(f"[{_id_text(call_id(node))},{numbers_of(node.input, anew=False)},{len(given)}]")
            for graph in subgraphs(node):
                add_body(_names(graph.input), graph.node, _names(graph.output))
            add(f"[{numbers_of(given, anew=True)}]")
        add(f"[{numbers_of(outputs, anew=False)}]")

    add_body(_names(model.graph.input), model.graph.node, _names(model.graph.output))
    for function in model.functions:
        numbers.clear()
        add(f"[{_id_text(function_id(function))}]")
        add_body(function.input, function.node, function.output)
    return digest.hexdigest()


def _read_names(model: ModelProto) -> set[str]:
    graphs = [*all_graphs(model.graph), *(graph for function in model.functions for graph in graphs_in(function))]
    found = {value.name for graph in graphs for value in graph.output}
    for graph in graphs:
        found.update(*(node.input for node in graph.node))
    for function in model.functions:
        found.update(function.output, *(node.input for node in function.node))
    return found - {""}


def _without_last(names: list[str]) -> list[str]:
    """Without the empty names at the end."""
    while names and not names[-1]:
        names.pop()
    return names


@lru_cache(maxsize=4096)
def _id_text(identity: FunctionId) -> str:
    return json.dumps(identity, separators=(",", ":"))


def _names(values: Iterable[ValueInfoProto]) -> list[str]:
    return [value.name for value in values]


def _read(model: ModelProto, file: str) -> list[_Records]:
    """What the model holds of records: several where models were merged."""
    return [_read_entry(item.value, file) for item in model.metadata_props if item.key.startswith(RECORDS)]


def _read_entry(text: str, file: str) -> _Records:
    value = json_object(text) or {}
    try:
        functions = tuple((_identity(identity), _facts(facts)) for identity, facts in value["functions"])
        nodes = tuple(map(_node_record, value["nodes"]))
        return _Records(functions, nodes, str(value["wiring"]))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise DiagnosticError([_unreadable(file)]) from None


def _identity(value: Any) -> FunctionId:
    domain, name, overload = value
    return str(domain), str(name), str(overload)


def _facts(value: Any) -> _Facts:
    return {str(key): str(text) for key, text in value.items() if key in OF_FUNCTIONS | OF_NODES}


def _node_record(value: Any) -> _NodeRecord:
    owner, position, callee, outputs, facts = value
    return _NodeRecord(
        None if owner is None else _identity(owner),
        int(position),
        _identity(callee),
        tuple(str(name) for name in outputs),
        _facts(facts),
    )


def _found(model: ModelProto, records: _Records, file: str) -> list[tuple[NodeProto, _Facts]]:
    """The nodes that there are records of, and those."""
    if not records.nodes:
        return []
    if _wiring(model) == records.wiring:
        nodes = {(owner, position): node for owner, position, node in _positions(model)}
        pairs = [(nodes.get((item.owner, item.position)), item) for item in records.nodes]
        found = [(node, item.facts) for node, item in pairs if node is not None and call_id(node) == item.callee]
        if len(found) != len(pairs):
            raise DiagnosticError([_unreadable(file)])
    else:
        found = _found_by_outputs(model, records.nodes, file)
    return found


def _found_by_outputs(model: ModelProto, records: Iterable[_NodeRecord], file: str) -> list[tuple[NodeProto, _Facts]]:
    named: dict[tuple[_Owner, FunctionId, tuple[str, ...]], list[NodeProto]] = {}
    for owner, _, node in _positions(model):
        named.setdefault((owner, call_id(node), tuple(node.output)), []).append(node)
    wanted: dict[tuple[_Owner, FunctionId, tuple[str, ...]], list[_Facts]] = {}
    for item in records:
        wanted.setdefault(item.name, []).append(item.facts)
    found: list[tuple[NodeProto, _Facts]] = []
    lost: set[tuple[_Owner, FunctionId]] = set()
    for name, texts in wanted.items():
        nodes = named.pop(name, [])
        # Graphs beside one another may use a name for different values, and what is said of them may be the same.
        if nodes and (len(nodes) != len(texts) or any(facts != texts[0] for facts in texts)):
            raise DiagnosticError([_moved(name[1], file)])
        found += zip(nodes, texts, strict=False)
        if not nodes:
            lost.add(name[:2])
    others = Counter((owner, callee) for owner, callee, _ in named)
    for owner, callee in sorted(lost, key=str):
        if others[owner, callee]:  # one of them may be the node that is missed
            raise DiagnosticError([_moved(callee, file)])
    return found


def _unreadable(file: str) -> Diagnostic:
    return Diagnostic(
        "OW576",
        f"what was written down under {RECORDS}* cannot be read",
        Place(file),
        reason="some other tool has changed the metadata of the model",
        help="attach the library to the original model",
    )


def _moved(callee: FunctionId, file: str) -> Diagnostic:
    domain, name, _ = callee
    return Diagnostic(
        "OW576",
        f"nodes of {domain or 'ai.onnx'}::{name} cannot be told from one another any more",
        Place(file),
        reason=f"the model was changed since, and below IR version {METADATA_IR} nodes cannot say what they were",
        help="attach the library to the original model",
    )
