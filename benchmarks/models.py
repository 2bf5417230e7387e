"""The models and functions that are decompiled and digested, drawn from a seed like the programs."""

from __future__ import annotations

from collections.abc import Callable

from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, helper

from benchmarks.programs import Draw

_OPERATORS = 10  # in each function
_OPSET = 18


def graph(seed: int, count: int) -> ModelProto:
    """A model of `count` nodes with one, two and three inputs, some with attributes, a tenth of them constants."""
    draw = Draw(seed, "graph")
    inputs = [draw.name() for _ in range(2)]
    made = helper.make_model(
        helper.make_graph([], draw.name(), [], []), opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8
    )
    values = [*inputs]
    for _ in range(count):
        _add_node(draw, values, made.graph.node.add())
    floats = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in (*inputs, values[-1])]
    made.graph.input.extend(floats[:2])
    made.graph.output.extend(floats[2:])
    return made


def functions(seed: int, count: int) -> ModelProto:
    """`count` functions of ten nodes that call nothing, in a model without a graph."""
    draw = Draw(seed, "digests")
    made = helper.make_model(helper.make_graph([], "none", [], []), ir_version=8)
    for index in range(count):
        _add_function(draw, made.functions.add(), f"f{index}")
    return made


MODELS: dict[str, Callable[[int, int], ModelProto]] = {"decompile": graph, "digest": functions}


def _add_function(draw: Draw, function: FunctionProto, name: str) -> None:
    function.domain, function.name = "bench", name
    function.opset_import.add(domain="", version=_OPSET)
    values = [draw.name() for _ in range(2)]
    function.input.extend(values)
    for _ in range(_OPERATORS):
        _add_node(draw, values, function.node.add())
    function.output.append(values[-1])


def _add_node(draw: Draw, values: list[str], node: NodeProto) -> None:
    """A node that reads some of the values and defines one more."""
    form = draw.random.randrange(10)
    if form == 0:
        node.op_type = "Constant"
        constant = node.attribute.add(name="value", type=TensorProto.FLOAT)
        constant.CopyFrom(
            helper.make_attribute("value", helper.make_tensor("", TensorProto.FLOAT, [], [_number(draw)]))
        )
    elif form < 4:
        node.op_type = draw.random.choice(("Abs", "Exp", "Neg", "Relu", "Sigmoid", "Tanh"))
        node.input.append(draw.value(values))
    elif form < 7:
        node.op_type = draw.random.choice(("Add", "Div", "Max", "Mul", "Pow", "Sub"))
        node.input.extend((draw.value(values), draw.value(values)))
    elif form == 7:
        node.op_type = draw.random.choice(("Softmax", "LogSoftmax", "Concat"))
        node.input.append(draw.value(values))
        node.attribute.append(helper.make_attribute("axis", draw.random.choice((0, -1))))
    elif form == 8:
        node.op_type = draw.random.choice(("Elu", "LeakyRelu", "ThresholdedRelu"))
        node.input.append(draw.value(values))
        node.attribute.append(helper.make_attribute("alpha", _number(draw)))
    else:
        node.op_type = "Clip"
        node.input.extend((draw.value(values), "", draw.value(values)))
    values.append(draw.name())
    node.output.append(values[-1])


def _number(draw: Draw) -> float:
    return float(draw.number())
