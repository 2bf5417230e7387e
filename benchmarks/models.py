"""The models and functions that are decompiled and digested, drawn from a seed like the programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper

from benchmarks.generated_specs import DOMAIN, LARGE, function_name
from benchmarks.programs import Draw

WEIGHTS = 500_000_000  # bytes

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


def layers(seed: int, count: int) -> ModelProto:
    """A model of about `count` nodes as exporters make them: layers with weights and biases, long names with the place
    in the source, types of all values, in each layer a call of a function, and in the first ones a branch: ONNX's own
    inference of types copies all that it knows for each branch."""
    draw = Draw(seed, "layers")
    made = helper.make_model(
        helper.make_graph([], "main_graph", [], []),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid("bench", 1)],
        ir_version=8,
    )
    graph = made.graph
    graph.input.append(helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", "seq", _WIDTH]))
    graph.input.append(helper.make_tensor_value_info("is_first", TensorProto.BOOL, []))
    value, number = "input", 0
    while len(graph.node) + 3 * number < count:
        value = _add_layer(draw, made, f"/model/layers.{number}", value)
        number += 1
    graph.output.append(helper.make_tensor_value_info(value, TensorProto.FLOAT, ["batch", "seq", _WIDTH]))
    return made


_WIDTH = 8
_BRANCHES = 20


def _add_layer(draw: Draw, model: ModelProto, place: str, value: str) -> str:
    """Adds a layer that reads the value; gives its result."""
    graph = model.graph

    def add(operator: str, *inputs: str, domain: str = "", **attributes: GraphProto | Sequence[int] | float) -> str:
        name = f"{place}/{draw.random.choice(('attn', 'mlp'))}/{draw.name()}/{operator}"
        node = helper.make_node(operator, inputs, [f"{name}_output_0"], name, domain=domain)
        node.attribute.extend(helper.make_attribute(key, item) for key, item in attributes.items())
        graph.node.append(node)
        shape: list[str | int | None] = ["batch", "seq", _WIDTH]
        graph.value_info.append(helper.make_tensor_value_info(f"{name}_output_0", TensorProto.FLOAT, shape))
        return f"{name}_output_0"

    def weight(*dims: int) -> str:
        name = f"{place[1:].replace('/', '.')}.{draw.name()}.weight"
        numbers = [_number(draw) for _ in range(prod(dims))]
        graph.initializer.append(helper.make_tensor(name, TensorProto.FLOAT, dims, numbers))
        return name

    def branch(operator: str) -> GraphProto:
        names = [f"{place}/{draw.name()}" for _ in range(2)]
        nodes = [helper.make_node(operator, [value], names[:1]), helper.make_node("Add", [names[0], value], names[1:])]
        return helper.make_graph(nodes, draw.name(), [], [helper.make_empty_tensor_value_info(names[1])])

    if len(model.functions) < _BRANCHES:
        chosen = add("If", "is_first", then_branch=branch("Relu"), else_branch=branch("Tanh"))
    else:
        chosen = add("Relu", value)
    query, key, content = (add("MatMul", chosen, weight(_WIDTH, _WIDTH)) for _ in range(3))
    scores = add("Softmax", add("MatMul", query, add("Transpose", key, perm=[0, 2, 1])), axis=-1)
    scale, bias = weight(_WIDTH), weight(_WIDTH)
    normal = add("LayerNormalization", add("Add", add("MatMul", scores, content), value), scale, bias, epsilon=1e-5)
    one, other, sum_, gate, result = (draw.name() for _ in range(5))
    nodes = [
        helper.make_node("Add", [one, other], [sum_]),
        helper.make_node(draw.random.choice(("Sigmoid", "Tanh", "Exp")), [sum_], [gate]),
        helper.make_node("Mul", [one, gate], [result]),
    ]
    opsets = [helper.make_opsetid("", _OPSET)]
    name = f"f{len(model.functions)}"
    model.functions.append(helper.make_function("bench", name, [one, other], [result], nodes, opsets))
    called = add(name, normal, chosen, domain="bench")
    inner = add("Add", add("MatMul", called, weight(_WIDTH, _WIDTH)), bias)
    return add("Mul", inner, add("Sigmoid", inner))


def functions(seed: int, count: int) -> ModelProto:
    """`count` functions of ten nodes that call nothing, in a model without a graph."""
    draw = Draw(seed, "digests")
    made = helper.make_model(helper.make_graph([], "none", [], []), ir_version=8)
    for index in range(count):
        _add_function(draw, made.functions.add(), f"f{index}")
    return made


def calls_of_library(seed: int, count: int) -> ModelProto:
    """A model of `count` nodes, a third of them calls of a library of `generated_specs.LARGE` functions, a few of which
    stand in branches."""
    draw = Draw(seed, "attach")
    made = helper.make_model(
        helper.make_graph([], "main", [], []),
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid(DOMAIN, 1)],
        ir_version=8,
    )
    graph = made.graph
    values = [draw.name() for _ in range(2)]
    condition = draw.name()
    graph.input.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in values)
    graph.input.append(helper.make_tensor_value_info(condition, TensorProto.BOOL, []))

    def call(name: str) -> NodeProto:
        function = function_name(draw.random.randrange(LARGE))
        inputs = [draw.value(values), draw.value(values)]
        return helper.make_node(function, inputs, [name], domain=DOMAIN, alpha=draw.random.choice((0.5, 1.5)))

    for index in range(count):
        form = draw.random.randrange(100) if index else 0
        if form < 33:
            graph.node.append(call(draw.name()))
            values.append(graph.node[-1].output[0])
        elif form < 35:
            names = [draw.name() for _ in range(2)]
            branches = [
                helper.make_graph([call(name)], name, [], [helper.make_empty_tensor_value_info(name)]) for name in names
            ]
            values.append(draw.name())
            chosen = helper.make_node("If", [condition], values[-1:], then_branch=branches[0], else_branch=branches[1])
            graph.node.append(chosen)
        else:
            operator = draw.random.choice(("Abs", "Exp", "Neg", "Relu", "Add", "Div", "Max", "Mul", "Sub"))
            inputs = [draw.value(values) for _ in range(1 if operator in ("Abs", "Exp", "Neg", "Relu") else 2)]
            values.append(draw.name())
            graph.node.append(helper.make_node(operator, inputs, values[-1:]))
    graph.output.append(helper.make_tensor_value_info(values[-1], TensorProto.FLOAT, ["N"]))
    return made


def weights(seed: int, count: int) -> ModelProto:
    """A call of a library on half a gigabyte of weights, in `count` initializers."""
    made = calls_of_library(seed, 1)
    del made.graph.node[:], made.graph.output[:]
    given = made.graph.input[0].name
    length = WEIGHTS // count // 4
    for index in range(count):
        made.graph.initializer.add(
            name=f"w{index}", data_type=TensorProto.FLOAT, dims=[length], raw_data=bytes([index % 255 + 1]) * 4 * length
        )
        made.graph.node.add(op_type=function_name(0), domain=DOMAIN, input=[given, f"w{index}"], output=[f"r{index}"])
        given = f"r{index}"
    made.graph.output.append(helper.make_tensor_value_info(given, TensorProto.FLOAT, [length]))
    return made


MODELS: dict[str, Callable[[int, int], ModelProto]] = {
    "decompile": graph,
    "layers": layers,
    "digest": functions,
    "attach": calls_of_library,
    "weights": weights,
}


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
