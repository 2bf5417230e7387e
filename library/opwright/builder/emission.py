"""Nodes that were recorded, as protos: those that the outputs need, with where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import AttributeProto, GraphProto, NodeProto

from opwright.builder.graph_lowering import GraphLowering, label_of
from opwright.builder.origins import STACK
from opwright.builder.recorder import Recorder
from opwright.lang import ir
from opwright.lang.dead import remove_dead_nodes
from opwright.lang.emit import PLACE, Identify, emit_nodes, write_type
from opwright.lang.isolated import keep_constants_inside
from opwright.opsets.records import IDENTITY

INLINED = "opwright.inlined:"  # before the domain of calls that are to be replaced


def emit_recorded(
    recorder: Recorder, graph: GraphProto, outputs: Mapping[str, ir.Value], identify: Identify, debug: bool
) -> dict[str, int]:
    """Fills a graph with inputs, outputs and nodes. Gives the opset imports."""
    low = recorder.low
    nodes = needed_nodes(low, outputs.values())
    graph.name = low.function.name
    for name, value in recorder.inputs.items():
        write_type(graph.input.add(name=name), value.type)
    for name, value in outputs.items():
        write_type(graph.output.add(name=name), value.type)
    imports = emit_named(recorder, nodes, outputs, graph, identify, {item: item.name for item in low.function.inputs})
    annotate(recorder, nodes, graph, debug)
    given = {item.name for item in (*graph.input, *graph.output)}
    for node in nodes:
        for value in node.made():
            if value.name and value.name not in given and not isinstance(node, ir.Const) and value.type.is_known:
                write_type(graph.value_info.add(name=value.name), _surely(node, value.type))
    return imports


def needed_nodes(low: GraphLowering, values: Iterable[ir.Value]) -> list[ir.Node]:
    """Constants and nodes that the values need, in order; those that are random stay, needed or not. What has been
    recorded stays as it is: the author may go on with what is not needed here."""
    around = ir.Function("", "", 1, low.target.opset, None)
    around.body.nodes = [_copy(low, node) for node in (*low.prologue.nodes, *low.function.body.nodes)]
    around.body.yields = list(values)
    keep_constants_inside(around.body, low.prologue.nodes, low.copied)
    remove_dead_nodes(around)
    return around.body.nodes


def _copy(low: GraphLowering, node: ir.Node) -> ir.Node:
    """A node whose regions may be changed; the same one where it has none."""
    made: ir.Node
    if isinstance(node, ir.If):
        then, orelse = _copy_region(low, node.then), _copy_region(low, node.orelse)
        made = ir.If(node.operator, node.condition, then, orelse, list(node.results), node.span)
    elif isinstance(node, ir.Loop):
        body = _copy_region(low, node.body)
        initial, results = list(node.initial), list(node.results)
        made = ir.Loop(node.operator, node.trips, node.condition, initial, body, results, node.span)
    elif isinstance(node, ir.Call) and isinstance(node.callee, ir.Operator) and node.callee.signature.takes_graphs:
        attributes = {
            name: ir.AttributeValue(item.kind, _copy_region(low, item.value))
            if isinstance(item, ir.AttributeValue) and isinstance(item.value, ir.Region)
            else item
            for name, item in node.attributes.items()
        }
        made = ir.Call(node.callee, list(node.inputs), attributes, list(node.results), node.span)
    else:
        return node
    low.copied(node, made)
    return made


def _copy_region(low: GraphLowering, region: ir.Region) -> ir.Region:
    made = ir.Region(list(region.parameters))
    made.nodes = [_copy(low, node) for node in region.nodes]
    made.yields = list(region.yields)
    made.declared, made.promised = region.declared, region.promised
    return made


def emit_named(
    recorder: Recorder,
    nodes: list[ir.Node],
    outputs: Mapping[str, ir.Value],
    graph: GraphProto,
    identify: Identify,
    given: Mapping[ir.Value, str],
) -> dict[str, int]:
    """The nodes under the names of their values, then copies for values that are outputs under a second name.

    `given` are the values that the graph does not make, by name.
    """
    low = recorder.low
    names: dict[ir.Value | None, str] = {None: ""}
    names.update(given.items())
    copies: list[ir.Node] = []
    for name, value in outputs.items():
        if value not in names and value.name in ("", name):  # "": a constant
            names[value] = name
        else:
            copy = ir.Value(value.type, name)
            names[copy] = name
            copies.append(ir.Call(low.operator(IDENTITY.name, None), [value], {}, [copy], None))
    for node in nodes:
        for value in node.made():
            if value.name:
                names.setdefault(value, value.name)
    return emit_nodes([*nodes, *copies], low.target.opset, names, graph, identify)


def renamed(nodes: list[ir.Node], reserved: set[str]) -> dict[ir.Value, str]:
    """Other names for values that have one of those."""
    around = ir.Region()
    around.nodes = nodes
    regions = [region for node in ir.with_regions(around) for region in node.regions()]
    made = [value for _, node in ir.walk(around) for value in node.made()]
    values = [*made, *(value for region in regions for value in region.parameters)]
    taken = {*reserved, *(value.name for value in values)}
    found: dict[ir.Value, str] = {}
    for value in values:
        if value.name in reserved:
            name = f"{value.name}_"
            while name in taken:
                name += "_"
            taken.add(name)
            found[value] = name
    return found


def _surely(node: ir.Node, type_: ir.Type) -> ir.Type:
    """What is true of a result on every path: the shape of what a branch gives is that of the path that is read."""
    if isinstance(node, (ir.If, ir.Loop)) and isinstance(type_, ir.TensorType):
        return ir.TensorType(type_.element)
    return type_


def annotate(recorder: Recorder, nodes: list[ir.Node], graph: GraphProto, debug: bool) -> None:
    """Gives protos the names of their nodes and, for `debug`, the lines that made them.

    A proto stands for each node, in the same order, in every graph; copies of what a graph yields come behind them.
    """
    low, counts = recorder.low, dict[str, int]()
    pending: list[tuple[list[ir.Node], list[NodeProto]]] = [(nodes, list(graph.node))]
    while pending:
        made, protos = pending.pop()
        for node, proto in zip(made, protos, strict=False):
            known = low.origin_of.get(node)
            if known is not None:
                origin, path = known
                _name(proto, path + label_of(node), counts)
                place, stack = low.origins.texts(origin)
                for key, text in ((PLACE, place), (STACK, stack)) if debug else ():
                    if text:
                        proto.metadata_props.add(key=key, value=text)
            graphs = [item.g for item in proto.attribute if item.type == AttributeProto.GRAPH]
            for region, inner in zip(node.regions(), graphs, strict=True):
                pending.append((region.nodes, list(inner.node)))
            if node in recorder.inlined:
                proto.domain = f"{INLINED}{proto.domain}"


def _name(proto: NodeProto, hint: str, counts: dict[str, int]) -> None:
    count = counts[hint] = counts.get(hint, -1) + 1
    proto.name = f"{hint}_{count}" if count else hint
