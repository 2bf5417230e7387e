"""The round trip of the function bodies of the standard: FunctionProto to text to FunctionProto.

The bodies of operators that have one whatever their call is, with their attributes and defaults; and what the suite's
`_expanded` tests expand other operators to, each as a function that their models call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from onnx import FunctionProto, ModelProto, defs, helper
from opwright import DiagnosticError, compare
from opwright.decompiler.decompile import decompile
from opwright.graphs.walk import all_graphs

from tests.decompiler.roundtrip import Failure, compile_folder, same_results

DOMAIN = "expanded.functions"


@dataclass(frozen=True, slots=True)
class Body:
    """A function, and the node test that calls it where there is one."""

    name: str
    proto: FunctionProto
    case: Any = None


def plain_bodies(cases: Sequence[Any]) -> Iterator[Body]:
    """Every body of every operator that has one whatever its call is: one operator may have several, by opset."""
    calls = {_called(case.model): case for case in reversed(cases) if len(case.model.graph.node) == 1}
    schemas: Sequence[Any] = defs.get_all_schemas_with_history()  # onnx's stubs lack the bodies by opset
    for schema in schemas:
        for version in schema.function_opset_versions:
            body = FunctionProto.FromString(schema.get_function_with_opset_version(version))
            name = f"{schema.name}_{schema.since_version}_{version}"
            case = calls.get((schema.domain, schema.name, schema.since_version))
            yield Body(name, _with_defaults(body, schema), case)


def _called(model: ModelProto) -> tuple[str, str, int] | None:
    """The operator of a model's only node, and the opset that it is since."""
    node, imports = model.graph.node[0], {item.domain: item.version for item in model.opset_import}
    if not defs.has(node.op_type, node.domain):
        return None
    schema = defs.get_schema(node.op_type, imports[node.domain], node.domain)
    return node.domain, node.op_type, schema.since_version


def _with_defaults(body: FunctionProto, schema: defs.OpSchema) -> FunctionProto:
    """The body with the defaults of its attributes, as a model that carries it would have them."""
    made = FunctionProto()
    made.CopyFrom(body)
    made.domain = made.domain or "standard.functions"
    del made.attribute[:]
    for name in body.attribute:
        default = schema.attributes[name].default_value
        if default.name:
            made.attribute_proto.append(default)
        else:
            made.attribute.append(name)
    return made


def expanded_bodies(cases: Sequence[Any]) -> Iterator[Body]:
    """The graph of each `_expanded` test as a function."""
    for case in cases:
        if "_expanded" in case.name:
            graph = case.model.graph
            proto = FunctionProto(domain=DOMAIN, name=case.name)
            proto.input.extend(item.name for item in graph.input)
            proto.output.extend(item.name for item in graph.output)
            proto.node.extend(graph.node)
            proto.opset_import.extend(case.model.opset_import)
            yield Body(case.name, proto, case)


def round_trips(bodies: Sequence[Body], folder: Path, faithful: bool = False) -> Iterator[Failure]:
    """Every function that fails; `folder` holds what is written on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    left = []
    for body in bodies:
        try:
            made = decompile(body.proto, side_file=f"{body.name}.npz", faithful=faithful)
            made.write(folder / f"{body.name}.py")
            left.append(body)
        except DiagnosticError as error:
            yield Failure(body.name, "decompile", error.diagnostics[0].message)
    compile_folder(folder)
    for body in left:
        refused = folder / f"{body.name}.txt"
        if refused.exists():
            yield Failure(body.name, "compile", refused.read_text(encoding="utf-8"))
            continue
        proto = FunctionProto.FromString((folder / f"{body.name}.onnx").read_bytes())
        found = _difference(body.proto, proto, same_nodes=faithful or body.case is None)
        if found is None and body.case is not None:
            found = same_results(body.case, _calling(body.case.model, body.proto), _calling(body.case.model, proto))
        if found is not None:
            yield Failure(body.name, *found)


def _difference(original: FunctionProto, made: FunctionProto, same_nodes: bool) -> tuple[str, str] | None:
    for stage, ours, theirs in (
        ("identity", _identity(original), _identity(made)),
        ("signature", _signature(original), _signature(made)),
        ("imports", _imports(original), _imports(made)),
    ):
        if ours != theirs:
            return stage, f"{ours} is {theirs}"
    if not same_nodes:
        return None
    compared = compare(without_inner_types(original), without_inner_types(made))
    return None if compared else ("compare", compared.explain())


def _identity(proto: FunctionProto) -> tuple[str, ...]:
    return proto.domain, proto.name, proto.overload, proto.doc_string


def _signature(proto: FunctionProto) -> tuple[Any, ...]:
    defaults = {item.name: onnx.helper.get_attribute_value(item) for item in proto.attribute_proto}
    return list(proto.input), list(proto.output), sorted(proto.attribute), defaults


def _imports(proto: FunctionProto) -> dict[str, int]:
    return {item.domain: item.version for item in proto.opset_import}


def without_inner_types(proto: FunctionProto) -> FunctionProto:
    plain = FunctionProto()
    plain.CopyFrom(proto)
    for node in plain.node:
        for attribute in node.attribute:
            for graph in all_graphs(attribute.g):
                for value in (*graph.input, *graph.output):
                    value.ClearField("type")
    return plain


def _calling(model: ModelProto, proto: FunctionProto) -> ModelProto:
    """The model with a call of the function in place of its nodes."""
    made = ModelProto()
    made.CopyFrom(model)
    made.ir_version = max(made.ir_version, 10)
    node = helper.make_node(proto.name, made.graph.node[0].input, made.graph.node[0].output, domain=proto.domain)
    if proto.domain == DOMAIN:
        node = helper.make_node(proto.name, proto.input, proto.output, domain=proto.domain)
    else:
        node.attribute.extend(made.graph.node[0].attribute)
    del made.graph.node[:]
    made.graph.node.append(node)
    made.functions.append(proto)
    made.opset_import.add(domain=proto.domain, version=1)
    return made
