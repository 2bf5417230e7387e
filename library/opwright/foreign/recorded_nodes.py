"""Calls that become nodes of onnx_ir: bare ones, of the function's own domain, which `link` gives their functions.

onnx_ir is imported by those who have values of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onnx import ModelProto, NodeProto, TypeProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.foreign.callables import Callable as Function
from opwright.foreign.callables import (
    bind,
    emitted_domain,
    expect_function,
    formals_of,
    newest_opset_of,
    overload_of,
    version_of,
)
from opwright.foreign.typed_call import Typed, call_model
from opwright.functions import OnnxFunction
from opwright.graphs.ids import call_id, function_id
from opwright.link.value_types import text_of
from opwright.opsets.operator import Operator
from opwright.opsets.records import CONSTANT

FUNCTION = "opwright.function"  # in the `meta` of a node: the function that it calls, or its library


class NodeRecorder:
    """A capturing evaluator: `add` gets each node of onnx_ir that a call makes, `new_value` makes their results."""

    def __init__(self, add: Callable[[Any], None], new_value: Callable[[], Any], opset: int) -> None:
        self.add = add
        self.new_value = new_value
        self.opset = opset

    def call_function(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A node that calls the function; what is wrong with the call is found now, in a model of this call alone."""
        function = expect_function(function)
        # The graph may be brought to a newer opset before it is linked, as torch does it: that is asked for then.
        opset = max(self.opset, newest_opset_of(function))
        model, _ = self._model(function.name, function, args, kwargs, opset)
        bound = bind(function, args, kwargs)
        node = self._node(
            emitted_domain(function),
            function.name,
            [self._input(function, model, index, value) for index, value in enumerate(bound.inputs)],
            [_ir().from_proto(item) for item in bound.attributes],
            overload=overload_of(function),
            version=version_of(function),
            outputs=[item.type for item in model.graph.output],
        )
        node.meta[FUNCTION] = function
        return _one_or_all(node.outputs)

    def call_operator(self, operator: Operator, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The nodes of an operator, and of the numbers among its operands."""
        model, given = self._model(operator.name, operator, args, kwargs, self.opset)
        graph = model.graph
        values = dict(zip((item.name for item in graph.input), given, strict=True))
        types = {item.name: item.type for item in (*graph.value_info, *graph.output)}
        for tensor in graph.initializer:
            values[tensor.name] = self._constant(helper.make_node(CONSTANT.name, [], [""], value=tensor))
        for node in graph.node:
            made = self._node(
                node.domain,
                node.op_type,
                [values[name] if name else None for name in node.input],
                [_ir().from_proto(item) for item in node.attribute],
                outputs=[types.get(name, TypeProto()) for name in node.output],
            )
            values.update(zip(node.output, made.outputs, strict=True))
        return _one_or_all([values[item.name] for item in graph.output])

    def _model(
        self, name: str, call: Any, args: Sequence[Any], kwargs: Mapping[str, Any], opset: int
    ) -> tuple[ModelProto, list[Any]]:
        """The model of the call, and the values that are its inputs."""
        values: list[Any] = []

        def typed(value: Any) -> Any:
            if isinstance(value, _ir().Value):
                values.append(value)
                return _type_of(value)
            if isinstance(value, list | tuple) and any(isinstance(item, _ir().Value) for item in value):
                return [typed(item) for item in value]
            return value

        entered = [typed(value) for value in args]
        return call_model(name, call, entered, {key: typed(value) for key, value in kwargs.items()}, opset), values

    def _input(self, function: Function, model: ModelProto, index: int, value: Any) -> Any:
        """An input of a node: the value that is given, or a constant of the type that the function takes it as."""
        if value is None or isinstance(value, _ir().Value):
            return value
        made = _constant_of(function, model, index)
        if made is None:
            text = f"`{function.name}` is given {value!r} as an input, which has no element type here"
            raise DiagnosticError([Diagnostic("OW681", text, help="give a tensor: `op.Constant(value_float=...)`")])
        return self._constant(made)

    def _constant(self, node: NodeProto) -> Any:
        attributes = [_ir().from_proto(item) for item in node.attribute]
        return self._node("", CONSTANT.name, [], attributes, outputs=[TypeProto()]).outputs[0]

    def _node(
        self,
        domain: str,
        name: str,
        inputs: Sequence[Any],
        attributes: Sequence[Any],
        *,
        outputs: Sequence[TypeProto],
        overload: str = "",
        version: int | None = None,
    ) -> Any:
        results = [self.new_value() for _ in outputs]
        for value, type_ in zip(results, outputs, strict=True):
            if type_.WhichOneof("value") is not None:
                known = _ir().from_proto(type_)
                value.type, value.shape = known.type, known.shape
        node = _ir().Node(domain, name, inputs, attributes, overload=overload, version=version, outputs=results)
        self.add(node)
        return node


def _ir() -> Any:
    import onnx_ir

    return onnx_ir


def _one_or_all(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _type_of(value: Any) -> Typed:
    if value.type is None:
        text = f"the type of the value {value.name!r} is not known"
        raise DiagnosticError([Diagnostic("OW681", text, help="set its `type`, and its `shape` where that is known")])
    shape = None if value.shape is None else tuple(size if isinstance(size, int) else None for size in value.shape)
    fact = text_of(_ir().to_proto(value.type))
    assert fact is not None
    return Typed(fact, shape)


def _constant_of(function: Function, model: ModelProto, index: int) -> NodeProto | None:
    """The constant that an argument has become in the model of the call; None where it has no node of its own."""
    call = model.graph.node[-1]
    callee = next((item for item in model.functions if function_id(item) == call_id(call)), None)
    if callee is None:
        return None
    if isinstance(function, OnnxFunction):
        names = [item.name for item in formals_of(function)]
        names = [(function.names or {}).get(name, name) for name in names]
    else:
        names = [item.name for item in function.entry.inputs]
    if index >= len(names) or names[index] not in callee.input:
        return None
    wanted = call.input[list(callee.input).index(names[index])]
    for tensor in model.graph.initializer:
        if tensor.name == wanted:
            return helper.make_node(CONSTANT.name, [], [""], value=tensor)
    return next((node for node in model.graph.node if CONSTANT.describes(node) and wanted in node.output), None)
