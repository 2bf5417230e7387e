"""Puts behind the nodes of a model the functions that they call: scripts, and what libraries hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, DiagnosticWarning, Place, Severity
from opwright.foreign.callables import Functions, call_of
from opwright.foreign.constant_calls import fold_constant_calls
from opwright.foreign.inferred_shapes import SHAPES, InferredShapes, noted_shapes, sizes_of
from opwright.foreign.typed_call import Typed, call_model
from opwright.functions import OnnxFunction
from opwright.graphs.ids import FunctionId, call_id, called, callees_first, function_id, uncalled_functions
from opwright.graphs.inlined_names import keep_apart, same_but_for_names
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_graphs, all_nodes, graphs_in, names_of, rename_values
from opwright.link.apply import attach_libraries
from opwright.link.catalogue import merge_libraries
from opwright.link.check import check_model, undefined_calls
from opwright.link.node_resolution import Resolver
from opwright.link.plan import choose_opset
from opwright.link.propagate import Fact, Propagation, Visit, imports_of
from opwright.link.training_graphs import refuse_training_graphs
from opwright.link.typed_casts import restore_casts, write_types_of_casts
from opwright.link.value_types import text_of
from opwright.opsets.domains import RUNTIME_DOMAINS, normal_domain
from opwright.opsets.records import CONSTANT
from opwright.suggest import close_names

PlaceOf = Callable[[NodeProto], Place | None]


def link_model(model: ModelProto, functions: Functions, place_of: PlaceOf, file: str) -> ModelProto:
    """A new model, with the functions that its nodes call. `place_of` says which line of the user a node is.

    Raises DiagnosticError: OW680 where a node calls what a known domain has not, OW681 where it calls a script in
    another way than this can be called, OW682 where functions of one id differ, and what `attach` raises.
    """
    check_structure(model, file)
    if model.training_info:
        called = {*undefined_calls(model), *map(function_id, model.functions)}
        refuse_training_graphs(model, file, called.__contains__)
    result = ModelProto()
    result.CopyFrom(model)
    restore_casts(result)
    calls = _Calls(result, functions, place_of, file)
    calls.find()
    _leave_out(result, calls)
    if calls.made:
        _splice(result, calls)
        check_model(result, model, file)
    if functions.libraries:
        fold_constant_calls(result, lambda part: attach_libraries(part, functions.libraries, file=file).model)
        try:
            result = attach_libraries(result, functions.libraries, file=file).model
        except DiagnosticError as error:
            raise DiagnosticError(map(calls.at_line, error.diagnostics)) from None
        write_types_of_casts(result)
    _tell_of_unknown(result, calls)
    return result


@dataclass(frozen=True, slots=True)
class _Made:
    """A node, the model of the call that it is, and the function of the model that it stands in."""

    node: NodeProto
    call: ModelProto
    function: FunctionId | None


class _Calls:
    """The nodes of scripts, each with the call that it is for the types that are known there."""

    def __init__(self, model: ModelProto, functions: Functions, place_of: PlaceOf, file: str) -> None:
        self.model = model
        self.scripts = functions.scripts
        self.catalogue = merge_libraries(functions.libraries)
        self.opset = choose_opset(model, self.catalogue)
        self.libraries = Resolver(self.catalogue, self.opset, False, file)
        self.place_of = place_of
        self.file = file
        self.made: dict[int, _Made] = {}  # by id(node)
        self.problems: list[Diagnostic] = []
        self.places: dict[str, Place] = {}  # of the user, by what the linker calls a node's place
        self.inferred = InferredShapes(model)
        self._models: dict[tuple[object, ...], ModelProto] = {}
        self._bodies: dict[bytes, ModelProto] = {}
        self._bodies_of: dict[tuple[object, ...], ModelProto] = {}
        self.left_out: dict[FunctionId, Diagnostic] = {}  # functions that nothing calls, each with a problem
        self._uncalled: set[FunctionId] | None = None  # while the graph is gone through
        emitted = {normal_domain(item.mirror): item.name for item in self.catalogue.domains.values()}
        self.domains = {domain for domain, _, _ in self.scripts} | emitted.keys()
        self._emitted = emitted
        self._present = {function_id(function) for function in model.functions}

    def find(self) -> None:
        """Raises DiagnosticError with the problems of all nodes. Nothing says what a function is given that nothing
        calls: where that has to be known, it is left out, and what calls it."""
        propagation = Propagation(self.model, self)
        if not self.model.graph.node:  # the functions are what the model is for
            propagation.run_functions(map(function_id, self.model.functions))
        propagation.run_graph()
        uncalled = uncalled_functions(self.model)
        self._uncalled = {function_id(function) for function in uncalled}
        # (Callers first: what they say of a function counts for more than what it says for itself.)
        propagation.run_functions(map(function_id, reversed(uncalled)))
        if self.problems:
            raise DiagnosticError(dict.fromkeys(self.problems))
        for function in uncalled:
            found = next((self.left_out[item] for item in called(function) if item in self.left_out), None)
            if found is not None:
                self.left_out.setdefault(function_id(function), found)
        self.made = {key: item for key, item in self.made.items() if item.function not in self.left_out}

    def visit(self, visit: Visit) -> Sequence[Fact] | None:
        place = self.place_of(visit.node)
        if place is not None:
            self.places[visit.place] = place
        identity = call_id(visit.node)
        function = self.scripts.get(identity)
        if function is None:
            if identity[0] not in self.domains or identity in self._present:
                return None
            if identity[0] in self._emitted and self.catalogue.versions_of(self._emitted[identity[0]], identity[1]):
                return self.libraries.visit(visit)
            self.problems.append(self._unknown(visit, identity, place))
            return [None] * len(visit.node.output)
        try:
            made = self._call(function, visit)
        except DiagnosticError as error:
            self._refuse(visit, [_placed(item, place, visit.place) for item in error.diagnostics])
            return [None] * len(visit.node.output)
        body = self._body(visit, made)
        before = self.made.setdefault(id(visit.node), _Made(visit.node, body, _holder(visit)))
        if before.call is not body:
            self._refuse(visit, [_placed(_disagreement(function), place, visit.place)])
        return self._results(visit, made)

    def _body(self, visit: Visit, made: ModelProto) -> ModelProto:
        """What stands in the place of a node: the same object for calls that differ in types alone, or in attributes
        that the node has from the function around and that its own function takes."""
        references = [item for item in visit.node.attribute if item.ref_attr_name]
        texts = [item.SerializeToString(deterministic=True) for item in references]
        key = (id(made), *((text, item.name in visit.attributes) for item, text in zip(references, texts, strict=True)))
        known = self._bodies_of.get(key)
        if known is not None:
            return known
        body = _copy(made)
        del body.graph.input[:], body.graph.value_info[:]
        for output in body.graph.output:
            output.ClearField("type")
        if references and len(body.graph.node) == 1 and not body.graph.initializer:
            _put_references(body, references, visit.attributes)
        body = self._bodies_of[key] = self._bodies.setdefault(body.SerializeToString(deterministic=True), body)
        return body

    def _call(self, function: OnnxFunction, visit: Visit) -> ModelProto:
        node = visit.node
        inputs = [self._typed(visit, position) for position in range(len(node.input))]
        given = {name: item.SerializeToString(deterministic=True) for name, item in sorted(visit.attributes.items())}
        opset = visit.imports.get("", self.opset)
        key = (call_id(node), tuple(inputs), tuple(given.items()), opset)
        known = self._models.get(key)
        if known is None:
            stands_for = NodeProto(attribute=visit.attributes.values())
            args, kwargs = call_of(function, stands_for, inputs)
            known = self._models[key] = call_model(function.name, function, args, kwargs, opset)
        if len(node.output) > len(known.graph.output):
            text = f"`{function.name}` has {len(known.graph.output)} outputs, and the node {len(node.output)}"
            raise DiagnosticError([Diagnostic("OW681", text, help="take as many as it has")])
        return known

    def _refuse(self, visit: Visit, problems: Sequence[Diagnostic]) -> None:
        """Notes the problems of a node."""
        if self._uncalled is None:
            self.problems += problems
        elif visit.function is not None and function_id(visit.function) in self._uncalled:
            self.left_out.setdefault(function_id(visit.function), problems[0])

    def _typed(self, visit: Visit, position: int) -> Typed | None:
        name, fact = visit.node.input[position], visit.inputs[position]
        if not name:
            return None
        if fact is None:
            text = f"the type of `{name}` is not known, which `{visit.node.op_type}` is given"
            reason = "neither the model says it, nor does it follow from the operators before"
            help_text = "add it to the model's `value_info`"
            raise DiagnosticError([Diagnostic("OW681", text, reason=reason, help=help_text)])
        shape = visit.shape(position)
        if shape is None:
            shape = noted_shapes(visit.node).get(position) or self.inferred.shape(name, visit)
        return Typed(fact, shape, _input_name(position))

    def _results(self, visit: Visit, made: ModelProto) -> list[Fact]:
        facts: list[Fact] = []
        for name, output in zip(visit.node.output, made.graph.output, strict=False):
            facts.append(text_of(output.type))
            sizes = sizes_of(output.type)
            if visit.scope is not None and sizes is not None:
                visit.scope.shapes.setdefault(name, sizes)
                self.inferred.add(name, output.type)
        return facts

    def _unknown(self, visit: Visit, identity: FunctionId, place: Place | None) -> Diagnostic:
        domain, name, _ = identity
        known = [other for home, other, _ in self.scripts if home == domain]
        if domain in self._emitted:
            close = self.catalogue.close_names(self._emitted[domain], name)
        else:
            close = close_names(name, known, most=3)
        found = Diagnostic(
            "OW680",
            f"no function {domain}::{name} is known",
            reason=f"those that are given of {domain} have other names",
            help=f"did you mean {' or '.join(close)}?" if close else "give the function too",
        )
        return _placed(found, place, visit.place)

    def at_line(self, found: Diagnostic) -> Diagnostic:
        """A finding of the linker, at the user's line where it is about one node."""
        place = next((self.places[text] for text in self.places if found.message.startswith(f"{text}: ")), None)
        return found if place is None else replace(found, place=place)


