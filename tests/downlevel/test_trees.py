"""TreeEnsemble below version 5 of ai.onnx.ml: the TreeEnsembleRegressor that gives the same, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.downlevel.rewrite import Rewritten, polyfill_libraries
from opwright.downlevel.target import target_of_opset
from opwright.link.detach import detach

from tests.downlevel.standard_cases import session_of

MEMBER = 6


def tensor(values: Any, dtype: type[np.generic]) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.array(values, dtype))


def model_of(kind: int = TensorProto.FLOAT, **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node("TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", **attributes)
    x, y = (helper.make_tensor_value_info(name, kind, ["N", size]) for name, size in (("x", 3), ("y", None)))
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 5)]
    return helper.make_model(helper.make_graph([node], "g", [x], [y]), ir_version=8, opset_imports=imports)


def forest(generator: np.random.Generator, trees: int, **attributes: Any) -> dict[str, Any]:
    """Trees that ask everything that a node can ask."""
    nodes: list[tuple[int, int, int, int]] = []  # the two branches: whether a leaf, and its place
    leaves = 0
    roots = []

    def grow(depth: int) -> tuple[int, int]:
        nonlocal leaves
        if depth == 0 or (depth < 3 and generator.random() < 0.3):
            leaves += 1
            return 1, leaves - 1
        place = len(nodes)
        nodes.append((0, 0, 0, 0))
        nodes[place] = (*grow(depth - 1), *grow(depth - 1))
        return 0, place

    for _ in range(trees):
        roots.append(grow(4)[1])
    count = len(nodes)
    modes = generator.integers(0, MEMBER + 1, count)
    sets = [[*generator.integers(-3, 4, generator.integers(1, 5)), np.nan] for mode in modes if mode == MEMBER]
    dtype = np.float32
    return {
        "n_targets": 2,
        "tree_roots": roots,
        "nodes_modes": tensor(modes, np.uint8),
        "nodes_featureids": generator.integers(0, 3, count).tolist(),
        "nodes_splits": tensor(generator.integers(-3, 4, count), dtype),
        "nodes_trueleafs": [node[0] for node in nodes],
        "nodes_truenodeids": [node[1] for node in nodes],
        "nodes_falseleafs": [node[2] for node in nodes],
        "nodes_falsenodeids": [node[3] for node in nodes],
        "nodes_missing_value_tracks_true": generator.integers(0, 2, count).tolist(),
        "nodes_hitrates": tensor(generator.random(count), dtype),
        "membership_values": tensor([value for each in sets for value in each], dtype),
        "leaf_targetids": generator.integers(0, 2, leaves).tolist(),
        "leaf_weights": tensor(generator.standard_normal(leaves), dtype),
        **attributes,
    }


def rewritten(model: onnx.ModelProto, opset: int) -> Rewritten:
    return polyfill_libraries(model, [], target_of_opset(opset))


def refusal(model: onnx.ModelProto) -> str:
    with pytest.raises(DiagnosticError) as caught:
        rewritten(model, 18)
    (found,) = caught.value.diagnostics
    assert found.code == "OW581"
    return found.reason


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("trees", [1, 2, 7])
@pytest.mark.parametrize(("aggregate", "transform"), [(0, 0), (1, 0), (2, 3), (3, 4), (1, 3)])
def test_trees(opset: int, trees: int, aggregate: int, transform: int) -> None:
    generator = np.random.default_rng([trees, aggregate])
    model = model_of(**forest(generator, trees, aggregate_function=aggregate, post_transform=transform))
    x = generator.integers(-4, 5, (200, 3)).astype(np.float32)
    x[generator.random(x.shape) < 0.1] = np.nan
    done = rewritten(model, opset).model
    assert [node.op_type for node in done.graph.node] == ["TreeEnsembleRegressor"]
    assert detach(done) == model
    (expected,), (found,) = (session_of(item).run(None, {"x": x}) for item in (model, done))
    assert found.tobytes() == expected.tobytes()


SMALL: dict[str, Any] = {
    "n_targets": 1,
    "tree_roots": [0],
    "nodes_modes": tensor([0], np.uint8),
    "nodes_featureids": [1],
    "nodes_splits": tensor([0.5], np.float32),
    "nodes_trueleafs": [1],
    "nodes_truenodeids": [0],
    "nodes_falseleafs": [1],
    "nodes_falsenodeids": [0],
    "leaf_targetids": [0],
    "leaf_weights": tensor([4], np.float32),
}


def test_a_set_of_no_members() -> None:
    """onnxruntime refuses it in version 5; nothing is a member, but a nan follows its way."""
    nothing = {"nodes_modes": tensor([MEMBER], np.uint8), "membership_values": tensor([np.nan], np.float32)}
    leaves = {"nodes_falsenodeids": [1], "leaf_targetids": [0, 0], "leaf_weights": tensor([4, 5], np.float32)}
    x = np.float32([[0, 1, 0], [0, np.nan, 0]])
    for tracks, expected in (([0], [[5], [5]]), ([1], [[5], [4]])):
        model = model_of(**{**SMALL, **nothing, **leaves}, nodes_missing_value_tracks_true=tracks)
        (found,) = session_of(rewritten(model, 13).model).run(None, {"x": x})
        np.testing.assert_array_equal(found, expected)


def test_a_tree_that_is_one_leaf() -> None:
    done = rewritten(model_of(**SMALL), 13).model
    (found,) = session_of(done).run(None, {"x": np.float32([[1, 2, 3], [0, 0, 0]])})
    np.testing.assert_array_equal(found, [[4], [4]])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tree_roots": [0, 0]}, "two of its trees share a node"),
        ({"nodes_modes": tensor([MEMBER], np.uint8)}, "a mode of its nodes is not known, or has no set"),
        ({"nodes_truenodeids": [1]}, "it has a node whose branch is not there"),
        ({"nodes_featureids": [1, 2]}, "its lists of nodes are of several lengths"),
        ({"leaf_targetids": [0, 0]}, "its lists of leaves are of several lengths"),
        ({"post_transform": 7}, "its post_transform is 7"),
        ({"post_transform": 1}, "which is one function by the standard and another in onnxruntime"),
        ({"aggregate_function": 4}, "its aggregate_function is 4"),
    ],
)
def test_what_is_no_forest_is_refused(change: dict[str, Any], reason: str) -> None:
    assert reason in refusal(model_of(**{**SMALL, **change}))


def test_results_of_double_are_refused() -> None:
    """Results of a TreeEnsembleRegressor are of float."""
    double = {name: tensor([1], np.float64) for name in ("nodes_splits", "leaf_weights")}
    reason = refusal(model_of(TensorProto.DOUBLE, **{**SMALL, **double}))
    assert "its input is double, and results were float before" in reason
