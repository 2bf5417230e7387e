"""Slices, positions and items are written as subscripts where those mean the same, and as calls anywhere else."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper
from opwright import decompile

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, run_ort, run_reference

NUMBERS = itertools.count()
MOST, LEAST = 2**63 - 1, -(2**63)


def model_of(node: Any, rank: int | None, constants: dict[str, Any], opset: int = 18) -> ModelProto:
    """A model of one node from `x` to `y`, which takes constants too. Of `x` the rank is declared; or it is made of
    other inputs, of whose rank nobody knows."""
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    if rank is not None:
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None] * rank)]
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
        nodes = [node]
    else:
        inputs = [helper.make_tensor_value_info("flat", TensorProto.FLOAT, [None])]
        inputs.append(helper.make_tensor_value_info("dims", TensorProto.INT64, [None]))
        outputs = [helper.make_tensor_value_info("items", TensorProto.FLOAT, [None])]
        outputs.append(helper.make_tensor_value_info("sizes", TensorProto.INT64, [None]))
        tensors.append(numpy_helper.from_array(np.array([-1]), "all"))
        before = helper.make_node("Reshape", ["flat", "dims"], ["x"], allowzero=1)
        after = helper.make_node("Reshape", ["y", "all"], ["items"]), helper.make_node("Shape", ["y"], ["sizes"])
        nodes = [before, node, *after]
    graph = helper.make_graph(nodes, "main", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def slice_of(
    starts: Any, ends: Any, axes: Any = None, steps: Any = None, dtype: Any = np.int64, rank: int | None = 3
) -> ModelProto:
    given = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
    arrays = {name: np.array(value, dtype) for name, value in given.items() if value is not None}
    inputs = ["x", *(name if name in arrays else "" for name in given)]
    return model_of(helper.make_node("Slice", inputs, ["y"]), rank, arrays)


def gather_of(index: Any, axis: int, dtype: Any = np.int64, rank: int | None = 3, opset: int = 18) -> ModelProto:
    return model_of(
        helper.make_node("Gather", ["x", "i"], ["y"], axis=axis), rank, {"i": np.array(index, dtype)}, opset
    )


def written(model: ModelProto, faithful: bool = False) -> str:
    """What the text binds `y` to."""
    lines = decompile(model, faithful=faithful).text.splitlines()
    return next(line.partition(" = ")[2] for line in lines if line.startswith("    y = "))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (slice_of([1], [3]), "x[1:3]"),
        (slice_of([1], [3], rank=None), "x[1:3]"),
        (slice_of([0], [MOST], [1], [2]), "x[:, ::2]"),
        (slice_of([-1], [MOST], [-1]), "x[..., -1:]"),
        (slice_of([1], [-1], [-2], dtype=np.int32), "x[..., 1:-1, :]"),
        (slice_of([0, 1], [2, MOST], [2, 0]), "x[1:, :, :2]"),
        (slice_of([0, 1], [2, MOST], [0, -1]), "op.Slice(x, [0, 1], [2, 9223372036854775807], [0, -1])"),
        (slice_of([-1], [LEAST], [0], [-1]), "x[::-1]"),
        (slice_of([MOST], [-MOST], [0], [-2]), "x[::-2]"),
        (slice_of([2], [0], [0], [-1]), "x[2:0:-1]"),
        (slice_of([-2], [LEAST], [0], [-1]), "op.Slice(x, [-2], [-9223372036854775808], [0], [-1])"),
        (slice_of([1], [MOST], [0], [-1]), "op.Slice(x, [1], [9223372036854775807], [0], [-1])"),
        (slice_of([1], [2**31 - 1], [0], [-1]), "op.Slice(x, [1], [2147483647], [0], [-1])"),
        (slice_of([1], [2**31 - 2], [0], [-1]), "x[1:2147483646:-1]"),
        (slice_of([0], [MOST], [1]), "op.Slice(x, [0], [9223372036854775807], [1])"),
        (slice_of([0, 0], [MOST, 1], [1, 0]), "op.Slice(x, [0, 0], [9223372036854775807, 1], [1, 0])"),
        (slice_of([0, 0], [1, 1], [1, 1]), "op.Slice(x, [0, 0], [1, 1], [1, 1])"),
        (gather_of(0, 0), "x[0]"),
        (gather_of(-1, 1, np.int32), "x[:, -1]"),
        (gather_of(1, -1), "x[..., 1]"),
        (gather_of(1, -2, rank=None), "x[..., 1, :]"),
        (gather_of([2, 0], 1), "x[:, [2, 0]]"),
        (gather_of([[2, 0]], 1), "op.Gather(x, [[2, 0]], axis=1)"),
        (gather_of(0, 0, opset=10), "op.Gather(x, 0)"),
    ],
)
def test_what_is_written(model: ModelProto, expected: str) -> None:
    assert written(model) == expected
    assert written(model, faithful=True).startswith("op.")


def test_items_of_sequences(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("SplitToSequence", ["x"], ["parts"], axis=0),
        helper.make_node("SequenceAt", ["parts", "i"], ["y"]),
    ]
    model = model_of(nodes[1], 2, {"i": np.array(-1, np.int32)})
    model.graph.node.insert(0, nodes[0])
    assert written(model) == "parts[-1]"
    same(model, np.arange(6, dtype=np.float32).reshape(3, 2), tmp_path)


def same(model: ModelProto, x: Any, folder: Path) -> None:
    """The model and the one that its text makes give the same, or fail both."""
    given = [x] if len(model.graph.input) == 1 else [x.ravel(), np.array(x.shape)]
    path = folder / f"subscript{next(NUMBERS)}.py"  # a name of its own: Python keeps what it has compiled
    decompile(model).write(path)
    again = make(path)
    assert isinstance(again, ModelProto)
    for run in (run_ort, run_reference):
        one, other = result(run, model, given), result(run, again, given)
        assert (one is None) == (other is None), (written(model), x.shape, run.__name__)
        assert one is None or other is None or all(map(equal, one, other)), (written(model), x.shape, run.__name__)


def result(run: Any, model: ModelProto, given: list[Any]) -> Any:
    """What a runtime gives; None where it fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run(model, given)
    except Exception:
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("subscripts")


