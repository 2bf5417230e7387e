"""Random calls of functions whose parameters stand in every order: recorded as nodes of onnx_ir, or written as nodes by
hand, and linked they compute what Python does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import onnx_ir
import onnxruntime
import pytest
from onnx import ModelProto, helper
from opwright import Opset, opset18, script
from opwright.eager.settings import default_as
from opwright.foreign.recorded_nodes import NodeRecorder
from opwright.ir import link

op = opset18
domain = Opset("random", 1)


@script(domain, default_opset=op)
def Mixed(x: Any, alpha: float, y: Any, k: int = 2, *, flip: bool = False) -> Any:
    r = x * alpha - y * k
    if flip:
        r = -r
    return r


@script(domain, default_opset=op)
def Several(x: Any, y: Any = None, z: Any = None, *, mode: Literal["p", "q"] = "p", ks: Sequence[int] = (1, 2)) -> Any:
    r = x
    if y is not None:
        r = r - y * 2
    if z is not None:
        r = r * 0.5 + z
    if mode == "q":
        r = r * ks[0]
    return r, r + float(ks[1])


@script(domain, default_opset=op)
def Folded(x: Any, *xs: Any, w: Any = None, s: float = 1.0) -> Any:
    t = x
    for v in xs:
        t = t * 0.5 - v
    if w is not None:
        t = t + w * 3
    return t * s


@script(domain, default_opset=op)
def Scaled(x: Any, scale: float | None = None) -> Any:
    return x if scale is None else x * scale


FUNCTIONS = [Mixed, Several, Folded, Scaled]
Value = tuple[Any, Any]  # what stands for it in the graph, and the array
Call = tuple[Any, list[Any], dict[str, Any]]


def draw_call(rng: random.Random, values: list[Value]) -> Call:
    """A function with inputs by position or name, some of them absent or numbers, and attributes by name."""

    def one() -> Value:
        return rng.choice(values)

    match rng.choice(FUNCTIONS):
        case function if function is Mixed:
            numbers = {"alpha": rng.choice([0.5, 2.0]), "k": rng.randint(0, 3), "flip": rng.random() < 0.5}
            return function, [one()], {"y": rng.choice([one(), 2.5, 1]), **numbers}
        case function if function is Several:
            inputs = [one(), rng.choice([None, one(), 3.0]), rng.choice([None, one()])]
            return function, inputs, {"mode": rng.choice("pq"), "ks": [rng.randint(1, 3), 3]}
        case function if function is Folded:
            inputs = [one() for _ in range(rng.randint(1, 4))]
            return function, inputs, {"w": rng.choice([None, one()]), "s": rng.choice([1.0, 2.0])}
        case function:
            return function, [one()], {"scale": rng.choice([None, 1.5])}


def side(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, tuple) else value


def run(model: ModelProto, x: Any) -> Any:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def one_or_more(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("seed", range(12))
def test_recorded_calls(seed: int) -> None:
    rng = random.Random(seed)
    array = np.random.default_rng(seed).normal(size=(2, 3)).astype(np.float32)
    x = onnx_ir.Value(name="x", type=onnx_ir.TensorType(onnx_ir.DataType.FLOAT), shape=onnx_ir.Shape([2, 3]))
    nodes: list[onnx_ir.Node] = []
    recorder = NodeRecorder(nodes.append, onnx_ir.Value, 18)
    values: list[Value] = [(x, array)]
    for _ in range(5):
        function, args, kwargs = draw_call(rng, values)
        sides = [
            ([side(item, index) for item in args], {name: side(item, index) for name, item in kwargs.items()})
            for index in (0, 1)
        ]
        with default_as(recorder):
            recorded = one_or_more(function(*sides[0][0], **sides[0][1]))
        values += zip(recorded, one_or_more(function(*sides[1][0], **sides[1][1])), strict=True)
    graph = onnx_ir.Graph([x], [values[-1][0]], nodes=nodes, opset_imports={"": 18, "random": 1}, name="g")
    (found,) = run(onnx_ir.to_proto(link(onnx_ir.Model(graph, ir_version=10))), array)
    np.testing.assert_allclose(found, values[-1][1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("opset", [13, 15, 18, 21])
@pytest.mark.parametrize("seed", range(4))
def test_written_nodes(seed: int, opset: int) -> None:
    rng = random.Random(seed * 100 + opset)
    array = np.random.default_rng(seed).normal(size=(2, 3)).astype(np.float32)
    values: list[Value] = [("x", array)]
    nodes = []
    for count in range(5):
        function, args, kwargs = draw_call(rng, values)
        args = [args[0], *(item if item is None or isinstance(item, tuple) else values[0] for item in args[1:])]
        inputs = {name: item for name, item in kwargs.items() if name in "yw"}
        if "y" in inputs and not isinstance(inputs["y"], tuple):
            inputs["y"] = kwargs["y"] = values[0]
        attributes = {name: item for name, item in kwargs.items() if name not in inputs and item is not None}
        ordered = [*args[:1], *inputs.values(), *args[1:]]  # what is any number of inputs stands last
        found = one_or_more(
            function(*(side(item, 1) for item in args), **{name: side(item, 1) for name, item in kwargs.items()})
        )
        names = [f"v{count}_{index}" for index in range(len(found))]
        texts = ["" if item is None else item[0] for item in ordered]
        nodes.append(helper.make_node(function.name, texts, names, domain="random", **attributes))
        values += zip(names, found, strict=True)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("random", 1)]
    given = [helper.make_tensor_value_info("x", 1, [2, 3])]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name, _ in values[1:]]
    model = helper.make_model(helper.make_graph(nodes, "g", given, outputs), opset_imports=imports, ir_version=8)
    for (name, expected), result in zip(values[1:], run(link(model, FUNCTIONS), array), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4, err_msg=name)