def _holder(visit: Visit) -> FunctionId | None:
    return None if visit.function is None else function_id(visit.function)


def _put_references(
    body: ModelProto, references: Sequence[AttributeProto], given: Mapping[str, AttributeProto]
) -> None:
    """Makes attributes of the call that a body is references again, where the function that is called takes each value
    of them. Those that are not `given` have its default, which it has to say itself."""
    (node,) = body.graph.node
    callee = next((item for item in body.functions if function_id(item) == call_id(node)), None)
    if callee is None:
        return
    for reference in references:
        for attribute in node.attribute:
            if attribute.name == reference.name and (attribute.name in given or attribute.name not in callee.attribute):
                attribute.CopyFrom(reference)


def _placed(found: Diagnostic, place: Place | None, node: str) -> Diagnostic:
    """A finding at the user's line, or at the node where that is not known."""
    return replace(found, place=place) if place is not None else replace(found, message=f"{node}: {found.message}")


def _disagreement(function: OnnxFunction) -> Diagnostic:
    return Diagnostic(
        "OW569",
        f"`{function.name}` is reached with different types or attributes",
        reason="the function of the model that holds this node is called from several places, and calls one body",
        help="inline the model's own functions first, with onnx.inliner",
    )


def _leave_out(model: ModelProto, calls: _Calls) -> None:
    """Takes functions out of the model that nothing calls, with a warning each."""
    for index in reversed(range(len(model.functions))):
        if function_id(model.functions[index]) in calls.left_out:
            del model.functions[index]
    for (domain, name, _), found in calls.left_out.items():
        text = f"the function {domain}::{name}, which nothing calls, is left out"
        reason = "; ".join(filter(None, (found.message, found.reason)))
        help_text = "the model computes the same without it"
        place = found.place or Place(calls.file, 1)
        _warn(Diagnostic("OW547", text, place, reason, help_text, severity=Severity.WARNING), place)