@pytest.mark.parametrize("end", [MOST, MOST - 1, 2**31 - 1, 2**31])
def test_ends_that_runtimes_take_for_the_beginning(end: int, folder: Path) -> None:
    same(slice_of([1], [end], [0], [-1]), np.arange(6, dtype=np.float32).reshape(3, 2, 1), folder)


BOUNDS = st.sampled_from([0, 1, 2, 3, 5, -1, -2, -3, -5, MOST, -MOST, LEAST, 2**31 - 1])
STEPS = st.sampled_from([1, 1, 2, 3, -1, -2, 7])
SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=3)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), shape=SHAPES, known=st.booleans())
def test_slices_give_the_same(data: st.DataObject, shape: list[int], known: bool, folder: Path) -> None:
    axes = data.draw(st.lists(st.integers(-3, 2), min_size=1, max_size=2, unique=True))
    starts, ends = ([data.draw(BOUNDS) for _ in axes] for _ in range(2))
    steps = [data.draw(STEPS) for _ in axes] if data.draw(st.booleans()) else None
    model = slice_of(starts, ends, axes, steps, rank=len(shape) if known else None)
    if known and not all(-len(shape) <= axis < len(shape) for axis in axes):
        return  # which is refused when it is compiled, as no runtime loads it
    if len({axis % len(shape) for axis in axes}) == len(axes):  # what axes that are named twice mean nobody says
        same(model, np.arange(np.prod(shape), dtype=np.float32).reshape(shape), folder)


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    index=st.one_of(st.integers(-5, 4), st.lists(st.integers(-5, 4), max_size=3)),
    axis=st.integers(-3, 2),
    shape=SHAPES,
    small=st.booleans(),
)
def test_positions_give_the_same(index: Any, axis: int, shape: list[int], small: bool, folder: Path) -> None:
    model = gather_of(index, axis, np.int32 if small else np.int64, rank=None)
    same(model, np.arange(np.prod(shape), dtype=np.float32).reshape(shape), folder)
