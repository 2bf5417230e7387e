"""What is lost, or means something else, when a model that was edited is taken back: refused by name (OW576)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_graphs, all_nodes, graphs_in
from opwright.link.check import undefined_calls
from opwright.link.digests import function_digests, record_of
from opwright.link.metadata import CALL, POLYFILLED
from opwright.link.missing_callees import missing_callee
from opwright.link.node_notes import newest_note
from opwright.link.original_nodes import added_node
from opwright.link.propagate import imports_of
from opwright.link.replaced import is_instead
from opwright.link.value_sources import Sources
from opwright.opsets.domains import STANDARD_DOMAINS, normal_domain
from opwright.variants import possible_bases


@dataclass(frozen=True, slots=True)
class AllUndone:
    """The nodes of which something was taken back, by id, and of those that had been moved to another opset the mark;
    those in graphs that came back, which no other tool has seen; what gave the inputs that came back by name, for each
    node that got some."""

    restored: Mapping[int, NodeProto]
    moved: Mapping[int, str]
    inside: Mapping[int, NodeProto]
    sources: Sequence[tuple[NodeProto, Mapping[str, str]]]


def nodes_of(owners: Iterable[GraphProto | FunctionProto]) -> Iterator[NodeProto]:
    """All nodes of graphs and functions, those of nested graphs too."""
    return (node for owner in owners for node in all_nodes(owner.node))


def refuse_altered(model: ModelProto, ours: Iterable[FunctionProto], file: str) -> None:
    digests = function_digests(model.functions)
    problems = []
    for function in ours:
        record = record_of(function)
        if record is not None and digests[function_id(function)] != record.expected:
            text = f"the function {function.domain}::{function.name} was altered after it was attached"
            reason = f"it came from {record.origin}; taking it out would lose the alteration"
            help_text = "attach the library to the original model"
            missing = missing_callee(model, function)
            if missing is not None:
                text = f"{function.domain}::{function.name} calls {missing}, which the model no longer has"
                reason = f"it came from {record.origin}, and another tool has removed what it calls"
                help_text = "take the original model"
            problems.append(Diagnostic("OW576", text, Place(file), reason, help_text))
    if problems:
        raise DiagnosticError(problems)


def lost_functions(model: ModelProto, ours: Iterable[FunctionProto]) -> dict[FunctionId, str]:
    """What nodes call that was attached and that the model no longer has, with the name that the call had before; that
    is empty where no node says it, of a name that only attach writes."""
    undefined = set(undefined_calls(model))
    domains = {normal_domain(function.domain) for function in ours}
    lost: dict[FunctionId, str] = {}
    for node in nodes_of([model.graph, *model.functions]) if undefined else ():
        identity = call_id(node)
        if identity not in undefined:
            continue
        bases, note = possible_bases(node.op_type), newest_note(node)
        name = node.op_type if note is None else note.get("op_type", node.op_type)
        if note is not None and name in bases:  # the note is of this call, not of one that another tool has replaced
            lost[identity] = name
        elif len(bases) > 1 and identity[0] in domains:
            lost.setdefault(identity, "")
    return lost


def refuse_moved(functions: Iterable[FunctionProto], removed: Collection[FunctionId], file: str) -> None:
    """Nodes of the original in a function that was made since: the opset that they are of again is not its own."""
    for function in functions:
        if any(item.key == POLYFILLED for item in function.metadata_props):
            continue
        for node in all_nodes(function.node):
            if is_instead(node) or (call_id(node) not in removed and any(k.key == CALL for k in node.metadata_props)):
                text = f"the function {function.domain}::{function.name} holds nodes that were brought to another opset"
                reason = "it was made since, and the opset that they had before is not the one that it imports"
                raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])


def refuse_calls(
    model: ModelProto,
    removed: Mapping[FunctionId, FunctionProto],
    lost: Mapping[FunctionId, str],
    imported: Collection[str],
    undone: AllUndone,
    file: str,
) -> None:
    """Calls of what was attached that say nothing of what they were: copies that another tool has made of calls, say.

    Calls as users write them, by the name that the library gives the function, have nothing to say where the model
    imported the domain itself: `imported` are those for which attach has added that. `lost` are as of `lost_functions`.
    """
    calls: list[tuple[NodeProto, FunctionProto | None]] = [(node, None) for node in all_nodes(model.graph.node)]
    calls += [(node, function) for function in model.functions for node in all_nodes(function.node)]
    for node, holder in calls:
        identity = call_id(node)
        function = removed.get(identity)
        record = None if function is None else record_of(function)
        if id(node) in undone.restored or (record is None and identity not in lost):
            continue
        was_noted = holder is None and normal_domain(node.domain) in imported
        name = lost[identity] if record is None else record.identity.partition("@")[0].rpartition("::")[2]
        if was_noted or name != node.op_type:
            text = f"a node calls {node.domain}::{node.op_type}, which was attached, and does not say what it was"
            reason = "another tool has made it, or has taken away its metadata"
            raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])


def refuse_lost_names(model: ModelProto, undone: AllUndone, file: str) -> None:
    """Inputs that were taken away come back by name, which another tool may have removed or given to another value, as
    it may have used names of what stood in the place of a node."""
    sources = Sources(model)
    for node, told in undone.sources:
        for name, source in told.items():
            if sources.of(name) != source:
                text = f"the input {name} of a node {node.domain or 'ai.onnx'}::{node.op_type} is no more what it was"
                reason = "attach has taken it away, and its value was renamed, removed or replaced since"
                raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])
    if not undone.restored:
        return
    for node in nodes_of([model.graph, *model.functions]):
        lost = next((name for name in node.input if name and not sources.of(name)), None)
        if lost is not None:
            raise DiagnosticError([_lost(f"{lost}, which a node {node.op_type} reads,", "is no more", file)])
    for graph in all_graphs(model.graph):
        lost = next((value.name for value in graph.output if not sources.of(value.name)), None)
        if lost is not None:
            raise DiagnosticError([_lost(f"the output {lost}", "is given by nodes that go", file)])
    came_back = {name for node in undone.restored.values() for name in node.output}
    owners: list[GraphProto | FunctionProto] = [*all_graphs(model.graph), *model.functions]
    owners += [graph for function in model.functions for graph in graphs_in(function)]
    for owner in owners:
        counts = Counter(name for node in owner.node for name in node.output if name)
        twice = next((name for name, count in counts.items() if count > 1 and name in came_back), None)
        if twice is not None:
            raise DiagnosticError([_lost(f"the value {twice}", "comes back, and another one has its name now", file)])


def refuse_mixed(model: ModelProto, noted: Collection[FunctionId] | None, undone: AllUndone, file: str) -> None:
    """Functions that came since, or were renamed: they stay at their opset when the model goes back to another one,
    which no runtime takes; and what came back in them may be of a domain that they do not import. `noted` are those
    that were brought to another opset with the model; None where it was not."""
    imports = imports_of(model)
    for function in model.functions:
        if noted is not None and function_id(function) in noted:
            continue
        own = imports_of(function)
        nodes = [*all_nodes(function.node)]
        came_back = [node for node in nodes if id(node) in undone.restored]
        lacking = {*STANDARD_DOMAINS} - own.keys()
        node = next((node for node in came_back if normal_domain(node.domain) in lacking), None)
        node = node or added_node(came_back if noted is None else nodes, imports, own, {})
        if node is not None:
            held = f"{node.domain or 'ai.onnx'}::{node.op_type}"
            text = f"the function {function.domain}::{function.name}, which was made since, holds a node {held}"
            reason = "the opset that the model goes back to is not the one that the function imports"
            raise DiagnosticError([Diagnostic("OW576", text, Place(file), reason, "take the original model")])


def _lost(what: str, happened: str, file: str) -> Diagnostic:
    reason = "another tool has changed the model since it was rewritten or attached to"
    return Diagnostic("OW576", f"{what} {happened}", Place(file), reason, "take the original model")
