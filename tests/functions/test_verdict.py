"""What is asked of ONNX about a model of many calls, against onnx.checker's full check of the model as it is given out.

The models are drawn: functions that call one another, on inputs whose sizes are known or not, half of them with a fault
that the checker finds at a call alone.
"""

from __future__ import annotations

import random

import onnx
import pytest
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, TypeProto, checker, helper, shape_inference
from opwright.link import inferred_parts
from opwright.model import verdict
from opwright.model.survey import Survey

DOMAIN = "drawn"
IMPORTS = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
SEEDS = range(120)


class Draw:
    """One model: values are matrices, of which two have sizes that differ."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wrong = self.random.random() < 0.5
        self.functions: list[FunctionProto] = []

    def node(self, values: list[str], made: str) -> NodeProto:
        draw = self.random
        one, other = draw.choice(values), draw.choice(values)
        if self.functions and draw.random() < 0.5:
            return helper.make_node(draw.choice(self.functions).name, [one, other], [made], domain=DOMAIN)
        if self.wrong and draw.random() < 0.15:
            return draw.choice(
                (
                    helper.make_node("Not", [one], [made]),  # of floats
                    helper.make_node("MatMul", [one, one], [made]),  # of sizes that do not meet
                    helper.make_node("Concat", [one, other], [made], axis=5),
                    helper.make_node("Cast", [one], [made], to=TensorProto.INT64),  # wrong where it is added to floats
                    helper.make_node("Squeeze", [one], [made]),  # a matrix of one row has fewer axes then
                )
            )
        return draw.choice(
            (
                helper.make_node("Neg", [one], [made]),
                helper.make_node("Add", [one, other], [made]),
                helper.make_node("Softmax", [one], [made], axis=-1),
                helper.make_node("Where", [f"{made}_less", one, other], [made]),
                helper.make_node("Concat", [one, one], [made], axis=0),
                helper.make_node("Slice", [one, "at", "to"], [made]),
            )
        )

    def nodes(self, values: list[str], count: int) -> list[NodeProto]:
        nodes = [
            helper.make_node("Constant", [], [name], value_ints=[size, size]) for name, size in (("at", 0), ("to", 2))
        ]
        for index in range(count):
            made = self.node(values, f"v{index}")
            if made.op_type == "Where":
                nodes.append(helper.make_node("Less", list(made.input[1:]), [made.input[0]]))
            nodes.append(made)
            values.append(made.output[0])
        return nodes

    def model(self) -> ModelProto:
        for index in range(self.random.randint(1, 6)):
            nodes = self.nodes(["x", "y"], self.random.randint(1, 4))
            name, given = f"f{index}", nodes[-1].output[0]
            self.functions.append(helper.make_function(DOMAIN, name, ["x", "y"], [given], nodes, IMPORTS))
        sizes = self.random.choice(([2, 3], [2, 3], ["N", 3], ["N", "M"]))
        nodes = self.nodes(["x", "y"], self.random.randint(2, 8))
        inputs = [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes),
            helper.make_tensor_value_info("y", TensorProto.FLOAT, self.random.choice((sizes, [1, 3]))),
        ]
        output = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)
        graph = helper.make_graph(nodes, "drawn", inputs, [output])
        return helper.make_model(graph, functions=self.functions, opset_imports=IMPORTS, ir_version=8)


def _full_check(model: ModelProto) -> bool:
    """Whether onnx.checker takes the model, with all that inference finds of it."""
    ranked = verdict.with_ranks(shape_inference.infer_shapes(model))
    try:
        checker.check_model(ranked, full_check=True)
    except (checker.ValidationError, shape_inference.InferenceError):
        return False
    return True


def _without_names(types: dict[str, TypeProto]) -> list[list[int | str]]:
    """The sizes of outputs; names that inference made up are one."""
    return [
        [size.dim_value or size.dim_param.partition("__")[0] for size in item.tensor_type.shape.dim]
        for item in types.values()
    ]


@pytest.mark.parametrize("looks", [0, 1_000_000])
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_model_is_refused_where_the_full_check_refuses_it(
    looks: int, in_parts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the calls inlined, and with the model as it stands; as a whole, and in parts."""
    monkeypatch.setattr(verdict, "MOST_LOOKS", looks)
    if in_parts:
        split(monkeypatch)
    verdicts: list[bool] = []
    for seed in SEEDS:
        model = Draw(seed).model()
        _, problem = verdict.infer(model, Survey(model))
        problem = problem or verdict.checker_problem(verdict.with_ranks(model))
        verdicts.append(_full_check(model))
        assert (problem is None) == verdicts[-1], (seed, problem, onnx.printer.to_text(model))
    assert verdicts.count(True) > 30 and verdicts.count(False) > 30


def split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has every model inferred in parts of two nodes."""
    monkeypatch.setattr(inferred_parts, "MOST_COPIED", -1)
    monkeypatch.setattr(inferred_parts, "PART", 2)
    monkeypatch.setattr(verdict, "LARGEST_WHOLE", 0)


def test_the_types_of_outputs_are_those_that_are_found_without_inlining(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    for seed in SEEDS:
        model = Draw(seed).model()
        monkeypatch.setattr(verdict, "MOST_LOOKS", 1_000_000)
        called, problem = verdict.infer(model, Survey(model))
        monkeypatch.setattr(verdict, "MOST_LOOKS", 0)
        inlined, other = verdict.infer(model, Survey(model))
        assert problem == other, seed
        with monkeypatch.context() as patched:
            split(patched)
            parts, another = verdict.infer(model, Survey(model))
        assert problem == another, seed
        if problem is None:
            assert called == inlined, seed
            assert _without_names(called) == _without_names(parts), seed
            (type_,) = called.values()
            found.append(len(type_.tensor_type.shape.dim))
    assert found.count(2) > 30
