"""What is written into a model that is brought to another opset, and the notes by which detach takes it back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable

from onnx import FunctionProto, ModelProto, NodeProto, helper

from opwright.downlevel.form import Form
from opwright.downlevel.target import Target
from opwright.graphs.walk import all_nodes
from opwright.link.digests import record_of
from opwright.link.metadata import CALL, POLYFILLED, attributes_digest
from opwright.link.original_nodes import count_originals
from opwright.link.propagate import imports_of
from opwright.opsets.domains import normal_domain


def note_imports(model: ModelProto, opset: int, target: Target) -> None:
    """Writes down the imports of a model and of its functions, its IR version, and which nodes mean another operator
    at the imports that `stamp_imports` will write."""
    model.metadata_props.add(key=POLYFILLED, value=_noted(model, model.graph.node, opset, target, model.ir_version))
    for function in model.functions:
        if record_of(function) is None:
            function.metadata_props.add(key=POLYFILLED, value=_noted(function, function.node, opset, target))


def _noted(
    owner: ModelProto | FunctionProto,
    nodes: Iterable[NodeProto],
    opset: int,
    target: Target,
    ir_version: int | None = None,
) -> str:
    imports = [[item.domain if item.HasField("domain") else None, item.version] for item in owner.opset_import]
    before = imports_of(owner)
    after = {domain: _version_after(domain, version, opset, target) for domain, version in before.items()}
    memo: dict[str, object] = {"imports": imports, "nodes": count_originals(nodes, before, after)}
    if ir_version is not None:
        memo["ir_version"] = ir_version
    return json.dumps(memo, sort_keys=True, separators=(",", ":"))


def _version_after(domain: str, version: int, opset: int, target: Target) -> int:
    if domain == "":
        return opset
    limit = target.version_of(domain)
    return min(version, limit) if limit else version


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
        item.version = _version_after(domain, item.version, opset, target)
        owner.opset_import.append(item)
    if isinstance(owner, ModelProto) and not any(normal_domain(item.domain) == "" for item in imports):
        owner.opset_import.append(helper.make_opsetid("", opset))


def write_form(form: Form, remember: bool) -> None:
    """Gives a node what a form that is one node says; `remember` writes down on it what it had."""
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
    if changes and remember:
        node.metadata_props.add(key=CALL, value=json.dumps(changes, sort_keys=True, separators=(",", ":")))
