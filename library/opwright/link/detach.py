"""Takes out of a model what attach put in, and undoes what polyfill did to it."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any, overload

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, OperatorSetIdProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_graphs, all_nodes, graphs_in, names_of
from opwright.link.digests import function_digests, record_of
from opwright.link.metadata import ATTACHED, CALL, IMPORTED, POLYFILLED, attributes_digest, is_polyfilled, json_object
from opwright.link.missing_types import restore_outputs
from opwright.link.model_records import spread_records
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

    Raises DiagnosticError: OW576 when a linked function was altered since, which taking it out would lose, OW550,
    OW551, OW578 and OW579 when `model` is none.
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
    if not ours and not polyfilled:
        reason = "none of its functions was attached from a library"
        finding = Diagnostic("OW574", "nothing to detach", Place(file), reason, severity=Severity.WARNING)
        result.CopyFrom(model)
        return Detached(result, 0, (), (finding,))
    functions = {function_id(function) for function in result.functions}
    refuse_training_graphs(model, file, lambda identity: polyfilled or identity in functions)
    _refuse_altered(result, ours, file)
    removed = {function_id(function): function for function in ours}
    others = [function for function in result.functions if function_id(function) not in removed]
    if polyfilled:
        _refuse_moved(others, removed, file)
    for nodes in (result.graph.node, *(function.node for function in others)):
        for node in filter(is_instead, all_nodes(nodes)):  # one that was made a call after it was put there
            _restore(node, file)
    replaced = restore_replaced(result, file)
    called = [
        node
        for nodes in (result.graph.node, *(function.node for function in others))
        for node in all_nodes(nodes)
        if polyfilled or call_id(node) in removed
    ]
    restored = {id(node): node for node in called if _restore(node, file)}
    _refuse_unknown_inputs(result, restored.values(), file)
    memos = [_attached_memo(function, file) for function in ours]
    for function in others:
        _remove_imports(function.opset_import, _pop(function.metadata_props, IMPORTED).split(), function.node, restored)
    del result.functions[:]
    result.functions.extend(others)  # copies of them
    imports = [domain for memo in memos for domain in memo.imports]
    _remove_imports(result.opset_import, imports, result.graph.node, restored)
    result.ir_version = min((memo.ir_version for memo in memos if memo.ir_version), default=result.ir_version)
    _restore_stamps(result, restored, file)
    restore_outputs(result, file)
    return Detached(result, len(restored) + replaced, tuple(removed), ())


def _refuse_unknown_inputs(model: ModelProto, restored: Iterable[NodeProto], file: str) -> None:
    """Inputs that a body does not read come back by name, which another tool may have changed meanwhile."""
    known = {"", *(name for graph in all_graphs(model.graph) for name in names_of(graph))}
    for function in model.functions:
        known.update(function.input, *(node.output for node in function.node))
        known.update(name for graph in graphs_in(function) for name in names_of(graph))
    for node in restored:
        unknown = next((name for name in node.input if name not in known), None)
        if unknown is not None:
            text = f"the input {unknown} of a node {node.domain or 'ai.onnx'}::{node.op_type} is no more"
            reason = "attach has taken it away, and it was renamed or removed since"
            raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])


def _refuse_altered(model: ModelProto, ours: Iterable[FunctionProto], file: str) -> None:
    digests = function_digests(model.functions)
    problems = []
    for function in ours:
        record = record_of(function)
        if record is not None and digests[function_id(function)] != record.expected:
            text = f"the function {function.domain}::{function.name} was altered after it was attached"
            reason = f"it came from {record.origin}; taking it out would lose the alteration"
            problems.append(Diagnostic("OW576", text, Place(file), reason, "attach the library to the original model"))
    if problems:
        raise DiagnosticError(problems)


def _refuse_moved(functions: Iterable[FunctionProto], removed: Collection[FunctionId], file: str) -> None:
    """Nodes of the original in a function that was made since: the opset that they are of again is not its own."""
    for function in functions:
        if any(item.key == POLYFILLED for item in function.metadata_props):
            continue
        for node in all_nodes(function.node):
            if is_instead(node) or (call_id(node) not in removed and any(k.key == CALL for k in node.metadata_props)):
                text = f"the function {function.domain}::{function.name} holds nodes that were brought to another opset"
                reason = "it was made since, and the opset that they had before is not the one that it imports"
                raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])


def _restore(node: NodeProto, file: str) -> bool:
    """Undoes what attach wrote down on a node; False where it had changed nothing."""
    changes = _memo(node.metadata_props, CALL, file)
    if changes is None:
        return False
    try:
        for field in ("domain", "op_type", "overload"):
            if field in changes:
                node.ClearField(field)
                if changes[field] is not None:
                    setattr(node, field, changes[field])
        if "inputs" in changes:
            now = list(node.input)
            node.input[:] = [now[item] if isinstance(item, int) else item for item in changes["inputs"]]
        if "outputs" in changes:
            del node.output[changes["outputs"] :]
        for index, name in changes.get("unread", ()):
            node.output.extend([""] * (index + 1 - len(node.output)))
            node.output[index] = name
        written = set(changes.get("attributes", ()))
        if changes.get("digest", "") not in ("", attributes_digest(node, written)):
            raise DiagnosticError([_altered(node, file)])
        kept = [attribute for attribute in node.attribute if attribute.name not in written]
        for index, text in changes.get("dropped", ()):
            kept.insert(index, AttributeProto.FromString(base64.b64decode(text, validate=True)))
    except (IndexError, TypeError, ValueError, AttributeError, DecodeError):
        raise DiagnosticError([_unreadable(CALL, file)]) from None
    del node.attribute[:]
    node.attribute.extend(kept)
    _pop(node.metadata_props, CALL)
    return True


@dataclass(frozen=True, slots=True)
class _Memo:
    """What attach wrote down on a function that it added: the model's IR version before, and the imports added."""

    imports: tuple[str, ...]
    ir_version: int