def _splice(model: ModelProto, calls: _Calls) -> None:
    """Puts the nodes of the calls in the places of the nodes that they are, and their functions into the model."""
    taken = {*_all_names(model)}
    counts: dict[str, int] = {}
    touched = [item for item in model.functions if any(id(node) in calls.made for node in all_nodes(item.node))]
    for nodes in reversed([*_node_lists(model)]):  # inner graphs first: what holds them is copied
        if not any(id(node) in calls.made for node in nodes):
            continue
        rebuilt: list[NodeProto] = []
        for node in nodes:
            made = calls.made.get(id(node))
            rebuilt += [_copy(node)] if made is None else _renamed(made, taken, counts)
        del nodes[:]
        nodes.extend(rebuilt)
    functions = {function_id(item): item for item in model.functions}
    given = frozenset(functions)
    versions = imports_of(model)
    for call in {id(item.call): item.call for item in calls.made.values()}.values():
        for function in call.functions:
            known = functions.setdefault(function_id(function), function)
            if known is not function and not same_but_for_names(known, function):
                raise DiagnosticError([_differ(function)])
        for item in call.opset_import:
            domain = normal_domain(item.domain)
            if domain:
                versions[domain] = max(versions.get(domain, 1), item.version)
        model.ir_version = max(model.ir_version, call.ir_version)
    versions.setdefault("", calls.opset)
    for function in touched:
        imported = {normal_domain(item.domain) for item in function.opset_import}
        for domain in sorted({normal_domain(node.domain) for node in all_nodes(function.node)} - imported):
            function.opset_import.append(helper.make_opsetid(domain, versions[domain]))
    ordered = [_copy(item) for item in callees_first(functions)]
    del model.functions[:], model.opset_import[:]
    model.functions.extend(ordered)
    keep_apart(model.functions, given)
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in versions.items())


