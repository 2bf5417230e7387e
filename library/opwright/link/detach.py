"""Takes out of a model what attach put in, and undoes what polyfill did to it."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, overload

from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes, subgraphs_by_name
from opwright.link.digests import record_of
from opwright.link.lost_in_detaching import (
    AllUndone,
    lost_functions,
    nodes_of,
    refuse_altered,
    refuse_calls,
    refuse_lost_names,
    refuse_mixed,
    refuse_moved,
)
from opwright.link.metadata import ATTACHED, IMPORTED, POLYFILLED, is_polyfilled
from opwright.link.missing_types import restore_outputs
from opwright.link.model_records import spread_records
from opwright.link.moved_constants import noted_constants, put_constants_back
from opwright.link.node_notes import pop_entry, read_entry, undo_changes, unreadable
from opwright.link.original_nodes import added_node
from opwright.link.propagate import imports_of
from opwright.link.replaced import is_instead, restore_replaced
from opwright.link.training_graphs import refuse_training_graphs
from opwright.opsets.domains import normal_domain


@dataclass(frozen=True, slots=True)
class Detached:
    """The new model, how many nodes were restored, and the ids of the functions that were removed."""

    model: ModelProto
    restored: int
    functions: tuple[FunctionId, ...]
    diagnostics: tuple[Diagnostic, ...]


@overload
def detach(model: ModelPath) -> ModelProto: ...


@overload
def detach(model: SameForm) -> SameForm: ...


def detach(model: AnyModel) -> Any:
    """The model as it was before libraries were attached to it, in the form that is given (see `attach`).

    Calls whose function another tool has removed come back, too, where they say what they were. Raises DiagnosticError:
    OW576 when a linked function was altered since, which taking it out would lose, OW550, OW551, OW578 and OW579 when
    `model` is none.
    """
    given = given_model(model, leave_weights=True)
    return given.give_back(detach_libraries(given.proto, given.file).model)


def detach_libraries(model: ModelProto, file: str = "model") -> Detached:
    """`detach` with an account of what was done; `file` names the model in messages."""
    check_structure(model, file)
    result = ModelProto()
    result.CopyFrom(model)
    spread_records(result, file)
    ours = [function for function in result.functions if record_of(function) is not None]
    polyfilled = is_polyfilled(result)
    lost = lost_functions(result, ours)
    if not ours and not polyfilled and not lost:
        reason = "none of its functions was attached from a library"
        finding = Diagnostic("OW574", "nothing to detach", Place(file), reason, severity=Severity.WARNING)
        result.CopyFrom(model)
        return Detached(result, 0, (), (finding,))
    functions = {function_id(function) for function in result.functions} | lost.keys()
    refuse_training_graphs(model, file, lambda identity: polyfilled or identity in functions)
    refuse_altered(result, ours, file)
    removed = {function_id(function): function for function in ours}
    memos = [_attached_memo(function, file) for function in ours]
    for index in reversed(range(len(result.functions))):
        if function_id(result.functions[index]) in removed:
            del result.functions[index]
    undone = _undo_all(result, removed.keys() | lost.keys(), polyfilled, file)
    imports = [domain for memo in memos for domain in memo.imports]
    refuse_calls(result, removed, lost, imports, undone, file)
    refuse_lost_names(result, undone, file)
    for function in result.functions:
        imported = pop_entry(function.metadata_props, IMPORTED).split()
        _remove_imports(function.opset_import, imported, function.node, undone.restored)
    _remove_imports(result.opset_import, imports, result.graph.node, undone.restored)
    result.ir_version = min((memo.ir_version for memo in memos if memo.ir_version), default=result.ir_version)
    if undone.moved and not polyfilled:
        raise DiagnosticError([_left_over(file)])
    left_out, constants = _left_out(result, file), noted_constants(result, file)
    noted = _restore_stamps(result, undone, file)
    refuse_mixed(result, noted if polyfilled else None, undone, file)
    for index, function in left_out:
        result.functions.insert(index, function)
    if constants:
        put_constants_back(result.graph, constants, file)
    restore_outputs(result, file)
    return Detached(result, len(undone.restored), tuple(removed), ())


def _undo_all(model: ModelProto, removed: Collection[FunctionId], polyfilled: bool, file: str) -> AllUndone:
    """Takes back what was changed of nodes, in place. Raises DiagnosticError (OW576)."""
    owners: list[GraphProto | FunctionProto] = [model.graph, *model.functions]
    if polyfilled:
        refuse_moved(model.functions, removed, file)
    for node in nodes_of(owners):
        if is_instead(node):  # one that was made a call after it was put there
            undo_changes(node, file)
    replaced = restore_replaced(model, file)
    restored = {id(node): node for node, _ in replaced}
    moved, inside, sources = {id(node): mark for node, mark in replaced}, dict[int, NodeProto](), []
    for node in nodes_of(owners):
        undone = undo_changes(node, file) if polyfilled or call_id(node) in removed else None
        if undone is not None:
            restored[id(node)] = node
            if undone.moved:
                moved[id(node)] = undone.moved
            sources.append((node, undone.sources))
            for name, graphs in subgraphs_by_name(node) if undone.attributes else ():
                if name in undone.attributes:
                    inside.update((id(inner), inner) for inner in nodes_of(graphs))
    return AllUndone(restored, moved, inside, sources)


@dataclass(frozen=True, slots=True)
class _Memo:
    """What attach wrote down on a function that it added: the model's IR version before, and the imports added."""

    imports: tuple[str, ...]
    ir_version: int


