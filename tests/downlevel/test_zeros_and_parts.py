"""`Reshape(allowzero=1)` and `Shape(start, end)` for opsets that have neither: the same values, or the same errors."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from opwright import convert
from opwright.diagnostics import DiagnosticError
from opwright.downlevel.rewrite import polyfill_libraries
from opwright.downlevel.target import target_of_opset
from opwright.link.detach import detach

from tests.downlevel.standard_cases import session_of
from tests.link.conftest import LibraryBuilder

NOTHING = LibraryBuilder().bundle()


def older(model: onnx.ModelProto, opset: int = 13) -> onnx.ModelProto:
    done = polyfill_libraries(model, [NOTHING], target_of_opset(opset), inline=bool(model.functions)).model
    onnx.checker.check_model(done, full_check=True)
    if not model.functions:
        assert detach(done) == model
    return done


def answers(model: onnx.ModelProto, values: dict[str, Any]) -> list[Any]:
    """What onnxruntime and the reference evaluator give; None for an error."""
    found: list[Any] = []
    for run in (lambda: session_of(model).run(None, values), lambda: ReferenceEvaluator(model).run(None, values)):
        try:
            found.append(run()[0])
        except Exception:  # each runtime has exceptions of its own
            found.append(None)
    return found


def assert_same(before: Sequence[Any], after: Sequence[Any], label: object) -> None:
    for one, other in zip(before, after, strict=True):
        assert (one is None) == (other is None), label
        if one is not None:
            assert (one.dtype, one.shape) == (other.dtype, other.shape), label
            assert one.tobytes() == other.tobytes(), label


def reshape_model(rank: int, length: int, shape: Sequence[int] | None, element: int = TensorProto.FLOAT) -> Any:
    """A reshape of x; to a constant shape, or to one that is an input."""
    x = helper.make_tensor_value_info("x", element, [f"D{axis}" for axis in range(rank)])
    s = helper.make_tensor_value_info("s", TensorProto.INT64, [length])
    y = helper.make_tensor_value_info("y", element, [f"E{axis}" for axis in range(length)])
    node = helper.make_node("Reshape", ["x", "s"], ["y"], allowzero=1)
    given = [] if shape is None else [helper.make_tensor("s", TensorProto.INT64, [length], list(shape))]
    graph = helper.make_graph([node], "g", [x, s] if shape is None else [x], [y], given)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def shapes(count: int, seed: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Shapes of a tensor and of what it shall become: most fit, some do not."""
    chance = random.Random(seed)
    for _ in range(count):
        shape = tuple(chance.choice((0, 1, 2, 3, 4)) for _ in range(chance.randrange(4)))
        goal = [chance.choice((0, 1, 2, 3, 6)) for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            goal = list(chance.sample(shape, len(shape)))
        if goal and chance.random() < 0.4:
            goal[chance.randrange(len(goal))] = -1
        yield shape, tuple(goal)


@pytest.mark.long
def test_a_reshape_to_a_shape_of_run_time() -> None:
    models: dict[tuple[int, int], tuple[onnx.ModelProto, onnx.ModelProto]] = {}
    errors = 0
    for shape, goal in shapes(300, 41):
        key = (len(shape), len(goal))
        if key not in models:
            model = reshape_model(*key, None)
            models[key] = (model, older(model))
        values = {"x": np.arange(np.prod(shape), dtype=np.float32).reshape(shape), "s": np.array(goal, np.int64)}
        before, after = (answers(model, values) for model in models[key])
        if {0, -1} <= set(goal):
            before = [None, None]  # an error by the standard, though runtimes take some of them
        errors += before[0] is None
        assert_same(before, after, (shape, goal))
    assert 30 < errors < 200


def test_a_reshape_to_a_constant_shape() -> None:
    seen = {"If": 0, "Gather": 0, "Reshape": 0, "refused": 0}
    for shape, goal in shapes(120, 42):
        model = reshape_model(len(shape), len(goal), goal)
        values = {"x": np.arange(np.prod(shape), dtype=np.float32).reshape(shape)}
        if {0, -1} <= set(goal):
            with pytest.raises(DiagnosticError, match="OW582"):
                older(model)
            seen["refused"] += 1
            continue
        before = answers(model, values)
        if before[0] is not None:  # others are no valid models
            done = older(model)
            seen[done.graph.node[-1].op_type] += 1
            assert_same(before, answers(done, values), (shape, goal))
    assert seen["If"] == 0
    assert min(seen["Gather"], seen["Reshape"]) > 5
    assert seen["refused"]


@pytest.mark.parametrize("element", [TensorProto.STRING, TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.INT8])
def test_elements_of_other_types(element: int) -> None:
    model = reshape_model(2, 2, None, element)
    done = older(model)
    dtype = helper.tensor_dtype_to_np_dtype(element)
    for shape, goal in (((2, 3), (3, 2)), ((0, 3), (5, 0)), ((0, 3), (0, 0)), ((2, 2), (0, 4))):
        values = {"x": np.ones(shape, dtype), "s": np.array(goal, np.int64)}
        before, after = (session_answer(item, values) for item in (model, done))
        assert (before is None) == (after is None)
        assert before is None or (before.shape, before.dtype) == (after.shape, after.dtype)
        assert before is None or (before == after).all()


def session_answer(model: onnx.ModelProto, values: dict[str, Any]) -> Any:
    return answers(model, values)[0]


LIMITS = (None, 0, 1, 2, 3, 4, 9, -1, -2, -3, -4, -9, (1 << 63) - 1, -(1 << 63) + 1)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_parts_of_shapes(rank: int) -> None:
    """Every start with every end, one node each."""
    x = np.zeros((2, 0, 5)[:rank], np.float32)
    nodes = []
    for number, limits in enumerate((start, end) for start in LIMITS for end in LIMITS):
        given = {key: value for key, value in zip(("start", "end"), limits, strict=True) if value is not None}
        nodes.append(helper.make_node("Shape", ["x"], [f"y{number}"], **given))
    outputs = [
        helper.make_tensor_value_info(node.output[0], TensorProto.INT64, [f"N{node.output[0]}"]) for node in nodes
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [f"D{axis}" for axis in range(rank)])]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    done = older(model)
    assert {item.op_type for item in done.graph.node} == {"Shape", "Slice", "Constant"}
    expected = [np.array(part_of(x.shape, node), np.int64) for node in nodes]
    # The reference evaluator does not end at the borders.
    for found in (*(session_of(item).run(None, {"x": x}) for item in (model, done)), reference(done, x)):
        for node, wanted, part in zip(nodes, expected, found, strict=True):
            assert (part.dtype, part.tolist()) == (wanted.dtype, wanted.tolist()), node