def _attached_memo(function: FunctionProto, file: str) -> _Memo:
    memo = _memo(function.metadata_props, ATTACHED, file) or {}
    imports, ir_version = memo.get("imports", []), memo.get("ir_version", 0)
    if not isinstance(imports, list) or not isinstance(ir_version, int):
        raise DiagnosticError([_unreadable(ATTACHED, file)])
    return _Memo(tuple(str(domain) for domain in imports), ir_version)


def _memo(metadata: Iterable[Any], key: str, file: str) -> dict[str, Any] | None:
    """A JSON object among the metadata_props; None where there is none."""
    for item in metadata:
        if item.key == key:
            value = json_object(item.value)
            if value is None:
                raise DiagnosticError([_unreadable(key, file)])
            return value
    return None


def _pop(metadata: MutableSequence[Any], key: str) -> str:
    for index, item in enumerate(metadata):
        if item.key == key:
            value: str = item.value
            del metadata[index]
            return value
    return ""


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


def _restore_stamps(model: ModelProto, restored: Collection[int], file: str) -> None:
    """Gives a model and its functions the imports, and the model the IR version, that polyfill wrote down.

    Domains that have gained uses since stay imported; `restored` as for `_remove_imports`.
    """
    owners: list[tuple[ModelProto | FunctionProto, Iterable[NodeProto]]] = [(model, model.graph.node)]
    for owner, nodes in (*owners, *((function, function.node) for function in model.functions)):
        memo = _memo(owner.metadata_props, POLYFILLED, file)
        if memo is None:
            continue
        now = imports_of(owner)
        try:
            noted = [_import_of(domain, version) for domain, version in memo["imports"]]
            before = {normal_domain(item.domain): item.version for item in noted}
            added_since = added_node(nodes, before, now, memo["nodes"])
            if isinstance(owner, ModelProto):
                owner.ir_version = memo["ir_version"]
        except (KeyError, TypeError, ValueError):
            raise DiagnosticError([_unreadable(POLYFILLED, file)]) from None
        if added_since is not None:
            raise DiagnosticError([_of_another_opset(added_since, before, now, file)])
        known = {normal_domain(item.domain) for item in noted}
        used = {normal_domain(node.domain) for node in all_nodes(nodes) if id(node) not in restored}
        added = [item for item in owner.opset_import if normal_domain(item.domain) in used - known]
        del owner.opset_import[:]
        owner.opset_import.extend([*noted, *added])
        _pop(owner.metadata_props, POLYFILLED)


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


def _altered(node: NodeProto, file: str) -> Diagnostic:
    return Diagnostic(
        "OW576",
        f"attributes of a node {node.domain or 'ai.onnx'}::{node.op_type} were altered after they were written",
        Place(file),
        reason="attach or polyfill has written them; taking them back would lose the alteration",
        help="attach the library to the original model",
    )


def _unreadable(key: str, file: str) -> Diagnostic:
    return Diagnostic(
        "OW576",
        f"what attach wrote down under {key} cannot be read",
        Place(file),
        reason="some other tool has changed the metadata of the model",
        help="attach the library to the original model",
    )
