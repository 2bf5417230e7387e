"""Generated models: functions, inlined nodes and numpy agree, and detaching gives the model back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import NodeProto, TensorProto, helper
from opwright.bundle.format import Bundle
from opwright.link.apply import attach
from opwright.link.detach import detach
from opwright.variants import Profile

from tests.link.conftest import run_everywhere

Array = np.ndarray


def swish(x: Array, alpha: float) -> Array:
    return x / (1 + np.exp(-alpha * x))


@dataclass
class Maker:
    """Writes nodes and computes them with numpy at the same time. Values are kept within a few units by Tanh."""

    draw: st.DrawFn
    values: dict[str, Array]
    count: int = 0

    def fresh(self) -> str:
        self.count += 1
        return self.draw(st.sampled_from(("v", "t_", "x", "y_"))) + str(self.count)

    def pick(self) -> str:
        return self.draw(st.sampled_from(sorted(self.values)))

    def nodes(self, most: int, depth: int = 0) -> list[NodeProto]:
        made: list[NodeProto] = []
        for _ in range(self.draw(st.integers(1, most))):
            made += self.step(depth)
        return made

    def step(self, depth: int) -> list[NodeProto]:
        kinds = ["swish", "plain", "twice", "floor", "kind", "pair", "softplus", *(["if"] if depth < 2 else [])]
        kind = self.draw(st.sampled_from(kinds))
        source, result = self.pick(), self.fresh()
        if kind == "if":
            return self.branch(source, result, depth)
        x = self.values[source]
        raw = f"{result}_raw"
        nodes, value = self.call(kind, x, source, raw)
        self.values[result] = np.tanh(value)
        return [*nodes, helper.make_node("Tanh", [raw], [result])]

    def call(self, kind: str, x: Array, source: str, raw: str) -> tuple[list[NodeProto], Array]:
        acme = "com.acme"
        match kind:
            case "swish":
                alpha = self.draw(st.sampled_from((0.5, 1.0, 3.0)))
                return [helper.make_node("Swish", [source], [raw], domain=acme, alpha=alpha)], swish(x, alpha)
            case "plain":
                return [helper.make_node("Swish", [source], [raw], domain=acme)], swish(x, 1.5)
            case "twice":
                return [helper.make_node("Twice", [source], [raw], domain=acme)], 2 * swish(x, 1.5)
            case "floor":
                low = self.draw(st.sampled_from(("", *sorted(self.values))))
                inputs = [source, low] if low or self.draw(st.booleans()) else [source]
                value = np.maximum(x, self.values[low]) if low else x
                return [helper.make_node("Floor", inputs, [raw], domain=acme)], value
            case "kind":
                return [helper.make_node("Kind", [source], [raw], domain=acme)], x + 1
            case "pair":
                node = helper.make_node("Pair", [source], [f"{raw}_n", f"{raw}_a"], domain=acme)
                add = helper.make_node("Sub", [f"{raw}_n", f"{raw}_a"], [raw])
                return [node, add], -x - np.abs(x)
            case _:
                return [helper.make_node("Softplus", [source], [raw])], np.logaddexp(0, x)

    def branch(self, source: str, result: str, depth: int) -> list[NodeProto]:
        taken = bool(self.draw(st.booleans()))
        graphs = []
        chosen = np.array(0.0)
        for wanted in (True, False):
            outer = dict(self.values)
            nodes = self.nodes(2, depth + 1)
            last = nodes[-1].output[0]
            if wanted == taken:
                chosen = self.values[last]
            self.values = outer
            graphs.append(helper.make_graph(nodes, f"g{wanted}", [], [helper.make_tensor_value_info(last, 1, None)]))
        self.values[result] = chosen
        condition = f"{result}_c"
        tensor = helper.make_tensor("c", TensorProto.BOOL, [], [taken])
        return [
            helper.make_node("Constant", [], [condition], value=tensor),
            helper.make_node("If", [condition], [result], then_branch=graphs[0], else_branch=graphs[1]),
        ]


START = np.array([-1.5, 0.0, 0.25, 2.0])


@st.composite
def models(draw: st.DrawFn) -> tuple[onnx.ModelProto, Array]:
    maker = Maker(draw, {"x": START})
    nodes = maker.nodes(5)
    last = nodes[-1].output[0]
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in ("x", last)]
    graph = helper.make_graph(nodes, "g", info[:1], info[1:])
    opsets = [helper.make_opsetid("", draw(st.sampled_from((15, 18, 21)))), helper.make_opsetid("com.acme", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=draw(st.sampled_from((7, 8, 10)))), maker.values[
        last
    ]


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=models(), profile=st.sampled_from(Profile), replace=st.booleans())
def test_generated_models(
    acme: Bundle, standard: Bundle, made: tuple[onnx.ModelProto, Array], profile: Profile, replace: bool
) -> None:
    model, expected = made
    libraries = [acme, standard]
    attached = attach(model, libraries, profile=profile, replace=replace)
    (found,) = run_everywhere(attached, x=START.astype(np.float32))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert detach(attached) == model
    inlined = attach(model, libraries, inline=True, replace=replace)
    assert not inlined.functions
    (again,) = run_everywhere(inlined, x=START.astype(np.float32))
    np.testing.assert_allclose(again, expected, rtol=1e-4, atol=1e-5)