def reference(model: onnx.ModelProto, x: np.ndarray[Any, Any]) -> list[Any]:
    return list(ReferenceEvaluator(model).run(None, {"x": x}))


def part_of(shape: tuple[int, ...], node: onnx.NodeProto) -> tuple[int, ...]:
    """As the standard says it: negative limits count from the end, and all end at the borders."""
    given = {item.name: item.i for item in node.attribute}
    rank = len(shape)
    limits = (given.get("start", 0), given.get("end", rank))
    start, end = (min(max(limit + rank if limit < 0 else limit, 0), rank) for limit in limits)
    return shape[start:end]


INSIDE = """<ir_version: 10, opset_import: ["": 18, "my": 1]>
g (float[A,B] x, bool c, int64[K] s) => (float[P,Q] y, int64[R] n) {
    y = If (c) <then_branch = p () => (r) { r = Reshape<allowzero = 1>(x, s) },
                else_branch = q () => (t) { k = Constant<value_ints = [-1, 1]>() t = Reshape<allowzero = 1>(x, k) }>
    n = my.Tail(x)
}
<domain: "my", opset_import: ["": 18]> Tail (v) => (w) { t = Transpose<perm = [1, 0]>(v) w = Shape<start = -1>(t) }"""


def test_inside_graphs_and_functions() -> None:
    model = onnx.parser.parse_model(INSIDE)
    done = polyfill_libraries(model, [NOTHING], target_of_opset(13)).model
    assert not done.functions  # which came later
    for shape, goal, c in (((2, 3), (6, 1), True), ((2, 0), (0, 7), True), ((2, 3), (1, 1), False)):
        values = {"x": np.ones(shape, np.float32), "s": np.array(goal, np.int64), "c": np.array(c)}
        for one, other in zip(session_of(model).run(None, values), session_of(done).run(None, values), strict=True):
            assert (one.shape, one.tolist()) == (other.shape, other.tolist())


FOLDED = """<ir_version: 8, opset_import: ["": {opset}]> g () => (float[{sizes}] y)
    <float[{held}] x = {{{numbers}}}, int64[{rank}] s = {{{goal}}}> {{ n = Neg(s) m = Neg(n) y = {node} }}"""
FITTING = [((2, 3), (3, 2)), ((2, 3), (-1, 1)), ((0, 3), (5, 7, 0)), ((3, 0, 2), (0, 4)), ((0, 5), (0, 0, 9))]


@pytest.mark.parametrize(("held", "goal"), FITTING)
@pytest.mark.parametrize(("node", "opset"), [("Reshape<allowzero = 1>(x, m)", 14), ("Softmax<axis = 0>(x)", 11)])
def test_the_branch_that_is_not_taken_can_be_computed_of_constants(
    held: tuple[int, ...], goal: tuple[int, ...], node: str, opset: int
) -> None:
    rank = len(goal) if "Reshape" in node else len(held)
    given = {"held": held, "goal": goal, "numbers": range(int(np.prod(held)))}
    texts = {name: ",".join(map(str, values)) for name, values in given.items()}
    text = FOLDED.format(opset=opset, node=node, rank=len(goal), sizes=",".join("ABC"[:rank]), **texts)
    model = onnx.parser.parse_model(text)
    done = convert(model, opset=13)
    assert detach(done) == model
    (before,), (after,) = (session_of(item).run(None, {}) for item in (model, done))
    assert_same([before], [after], (held, goal))
    choice = done.graph.node.pop()
    for attribute in choice.attribute:
        branch = onnx.ModelProto()
        branch.CopyFrom(done)
        branch.graph.node.extend(attribute.g.node)
        del branch.graph.output[:]
        branch.graph.output.append(helper.make_tensor_value_info(attribute.g.output[0].name, TensorProto.FLOAT, None))
        session_of(branch).run(None, {})


def test_nodes_that_a_tool_has_altered_are_not_put_back() -> None:
    done = older(reshape_model(2, 2, None))
    done.graph.node[-1].input[0] = "s"
    with pytest.raises(DiagnosticError) as caught:
        detach(done)
    assert [item.code for item in caught.value.diagnostics] == ["OW576"]
