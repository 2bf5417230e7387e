"""What is written into a model that is brought to another opset, and the notes by which detach takes it back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, ModelProto, NodeProto, OperatorSetIdProto, helper

from opwright.downlevel.form import Form
from opwright.downlevel.target import Target
from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import all_nodes
from opwright.link.digests import record_of
from opwright.link.metadata import POLYFILLED, attributes_digest
from opwright.link.moved_constants import InitializerNote
from opwright.link.node_notes import MOVED, newest_note, note_changes
from opwright.link.original_nodes import count_kept
from opwright.link.propagate import imports_of
from opwright.link.replaced import is_instead
from opwright.link.value_sources import Sources
from opwright.opsets.domains import normal_domain


@dataclass(frozen=True, slots=True)
class Noted:
    """What a model and its functions import before they are rewritten, its IR version, and its functions that are left
    out, with their places among its own."""

    imports: Mapping[FunctionId | None, tuple[OperatorSetIdProto, ...]]  # None: the model's own
    ir_version: int
    mark: str  # of the conversion: notes that another one has left on nodes are told apart by it
    left_out: tuple[tuple[int, bytes], ...]

    @classmethod
    def of(cls, model: ModelProto, opset: int, left_out: Collection[FunctionId]) -> Noted:
        """That of a model as it is, before it is brought to an opset."""
        functions = [function for function in model.functions if record_of(function) is None]
        found: dict[FunctionId | None, tuple[OperatorSetIdProto, ...]] = {None: _copies(model.opset_import)}
        found |= {function_id(function): _copies(function.opset_import) for function in functions}
        texts = sorted(f"{normal_domain(item.domain)} {item.version}" for item in model.opset_import)
        said = f"{model.ir_version} {texts} {opset}"
        mark = hashlib.sha256(said.encode()).hexdigest()[:12]
        left = [(index, item) for index, item in enumerate(functions) if function_id(item) in left_out]
        kept = tuple((index, item.SerializeToString(deterministic=True)) for index, item in left)
        return cls(found, model.ir_version, mark, kept)


def _copies(imports: Iterable[OperatorSetIdProto]) -> tuple[OperatorSetIdProto, ...]:
    copies = []
    for item in imports:
        copy = OperatorSetIdProto()
        copy.CopyFrom(item)
        copies.append(copy)
    return tuple(copies)


def put_initializers(model: ModelProto, forms: Iterable[Form]) -> list[InitializerNote]:
    """Makes initializers of the constants of the graph whose forms say so; what is to be known of them for detach."""
    pairs = ((form.visit.node, form.tensor) for form in forms if form.is_initializer)
    tensors = {id(node): tensor for node, tensor in pairs if tensor is not None}
    found = [(index, node) for index, node in enumerate(model.graph.node) if id(node) in tensors] if tensors else []
    notes = []
    for index, node in found:
        tensor = model.graph.initializer.add()
        tensor.CopyFrom(tensors[id(node)])
        tensor.name = node.output[0]
        notes.append(InitializerNote.of(index, node, tensor))
    for index, _ in reversed(found):
        del model.graph.node[index]
    return notes


def write_note(model: ModelProto, before: Noted, constants: Sequence[InitializerNote]) -> None:
    """Writes down on a model and on its functions, once they are rewritten, the imports that they had, its IR version,
    which nodes stayed though their operator is another one now, and the constants that are initializers."""
    marked = {"mark": before.mark}
    memo = _memo(before.imports[None], model, model.graph.node) | {"ir_version": before.ir_version} | marked
    if before.left_out:
        memo["functions"] = [[index, base64.b64encode(data).decode("ascii")] for index, data in before.left_out]
    if constants:
        memo["constants"] = [item.as_json() for item in constants]
    model.metadata_props.add(key=POLYFILLED, value=_text(memo))
    for function in model.functions:
        imports = before.imports.get(function_id(function))
        if record_of(function) is None and imports is not None:
            function.metadata_props.add(key=POLYFILLED, value=_text(_memo(imports, function, function.node) | marked))


def _memo(
    imports: Sequence[OperatorSetIdProto], owner: ModelProto | FunctionProto, nodes: Iterable[NodeProto]
) -> dict[str, object]:
    before = {normal_domain(item.domain): item.version for item in imports}
    kept = (node for node in all_nodes(nodes) if not is_instead(node) and not (newest_note(node) or {}).get(MOVED))
    return {
        "imports": [[item.domain if item.HasField("domain") else None, item.version] for item in imports],
        "nodes": count_kept(kept, before, imports_of(owner)),
    }


def _text(memo: Mapping[str, object]) -> str:
    return json.dumps(memo, sort_keys=True, separators=(",", ":"))


def stamp_imports(model: ModelProto, opset: int, target: Target) -> None:
    """Imports the opset, in functions too, and no newer version of the standard's other domains than the target takes;
    drops those that nothing uses any more."""
    _stamp(model, {normal_domain(node.domain) for node in all_nodes(model.graph.node)}, opset, target)
    for function in model.functions:
        if record_of(function) is None:
            _stamp(function, {normal_domain(node.domain) for node in all_nodes(function.node)}, opset, target)


def _stamp(owner: ModelProto | FunctionProto, used: set[str], opset: int, target: Target) -> None:
    imports = list(owner.opset_import)
    del owner.opset_import[:]
    for item in imports:
        domain = normal_domain(item.domain)
        limit = target.version_of(domain)
        if domain and limit is not None and item.version > limit and domain not in used:
            continue
        if domain == "" or (limit and item.version > limit):
            item.version = opset if domain == "" else limit or item.version
        owner.opset_import.append(item)
    if isinstance(owner, ModelProto) and not any(normal_domain(item.domain) == "" for item in imports):
        owner.opset_import.append(helper.make_opsetid("", opset))


def write_form(form: Form, sources: Sources, mark: str) -> None:
    """Gives a node what a form that is one node says. With the mark of a conversion it is noted what it had; `sources`
    are those of the model."""
    node = form.visit.node
    changes: dict[str, object] = {}
    given = list(node.input)
    names = form.names
    if names != given:
        changes["inputs"] = [index if index < len(names) else name for index, name in enumerate(given)]
        del node.input[:]
        node.input.extend(names)
    if form.outputs_ != list(node.output):
        left = [*form.outputs_, *[""] * (len(node.output) - len(form.outputs_))]
        pairs = [*enumerate(zip(node.output, left, strict=True))]
        # (The last of those that are taken away is noted whatever its name: how many there were is known by it.)
        cut = len(node.output) - 1 if len(form.outputs_) < len(node.output) else -1
        changes["unread"] = [[index, name] for index, (name, new) in pairs if name != new or index == cut]
        del node.output[:]
        node.output.extend(form.outputs_)
    before = {attribute.name: attribute for attribute in node.attribute}
    dropped = [
        [index, base64.b64encode(attribute.SerializeToString(deterministic=True)).decode("ascii")]
        for index, attribute in enumerate(node.attribute)
        if form.attributes.get(attribute.name) is not attribute
    ]
    added = [name for name, attribute in form.attributes.items() if attribute is not before.get(name)]
    if dropped or added:
        attributes = list(form.attributes.values())
        kept = [attribute for attribute in node.attribute if form.attributes.get(attribute.name) is attribute]
        new = [attribute for attribute in attributes if attribute is not before.get(attribute.name)]
        del node.attribute[:]
        node.attribute.extend([*kept, *new])
        changes |= {"attributes": added, "digest": attributes_digest(node, added)} if added else {}
        changes |= {"dropped": dropped} if dropped else {}
    if changes and mark:
        note_changes(node, {**changes, MOVED: mark}, sources)