def _attached_memo(function: FunctionProto, file: str) -> _Memo:
    memo = read_entry(function.metadata_props, ATTACHED, file) or {}
    imports, ir_version = memo.get("imports", []), memo.get("ir_version", 0)
    if not isinstance(imports, list) or not isinstance(ir_version, int):
        raise DiagnosticError([unreadable(ATTACHED, file)])
    return _Memo(tuple(str(domain) for domain in imports), ir_version)


def _remove_imports(
    imports: MutableSequence[Any], domains: Iterable[str], nodes: Iterable[NodeProto], restored: Collection[int]
) -> None:
    """Removes imports that attach added, but for domains of which nodes were added since.

    `restored` are the nodes (by id) that were there before.
    """
    used = {normal_domain(node.domain) for node in all_nodes(nodes) if id(node) not in restored}
    unwanted = set(domains) - used
    kept = [item for item in imports if normal_domain(item.domain) not in unwanted]
    del imports[:]
    imports.extend(kept)


def _left_out(model: ModelProto, file: str) -> list[tuple[int, FunctionProto]]:
    """The functions that were left out when the model was brought to another opset, with their places."""
    memo = read_entry(model.metadata_props, POLYFILLED, file) or {}
    try:
        found = [(int(index), _function_of(text)) for index, text in memo.get("functions", ())]
    except (TypeError, ValueError, DecodeError):
        raise DiagnosticError([unreadable(POLYFILLED, file)]) from None
    present = {function_id(function) for function in model.functions}
    for _, function in found:
        if function_id(function) in present:
            text = f"the function {function.domain}::{function.name} comes back, and its name is that of another one"
            reason = "it was left out when the model was brought to another opset, and the other one was made since"
            help_text = "rename the one that was made since"
            raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, help_text)])
    return found


def _function_of(text: str) -> FunctionProto:
    return FunctionProto.FromString(base64.b64decode(text, validate=True))


def _restore_stamps(model: ModelProto, undone: AllUndone, file: str) -> Collection[FunctionId]:
    """Gives a model and its functions the imports, and the model the IR version, that polyfill wrote down; gives the
    functions that had such a note.

    Domains that have gained uses since stay imported.
    """
    noted: set[FunctionId] = set()
    owners: list[tuple[ModelProto | FunctionProto, Iterable[NodeProto]]] = [(model, model.graph.node)]
    for owner, nodes in (*owners, *((function, function.node) for function in model.functions)):
        memo = read_entry(owner.metadata_props, POLYFILLED, file)
        if memo is None:
            continue
        now = imports_of(owner)
        others = [node for node in all_nodes(nodes) if id(node) not in undone.restored]
        try:
            imports = [_import_of(domain, version) for domain, version in memo["imports"]]
            before = {normal_domain(item.domain): item.version for item in imports}
            unmoved = (
                node for node in all_nodes(nodes) if id(node) not in undone.moved and id(node) not in undone.inside
            )
            is_of_others = any(undone.moved.get(id(node), memo["mark"]) != memo["mark"] for node in all_nodes(nodes))
            added_since = added_node(unmoved, before, now, memo["nodes"])
            if isinstance(owner, ModelProto):
                owner.ir_version = memo["ir_version"]
        except (KeyError, TypeError, ValueError):
            raise DiagnosticError([unreadable(POLYFILLED, file)]) from None
        if is_of_others:
            raise DiagnosticError([_left_over(file)])
        if added_since is not None:
            raise DiagnosticError([_of_another_opset(added_since, before, now, file)])
        used = {normal_domain(node.domain) for node in others}
        added = [item for item in owner.opset_import if normal_domain(item.domain) in used - before.keys()]
        del owner.opset_import[:]
        owner.opset_import.extend([*imports, *added])
        pop_entry(owner.metadata_props, POLYFILLED)
        if isinstance(owner, FunctionProto):
            noted.add(function_id(owner))
    return noted


def _left_over(file: str) -> Diagnostic:
    return Diagnostic(
        "OW576",
        "nodes say that they were brought to another opset, of which the model says nothing",
        Place(file),
        reason="another tool has taken away metadata of the model, or has put the nodes into it",
        help="take the original model, or attach with --inline, after which nothing is taken back any more",
    )


def _of_another_opset(node: NodeProto, before: Mapping[str, int], now: Mapping[str, int], file: str) -> Diagnostic:
    domain = normal_domain(node.domain)
    return Diagnostic(
        "OW576",
        f"a node {domain or 'ai.onnx'}::{node.op_type} was added or altered after the model was brought to opset"
        f" {now[domain]}",
        Place(file),
        reason=f"at {before[domain]}, which the model goes back to, its operator is of another version",
        help="alter the original model, or attach with --inline, after which nothing is taken back any more",
    )


def _import_of(domain: str | None, version: int) -> OperatorSetIdProto:
    return OperatorSetIdProto(version=version) if domain is None else helper.make_opsetid(domain, version)
