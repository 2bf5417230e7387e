"""The functions of a model: those that its graph calls are added, chosen among, shortened and given their imports."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from onnx import FunctionProto, GraphProto, ModelProto, helper

from opwright.diagnostics.diagnostic import Place
from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.inline import Inliner, inline_into
from opwright.graphs.inlined_names import keep_apart
from opwright.graphs.left_out import lacked_by_runtimes, leave_out_defaults
from opwright.graphs.walk import all_graphs
from opwright.link.flatten import flatten
from opwright.live.closure import Closure, choose_functions
from opwright.live.declared_imports import declare_imports
from opwright.live.libraries import check_imports, newest_imports, unify_imports
from opwright.live.overloads import use_overloads
from opwright.model.survey import Nodes, Survey, count_nodes
from opwright.model_options import NamedFunction
from opwright.variants import Profile

MOST_NODES = 1_000_000  # in the graph, when functions are inlined into it


@dataclass(slots=True)
class Assembly:
    """A model that has its graph and all functions that this calls. What it imports follows in `settle`.

    `called` are the functions as they were found; `versions` are those of each domain that the model is to import.
    """

    model: ModelProto
    closure: Closure
    called: Sequence[FunctionProto]
    versions: dict[str, int]
    _counted: list[Nodes] = field(default_factory=list)

    def settle(
        self,
        functions: Collection[NamedFunction | str] | None,
        wanted: Mapping[str, int] | None = None,
        kept: Collection[FunctionId] = (),
    ) -> None:
        """Inlines the functions that are not among `functions`, drops what nothing calls and is not `kept`, and writes
        the imports: those that are needed, or `wanted`. DiagnosticError where one of these cannot be."""
        model = self.model
        if functions is not None:
            chosen = choose_functions(functions, self.called, self.closure.family_names())
            choose_kept(model, chosen.union(kept))
        counted = self._counted = flatten_calls(model, kept)
        used = {"", *(domain for nodes in counted for domain, _, _ in nodes.kinds)}
        used.update(proto.domain for proto in model.functions)
        model.opset_import.extend(
            helper.make_opsetid(domain, version) for domain, version in sorted(self.versions.items()) if domain in used
        )
        unify_imports(model.functions, self.versions)
        if wanted is not None:
            declare_imports(model, wanted)

    def leave_out(self, profile: Profile) -> Survey:
        """Drops the attributes that operators have by default, names functions as the profile wants it, and tells their
        values apart where runtimes inline them. What the nodes of the model are then."""
        model, counted = self.model, self._counted
        if lacked_by_runtimes(name for nodes in counted for _, name, _ in nodes.kinds):
            leave_out_defaults(model)
        if profile is Profile.OVERLOAD:
            use_overloads(model, self.closure.overload_ids())
        keep_apart(model.functions)
        return Survey(model, None if profile is Profile.OVERLOAD else counted)


def assemble(model: ModelProto, closure: Closure, imports: Mapping[str, int], place: Place) -> Assembly:
    """Adds to a model the functions that its graph calls. `imports` are the graph's.

    DiagnosticError (OW357), at `place`, where two of them need versions of a domain that mean different operators.
    """
    called = closure.protos(imports)
    model.functions.extend(called)
    versions = newest_imports(imports, called)
    inner = [{item.domain: item.version for item in proto.opset_import} for proto in called]
    by_name = {function_id(proto) for proto in called} - closure.library.protos.keys()
    check_imports(model.graph.node, imports, versions, by_name, place)
    others = [(domain, version) for domain, version in versions.items() if domain]
    for proto, found in zip(called, inner, strict=True):
        if any(found.get(domain, 1) != version for domain, version in others):
            check_imports(proto.node, found, versions, by_name, place)
    return Assembly(model, closure, called, versions)


def choose_kept(model: ModelProto, kept: set[FunctionId]) -> None:
    """Inlines the functions that are not to stay, into the graph and into those that do."""
    by_id = {function_id(function): function for function in model.functions}

    def select(identity: FunctionId) -> FunctionProto | None:
        return None if identity in kept else by_id.get(identity)

    taken = {name for graph in all_graphs(model.graph) for name in _names_of(graph)}
    Inliner(select, taken, set(), MOST_NODES).rewrite(model.graph)
    remaining = [function for function in model.functions if function_id(function) in kept]
    for function in remaining:
        inline_into(function, select)
    _replace(model, remaining)


def _names_of(graph: GraphProto) -> Iterator[str]:
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
    for node in graph.node:
        yield from node.output


def flatten_calls(model: ModelProto, kept: Collection[FunctionId] = ()) -> list[Nodes]:
    """Shortens chains of calls that checkers refuse, and drops what nothing calls any more and is not `kept`. The nodes
    of the graph, and those of each function that is left."""
    graph, *inner = count_nodes(model)
    functions = list(model.functions)
    counted = {function_id(function): nodes for function, nodes in zip(functions, inner, strict=True)}
    roots = {*graph.called(), *kept}
    flat = flatten(functions, roots, {identity: nodes.called() for identity, nodes in counted.items()})
    if len(flat) == len(functions) and all(one is other for one, other in zip(functions, flat, strict=True)):
        return [graph, *inner]
    before = {*map(id, functions)}
    left = [counted[function_id(item)] if id(item) in before else Nodes(item.node) for item in flat]
    _replace(model, flat)
    return [graph, *left]


def _replace(model: ModelProto, functions: Sequence[FunctionProto]) -> None:
    kept = list(functions)
    del model.functions[:]
    model.functions.extend(kept)
