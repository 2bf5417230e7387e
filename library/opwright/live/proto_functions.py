"""FunctionProtos and ModelProtos as functions: called from scripts, from graphs that are being built, and on arrays."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from onnx import FunctionProto, ModelProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.first_use import find
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.own_class import is_of
from opwright.graphs.walk import all_nodes
from opwright.lang.meaning.objects import Script, ScriptObject
from opwright.live.proto_types import describe_proto
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import CONSTANT

if TYPE_CHECKING:
    from opwright.graphs.model_forms import AnyModel


class OnnxscriptFunction(Protocol):
    """What type checkers know a function of the package onnxscript by."""

    @property
    def function_ir(self) -> Any: ...

    def to_function_proto(self) -> FunctionProto: ...


MODELS = "opwright.model"  # the domain of functions that were models


class ProtoFunction:
    """A function that exists as a proto: callable like one under `@script`, and not changed by its callers.

    `callees` are the functions that it calls, as a model has them. `digest` is that of its body with theirs.
    """

    def __init__(self, proto: FunctionProto, callees: Iterable[FunctionProto] = ()) -> None:
        self.proto = FunctionProto()
        self.proto.CopyFrom(proto)
        self.callees = {function_id(item): item for item in callees}
        self.name = proto.name
        self.__name__ = proto.name
        self.__doc__ = proto.doc_string or None
        self._digest: str | None = None
        self._script: Script | None = None

    def __repr__(self) -> str:
        return f"<ProtoFunction {self.proto.domain}::{self.proto.name}>"

    @property
    def id(self) -> FunctionId:
        return function_id(self.proto)

    @property
    def digest(self) -> str:
        if self._digest is None:
            self._digest = str(find("digest")(self.proto, self.callees.values()))
        return self._digest

    @property
    def script(self) -> Script:
        """What the compiler must know of it."""
        if self._script is None:
            self._script = describe_proto(self, self.proto, self.callees)
        return self._script

    @property
    def callee(self) -> ScriptObject:
        """The function as it is called while another is compiled. Its body may rely on every size that it declares."""
        return ScriptObject(self.name, lambda opset: self.script, lambda variant: None, is_proto=True)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the function on arrays or tensors; inputs by position or name, attributes by name. One result, or a
        tuple of them. DiagnosticError for arguments that it does not take."""
        return find("call_proto_function")(self, args, kwargs)

    def check_opset(self, opset: int) -> None:
        """DiagnosticError (OW386) where an operator means another thing in a model of that default opset."""
        for proto in (self.proto, *self.callees.values()):
            for item in proto.opset_import:
                if not normal_domain(item.domain):
                    _check(proto, item.version, opset, self.callees)

    def at_opset(self, opset: int) -> tuple[FunctionProto, list[FunctionProto]]:
        """The function and those that it calls, for a model of that default opset. DiagnosticError as of
        `check_opset`."""
        self.check_opset(opset)
        found = []
        for proto in (self.proto, *self.callees.values()):
            made = FunctionProto()
            made.CopyFrom(proto)
            for item in made.opset_import:
                if not normal_domain(item.domain):
                    item.version = opset
            found.append(made)
        return found[0], found[1:]


def proto_function(
    proto: FunctionProto | ProtoFunction | OnnxscriptFunction | AnyModel, functions: Iterable[FunctionProto] = ()
) -> ProtoFunction:
    """A FunctionProto (with the `functions` that it calls), a function of onnxscript or a model as a function.

    A function of onnxscript comes with those that it calls, scripts of ours among them. A model is a ModelProto, the
    bytes of one, a path, an onnx_ir.Model or a torch.onnx.ONNXProgram. Its inputs become inputs, its initializers
    constants of the body; its name is that of its graph. Raises DiagnosticError: OW386 where a ModelProto keeps tensors
    in other files, and where onnxscript calls a function of ours whose body is chosen at each call; OW550, OW551, OW578
    and OW579 for what is none of these.
    """
    if is_of(proto, ProtoFunction):
        return proto
    if is_of(proto, FunctionProto):
        return ProtoFunction(proto, functions)
    if _is_script_of_onnxscript(proto):
        functions = [*functions]
        made, *callees = find("onnxscript_protos")(proto, functions)
        return ProtoFunction(made, [*callees, *functions])
    model: ModelProto = find("given_model")(proto, also=", or a FunctionProto").whole()
    return ProtoFunction(_of_model(model), model.functions)


def _is_script_of_onnxscript(value: object) -> bool:
    """onnxscript is not imported: who has a function of it has done that."""
    class_ = getattr(sys.modules.get("onnxscript"), "OnnxFunction", None)
    return isinstance(class_, type) and issubclass(type(value), class_)


def _of_model(model: ModelProto) -> FunctionProto:
    graph = model.graph
    made = FunctionProto(domain=MODELS, name=_identifier(graph.name), doc_string=graph.doc_string or model.doc_string)
    known = {tensor.name for tensor in graph.initializer} | {item.values.name for item in graph.sparse_initializer}
    made.input.extend(item.name for item in graph.input if item.name not in known)
    made.output.extend(item.name for item in graph.output)
    for tensor in graph.initializer:
        if tensor.data_location == tensor.EXTERNAL:
            raise DiagnosticError([_external(tensor.name)])
        constant = helper.make_node(CONSTANT.name, [], [tensor.name], value=tensor)
        constant.attribute[0].t.name = ""
        made.node.append(constant)
    for sparse in graph.sparse_initializer:
        made.node.append(helper.make_node(CONSTANT.name, [], [sparse.values.name], sparse_value=sparse))
    made.node.extend(graph.node)
    made.opset_import.extend(model.opset_import)
    inputs = {item.name: item for item in graph.input}
    outputs = {item.name: item for item in graph.output}
    made.value_info.extend(inputs[name] for name in made.input)
    made.value_info.extend(item for name, item in outputs.items() if name not in inputs)
    return made


def _identifier(name: str) -> str:
    kept = "".join(letter if letter.isalnum() else "_" for letter in name)
    return kept or "model"


def _external(name: str) -> Diagnostic:
    return Diagnostic(
        "OW386",
        f"the model keeps its tensor `{name}` in another file",
        reason="a function carries its tensors itself",
        help="load them: `onnx.load(path)` does, unless it is told otherwise",
    )


def _check(function: FunctionProto, written: int, opset: int, functions: Collection[FunctionId]) -> None:
    """Refuses an operator that means another thing at the opset of the model."""
    if written == opset:
        return
    from opwright.live.newer_opset import means_the_same

    for node in all_nodes(function.node):
        if normal_domain(node.domain) or call_id(node) in functions:
            continue
        if not means_the_same(node, written, opset):
            raise DiagnosticError(
                [
                    Diagnostic(
                        "OW386",
                        f"`{function.name}` is of opset {written}, and cannot be called at opset {opset}",
                        reason=f"{node.op_type} means, or may mean, another thing there",
                        help=f"build at opset {written}, or convert the model: `opwright convert`",
                        subject=node.op_type,
                    )
                ]
            )
