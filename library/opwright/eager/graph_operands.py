"""Functions passed to operators as graph attributes: compiled for the operator's inputs, and run with it.

What such a function reads of the names around it is what these are when the operator is called: tensors among them
become inputs of the model that runs.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from onnx import ModelProto, helper
from onnx.inliner import inline_local_functions

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.eager.captured import Captured
from opwright.eager.eager_lowering import NOWHERE, EagerLowering
from opwright.eager.graph_argument import GraphArgument
from opwright.eager.operations import operand, sequence
from opwright.eager.place import caller
from opwright.eager.settings import opset_in_force
from opwright.eager.tensor import Items, Tensor
from opwright.functions import OnnxFunction
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.lang.lower.template_calls import graph_outputs
from opwright.lang.objects import MISSING, FunctionObject, ScriptObject
from opwright.lang.source import Span
from opwright.lang.syntax import Module
from opwright.live.closure import Closure
from opwright.live.compiled import Run
from opwright.live.function_source import recover_helper
from opwright.live.live_scope import LiveScope
from opwright.live.reads import Reads


def graph_function(low: EagerLowering, function: FunctionType) -> FunctionObject:
    """The function as the compiler takes it. DiagnosticError (OW351) where its source cannot be had."""
    found = recover_helper(function)
    if isinstance(found, Diagnostic):
        raise DiagnosticError([found])
    module, node = found
    return FunctionObject(_Around(low, function, module, node), node)


def graph_operand(low: EagerLowering, function: FunctionType | OnnxFunction) -> FunctionObject | ScriptObject:
    """A function as the compiler knows one that is passed on."""
    return _script_object(function) if isinstance(function, OnnxFunction) else graph_function(low, function)


def outputs_of(function: FunctionType | OnnxFunction) -> tuple[str, ...]:
    """The names of what a function returns. DiagnosticError (OW307) where its returns disagree."""
    low = EagerLowering(opset_in_force(), caller())
    found = graph_outputs(low, graph_operand(low, function), NOWHERE)
    assert isinstance(found, tuple)
    return found


def _script_object(function: OnnxFunction) -> ScriptObject:
    run = Run(opset_in_force())
    return ScriptObject(
        function.name, lambda opset: run.compile(function).script, lambda key: run.without_sizes(function, key)
    )


class _Around(LiveScope):
    """The free names of a function that is called within an operation: they may be eager tensors."""

    def __init__(self, low: EagerLowering, function: FunctionType, module: Module, node: ast.FunctionDef) -> None:
        super().__init__(function, module, node, low.report, _script_object, Reads())
        self.low = low

    def meaning(self, value: Any, name: str, span: Span, depth: int = 0) -> Any:
        if isinstance(value, Tensor):
            return operand(self.low, value)
        if isinstance(value, Items):
            return sequence(self.low, value)
        if isinstance(value, GraphArgument):
            return operand(self.low, value)
        if isinstance(value, Captured):
            self._fail(
                "OW380",
                f"`{name}` is a value of a graph that is being built",
                span,
                "the operator is given none of its values, so that it would run now, and that graph is run later",
                "record the operator in the graph: call it in `with b.scope():`, where `b` is the builder",
            )
            return MISSING
        return super().meaning(value, name, span, depth)

    def _helper(self, function: FunctionType) -> Any:
        return operand(self.low, function)


def calls_functions(node: ir.Node) -> bool:
    """Whether a node or one in its graphs calls a function: under `@script`, of a library, or one that is a proto."""
    around = ir.Region()
    around.nodes.append(node)
    return any(
        isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionReference) for _, item in ir.walk(around)
    )


def with_functions(model: ModelProto, closure: Closure) -> ModelProto:
    """The model with the functions of `closure` in place of their calls, which not every evaluator follows."""
    imports = {item.domain: item.version for item in model.opset_import}
    model.functions.extend(closure.protos(imports))
    known = {item.domain: item.version for proto in model.functions for item in proto.opset_import}
    known.update(imports)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(known.items()))
    flat = inline_local_functions(model)
    used = {"", *(node.domain for node in all_nodes(flat.graph.node))}
    kept = [item for item in flat.opset_import if item.domain in used]
    del flat.opset_import[:]
    flat.opset_import.extend(kept)
    return flat