def _renamed(made: _Made, taken: set[str], counts: dict[str, int]) -> list[NodeProto]:
    """The nodes of a call, on the values of the node that it is."""
    node, graph = made.node, made.call.graph
    names = {_input_name(position): name for position, name in enumerate(node.input) if name}
    names |= {value.name: name for value, name in zip(graph.output, node.output, strict=False) if name}

    def rename(name: str) -> str:
        if name not in names:
            stem = f"{node.name or node.output[0]}/{name}"
            names[name] = _fresh(stem, taken, counts)
        return names[name]

    constants = [helper.make_node(CONSTANT.name, [], [item.name], value=item) for item in graph.initializer]
    nodes = [*constants, *map(_copy, graph.node)]
    rename_values(nodes, rename)
    for item in all_nodes(nodes):
        item.ClearField("name")  # names of nodes are a model's, and a call may stand there twice
    for index, item in enumerate(nodes):
        last = index == len(nodes) - 1
        if node.name:
            item.name = node.name if last else _fresh(f"{node.name}/{item.op_type}", taken, counts)
        item.metadata_props.extend(fact for fact in node.metadata_props if fact.key != SHAPES)
        if last and node.doc_string:
            item.doc_string = node.doc_string
    return nodes


def _input_name(position: int) -> str:
    """What an input of a node is called in the model of its call; Python may give it in another order."""
    return f"i{position}"


def _fresh(stem: str, taken: set[str], counts: dict[str, int]) -> str:
    name = stem
    while name in taken:
        counts[stem] = counts.get(stem, 0) + 1
        name = f"{stem}_{counts[stem]}"
    taken.add(name)
    return name


def _node_lists(model: ModelProto) -> Iterator[Any]:
    for graph in all_graphs(model.graph):
        yield graph.node
    for function in model.functions:
        yield function.node
        for graph in graphs_in(function):
            yield graph.node


def _all_names(model: ModelProto) -> Iterator[str]:
    for graph in all_graphs(model.graph):
        yield from names_of(graph)
    for nodes in _node_lists(model):
        for node in nodes:
            yield node.name
            yield from (*node.input, *node.output)


def _copy(message: Any) -> Any:
    made = type(message)()
    made.CopyFrom(message)
    return made


def _differ(function: FunctionProto) -> Diagnostic:
    return Diagnostic(
        "OW682",
        f"the model has another function {function.domain}::{function.name}",
        reason="a model has one function of each domain and name",
        help="detach or rename the one that it has, or give yours another name",
    )


def _tell_of_unknown(model: ModelProto, calls: _Calls) -> None:
    """A warning for each function that nothing defines, at the user's line; a runtime may have kernels of its own."""
    told = {function_id(function) for function in model.functions}
    for nodes in _node_lists(model):
        for node in nodes:
            domain, name, _ = identity = call_id(node)
            if not domain or domain.startswith(RUNTIME_DOMAINS) or identity in told or domain in calls.domains:
                continue  # (In a known domain it is a node that is left, of which that has been told.)
            told.add(identity)
            place = calls.place_of(node) or Place(calls.file, 1)
            found = Diagnostic(
                "OW680",
                f"no function {domain}::{name} is known",
                place,
                reason="no function and no library that is given has that domain",
                help="give the function, or see to it that your runtime has the operator",
                severity=Severity.WARNING,
            )
            _warn(found, place)


def _warn(found: Diagnostic, place: Place) -> None:
    warnings.warn_explicit(DiagnosticWarning(found), None, place.file, place.line)
